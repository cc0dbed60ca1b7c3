#include "io/s3_file_system.h"

#include <cerrno>
#include <cstdlib>
#include <set>

#include <arrow/filesystem/s3fs.h>
#include <arrow/util/io_util.h>

#include "base/arrow.h"
#include "base/error.h"
#include "base/executor.h"
#include "base/log.h"
#include "base/uuid.h"
#include "io/forwarding_streams.h"
#include "io/s3_library.h"

namespace mica {

namespace {

bool Says(const arrow::Status& status, std::string_view text) {
  return status.message().find(text) != std::string::npos;
}

bool IsMissing(const arrow::Status& status) {
  return arrow::internal::ErrnoFromStatus(status) == ENOENT || Says(status, "NO_SUCH_KEY") ||
         Says(status, "NO_SUCH_BUCKET") || Says(status, "RESOURCE_NOT_FOUND");
}

bool IsForbidden(const arrow::Status& status) {
  return Says(status, "ACCESS_DENIED") || Says(status, "INVALID_ACCESS_KEY_ID") ||
         Says(status, "SIGNATURE_DOES_NOT_MATCH") || Says(status, "InvalidAccessKeyId");
}

Error Failure(const arrow::Status& status, const char* operation, const std::string& path) {
  ErrorKind kind = IsMissing(status)     ? ErrorKind::kNotFound
                   : IsForbidden(status) ? ErrorKind::kPermissionDenied
                   : status.IsCancelled() ? ErrorKind::kCancelled
                                          : ErrorKind::kIoError;
  return MakeError(kind, "Cannot {} '{}': {}", operation, path, status.message());
}

template <typename T>
T TakeFrom(arrow::Result<T> result, const char* operation, const std::string& path) {
  if (!result.ok()) throw Failure(result.status(), operation, path);
  return std::move(result).ValueUnsafe();
}

// Gives errors of late reads the errno that says what they are: an object opened by a known size is first asked for
// here.
class S3Input final : public ForwardingInput {
 public:
  S3Input(std::shared_ptr<arrow::io::RandomAccessFile> inner, std::shared_ptr<S3Client> client, std::string path)
      : ForwardingInput(std::move(inner)), client_(std::move(client)), path_(std::move(path)) {}

  arrow::Result<int64_t> Read(int64_t bytes, void* out) override { return Named(inner_->Read(bytes, out)); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override { return Named(inner_->Read(bytes)); }
  using arrow::io::RandomAccessFile::ReadAt;
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    return Named(inner_->ReadAt(position, bytes, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    return Named(inner_->ReadAt(position, bytes));
  }

 private:
  template <typename T>
  arrow::Result<T> Named(arrow::Result<T> result) {
    if (result.ok()) return result;
    const arrow::Status& status = result.status();
    if (IsMissing(status) || IsGone()) return arrow::internal::IOErrorFromErrno(ENOENT, "Cannot read '", path_, "'");
    if (IsForbidden(status))
      return arrow::internal::IOErrorFromErrno(EACCES, "Cannot read '", path_, "': ", status.message());
    return status.WithMessage("Cannot read '", path_, "': ", status.message());
  }

  // The SDK loses the store's reason when its text does not fit into the buffer of the read, so we ask ourselves.
  bool IsGone() const {
    try {
      ObjectPath object = ObjectPath::Parse(path_);
      return !client_->Head(object.bucket, object.key);
    } catch (const Error&) {
      return false;  // the first error says more
    }
  }

  std::shared_ptr<S3Client> client_;
  std::string path_;
};

// An upload left behind by an error is aborted, not completed.
class S3Output final : public ForwardingOutput {
 public:
  using ForwardingOutput::ForwardingOutput;
  ~S3Output() override {
    if (!inner_->closed()) (void)inner_->Abort();
  }
};

// Before anything of the SDK is used: even its default credentials crash without.
void InitializeOnce() {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!arrow::fs::IsS3Initialized()) Check(arrow::fs::InitializeS3(arrow::fs::S3GlobalOptions::Defaults()));
}

std::shared_ptr<arrow::fs::S3FileSystem> MakeArrowFileSystem(const arrow::fs::S3Options& options) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  auto file_system = Take(arrow::fs::S3FileSystem::Make(options));
  // The SDK crashes at exit unless it is shut down before. The shutdown uses statics that making the first file system
  // creates, so it is registered after them: exit goes backwards.
  static const int registered = std::atexit([] { (void)arrow::fs::EnsureS3Finalized(); });
  (void)registered;
  return file_system;
}

FileStatus StatusOf(std::string path, const arrow::fs::FileInfo& info) {
  bool folder = info.type() == arrow::fs::FileType::Directory;
  int64_t millis = 0;
  if (info.mtime() != arrow::fs::kNoTime) {
    millis = std::chrono::duration_cast<std::chrono::milliseconds>(info.mtime().time_since_epoch()).count();
  }
  return {.path = std::move(path), .size = folder ? 0 : info.size(), .modified_millis = millis, .is_directory = folder};
}

}  // namespace

ObjectPath ObjectPath::Parse(const std::string& path) {
  size_t at = SchemeOf(path).size() + 1;
  ObjectPath result;
  std::string* part = &result.bucket;
  for (int slashes = 0; slashes < 2 && at < path.size() && path[at] == '/'; ++slashes) ++at;
  for (; at < path.size(); ++at) {
    if (path[at] != '/') {
      *part += path[at];
    } else if (part == &result.bucket) {
      part = &result.key;
    } else if (!part->empty() && part->back() != '/') {
      *part += '/';
    }
  }
  while (!result.key.empty() && result.key.back() == '/') result.key.pop_back();
  if (SchemeOf(path).empty() || result.bucket.empty()) {
    throw InvalidArgument("The path '{}' names no bucket. Write s3://bucket/folder", path);
  }
  return result;
}

S3FileSystem::S3FileSystem(const std::string& path, const std::map<std::string, std::string>& options) : path_(path) {
  ObjectPath::Parse(path);
  S3Settings settings = ReadS3Settings(SchemeOf(path), options);
  InitializeOnce();
  arrow::fs::S3Options s3 = settings.access_key.empty()
                                ? arrow::fs::S3Options::Defaults()
                                : arrow::fs::S3Options::FromAccessKey(settings.access_key, settings.secret_key,
                                                                      settings.session_token);
  s3.region = settings.region;
  s3.scheme = settings.transport;
  s3.endpoint_override = settings.endpoint;
  s3.force_virtual_addressing = settings.virtual_addressing;
  s3.allow_delayed_open = true;  // a small file is one request, not a multipart upload
  auto file_system = MakeArrowFileSystem(s3);
  settings.region = file_system->region();
  arrow_ = file_system;
  auto credentials = [s3] {
    return S3Credentials{
        .access_key = s3.GetAccessKey(), .secret_key = s3.GetSecretKey(), .session_token = s3.GetSessionToken()};
  };
  client_ = std::make_shared<S3Client>(settings, credentials);
}

S3FileSystem::~S3FileSystem() = default;

std::shared_ptr<arrow::io::RandomAccessFile> S3FileSystem::OpenInput(const std::string& path,
                                                                     std::optional<int64_t> size) {
  arrow::fs::FileInfo info(ObjectPath::Parse(path).ForArrow(), arrow::fs::FileType::File);
  if (size) info.set_size(*size);
  return std::make_shared<S3Input>(TakeFrom(arrow_->OpenInputFile(info), "open", path), client_, path);
}

std::shared_ptr<arrow::io::OutputStream> S3FileSystem::OpenOutput(const std::string& path) {
  return std::make_shared<S3Output>(
      TakeFrom(arrow_->OpenOutputStream(ObjectPath::Parse(path).ForArrow()), "create", path));
}

std::optional<FileStatus> S3FileSystem::Stat(const std::string& path) {
  arrow::fs::FileInfo info = TakeFrom(arrow_->GetFileInfo(ObjectPath::Parse(path).ForArrow()), "look up", path);
  if (info.type() == arrow::fs::FileType::NotFound) return std::nullopt;
  return StatusOf(path, info);
}

std::vector<FileStatus> S3FileSystem::List(const std::string& path) {
  arrow::fs::FileSelector selector;
  selector.base_dir = ObjectPath::Parse(path).ForArrow();
  selector.allow_not_found = true;
  std::vector<FileStatus> children;
  for (const arrow::fs::FileInfo& info : TakeFrom(arrow_->GetFileInfo(selector), "list", path)) {
    children.push_back(StatusOf(JoinPath(path, info.base_name()), info));
  }
  return children;
}

void S3FileSystem::CreateFolder(const std::string& path) {
  ObjectPath object = ObjectPath::Parse(path);
  if (object.key.empty()) return;  // buckets are made by their owners
  if (client_->Head(object.bucket, object.key)) {
    throw AlreadyExists("Cannot create the folder '{}': a file has this name", path);
  }
  client_->Put(object.bucket, object.key + "/", "");
}

bool S3FileSystem::DeleteFile(const std::string& path) {
  ObjectPath object = ObjectPath::Parse(path);
  if (object.key.empty() || !client_->Head(object.bucket, object.key)) return false;
  client_->Delete(object.bucket, object.key);
  return true;
}

void S3FileSystem::DeleteFolder(const std::string& path) {
  ObjectPath object = ObjectPath::Parse(path);
  if (object.key.empty()) throw Unsupported("Cannot delete '{}': it is a whole bucket", path);
  arrow::Status status = arrow_->DeleteDirContents(object.ForArrow(), /*missing_dir_ok=*/true);
  if (!status.ok()) throw Failure(status, "delete the folder", path);
  client_->Delete(object.bucket, object.key + "/");
}

void S3FileSystem::Rename(const std::string& from, const std::string& to) {
  ObjectPath source = ObjectPath::Parse(from), target = ObjectPath::Parse(to);
  std::optional<FileStatus> status = Stat(from);
  if (!status) throw NotFound("Cannot rename '{}': there is no such file or folder", from);
  if (Exists(to)) throw AlreadyExists("Cannot rename '{}': '{}' exists", from, to);
  if (source.key.empty() || target.key.empty())
    throw Unsupported("Cannot rename '{}' to '{}': it is a bucket", from, to);
  if (!status->is_directory) {
    arrow::Status copied = arrow_->CopyFile(source.ForArrow(), target.ForArrow());
    if (!copied.ok()) throw Failure(copied, "copy", from).Add("to '" + to + "'");
    client_->Delete(source.bucket, source.key);
    return;
  }
  arrow::fs::FileSelector selector;
  selector.base_dir = source.ForArrow();
  selector.recursive = true;
  std::vector<std::string> folders, files;
  for (const arrow::fs::FileInfo& info : TakeFrom(arrow_->GetFileInfo(selector), "list", from)) {
    std::string below = info.path().substr(source.ForArrow().size() + 1);
    (info.type() == arrow::fs::FileType::Directory ? folders : files).push_back(below);
  }
  ThreadExecutor executor(8);  // these threads wait for the network
  try {
    client_->Put(target.bucket, target.key + "/", "");
    for (const std::string& folder : folders) client_->Put(target.bucket, target.key + "/" + folder + "/", "");
    executor.ForEach(files.size(), [&](size_t i) {
      arrow::Status copied = arrow_->CopyFile(source.ForArrow() + "/" + files[i], target.ForArrow() + "/" + files[i]);
      if (!copied.ok()) throw Failure(copied, "copy", JoinPath(from, files[i])).Add("to '" + to + "'");
    });
  } catch (const Error&) {
    // The source is whole; what was copied is taken back, so that the rename can be tried again.
    try {
      DeleteFolder(to);
    } catch (const Error& error) {
      Log(LogLevel::kWarning, fmt::format("Left a partial copy in '{}': {}", to, error.what()));
    }
    throw;
  }
  DeleteFolder(from);
}

bool S3FileSystem::HonoursConditionalPut(const std::string& bucket, const std::string& folder_key) {
  if (client_->settings().is_aws()) return true;
  // One probe a store and bucket in a process; others wait for its end.
  static std::mutex mutex;
  static std::map<std::string, bool> known;
  std::lock_guard lock(mutex);
  std::string store = client_->settings().endpoint + "/" + bucket;
  auto found = known.find(store);
  if (found != known.end()) return found->second;
  std::string key = JoinPath(folder_key, ".mica-probe-" + RandomUuid());
  bool honours = client_->PutIfAbsent(bucket, key, "1") == S3Client::PutOutcome::kCreated;
  if (honours) {
    honours = client_->PutIfAbsent(bucket, key, "2") == S3Client::PutOutcome::kExists;
    client_->Delete(bucket, key);
  }
  return known[store] = honours;
}

namespace {
std::string NotHonoured(const std::string& bucket, const std::string& endpoint) {
  return fmt::format(
      "the store at '{}' (bucket '{}') does not honour 'If-None-Match', so two writers could overwrite each other. Use "
      "a "
      "catalog with a lock or a commit of its own (hive, jdbc, rest with 'lock.enabled'), or read only",
      endpoint, bucket);
}
}  // namespace

bool S3FileSystem::CreateAtomically(const std::string& path, std::string_view content) {
  ObjectPath object = ObjectPath::Parse(path);
  std::string folder = ParentPath(object.key);
  std::string refusal = NotHonoured(object.bucket, client_->settings().endpoint);
  if (!HonoursConditionalPut(object.bucket, folder)) throw Unsupported("Cannot publish '{}': {}", path, refusal);
  S3Client::PutOutcome outcome = client_->PutIfAbsent(object.bucket, object.key, content);
  if (outcome == S3Client::PutOutcome::kNotHonoured) throw Unsupported("Cannot publish '{}': {}", path, refusal);
  return outcome == S3Client::PutOutcome::kCreated;
}

void S3FileSystem::ReplaceAtomically(const std::string& path, std::string_view content) {
  ObjectPath object = ObjectPath::Parse(path);
  client_->Put(object.bucket, object.key, content);
}

bool S3FileSystem::CanCreateAtomically(std::string* why) {
  ObjectPath object = ObjectPath::Parse(path_);
  if (HonoursConditionalPut(object.bucket, object.key)) return true;
  if (why) *why = NotHonoured(object.bucket, client_->settings().endpoint);
  return false;
}

}  // namespace mica

extern "C" __attribute__((visibility("default"))) mica::FileSystem* mica_open_s3(
    const std::string& path, const std::map<std::string, std::string>& options, const mica::LogSink& log) {
  mica::SetLogSink(log);  // this library has a copy of the base layer of its own
  return new mica::S3FileSystem(path, options);
}
