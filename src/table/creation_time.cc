#include "table/creation_time.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "meta/startup_mode.h"

namespace mica {

namespace {

constexpr const char* kFileCreation = "scan.file-creation-time-millis";
constexpr const char* kCreation = "scan.creation-time-millis";

std::optional<int64_t> Millis(const TableOptions& options, const char* key, std::string_view mode) {
  auto text = options.Find(key);
  if (!text || StartupModeOf(options) != mode) return std::nullopt;
  auto millis = ParseInteger(*text);
  if (!millis) throw InvalidArgument("The option '{}' must be a whole number, not '{}'", key, *text);
  return millis;
}

}  // namespace

std::optional<int64_t> FirstSnapshotSince(const Table& table, int64_t epoch_millis) {
  try {
    const int64_t next = table.snapshots().AtTime(epoch_millis - 1).id + 1;
    if (table.snapshots().Exists(next)) return next;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kNotFound) throw;  // all are later
  }
  return std::nullopt;
}

std::optional<int64_t> SnapshotSinceCreation(const Table& table) {
  auto millis = Millis(table.options(), kCreation, "from-creation-timestamp");
  return millis ? FirstSnapshotSince(table, *millis) : std::nullopt;
}

std::optional<int64_t> OldestFileMillis(const Table& table) {
  if (auto millis = Millis(table.options(), kFileCreation, "from-file-creation-time")) return LocalWallMillis(*millis);
  auto millis = Millis(table.options(), kCreation, "from-creation-timestamp");
  if (!millis || FirstSnapshotSince(table, *millis)) return std::nullopt;
  return LocalWallMillis(*millis);
}

}  // namespace mica
