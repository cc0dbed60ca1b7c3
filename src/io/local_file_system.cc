#include "io/local_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/uuid.h"
#include "io/local_streams.h"

namespace mica {

namespace {

ErrorKind KindOfErrno(int error) {
  switch (error) {
    case ENOENT: case ENOTDIR: return ErrorKind::kNotFound;
    case EACCES: case EPERM: case EROFS: return ErrorKind::kPermissionDenied;
    case EEXIST: return ErrorKind::kAlreadyExists;
    case ENAMETOOLONG: case ELOOP: return ErrorKind::kInvalidArgument;
    default: return ErrorKind::kIoError;
  }
}

Error Failure(int error, const char* operation, const std::string& path) {
  return MakeError(KindOfErrno(error), "Cannot {} '{}': {}", operation, path, std::strerror(error));
}

// Closes a descriptor at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int Release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// 0 or an errno. A folder that exists is success, whoever made it.
int MakeFolders(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0) return 0;
  int error = errno;
  if (error == ENOENT) {
    std::string parent = ParentPath(path);
    if (parent.empty() || parent == path) return error;
    if (int failed = MakeFolders(parent)) return failed;
    if (::mkdir(path.c_str(), 0777) == 0) return 0;
    error = errno;
  }
  if (error != EEXIST) return error;
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return errno;
  return S_ISDIR(status.st_mode) ? 0 : EEXIST;
}

// Opens for writing and makes the parent folders only when they turn out to be missing, so that the usual case is one
// call.
int OpenForWriting(const std::string& file, int flags, const std::string& path) {
  int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (descriptor < 0 && errno == ENOENT) {
    std::string parent = ParentPath(file);
    if (int error = MakeFolders(parent)) throw Failure(error, "create the folder", parent);
    descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  }
  if (descriptor < 0) throw Failure(errno, "create", path);
  return descriptor;
}

std::string TemporaryName(const std::string& file) {
  return JoinPath(ParentPath(file), "." + BaseName(file) + "." + RandomUuid() + ".tmp");
}

// Writes `content` beside the target and gives the temporary name; leaves nothing behind when it throws.
std::string WriteTemporary(const std::string& file, std::string_view content, const std::string& path) {
  std::string temporary = TemporaryName(file);
  Descriptor descriptor(OpenForWriting(temporary, O_EXCL, path));
  int error = WriteAll(descriptor.get(), content.data(), content.size());
  if (::close(descriptor.Release()) != 0 && error == 0 && errno != EINTR) error = errno;
  if (error == 0) return temporary;
  ::unlink(temporary.c_str());
  throw Failure(error, "write", path);
}

// Errors that say for sure that the name was not taken; any other (a network disk that lost its server) leaves it open.
bool SurelyNotDone(int error) {
  switch (error) {
    case EEXIST: case ENOENT: case ENOTDIR: case EISDIR: case EACCES: case EPERM: case EROFS: case ENOSPC: case EDQUOT:
    case ENAMETOOLONG: case EINVAL: case ENOSYS: case EXDEV: case EMLINK: case ELOOP: case EBUSY: case ENOTEMPTY:
    case EOPNOTSUPP:
      return true;
    default:
      return false;
  }
}

int LinkToFreeName(const char* from, const char* to) {
  if (::link(from, to) != 0) {
    int error = errno;
    struct stat status;
    // NFS may answer a repeated request with "exists" although the first one made the link.
    if (error != EEXIST || ::stat(from, &status) != 0 || status.st_nlink != 2) return error;
  }
  ::unlink(from);
  return 0;
}

FileStatus StatusOf(std::string path, const struct stat& status) {
  return {.path = std::move(path),
          .size = S_ISDIR(status.st_mode) ? 0 : status.st_size,
          .modified_millis = status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000,
          .is_directory = S_ISDIR(status.st_mode)};
}

bool IsDots(const char* name) { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

// Deletes what is in the folder; links are removed, never followed. 0 or an errno.
int DeleteChildren(int folder_descriptor) {
  Folder folder(::fdopendir(folder_descriptor));
  if (!folder) return errno;
  while (dirent* entry = ::readdir(folder.get())) {
    if (IsDots(entry->d_name)) continue;
    if (entry->d_type != DT_DIR) {
      if (::unlinkat(folder_descriptor, entry->d_name, 0) == 0 || errno == ENOENT) continue;
      if (errno != EISDIR && errno != EPERM) return errno;  // both mean a folder where the type is not known
    }
    int child = ::openat(folder_descriptor, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (child < 0 && errno == ENOENT) continue;
    if (child < 0) return errno;
    if (int error = DeleteChildren(child)) return error;
    if (::unlinkat(folder_descriptor, entry->d_name, AT_REMOVEDIR) != 0 && errno != ENOENT) return errno;
  }
  return 0;
}

}  // namespace

std::string LocalPath(const std::string& path) {
  if (SchemeOf(path) != "file") return path;
  std::string_view rest = std::string_view(path).substr(5);
  while (rest.size() > 1 && rest[0] == '/' && rest[1] == '/') rest.remove_prefix(1);
  return std::string(rest);
}

std::shared_ptr<arrow::io::RandomAccessFile> LocalFileSystem::OpenInput(const std::string& path,
                                                                        std::optional<int64_t> size) {
  Descriptor descriptor(::open(LocalPath(path).c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) throw Failure(errno, "open", path);
  if (!size) {
    struct stat status;
    if (::fstat(descriptor.get(), &status) != 0) throw Failure(errno, "open", path);
    if (S_ISDIR(status.st_mode)) throw Failure(EISDIR, "open", path);
    size = status.st_size;
  }
  return std::make_shared<LocalInput>(descriptor.Release(), *size, path);
}

std::shared_ptr<arrow::io::OutputStream> LocalFileSystem::OpenOutput(const std::string& path) {
  return std::make_shared<LocalOutput>(OpenForWriting(LocalPath(path), O_TRUNC, path), path);
}

std::optional<FileStatus> LocalFileSystem::Stat(const std::string& path) {
  struct stat status;
  if (::stat(LocalPath(path).c_str(), &status) == 0) return StatusOf(path, status);
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw Failure(errno, "look up", path);
}

std::vector<FileStatus> LocalFileSystem::List(const std::string& path) {
  std::vector<FileStatus> children;
  Folder folder(::opendir(LocalPath(path).c_str()));
  if (!folder) {
    if (errno == ENOENT || errno == ENOTDIR) return children;
    throw Failure(errno, "list", path);
  }
  errno = 0;
  while (dirent* entry = ::readdir(folder.get())) {
    struct stat status;
    if (IsDots(entry->d_name)) continue;
    if (::fstatat(::dirfd(folder.get()), entry->d_name, &status, 0) != 0) {
      // Deleted since it was read, or a link to nothing: not there for any reader.
      if (errno != ENOENT && errno != ELOOP) throw Failure(errno, "look up", JoinPath(path, entry->d_name));
    } else {
      children.push_back(StatusOf(JoinPath(path, entry->d_name), status));
    }
    errno = 0;
  }
  if (errno != 0) throw Failure(errno, "list", path);
  return children;
}

void LocalFileSystem::CreateFolder(const std::string& path) {
  if (int error = MakeFolders(LocalPath(path))) throw Failure(error, "create the folder", path);
}

bool LocalFileSystem::DeleteFile(const std::string& path) {
  if (::unlink(LocalPath(path).c_str()) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw Failure(errno, "delete", path);
}

void LocalFileSystem::DeleteFolder(const std::string& path) {
  std::string folder = LocalPath(path);
  // Somebody may add a file while we delete; a few rounds are enough unless they go on doing so.
  for (int round = 1;; ++round) {
    int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT) return;
    if (descriptor < 0) throw Failure(errno, "delete the folder", path);
    if (int error = DeleteChildren(descriptor); error != 0 && error != ENOTEMPTY) {
      throw Failure(error, "delete what is in the folder", path);
    }
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return;
    if (errno != ENOTEMPTY || round == 3) throw Failure(errno, "delete the folder", path);
  }
}

int LocalFileSystem::MoveToFreeName(const char* from, const char* to) const {
  if (publish_ == Publish::kRename) {
    if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return errno;
  }
  return LinkToFreeName(from, to);
}

void LocalFileSystem::Rename(const std::string& from, const std::string& to) {
  std::string source = LocalPath(from), target = LocalPath(to);
  struct stat status;
  int error = MoveToFreeName(source.c_str(), target.c_str());
  if (error == ENOENT) {
    if (::lstat(source.c_str(), &status) != 0) throw Failure(errno, "rename", from);
    std::string parent = ParentPath(target);
    if (int failed = MakeFolders(parent)) throw Failure(failed, "create the folder", parent);
    error = MoveToFreeName(source.c_str(), target.c_str());
  }
  if ((error == EPERM || error == EINVAL) && ::lstat(source.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    // A disk without RENAME_NOREPLACE, and folders cannot be linked. rename(2) replaces at most an empty folder.
    if (::lstat(target.c_str(), &status) == 0) throw AlreadyExists("Cannot rename '{}': '{}' exists", from, to);
    error = ::rename(source.c_str(), target.c_str()) == 0 ? 0 : errno;
  }
  if (error == EXDEV) {
    // Another disk: the copy gets its name when it is complete, then the source goes.
    std::string temporary = TemporaryName(target);
    std::error_code failed;
    std::filesystem::copy(source, temporary,
                          std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks,
                          failed);
    error = failed ? failed.value() : MoveToFreeName(temporary.c_str(), target.c_str());
    std::filesystem::remove_all(error == 0 ? source : temporary, failed);
    if (error == 0 && failed) throw Failure(failed.value(), "delete after the copy", from);
  }
  if (error == EEXIST || error == ENOTEMPTY) throw AlreadyExists("Cannot rename '{}': '{}' exists", from, to);
  if (error != 0) throw Failure(error, "rename", from).Add("to '" + to + "'");
}

bool LocalFileSystem::CreateAtomically(const std::string& path, std::string_view content) {
  std::string file = LocalPath(path);
  std::string temporary = WriteTemporary(file, content, path);
  int error = MoveToFreeName(temporary.c_str(), file.c_str());
  if (error == 0) return true;
  if (!SurelyNotDone(error)) {
    throw OutcomeUnknown("Publishing '{}' ended with '{}'; the file may exist or not", path, std::strerror(error));
  }
  ::unlink(temporary.c_str());
  if (error == EEXIST) return false;
  throw Failure(error, "publish", path);
}

void LocalFileSystem::ReplaceAtomically(const std::string& path, std::string_view content) {
  std::string file = LocalPath(path);
  std::string temporary = WriteTemporary(file, content, path);
  if (::rename(temporary.c_str(), file.c_str()) == 0) return;
  int error = errno;
  ::unlink(temporary.c_str());
  throw Failure(error, "replace", path);
}

bool LocalFileSystem::CanCreateAtomically(std::string*) { return true; }

}  // namespace mica
