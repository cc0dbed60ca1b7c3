// Where warnings go: silent by default, the program sets a sink. The library never writes to a stream of its own.
#pragma once

#include <functional>
#include <string>

namespace mica {

enum class LogLevel { kDebug, kInfo, kWarning };

using LogSink = std::function<void(LogLevel, const std::string&)>;

void SetLogSink(LogSink sink);
void Log(LogLevel level, const std::string& message);

}  // namespace mica
