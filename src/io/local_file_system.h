// The local disk (and what is mounted on it). Takes bare paths and "file:/…" or "file:///…"; listings give back the
// spelling of the folder they were asked for. Publishing writes ".<name>.<uuid>.tmp" beside the target and renames it
// with RENAME_NOREPLACE, or links it where the disk cannot do that (Format 1.4). Nothing is synced: a commit is as
// durable as the disk's cache, as with Paimon itself. Thread safe, also against other processes.
#pragma once

#include "io/file_system.h"

namespace mica {

class LocalFileSystem final : public FileSystem {
 public:
  enum class Publish {
    kRename,  // renameat2; falls back to linking by itself
    kLink,    // link and unlink, for disks whose kernel driver has no RENAME_NOREPLACE (NFS, some FUSE)
  };
  explicit LocalFileSystem(Publish publish = Publish::kRename) : publish_(publish) {}

  std::shared_ptr<arrow::io::RandomAccessFile> OpenInput(const std::string& path, std::optional<int64_t> size) override;
  std::shared_ptr<arrow::io::OutputStream> OpenOutput(const std::string& path) override;
  std::optional<FileStatus> Stat(const std::string& path) override;
  std::vector<FileStatus> List(const std::string& path) override;
  void CreateFolder(const std::string& path) override;
  bool DeleteFile(const std::string& path) override;
  void DeleteFolder(const std::string& path) override;
  void Rename(const std::string& from, const std::string& to) override;
  bool CreateAtomically(const std::string& path, std::string_view content) override;
  void ReplaceAtomically(const std::string& path, std::string_view content) override;
  bool CanCreateAtomically(std::string* why) override;

 private:
  // 0, or the errno: moves a file or folder to a name that must be free.
  int MoveToFreeName(const char* from, const char* to) const;

  Publish publish_;
};

// "/a/b" of "file:///a/b", "file:/a/b" and "/a/b".
std::string LocalPath(const std::string& path);

}  // namespace mica
