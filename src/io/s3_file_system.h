// Object stores that speak S3 (and OSS by its S3 interface), over Arrow's S3 file system. A name is published by a put
// with "If-None-Match: *" (Format 1.4): AWS honours it; of any other store it is found out once, by creating a probe
// object twice. Folders are prefixes; a created one is an empty object whose key ends in a slash. Renaming copies and
// deletes. Thread safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <arrow/filesystem/type_fwd.h>

#include "io/file_system.h"
#include "io/s3_client.h"

namespace mica {

class S3FileSystem final : public FileSystem {
 public:
  // `path` is the warehouse or table the file system is opened for; probes are made below it.
  S3FileSystem(const std::string& path, const std::map<std::string, std::string>& options);
  ~S3FileSystem() override;

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
  bool HonoursConditionalPut(const std::string& bucket, const std::string& folder_key);

  std::string path_;
  std::shared_ptr<arrow::fs::FileSystem> arrow_;
  std::shared_ptr<S3Client> client_;  // shared with open inputs
};

// "s3://bucket/a//b/" -> "bucket", "a/b". Throws InvalidArgument when there is no bucket.
struct ObjectPath {
  std::string bucket;
  std::string key;

  static ObjectPath Parse(const std::string& path);
  std::string ForArrow() const { return key.empty() ? bucket : bucket + "/" + key; }
};

}  // namespace mica
