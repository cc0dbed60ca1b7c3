#include "clone/copied_file_names.h"

#include <cctype>

#include <fmt/format.h>

#include "base/sha2.h"

namespace mica {

namespace {

constexpr size_t kMarkDigits = 16;
constexpr size_t kUuidSize = 36;

std::string Mark(const std::string& identity) { return Sha2(identity, 256).substr(0, kMarkDigits); }

// "8-4-4-4-12" digits of base 16.
bool IsUuid(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return text.size() == kUuidSize;
}

// Where the last uuid of a name stands, if there is one.
std::optional<size_t> FindUuid(std::string_view name) {
  for (size_t at = name.size() < kUuidSize ? 0 : name.size() - kUuidSize + 1; at-- > 0;) {
    if (IsUuid(name.substr(at, kUuidSize))) return at;
  }
  return std::nullopt;
}

}  // namespace

CopiedFileNames::CopiedFileNames(const std::optional<Snapshot>& base)
    // The manifest list of a snapshot has a name of its own, which its id has not after a rollback.
    : base_mark_(base ? Mark(base->delta_manifest_list) : std::string(kMarkDigits, '0')) {}

std::string CopiedFileNames::MarkOf(const ManifestEntry& source) {
  const DataFileMeta& file = source.file;
  return Mark(fmt::format("data\n{}\n{}\n{}\n{}\n{}\n{}\n{}", source.bucket, file.file_name, file.file_size, file.row_count,
                          file.creation_time_millis.value_or(0), file.external_path.value_or(""), source.partition));
}

std::string CopiedFileNames::MarkOf(const IndexManifestEntry& source) {
  return Mark(fmt::format("index\n{}\n{}\n{}\n{}\n{}\n{}", source.bucket, source.file_name, source.file_size,
                          source.row_count, source.external_path.value_or(""), source.partition));
}

std::string CopiedFileNames::MarkIn(std::string_view name) {
  const auto at = FindUuid(name);
  if (!at) return {};
  const std::string_view uuid = name.substr(*at, kUuidSize);
  return fmt::format("{}{}{}", uuid.substr(0, 8), uuid.substr(9, 4), uuid.substr(14, 4));
}

std::string CopiedFileNames::NameFor(std::string_view source_name, const std::string& mark) const {
  const auto at = FindUuid(source_name);
  const std::string_view prefix = at ? source_name.substr(0, *at) : std::string_view("data-");
  const size_t dot = source_name.find('.', at.value_or(0));
  const std::string_view extension = dot == std::string_view::npos ? std::string_view() : source_name.substr(dot);
  const std::string_view m = mark, b = base_mark_;
  return fmt::format("{}{}-{}-{}-{}-{}-0{}", prefix, m.substr(0, 8), m.substr(8, 4), m.substr(12, 4), b.substr(0, 4),
                     b.substr(4, 12), extension);
}

std::string RenamedExtra(std::string_view extra, std::string_view old_name, std::string_view new_name) {
  if (extra.starts_with(old_name)) return fmt::format("{}{}", new_name, extra.substr(old_name.size()));
  return fmt::format("{}.{}", new_name, extra);
}

}  // namespace mica
