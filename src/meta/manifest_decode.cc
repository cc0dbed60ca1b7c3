#include <array>

#include "meta/manifest_format.h"

namespace mica {

namespace {

constexpr int64_t kManifestVersion = 2;
constexpr int64_t kIndexVersion = 1;

// ---- rules: field name -> target ----

enum StatsTarget { kMinValues, kMaxValues, kNullCounts };
constexpr AvroRule kCountItem[] = {{"", 0, AvroWant::kInteger, false}};
constexpr AvroRule kStatsRules[] = {
    {"_MIN_VALUES", kMinValues, AvroWant::kText},
    {"_MAX_VALUES", kMaxValues, AvroWant::kText},
    {"_NULL_COUNTS", kNullCounts, AvroWant::kArray, false, kCountItem},
};

constexpr AvroRule kTextItem[] = {{"", 0, AvroWant::kText}};
constexpr AvroRule kIntegerItem[] = {{"", 0, AvroWant::kInteger}};

enum FileTarget {
  kFileName,
  kFileSize,
  kRowCount,
  kMinKey,
  kMaxKey,
  kKeyStats,
  kValueStats,
  kMinSequence,
  kMaxSequence,
  kSchemaId,
  kLevel,
  kExtraFiles,
  kCreationTime,
  kDeleteRowCount,
  kEmbeddedIndex,
  kFileSource,
  kValueStatsCols,
  kExternalPath,
  kFirstRowId,
  kWriteCols,
};
constexpr AvroRule kFileRules[] = {
    {"_FILE_NAME", kFileName, AvroWant::kText},
    {"_FILE_SIZE", kFileSize, AvroWant::kInteger},
    {"_ROW_COUNT", kRowCount, AvroWant::kInteger},
    {"_MIN_KEY", kMinKey, AvroWant::kText},
    {"_MAX_KEY", kMaxKey, AvroWant::kText},
    {"_KEY_STATS", kKeyStats, AvroWant::kRecord, true, kStatsRules},
    {"_VALUE_STATS", kValueStats, AvroWant::kRecord, true, kStatsRules},
    {"_MIN_SEQUENCE_NUMBER", kMinSequence, AvroWant::kInteger},
    {"_MAX_SEQUENCE_NUMBER", kMaxSequence, AvroWant::kInteger},
    {"_SCHEMA_ID", kSchemaId, AvroWant::kInteger},
    {"_LEVEL", kLevel, AvroWant::kInteger},
    {"_EXTRA_FILES", kExtraFiles, AvroWant::kArray, true, kTextItem},
    {"_CREATION_TIME", kCreationTime, AvroWant::kInteger, false},
    {"_DELETE_ROW_COUNT", kDeleteRowCount, AvroWant::kInteger, false},
    {"_EMBEDDED_FILE_INDEX", kEmbeddedIndex, AvroWant::kText, false},
    {"_FILE_SOURCE", kFileSource, AvroWant::kInteger, false},
    {"_VALUE_STATS_COLS", kValueStatsCols, AvroWant::kArray, false, kTextItem},
    {"_EXTERNAL_PATH", kExternalPath, AvroWant::kText, false},
    {"_FIRST_ROW_ID", kFirstRowId, AvroWant::kInteger, false},
    {"_WRITE_COLS", kWriteCols, AvroWant::kArray, false, kTextItem},
};

enum EntryTarget { kVersion, kKind, kPartition, kBucket, kTotalBuckets, kFile };
constexpr AvroRule kEntryRules[] = {
    {"_VERSION", kVersion, AvroWant::kInteger},
    {"_KIND", kKind, AvroWant::kInteger},
    {"_PARTITION", kPartition, AvroWant::kText},
    {"_BUCKET", kBucket, AvroWant::kInteger},
    {"_TOTAL_BUCKETS", kTotalBuckets, AvroWant::kInteger},
    {"_FILE", kFile, AvroWant::kRecord, true, kFileRules},
};

enum ListTarget {
  kListVersion,
  kListName,
  kListSize,
  kListAdded,
  kListDeleted,
  kListStats,
  kListSchemaId,
  kListMinBucket,
  kListMaxBucket,
  kListMinLevel,
  kListMaxLevel,
  kListMinRowId,
  kListMaxRowId,
};
constexpr AvroRule kListRules[] = {
    {"_VERSION", kListVersion, AvroWant::kInteger},
    {"_FILE_NAME", kListName, AvroWant::kText},
    {"_FILE_SIZE", kListSize, AvroWant::kInteger},
    {"_NUM_ADDED_FILES", kListAdded, AvroWant::kInteger},
    {"_NUM_DELETED_FILES", kListDeleted, AvroWant::kInteger},
    {"_PARTITION_STATS", kListStats, AvroWant::kRecord, true, kStatsRules},
    {"_SCHEMA_ID", kListSchemaId, AvroWant::kInteger},
    {"_MIN_BUCKET", kListMinBucket, AvroWant::kInteger, false},
    {"_MAX_BUCKET", kListMaxBucket, AvroWant::kInteger, false},
    {"_MIN_LEVEL", kListMinLevel, AvroWant::kInteger, false},
    {"_MAX_LEVEL", kListMaxLevel, AvroWant::kInteger, false},
    {"_MIN_ROW_ID", kListMinRowId, AvroWant::kInteger, false},
    {"_MAX_ROW_ID", kListMaxRowId, AvroWant::kInteger, false},
};

enum VectorTarget { kVectorFile, kVectorOffset, kVectorLength, kVectorCardinality };
constexpr AvroRule kVectorRules[] = {
    {"f0", kVectorFile, AvroWant::kText},
    {"f1", kVectorOffset, AvroWant::kInteger},
    {"f2", kVectorLength, AvroWant::kInteger},
    {"_CARDINALITY", kVectorCardinality, AvroWant::kInteger, false},
};
constexpr AvroRule kVectorItem[] = {{"", 0, AvroWant::kRecord, true, kVectorRules}};

enum GlobalTarget { kRangeStart, kRangeEnd, kFieldId, kExtraFieldIds, kIndexMeta, kSourceMeta };
constexpr AvroRule kGlobalRules[] = {
    {"_ROW_RANGE_START", kRangeStart, AvroWant::kInteger},
    {"_ROW_RANGE_END", kRangeEnd, AvroWant::kInteger},
    {"_INDEX_FIELD_ID", kFieldId, AvroWant::kInteger},
    {"_EXTRA_FIELD_IDS", kExtraFieldIds, AvroWant::kArray, false, kIntegerItem},
    {"_INDEX_META", kIndexMeta, AvroWant::kText, false},
    {"_SOURCE_META", kSourceMeta, AvroWant::kText, false},
};

enum IndexTarget {
  kIndexVersionField,
  kIndexKind,
  kIndexPartition,
  kIndexBucket,
  kIndexType,
  kIndexName,
  kIndexSize,
  kIndexRows,
  kIndexVectors,
  kIndexExternalPath,
  kIndexGlobal,
};
constexpr AvroRule kIndexRules[] = {
    {"_VERSION", kIndexVersionField, AvroWant::kInteger},
    {"_KIND", kIndexKind, AvroWant::kInteger},
    {"_PARTITION", kIndexPartition, AvroWant::kText},
    {"_BUCKET", kIndexBucket, AvroWant::kInteger},
    {"_INDEX_TYPE", kIndexType, AvroWant::kText},
    {"_FILE_NAME", kIndexName, AvroWant::kText},
    {"_FILE_SIZE", kIndexSize, AvroWant::kInteger},
    {"_ROW_COUNT", kIndexRows, AvroWant::kInteger},
    {"_DELETIONS_VECTORS_RANGES", kIndexVectors, AvroWant::kArray, false, kVectorItem},
    {"_EXTERNAL_PATH", kIndexExternalPath, AvroWant::kText, false},
    {"_GLOBAL_INDEX", kIndexGlobal, AvroWant::kRecord, false, kGlobalRules},
};

// ---- values ----

int64_t ReadLong(const AvroField& field, AvroCursor& cursor) {
  field.Present(cursor);
  return cursor.Long();
}

int32_t ReadInt(const AvroField& field, AvroCursor& cursor) {
  field.Present(cursor);
  return cursor.Int();
}

std::string_view ReadText(const AvroField& field, AvroCursor& cursor) {
  field.Present(cursor);
  return cursor.Bytes();
}

std::optional<int64_t> ReadOptionalLong(const AvroField& field, AvroCursor& cursor) {
  if (!field.Present(cursor)) return std::nullopt;
  return cursor.Long();
}

std::optional<int32_t> ReadOptionalInt(const AvroField& field, AvroCursor& cursor) {
  if (!field.Present(cursor)) return std::nullopt;
  return cursor.Int();
}

std::optional<std::string> ReadOptionalText(const AvroField& field, AvroCursor& cursor) {
  if (!field.Present(cursor)) return std::nullopt;
  return std::string(cursor.Bytes());
}

std::vector<std::string> ReadTexts(const AvroField& field, AvroCursor& cursor) {
  field.Present(cursor);
  std::vector<std::string> texts;
  const AvroField& item = field.nested[0];
  ForEachItem(cursor, [&](AvroCursor& c) { texts.emplace_back(ReadText(item, c)); });
  return texts;
}

std::optional<std::vector<std::string>> ReadOptionalTexts(const AvroField& field, AvroCursor& cursor) {
  if (!field.Present(cursor)) return std::nullopt;
  std::vector<std::string> texts;
  const AvroField& item = field.nested[0];
  ForEachItem(cursor, [&](AvroCursor& c) { texts.emplace_back(ReadText(item, c)); });
  return texts;
}

FileKind ReadKind(const AvroField& field, AvroCursor& cursor) {
  int32_t kind = ReadInt(field, cursor);
  if (kind != 0 && kind != 1) throw Corrupt("An entry has the unknown kind '{}'", kind);
  return static_cast<FileKind>(kind);
}

void CheckVersion(int64_t version, int64_t known, std::string_view what) {
  if (version == known) return;
  throw Unsupported("A {} has version '{}'; Mica knows version {}. {}", what, version, known,
                    version > known ? "A newer Paimon wrote it" : "The table has to be made again");
}

void ReadStats(const AvroField& record, AvroCursor& cursor, SimpleStats* stats) {
  record.Present(cursor);
  for (const AvroField& field : record.nested) {
    switch (field.target) {
      case kMinValues:
        stats->min_values = ReadText(field, cursor);
        break;
      case kMaxValues:
        stats->max_values = ReadText(field, cursor);
        break;
      case kNullCounts: {
        if (!field.Present(cursor)) {
          stats->null_counts.reset();
          break;
        }
        if (!stats->null_counts) stats->null_counts.emplace();
        auto& counts = *stats->null_counts;
        counts.clear();
        const AvroField& item = field.nested[0];
        ForEachItem(cursor, [&](AvroCursor& c) { counts.push_back(ReadOptionalLong(item, c)); });
        break;
      }
      default:
        SkipAvro(*field.type, cursor);
    }
  }
}

void ReadFile(const AvroField& record, AvroCursor& cursor, bool without_stats, DataFileMeta* file) {
  record.Present(cursor);
  for (const AvroField& field : record.nested) {
    switch (field.target) {
      case kFileName:
        file->file_name = ReadText(field, cursor);
        break;
      case kFileSize:
        file->file_size = ReadLong(field, cursor);
        break;
      case kRowCount:
        file->row_count = ReadLong(field, cursor);
        break;
      case kMinKey:
        file->min_key = ReadText(field, cursor);
        break;
      case kMaxKey:
        file->max_key = ReadText(field, cursor);
        break;
      case kKeyStats:
      case kValueStats:
        if (without_stats) {
          field.Present(cursor);
          SkipAvro(*field.type, cursor);
        } else {
          ReadStats(field, cursor, field.target == kKeyStats ? &file->key_stats : &file->value_stats);
        }
        break;
      case kMinSequence:
        file->min_sequence_number = ReadLong(field, cursor);
        break;
      case kMaxSequence:
        file->max_sequence_number = ReadLong(field, cursor);
        break;
      case kSchemaId:
        file->schema_id = ReadLong(field, cursor);
        break;
      case kLevel:
        file->level = ReadInt(field, cursor);
        break;
      case kExtraFiles:
        file->extra_files = ReadTexts(field, cursor);
        break;
      case kCreationTime:
        file->creation_time_millis = ReadOptionalLong(field, cursor);
        break;
      case kDeleteRowCount:
        file->delete_row_count = ReadOptionalLong(field, cursor);
        break;
      case kEmbeddedIndex:
        file->embedded_file_index = ReadOptionalText(field, cursor);
        break;
      case kFileSource: {
        auto source = ReadOptionalInt(field, cursor);
        file->file_source.reset();
        if (!source) break;
        if (*source != 0 && *source != 1) throw Corrupt("A file has the unknown source '{}'", *source);
        file->file_source = static_cast<FileSource>(*source);
        break;
      }
      case kValueStatsCols:
        file->value_stats_cols = ReadOptionalTexts(field, cursor);
        break;
      case kExternalPath:
        file->external_path = ReadOptionalText(field, cursor);
        break;
      case kFirstRowId:
        file->first_row_id = ReadOptionalLong(field, cursor);
        break;
      case kWriteCols:
        file->write_cols = ReadOptionalTexts(field, cursor);
        break;
      default:
        SkipAvro(*field.type, cursor);
    }
  }
}

// Every record has a byte at least, so a false count is found before anything is made of it.
void CheckCount(int64_t count, std::string_view block) {
  if (count < 0 || static_cast<uint64_t>(count) > block.size()) {
    throw Corrupt("A block of '{}' bytes claims to hold '{}' records", block.size(), count);
  }
}

void CheckEnd(const AvroCursor& cursor) {
  if (!cursor.AtEnd()) throw Corrupt("A block has '{}' bytes after its last record", cursor.remaining());
}

}  // namespace

ManifestEntryDecoder::ManifestEntryDecoder(std::string_view schema_json)
    : schema_(AvroSchema::Parse(schema_json)), fields_(CompileRecord(schema_.root(), kEntryRules)) {
  int needed = 0;
  for (const AvroField& field : fields_) {
    if (field.target == kFile) break;
    if (field.target == kPartition || field.target == kBucket || field.target == kTotalBuckets) ++needed;
  }
  filter_first_ = needed == 3;
}

void ManifestEntryDecoder::Decode(int64_t count, std::string_view block, const ManifestFilter& filter,
                                  const std::function<void(ManifestEntry&&)>& on_entry) const {
  CheckCount(count, block);
  AvroCursor cursor(block);
  ManifestEntry entry;
  for (; count > 0; --count) {
    std::string_view partition;
    bool keep = true;
    for (const AvroField& field : fields_) {
      switch (field.target) {
        case kVersion:
          CheckVersion(ReadLong(field, cursor), kManifestVersion, "manifest entry");
          break;
        case kKind:
          entry.kind = ReadKind(field, cursor);
          break;
        case kPartition:
          partition = ReadText(field, cursor);
          break;
        case kBucket:
          entry.bucket = ReadInt(field, cursor);
          break;
        case kTotalBuckets:
          entry.total_buckets = ReadInt(field, cursor);
          break;
        case kFile:
          if (filter_first_ && filter.keep) keep = filter.keep(partition, entry.bucket, entry.total_buckets);
          if (keep) {
            ReadFile(field, cursor, filter.without_stats, &entry.file);
          } else {
            field.Present(cursor);
            SkipAvro(*field.type, cursor);
          }
          break;
        default:
          SkipAvro(*field.type, cursor);
      }
    }
    if (!filter_first_ && filter.keep) keep = filter.keep(partition, entry.bucket, entry.total_buckets);
    if (!keep) continue;
    entry.partition = partition;
    on_entry(std::move(entry));
  }
  CheckEnd(cursor);
}

ManifestFileDecoder::ManifestFileDecoder(std::string_view schema_json)
    : schema_(AvroSchema::Parse(schema_json)), fields_(CompileRecord(schema_.root(), kListRules)) {}

void ManifestFileDecoder::Decode(int64_t count, std::string_view block, std::vector<ManifestFileMeta>* out) const {
  CheckCount(count, block);
  AvroCursor cursor(block);
  for (; count > 0; --count) {
    ManifestFileMeta& meta = out->emplace_back();
    for (const AvroField& field : fields_) {
      switch (field.target) {
        case kListVersion:
          CheckVersion(ReadLong(field, cursor), kManifestVersion, "manifest list entry");
          break;
        case kListName:
          meta.file_name = ReadText(field, cursor);
          break;
        case kListSize:
          meta.file_size = ReadLong(field, cursor);
          break;
        case kListAdded:
          meta.added_count = ReadLong(field, cursor);
          break;
        case kListDeleted:
          meta.deleted_count = ReadLong(field, cursor);
          break;
        case kListStats:
          ReadStats(field, cursor, &meta.partition_stats);
          break;
        case kListSchemaId:
          meta.schema_id = ReadLong(field, cursor);
          break;
        case kListMinBucket:
          meta.min_bucket = ReadOptionalInt(field, cursor);
          break;
        case kListMaxBucket:
          meta.max_bucket = ReadOptionalInt(field, cursor);
          break;
        case kListMinLevel:
          meta.min_level = ReadOptionalInt(field, cursor);
          break;
        case kListMaxLevel:
          meta.max_level = ReadOptionalInt(field, cursor);
          break;
        case kListMinRowId:
          meta.min_row_id = ReadOptionalLong(field, cursor);
          break;
        case kListMaxRowId:
          meta.max_row_id = ReadOptionalLong(field, cursor);
          break;
        default:
          SkipAvro(*field.type, cursor);
      }
    }
  }
  CheckEnd(cursor);
}

namespace {

DeletionVectorRange ReadVectorRange(const AvroField& record, AvroCursor& cursor) {
  record.Present(cursor);
  DeletionVectorRange range;
  for (const AvroField& field : record.nested) {
    switch (field.target) {
      case kVectorFile:
        range.data_file_name = ReadText(field, cursor);
        break;
      case kVectorOffset:
        range.offset = ReadInt(field, cursor);
        break;
      case kVectorLength:
        range.length = ReadInt(field, cursor);
        break;
      case kVectorCardinality:
        range.cardinality = ReadOptionalLong(field, cursor);
        break;
      default:
        SkipAvro(*field.type, cursor);
    }
  }
  return range;
}

IndexManifestEntry::GlobalIndex ReadGlobalIndex(const AvroField& record, AvroCursor& cursor) {
  IndexManifestEntry::GlobalIndex index;
  for (const AvroField& field : record.nested) {
    switch (field.target) {
      case kRangeStart:
        index.row_range_start = ReadLong(field, cursor);
        break;
      case kRangeEnd:
        index.row_range_end = ReadLong(field, cursor);
        break;
      case kFieldId:
        index.field_id = ReadInt(field, cursor);
        break;
      case kExtraFieldIds:
        if (field.Present(cursor)) {
          auto& ids = index.extra_field_ids.emplace();
          const AvroField& item = field.nested[0];
          ForEachItem(cursor, [&](AvroCursor& c) { ids.push_back(ReadInt(item, c)); });
        }
        break;
      case kIndexMeta:
        index.index_meta = ReadOptionalText(field, cursor);
        break;
      case kSourceMeta:
        index.source_meta = ReadOptionalText(field, cursor);
        break;
      default:
        SkipAvro(*field.type, cursor);
    }
  }
  return index;
}

}  // namespace

IndexEntryDecoder::IndexEntryDecoder(std::string_view schema_json)
    : schema_(AvroSchema::Parse(schema_json)), fields_(CompileRecord(schema_.root(), kIndexRules)) {}

void IndexEntryDecoder::Decode(int64_t count, std::string_view block, std::vector<IndexManifestEntry>* out) const {
  CheckCount(count, block);
  AvroCursor cursor(block);
  for (; count > 0; --count) {
    IndexManifestEntry& entry = out->emplace_back();
    for (const AvroField& field : fields_) {
      switch (field.target) {
        case kIndexVersionField:
          CheckVersion(ReadLong(field, cursor), kIndexVersion, "index manifest entry");
          break;
        case kIndexKind:
          entry.kind = ReadKind(field, cursor);
          break;
        case kIndexPartition:
          entry.partition = ReadText(field, cursor);
          break;
        case kIndexBucket:
          entry.bucket = ReadInt(field, cursor);
          break;
        case kIndexType:
          entry.index_type = ReadText(field, cursor);
          break;
        case kIndexName:
          entry.file_name = ReadText(field, cursor);
          break;
        case kIndexSize:
          entry.file_size = ReadLong(field, cursor);
          break;
        case kIndexRows:
          entry.row_count = ReadLong(field, cursor);
          break;
        case kIndexVectors:
          if (field.Present(cursor)) {
            auto& ranges = entry.deletion_vector_ranges.emplace();
            const AvroField& item = field.nested[0];
            ForEachItem(cursor, [&](AvroCursor& c) { ranges.push_back(ReadVectorRange(item, c)); });
          }
          break;
        case kIndexExternalPath:
          entry.external_path = ReadOptionalText(field, cursor);
          break;
        case kIndexGlobal:
          if (field.Present(cursor)) entry.global_index = ReadGlobalIndex(field, cursor);
          break;
        default:
          SkipAvro(*field.type, cursor);
      }
    }
  }
  CheckEnd(cursor);
}

}  // namespace mica
