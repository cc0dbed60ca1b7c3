// The time that the statements of a session take for commits, tags and retention: the system's, or that of the setting
// `mica.clock`, by which tests let days pass.
#pragma once

#include "base/clock.h"
#include "sql/session_state.h"

namespace mica::sql {

inline constexpr const char* kClockSetting = "mica.clock";

// Throws InvalidArgument for what is no time, as in 2024-05-01 10:00:00 (UTC).
Clock ClockAt(const std::string& time);
Clock ClockOf(const SessionState& session);

}  // namespace mica::sql
