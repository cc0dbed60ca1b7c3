// Small operations on text: splitting, case, durations and sizes as options write them, and the nearest known name.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mica {

std::string_view Trim(std::string_view text);
// Splits at every separator and trims each part; empty text gives no parts.
std::vector<std::string> SplitList(std::string_view text, char separator);
std::string Join(std::span<const std::string> parts, std::string_view separator);
// ASCII only.
std::string ToLower(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

// "10 s", "1h", "2 days"; a bare number is milliseconds. Throws InvalidArgument.
std::chrono::nanoseconds ParseDuration(std::string_view text);
// "64 kb", "128mb", "512M"; a bare number is bytes, units are powers of 1024. Throws InvalidArgument.
int64_t ParseMemorySize(std::string_view text);
// A whole decimal integer, or nothing.
std::optional<int64_t> ParseInteger(std::string_view text);

// The name of `known` closest to `name` by edit distance, when it is close enough to be a slip of the pen.
std::optional<std::string> NearestName(std::string_view name, std::span<const std::string> known);
// ". Did you mean 'x'?" or nothing: the end of an error message about an unknown name.
std::string DidYouMean(std::string_view name, std::span<const std::string> known);

}  // namespace mica
