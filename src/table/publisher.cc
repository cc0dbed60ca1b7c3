#include "base/log.h"
#include "table/commit.h"

namespace mica {

namespace {

class FileSystemPublisherClass final : public SnapshotPublisher {
 public:
  bool Publish(const Table& table, const Snapshot& snapshot) override {
    FileSystem& fs = table.file_system();
    std::string why;
    if (!fs.CanCreateAtomically(&why)) {
      throw Unsupported("Cannot commit to table '{}': its storage cannot create a snapshot exclusively ({})",
                        table.name().ToString(), why);
    }
    std::string path = table.snapshots().PathOf(snapshot.id);
    std::string content = snapshot.ToJson();
    try {
      if (!fs.CreateAtomically(path, content)) return IsOurs(fs, path, content).value_or(false);
    } catch (const Error& error) {
      // The call failed, which says nothing about the file.
      std::optional<bool> ours = IsOurs(fs, path, content);
      if (!ours && error.kind() != ErrorKind::kOutcomeUnknown) throw;
      if (!ours) {
        throw OutcomeUnknown("The commit of snapshot {} of table '{}' may or may not have happened: {}. Look at the table "
                             "before writing the same rows again", snapshot.id, table.name().ToString(), error.what());
      }
      return *ours;
    }
    // A writer whose rename is not exclusive may have put its own snapshot over ours.
    return IsOurs(fs, path, content).value_or(false);
  }

 private:
  // Nothing when the file does not exist.
  static std::optional<bool> IsOurs(FileSystem& fs, const std::string& path, const std::string& content) {
    try {
      return fs.ReadFile(path) == content;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kNotFound) return std::nullopt;
      throw OutcomeUnknown("The commit to '{}' may or may not have happened: {}", path, error.what());
    }
  }
};

}  // namespace

std::shared_ptr<SnapshotPublisher> FileSystemPublisher() {
  static auto publisher = std::make_shared<FileSystemPublisherClass>();
  return publisher;
}

}  // namespace mica
