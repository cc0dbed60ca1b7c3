#include "table/live_files.h"

#include <atomic>
#include <unordered_set>

#include "table/live_stream.h"

namespace mica {

namespace {

// Manifests are divided into parts of about so many entries.
constexpr int64_t kPartEntries = 4096;

std::vector<ManifestFileMeta> ManifestsOf(ManifestStore& store, const Snapshot& snapshot) {
  auto manifests = store.ReadList(snapshot.base_manifest_list, snapshot.base_manifest_list_size);
  auto delta = store.ReadList(snapshot.delta_manifest_list, snapshot.delta_manifest_list_size);
  manifests.insert(manifests.end(), std::make_move_iterator(delta.begin()), std::make_move_iterator(delta.end()));
  return manifests;
}

// Decodes manifests in parts. A manifest is in memory from its first part to its last.
class PartedScan {
 public:
  PartedScan(ManifestStore& store, const std::vector<ManifestFileMeta>& manifests, size_t parallelism)
      : store_(store), manifests_(manifests), opened_(manifests.size()) {
    for (size_t m = 0; m < manifests.size(); ++m) {
      int64_t entries = manifests[m].added_count + manifests[m].deleted_count;
      int64_t parts = parallelism == 1 ? 1 : std::clamp<int64_t>(entries / kPartEntries, 1, 1024);
      opened_[m].parts_left = static_cast<size_t>(parts);
      for (int64_t p = 0; p < parts; ++p) parts_.push_back({m, static_cast<size_t>(p), static_cast<size_t>(parts)});
    }
  }

  size_t part_count() const { return parts_.size(); }

  void Scan(size_t i, const ManifestFilter& filter, const std::function<void(ManifestEntry&&)>& on_entry) {
    const Part& part = parts_[i];
    Opened& opened = opened_[part.manifest];
    std::shared_ptr<const OpenManifest> manifest;
    {
      std::lock_guard lock(opened.mutex);
      const ManifestFileMeta& meta = manifests_[part.manifest];
      if (!opened.manifest) opened.manifest = store_.Open(meta.file_name, meta.file_size);
      manifest = opened.manifest;
      if (--opened.parts_left == 0) opened.manifest.reset();
    }
    manifest->Scan(part.part, part.parts, filter, on_entry);
  }

 private:
  struct Part {
    size_t manifest, part, parts;
  };
  struct Opened {
    std::mutex mutex;
    std::shared_ptr<const OpenManifest> manifest;
    size_t parts_left = 0;
  };
  ManifestStore& store_;
  const std::vector<ManifestFileMeta>& manifests_;
  std::vector<Opened> opened_;
  std::vector<Part> parts_;
};

// What DELETE entries took away. A DELETE always comes after its ADD and the file never comes back, so what is deleted
// anywhere is gone.
class Gone {
 public:
  void Add(std::string name, std::string identity, int64_t bytes) {
    std::lock_guard lock(mutex_);
    if (!identities_.insert(std::move(identity)).second) return;
    names_.insert(std::move(name));
    bytes_ += bytes;
  }
  bool empty() const { return identities_.empty(); }
  int64_t count() const { return static_cast<int64_t>(identities_.size()); }
  int64_t bytes() const { return bytes_; }
  bool Contains(std::string_view partition, int32_t bucket, const DataFileMeta& file) const {
    return names_.contains(file.file_name) && identities_.contains(FileIdentity(partition, bucket, file));
  }

 private:
  std::mutex mutex_;
  std::unordered_set<std::string> names_, identities_;
  int64_t bytes_ = 0;
};

// One list a part, of what `make(part)` returns a function to make of an entry.
template <typename Item, typename Make, typename IsGone>
std::vector<Item> Collect(ManifestStore& store, const Snapshot& snapshot, const LiveFilter& filter, Executor& executor,
                          LiveCounts* counts, const Make& make, const IsGone& is_gone) {
  std::vector<ManifestFileMeta> manifests = ManifestsOf(store, snapshot);
  if (counts) counts->manifests = static_cast<int64_t>(manifests.size());
  if (filter.keep_manifest) std::erase_if(manifests, [&](const auto& manifest) { return !filter.keep_manifest(manifest); });
  if (counts) counts->manifests_kept = static_cast<int64_t>(manifests.size());

  PartedScan scan(store, manifests, executor.parallelism());
  std::vector<std::vector<Item>> parts(scan.part_count());
  std::atomic<int64_t> files{0}, bytes{0};
  Gone gone;
  executor.ForEach(parts.size(), [&](size_t i) {
    auto to_item = make();
    int64_t part_files = 0, part_bytes = 0;
    scan.Scan(i, filter.entries, [&](ManifestEntry&& entry) {
      if (entry.kind == FileKind::kDelete) {
        gone.Add(entry.file.file_name, entry.Identity(), entry.file.file_size);
        return;
      }
      ++part_files;
      part_bytes += entry.file.file_size;
      if (!filter.keep_file || filter.keep_file(entry)) parts[i].push_back(to_item(std::move(entry)));
    });
    files += part_files;
    bytes += part_bytes;
  });
  if (counts) {
    counts->files = files - gone.count();
    counts->bytes = bytes - gone.bytes();
  }

  size_t total = 0;
  for (auto& part : parts) {
    if (!gone.empty()) std::erase_if(part, [&](const Item& item) { return is_gone(gone, item); });
    total += part.size();
  }
  if (parts.size() == 1) return std::move(parts[0]);
  std::vector<Item> live;
  live.reserve(total);
  for (auto& part : parts) {
    std::move(part.begin(), part.end(), std::back_inserter(live));
    part = {};
  }
  return live;
}

}  // namespace

std::vector<ManifestEntry> LiveEntries(ManifestStore& store, const Snapshot& snapshot, const ManifestFilter& filter,
                                       const std::function<bool(const ManifestFileMeta&)>& keep_manifest,
                                       Executor& executor) {
  auto make = [] { return [](ManifestEntry&& entry) { return std::move(entry); }; };
  auto is_gone = [](const Gone& gone, const ManifestEntry& entry) {
    return gone.Contains(entry.partition, entry.bucket, entry.file);
  };
  return Collect<ManifestEntry>(store, snapshot, {keep_manifest, filter, nullptr}, executor, nullptr, make, is_gone);
}

namespace {

void Count(const ManifestEntry& entry, std::vector<PartitionCount>* counts) {
  if (counts->empty() || counts->back().partition != entry.partition) {
    counts->emplace_back().partition = entry.partition;
  }
  PartitionCount& count = counts->back();
  ++count.files;
  count.rows += entry.file.row_count;
  count.bytes += entry.file.file_size;
  count.last_file_millis = std::max(count.last_file_millis, entry.file.creation_time_millis.value_or(0));
}

}  // namespace

std::vector<PartitionCount> CountLiveFiles(ManifestStore& store, const Snapshot& snapshot, const ManifestFilter& filter,
                                           Executor& executor) {
  std::vector<PartitionCount> counts;
  std::vector<ManifestFileMeta> manifests = ManifestsOf(store, snapshot);
  bool deletes = std::any_of(manifests.begin(), manifests.end(), [](const auto& meta) { return meta.deleted_count > 0; });
  if (deletes) {
    for (const ManifestEntry& entry : LiveEntries(store, snapshot, filter, nullptr, executor)) Count(entry, &counts);
    return counts;
  }
  // Every entry is live: nothing of it has to be kept until the last one is known.
  PartedScan scan(store, manifests, executor.parallelism());
  std::vector<std::vector<PartitionCount>> parts(scan.part_count());
  executor.ForEach(parts.size(), [&](size_t i) {
    scan.Scan(i, filter, [&](ManifestEntry&& entry) { Count(entry, &parts[i]); });
  });
  for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(counts));
  return counts;
}

const std::string* PartitionTexts::Intern(std::string_view partition) {
  std::lock_guard lock(mutex_);
  auto known = known_.find(partition);
  if (known != known_.end()) return known->second;
  const std::string* text = &texts_.emplace_back(partition);
  known_.emplace(*text, text);
  return text;
}

std::vector<LiveFile> LiveFilesOf(ManifestStore& store, const Snapshot& snapshot, const LiveFilter& filter,
                                  Executor& executor, PartitionTexts* partitions, LiveCounts* counts) {
  auto make = [partitions] {
    // Entries of one partition mostly follow each other.
    return [partitions, last = static_cast<const std::string*>(nullptr)](ManifestEntry&& entry) mutable {
      if (last == nullptr || *last != entry.partition) last = partitions->Intern(entry.partition);
      return LiveFile{std::make_shared<const DataFileMeta>(std::move(entry.file)), last, entry.bucket,
                      entry.total_buckets};
    };
  };
  auto is_gone = [](const Gone& gone, const LiveFile& live) {
    return gone.Contains(*live.partition, live.bucket, *live.file);
  };
  return Collect<LiveFile>(store, snapshot, filter, executor, counts, make, is_gone);
}

SnapshotTotals TotalsOf(ManifestStore& store, const Snapshot& snapshot, Executor& executor) {
  LiveFilter filter;
  filter.entries.without_stats = true;
  filter.keep_file = [](const ManifestEntry&) { return false; };
  LiveCounts counts;
  PartitionTexts partitions;
  LiveFilesOf(store, snapshot, filter, executor, &partitions, &counts);
  return {counts.files, counts.bytes};
}

class LiveStream::Body {
 public:
  Body(ManifestStore& store, const Snapshot& snapshot, ManifestFilter filter) : store_(store), filter_(std::move(filter)) {
    manifests_ = ManifestsOf(store, snapshot);
    ManifestFilter names = filter_;
    names.without_stats = true;
    for (const ManifestFileMeta& manifest : manifests_) {
      if (manifest.deleted_count == 0) continue;
      store.Scan(manifest.file_name, manifest.file_size, names, [&](ManifestEntry&& entry) {
        if (entry.kind == FileKind::kDelete) gone_.insert(entry.Identity());
      });
    }
  }

  bool Next(std::vector<ManifestEntry>* entries) {
    entries->clear();
    if (!open_) {
      if (manifest_ == manifests_.size()) return false;
      const ManifestFileMeta& meta = manifests_[manifest_++];
      open_ = store_.Open(meta.file_name, meta.file_size);
      parts_ = static_cast<size_t>(std::clamp<int64_t>((meta.added_count + meta.deleted_count) / kPartEntries, 1, 1024));
      part_ = 0;
    }
    open_->Scan(part_, parts_, filter_, [&](ManifestEntry&& entry) {
      const bool live = entry.kind == FileKind::kAdd && (gone_.empty() || !gone_.contains(entry.Identity()));
      if (live) entries->push_back(std::move(entry));
    });
    if (++part_ == parts_) open_.reset();
    return true;
  }

 private:
  ManifestStore& store_;
  ManifestFilter filter_;
  std::vector<ManifestFileMeta> manifests_;
  std::unordered_set<std::string> gone_;
  std::shared_ptr<const OpenManifest> open_;
  size_t manifest_ = 0, part_ = 0, parts_ = 0;
};

LiveStream::LiveStream(ManifestStore& store, const Snapshot& snapshot, ManifestFilter filter)
    : body_(std::make_unique<Body>(store, snapshot, std::move(filter))) {}
LiveStream::~LiveStream() = default;
bool LiveStream::Next(std::vector<ManifestEntry>* entries) { return body_->Next(entries); }

}  // namespace mica
