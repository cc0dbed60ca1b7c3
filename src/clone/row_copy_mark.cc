#include "clone/row_copy_mark.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "history/orphan_files.h"

namespace mica {

namespace {

constexpr std::string_view kMarkPrefix = "_clone-";

std::string HostName() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "";
}

// When the process began, in ticks since the machine started, so that one which got the same number later is another;
// "" where the system does not tell.
std::string StartOf(int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const size_t name = text.rfind(')');
  if (name == std::string::npos) return "";
  const std::vector<std::string> words = SplitList(text.substr(name + 1), ' ');
  constexpr size_t kStart = 19;  // the 22nd of all, the first after the name being the third
  return words.size() > kStart ? words[kStart] : "";
}

bool IsAlive(int64_t process, const std::string& start) {
  if (::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return false;
  const std::string now = StartOf(process);
  return now.empty() || now == start;
}

void CleanUpAfter(const Table& table, const std::string& path, Executor& executor) {
  FileSystem& fs = table.file_system();
  const Json mark = ParseJson(fs.ReadFile(path), path);
  if (GetKey<std::string>(mark, "host") != HostName()) return;
  if (IsAlive(GetKey<int64_t>(mark, "process"), GetKey<std::string>(mark, "start"))) return;
  const auto prefix = GetKey<std::string>(mark, "prefix");
  int64_t files = 0;
  for (const OrphanFile& orphan : FindOrphanFiles(table, std::numeric_limits<int64_t>::max(), executor)) {
    if (!prefix.empty() && BaseName(orphan.path).starts_with(prefix)) files += fs.DeleteFile(orphan.path);
  }
  fs.DeleteFile(path);
  Log(LogLevel::kInfo, fmt::format("{} files of a clone that was ended are deleted from '{}'", files, table.root()));
}

}  // namespace

RowCopyMark::RowCopyMark(TablePtr target, Executor& executor) {
  FileSystem& fs = target->file_system();
  for (const FileStatus& file : fs.List(target->root())) {
    const std::string name = BaseName(file.path);
    if (name.starts_with(kMarkPrefix) && name.ends_with(".json")) {
      CleanUpAfter(*target, JoinPath(target->root(), name), executor);
    }
  }
  const std::string id = RandomUuid();
  const std::string prefix =
      fmt::format("{}rows-{}-", target->options().Text("data-file.prefix", "data-"), id.substr(0, 8));
  path_ = JoinPath(target->root(), fmt::format("{}{}.json", kMarkPrefix, id));
  table_ = target->WithOptions({{"data-file.prefix", prefix}});
  const int64_t process = ::getpid();
  const Json mark = {{"host", HostName()}, {"process", process}, {"start", StartOf(process)}, {"prefix", prefix}};
  fs.ReplaceAtomically(path_, mark.dump());
}

RowCopyMark::~RowCopyMark() {
  if (kept_) return;
  try {
    table_->file_system().DeleteFile(path_);
  } catch (const std::exception&) {
    // The next run looks at it and finds nothing.
  }
}

}  // namespace mica
