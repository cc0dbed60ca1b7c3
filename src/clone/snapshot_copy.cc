#include "clone/snapshot_copy.h"

#include <algorithm>

#include "base/error.h"
#include "table/live_files.h"

namespace mica {

namespace {

class SnapshotCopy {
 public:
  SnapshotCopy(const Table& source, FileSystemPtr target, std::string root, const CopyRequest& request)
      : source_(source), fs_(std::move(target)), root_(std::move(root)), request_(request), schemas_(fs_, root_),
        snapshots_(fs_, root_),
        executor_(request.executor()) {}

  CopyResult Run() {
    const auto latest = source_.snapshots().Latest();
    RefuseOwnState(latest);
    CopyResult result;
    if (latest) {
      ListData(*latest);
      ListMetadata(*latest);
      result.files = static_cast<int64_t>(files_.size());
      FileListCopy copy{.source = source_.file_system(), .target = *fs_, .executor = executor_};
      copy.on_progress = request_.on_progress;
      std::tie(result.files_copied, result.bytes_copied) = copy.Run(std::move(files_), source_.name().ToString());
      result.files_present = result.files - result.files_copied;
    }
    for (const int64_t id : source_.schemas().Ids()) {
      fs_->CreateAtomically(schemas_.PathOf(id), source_.file_system().ReadFile(source_.schemas().PathOf(id)));
    }
    if (!latest) return result;
    const bool is_new =
        fs_->CreateAtomically(snapshots_.PathOf(latest->id), source_.file_system().ReadFile(source_.snapshots().PathOf(latest->id)));
    if (is_new) result.snapshot_id = latest->id;
    snapshots_.WriteLatestHint(latest->id);
    for (const int64_t id : snapshots_.Ids()) {
      if (id < latest->id) fs_->DeleteFile(snapshots_.PathOf(id));
    }
    return result;
  }

 private:
  // What the target has must be what the source has, or had.
  void RefuseOwnState(const std::optional<Snapshot>& latest) {
    auto refuse = [&](std::string_view what, int64_t id) {
      throw InvalidArgument("The table in '{}' is no copy of '{}': its {} {} is another one. Drop it first, or use clone, which "
                            "keeps it", root_, source_.name().ToString(), what, id);
    };
    FileSystem& from = source_.file_system();
    for (const int64_t id : schemas_.Ids()) {
      const std::string path = source_.schemas().PathOf(id);
      if (!from.Exists(path) || from.ReadFile(path) != fs_->ReadFile(schemas_.PathOf(id))) refuse("schema", id);
    }
    for (const int64_t id : snapshots_.Ids()) {
      const std::string path = source_.snapshots().PathOf(id);
      if (!latest || id > latest->id || !from.Exists(path) || from.ReadFile(path) != fs_->ReadFile(snapshots_.PathOf(id))) {
        refuse("snapshot", id);
      }
    }
  }

  // The same place below the other root.
  void Add(const std::string& path, std::optional<int64_t> size) {
    if (!path.starts_with(source_.root() + "/")) {
      throw Unsupported("The file '{}' of table '{}' lies outside of its folder, so that copying files is not enough. Use clone",
                        path, source_.name().ToString());
    }
    files_.push_back({path, root_ + path.substr(source_.root().size()), size});
  }

  void AddFiles(const ManifestEntry& entry) {
    const auto paths = source_.paths().DataFilePaths(entry.partition, entry.bucket, entry.file);
    for (size_t i = 0; i < paths.size(); ++i) Add(paths[i], i == 0 ? std::optional(entry.file.file_size) : std::nullopt);
  }

  void ListData(const Snapshot& latest) {
    ManifestFilter filter;
    filter.without_stats = true;
    for (const ManifestEntry& entry : LiveEntries(source_.manifests(), latest, filter, nullptr, executor_)) AddFiles(entry);
    if (!latest.changelog_manifest_list) return;
    for (const auto& manifest : source_.manifests().ReadList(*latest.changelog_manifest_list, latest.changelog_manifest_list_size)) {
      for (const ManifestEntry& entry : source_.manifests().Read(manifest.file_name, manifest.file_size, filter)) AddFiles(entry);
    }
  }

  void ListMetadata(const Snapshot& latest) {
    auto list = [&](const std::string& name, std::optional<int64_t> size) {
      for (const ManifestFileMeta& manifest : source_.manifests().ReadList(name, size)) {
        Add(source_.manifests().PathOf(manifest.file_name), manifest.file_size);
      }
      Add(source_.manifests().PathOf(name), size);
    };
    list(latest.base_manifest_list, latest.base_manifest_list_size);
    list(latest.delta_manifest_list, latest.delta_manifest_list_size);
    if (latest.changelog_manifest_list) list(*latest.changelog_manifest_list, latest.changelog_manifest_list_size);
    if (latest.index_manifest) {
      for (const IndexManifestEntry& entry : source_.manifests().ReadIndex(*latest.index_manifest)) {
        Add(source_.paths().IndexFilePath(entry), entry.file_size);
      }
      Add(source_.manifests().PathOf(*latest.index_manifest), std::nullopt);
    }
    if (latest.statistics) Add(source_.paths().StatisticsPath(*latest.statistics), std::nullopt);
  }

  const Table& source_;
  FileSystemPtr fs_;
  std::string root_;
  const CopyRequest& request_;
  SchemaStore schemas_;
  SnapshotStore snapshots_;
  Executor& executor_;
  std::vector<FileToCopy> files_;
};

}  // namespace

CopyResult CopySnapshot(const Table& source, const FileSystemPtr& target, const std::string& root, const CopyRequest& request) {
  return SnapshotCopy(source, target, root, request).Run();
}

}  // namespace mica
