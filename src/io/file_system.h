// Storage as Paimon tables need it, over Arrow's file systems (M-0116): local and object stores, plus memory, faulty
// and counting ones for tests. Paths are absolute and may carry a scheme (file:, s3:, oss:); each FileSystem takes the
// paths of its own scheme. Thread safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/io/type_fwd.h>

namespace mica {

struct FileStatus {
  std::string path;  // as a caller would pass it back
  int64_t size = 0;
  int64_t modified_millis = 0;
  bool is_directory = false;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // NotFound names the path. `size`, when the caller knows it from a manifest, saves a stat.
  virtual std::shared_ptr<arrow::io::RandomAccessFile> OpenInput(const std::string& path,
                                                                 std::optional<int64_t> size) = 0;
  // A new file (an existing one is replaced: names of data files are unique). Parent folders are made. What is not
  // closed without error may be there in part; the caller deletes it.
  virtual std::shared_ptr<arrow::io::OutputStream> OpenOutput(const std::string& path) = 0;

  virtual std::optional<FileStatus> Stat(const std::string& path) = 0;
  // Direct children in no order; a missing folder has none. Temporary names are listed too.
  virtual std::vector<FileStatus> List(const std::string& path) = 0;
  virtual void CreateFolder(const std::string& path) = 0;
  // True if something was deleted; a missing file is not an error.
  virtual bool DeleteFile(const std::string& path) = 0;
  virtual void DeleteFolder(const std::string& path) = 0;  // with everything in it
  // Folder or file; the target must not exist (AlreadyExists). Not atomic on object stores.
  virtual void Rename(const std::string& from, const std::string& to) = 0;

  // Creates a file with this content if and only if it does not exist: true when this call created it, false when
  // somebody else had. A failure after which the file may exist is OutcomeUnknown. (Format 1.4)
  virtual bool CreateAtomically(const std::string& path, std::string_view content) = 0;
  // Replaces or creates a small file, so that readers see the old or the new content.
  virtual void ReplaceAtomically(const std::string& path, std::string_view content) = 0;

  // Whether CreateAtomically holds against other processes and machines; if not, `why` says what is missing.
  virtual bool CanCreateAtomically(std::string* why) = 0;

  // Convenience over the above.
  std::string ReadFile(const std::string& path);
  bool Exists(const std::string& path) { return Stat(path).has_value(); }
};

using FileSystemPtr = std::shared_ptr<FileSystem>;

std::string JoinPath(std::string_view folder, std::string_view name);
std::string BaseName(std::string_view path);
std::string ParentPath(std::string_view path);
// "s3" of "S3://bucket/key", "" of a bare path.
std::string SchemeOf(std::string_view path);

}  // namespace mica
