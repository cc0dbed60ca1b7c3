#include "clone/file_list_copy.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "io/file_copy.h"

namespace mica {

namespace {

// What lies in folders of the target: files of a run that was cut short are whole, or they are not there.
class FilesFound {
 public:
  FilesFound(FileSystem& fs, const std::vector<FileToCopy>& files, Executor& executor) {
    std::set<std::string> unique;
    for (const FileToCopy& file : files) unique.insert(ParentPath(file.to));
    const std::vector<std::string> folders(unique.begin(), unique.end());
    std::mutex mutex;
    executor.ForEach(folders.size(), [&](size_t i) {
      for (const FileStatus& status : fs.List(folders[i])) {
        std::lock_guard lock(mutex);
        sizes_.emplace(JoinPath(folders[i], BaseName(status.path)), status.size);
      }
    });
  }
  FilesFound() = default;
  std::optional<int64_t> SizeOf(const std::string& path) const {
    const auto found = sizes_.find(path);
    return found == sizes_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string, int64_t> sizes_;
};

}  // namespace

std::pair<int64_t, int64_t> FileListCopy::Run(std::vector<FileToCopy> files, const std::string& table) {
  const FilesFound found = nothing_there ? FilesFound() : FilesFound(target, files, executor);
  // The largest first, so that no thread begins one when the others are done.
  std::sort(files.begin(), files.end(),
            [](const FileToCopy& a, const FileToCopy& b) { return a.size.value_or(0) > b.size.value_or(0); });
  progress.files += static_cast<int64_t>(files.size());
  for (const FileToCopy& file : files) progress.bytes += file.size.value_or(0);
  std::mutex mutex;
  int64_t copied = 0, copied_bytes = 0;
  try {
    executor.ForEach(files.size(), [&](size_t i) {
      FileToCopy& file = files[i];
      FileSystem& from = file.source != nullptr ? *file.source : source;
      const auto present = found.SizeOf(file.to);
      if (present && !file.size) {
        if (const auto status = from.Stat(file.from)) file.size = status->size;
      }
      const bool is_there = present && (file.make || present == file.size);
      // Damaged: no run leaves such a file.
      if (present && !is_there) target.DeleteFile(file.to);
      const int64_t made = is_there    ? *present
                           : file.make ? file.make()
                                       : CopyFile(from, file.from, file.size, target, file.to);
      const int64_t bytes = file.make ? file.size.value_or(made) : made;
      std::lock_guard lock(mutex);
      if (!is_there) ++copied, copied_bytes += bytes;
      ++progress.files_done;
      progress.bytes_done += bytes;
      if (on_progress) on_progress(progress);
    });
  } catch (Error& error) {
    error.Add(fmt::format("{} of {} files are in their place, and table '{}' reads as before. Run it again to go on: they are "
                          "not copied again", progress.files_done, progress.files, table));
    throw;
  }
  return {copied, copied_bytes};
}

}  // namespace mica
