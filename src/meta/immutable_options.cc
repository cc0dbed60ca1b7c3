#include "meta/immutable_options.h"

#include <algorithm>
#include <array>

namespace mica {

namespace {
constexpr std::array<std::string_view, 24> kImmutable = {
    "type", "bucket-key", "bucket-function.type", "data-file.path-directory", "merge-engine",
    "sequence.snapshot-ordering", "aggregation.remove-record-on-delete", "partial-update.remove-record-on-delete",
    "partial-update.remove-record-on-sequence-group", "rowkind.field", "primary-key", "primary-key.nullable", "partition",
    "dynamic-bucket.initial-buckets", "force-lookup", "row-tracking.enabled", "data-evolution.enabled",
    "index-file-in-data-file-dir", "blob-field", "blob-descriptor-field",
    "blob-view-field", "blob-external-storage-field", "blob-external-storage-path", "pk-clustering-override"};
}  // namespace

bool IsImmutableOption(std::string_view key) {
  return std::find(kImmutable.begin(), kImmutable.end(), key) != kImmutable.end();
}

}  // namespace mica
