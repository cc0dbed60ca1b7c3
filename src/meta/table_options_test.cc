#include "meta/table_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace mica {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const std::function<void()>& action, ErrorKind kind) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

TableSchema Append(Options options = {}) {
  TableSchema schema;
  schema.fields = {{0, "a", DataType::Int()}, {1, "p", DataType::String()}, {2, "v", DataType::BigInt()}};
  schema.options = std::move(options);
  return schema;
}

TableSchema Keyed(Options options = {}) {
  TableSchema schema = Append(std::move(options));
  schema.fields[0].type = schema.fields[0].type.WithNullable(false);
  schema.primary_keys = {"a"};
  return schema;
}

TEST(TableOptions, ReadsValuesOfEveryKind) {
  TableOptions options({{"write-only", "TRUE"},
                        {"bucket", " 4 "},
                        {"target-file-size", "64 mb"},
                        {"snapshot.time-retained", "2 h"},
                        {"file.format", "ORC"}});
  EXPECT_TRUE(options.Bool("write-only", false));
  EXPECT_EQ(options.bucket(), 4);
  EXPECT_EQ(options.target_file_bytes(true), 64 << 20);
  EXPECT_EQ(options.Duration("snapshot.time-retained", {}), std::chrono::hours(2));
  EXPECT_EQ(options.file_format(), "orc");
  EXPECT_EQ(options.Text("nope", "x"), "x");
  TableOptions none{Options{}};
  EXPECT_EQ(none.bucket(), -1);
  EXPECT_EQ(none.target_file_bytes(true), 128 << 20);
  EXPECT_EQ(none.target_file_bytes(false), 256 << 20);
  EXPECT_TRUE(none.partition_naming().legacy_name);
}

TEST(TableOptions, NamesOptionAndValueThatItCannotRead) {
  TableOptions options(
      {{"bucket", "x"}, {"write-only", "yes"}, {"target-file-size", "1 zb"}, {"commit.timeout", "soon"}});
  constexpr auto kKind = ErrorKind::kInvalidArgument;
  EXPECT_THAT(ErrorOf([&] { options.bucket(); }, kKind), HasSubstr("Could not parse value 'x' for key 'bucket'."));
  EXPECT_THAT(ErrorOf([&] { options.Bool("write-only", false); }, kKind), HasSubstr("'yes' for key 'write-only'"));
  EXPECT_THAT(ErrorOf([&] { options.target_file_bytes(true); }, kKind), HasSubstr("'1 zb' for key 'target-file-size'"));
  EXPECT_THAT(ErrorOf([&] { options.Duration("commit.timeout", {}); }, kKind),
              HasSubstr("'soon' for key 'commit.timeout'"));
}

TEST(TableOptions, FollowsOldNames) {
  TableOptions options(
      {{"log.scan", "latest"}, {"partial-update.ignore-delete", "true"}, {"write.compaction-skip", "true"}});
  EXPECT_EQ(options.Find("scan.mode"), "latest");
  EXPECT_TRUE(options.Bool("ignore-delete", false));
  EXPECT_TRUE(options.Bool("write-only", false));
  EXPECT_EQ(TableOptions({{"log.scan", "latest"}, {"scan.mode", "full"}}).Find("scan.mode"), "full");
}

TEST(BucketMode, FollowsKeysAndBucketOption) {
  EXPECT_EQ(BucketModeOf(Append()), BucketMode::kUnaware);
  EXPECT_EQ(BucketModeOf(Append({{"bucket", "2"}})), BucketMode::kHashFixed);
  EXPECT_EQ(BucketModeOf(Keyed()), BucketMode::kHashDynamic);
  EXPECT_EQ(BucketModeOf(Keyed({{"bucket", "2"}})), BucketMode::kHashFixed);
  EXPECT_EQ(BucketModeOf(Keyed({{"bucket", "-2"}})), BucketMode::kPostpone);
  TableSchema cross = Keyed();
  cross.partition_keys = {"p"};
  EXPECT_EQ(BucketModeOf(cross), BucketMode::kKeyDynamic);
  cross.primary_keys = {"a", "p"};
  EXPECT_EQ(BucketModeOf(cross), BucketMode::kHashDynamic);
}

// Engine 12.4; M-0305, M-0338.
TEST(ValidateSchema, RefusesOptionsWithTheWordsUsersKnow) {
  struct Case {
    TableSchema schema;
    std::string words;
  };
  std::vector<Case> cases = {
      {Append({{"bucket", "0"}}), "The number of buckets needs to be greater than 0."},
      {Append({{"bucket", "-2"}}), "The number of buckets needs to be greater than 0."},
      {Keyed({{"bucket", "-3"}}), "The number of buckets needs to be greater than 0."},
      {Keyed({{"bucket", "2"}, {"bucket-key", "v"}}), "Primary keys [a] should contains all bucket keys [v]."},
      {Append({{"bucket", "2"}, {"bucket-key", "nope"}}),
       "Field names [a, p, v] should contains all bucket keys [nope]."},
      {Keyed({{"bucket-key", "a"}}),
       "Cannot define 'bucket-key' with bucket = -1, please remove the 'bucket-key' setting or specify a bucket "
       "number."},
      {Append({{"bucket", "2"}}), "You should define a 'bucket-key' for bucketed append mode."},
      {Append({{"changelog-producer", "input"}}),
       "Can not set changelog-producer on table without primary keys, please define primary keys."},
      {Keyed({{"merge-engine", "first-row"}, {"changelog-producer", "input"}}),
       "Only support 'none' and 'lookup' changelog-producer on FIRST_ROW merge engine"},
      {Keyed({{"merge-engine", "first-row"}, {"sequence.field", "v"}}),
       "Do not support use sequence field on FIRST_ROW merge engine."},
      {Keyed({{"sequence.field", "nope"}}), "Sequence field: 'nope' can not be found in table schema."},
      {Keyed({{"sequence.field", "v,v"}}), "Sequence field 'v' is defined repeatedly."},
      {Keyed({{"sequence.field", "v"}, {"fields.v.aggregate-function", "max"}}),
       "Should not define aggregation on sequence field: 'v'."},
      {Keyed({{"merge-engine", "partial-update"}, {"fields.v.sequence-group", "p"}, {"fields.a.sequence-group", "p"}}),
       "Field p is defined repeatedly by multiple groups: [[a], [v]]."},
      {Keyed({{"merge-engine", "partial-update"}, {"fields.v.sequence-group", "nope"}}),
       "Field nope can not be found in table schema."},
      {Keyed({{"fields.nope.aggregate-function", "max"}}), "Field nope can not be found in table schema."},
      {Keyed({{"merge-engine", "partial-update"},
              {"ignore-delete", "true"},
              {"partial-update.remove-record-on-delete", "true"}}),
       "ignore-delete and partial-update.remove-record-on-delete have conflicting behavior so should not be enabled at "
       "the "
       "same time."},
      {Keyed({{"merge-engine", "partial-update"},
              {"fields.v.sequence-group", "p"},
              {"partial-update.remove-record-on-sequence-group", "z"}}),
       "field 'z' defined in 'partial-update.remove-record-on-sequence-group' option must be part of sequence groups"},
      {Append({{"snapshot.num-retained.min", "5"}, {"snapshot.num-retained.max", "3"}}),
       "snapshot.num-retained.min should not be larger than snapshot.num-retained.max"},
      {Append({{"snapshot.num-retained.min", "0"}}), "snapshot.num-retained.min should be at least 1"},
      {Keyed({{"changelog-producer", "lookup"}, {"streaming-read-overwrite", "true"}}),
       "because it will read duplicated changes."},
      {Keyed({{"changelog-producer", "lookup"}, {"full-compaction.delta-commits", "1"}}),
       "'full-compaction.delta-commits' is incompatible"},
      {Keyed({{"merge-engine", "zzz"}}), "Could not parse value 'zzz' for key 'merge-engine'."},
      {Append({{"scan.mode", "zzz"}}), "Could not parse value 'zzz' for key 'scan.mode'."},
      {Append({{"row-tracking.enabled", "true"}, {"bucket", "2"}, {"bucket-key", "a"}}),
       "Cannot define bucket for row tracking table, it only support bucket = -1"},
      {Append({{"data-evolution.enabled", "true"}}), "Data evolution config must enabled with row-tracking.enabled"},
      {Append({{"data-evolution.enabled", "true"},
               {"row-tracking.enabled", "true"},
               {"deletion-vectors.enabled", "true"}}),
       "Data evolution config must disabled with deletion-vectors.enabled"},
      {Keyed({{"record-level.time-field", "nope"}}), "Can not find time field nope for record level expire."},
      {Append({{"scan.fallback-branch", "b"}, {"scan.primary-branch", "c"}}), "Cannot set both"},
      {Append({{"file.format", "nope"}}), "nope"},
      {Append({{"partition.expiration-time", "1 d"}}), "Can not set 'partition.expiration-time' for non-partitioned table."},
      {Keyed({{"pk-clustering-override", "true"}}), "mode without 'clustering.columns'."},
      {Keyed({{"pk-clustering-override", "true"}, {"clustering.columns", "v"}}), "deletion-vectors disabled"},
      {Keyed({{"upsert-key", "a"}}), "Cannot define 'upsert-key' [a] with 'primary-key' [a]."},
      {Append({{"upsert-key", "nope"}}), "Cannot find field: nope"},
  };
  for (const Case& c : cases) {
    try {
      ValidateSchema(c.schema);
      ADD_FAILURE() << "accepted: " << c.words;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(c.words));
    }
  }
}

// M-0209, M-0210.
TEST(ValidateSchema, RefusesColumns) {
  auto words = [](const TableSchema& schema) {
    try {
      ValidateSchema(schema);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  for (const char* name : {"_KEY_x", "_SEQUENCE_NUMBER", "_VALUE_KIND", "_LEVEL", "rowkind", "_ROW_ID"}) {
    TableSchema schema = Append();
    schema.fields[2].name = name;
    EXPECT_THAT(words(schema), HasSubstr(fmt::format("Field name[{}] in schema", name)));
  }
  TableSchema schema = Keyed();
  schema.fields[0].type = DataType::Array(DataType::Int());
  EXPECT_THAT(words(schema), HasSubstr("The type ArrayType in primary key field a is unsupported"));
  schema = Append();
  schema.partition_keys = {"nope"};
  EXPECT_THAT(words(schema), HasSubstr("should include all partition fields [nope]"));
  schema = Keyed();
  schema.partition_keys = {"a"};
  EXPECT_THAT(words(schema), HasSubstr("Primary key constraint [a] should not be same with partition fields [a]"));
  schema = Append();
  schema.fields[1].name = "a";
  EXPECT_THAT(words(schema), HasSubstr("must not contain duplicate fields. Found: [a]"));
  schema = Keyed({{"sequence.field", "v"}});
  schema.partition_keys = {"p"};
  EXPECT_THAT(words(schema), HasSubstr("You can not use sequence.field in cross partition update case"));
}

// M-0205.
TEST(ValidateSchema, RefusesTypesOutOfBounds) {
  for (const DataType& type :
       {DataType::Char(0), DataType::Varchar(-1), DataType::Decimal(39, 0), DataType::Decimal(0, 0),
        DataType::Decimal(5, 6), DataType::Timestamp(10), DataType::Array(DataType::Decimal(5, 6))}) {
    TableSchema schema = Append();
    schema.fields[2].type = type;
    EXPECT_THAT(ErrorOf([&] { ValidateSchema(schema); }, ErrorKind::kInvalidArgument), HasSubstr("column 'v'"));
  }
}

TEST(ValidateSchema, AcceptsWhatHasNoEffect) {
  ValidateSchema(Append({{"unknown", "x"}, {"merge-engine", "aggregation"}, {"ignore-delete", "true"}}));
  ValidateSchema(Keyed({{"bucket", "4"}, {"sequence.field", "v"}, {"num-sorted-run.stop-trigger", "x"}}));
  ValidateSchema(Append({{"bucket", "4"}, {"bucket-key", "a"}}));
}

TEST(Refusals, NameTheOption) {
  struct Case {
    Options options;
    bool reading;
    bool writing;
  };
  for (const Case& c : std::vector<Case>{
           {{{"merge-engine", "partial-update"}}, false, false},
           {{{"merge-engine", "first-row"}}, false, false},
           {{{"merge-engine", "first-row"}, {"write-only", "true"}}, false, false},
           {{{"changelog-producer", "lookup"}, {"merge-engine", "aggregation"}}, false, false},
           {{{"deletion-vectors.enabled", "true"}, {"ignore-delete", "true"}}, false, false},
           {{{"merge-engine", "Deduplicate"}}, false, false},
           {{{"changelog-producer", "input"}}, false, false},
           {{{"deletion-vectors.enabled", "true"}}, false, false},
           {{{"changelog-producer", "lookup"}}, false, false},
           {{{"deletion-vectors.enabled", "false"}}, false, false},
           {{{"file-index.bloom-filter.columns", "a"}}, false, false},
           {{{"file-index.bitmap.columns", "m[a]"}}, false, true},
           {{{"file-index.range-bitmap.columns", "a"}}, false, true},
           {{{"row-tracking.enabled", "true"}}, false, true},
           {{{"data-evolution.enabled", "true"}}, true, true},
           {{{"bucket", "-2"}}, false, false},
           {{{"sequence.snapshot-ordering", "true"}}, true, true},
           {{{"pk-clustering-override", "true"}}, true, true},
           {{{"query-auth.enabled", "true"}}, true, false},
           {{{"type", "format-table"}}, true, true},
           {{{"first-row.ignore-delete", "true"}}, false, false},
           {{{"rowkind.field", "p"}}, false, false},
           {{{"record-level.expire-time", "1 d"}}, true, true},
           {{{"scan.fallback-branch", "b"}}, true, false},
           {{{"chain-table.enabled", "true"}}, true, true},
           {{{"data-file.external-paths", "file:/x"}}, false, false},
           {{{"data-file.external-paths", "file:/x"}, {"data-file.external-paths.strategy", "round-robin"}},
            false,
            true},
           {{{"blob-field", "v"}}, true, true},
           {{{"fields.v.map.storage-layout", "shared-shredding"}}, true, true},
           {{{"incremental-between", "1,2"}}, true, false},
           {{{"write-buffer-size", "1 mb"}, {"unknown", "x"}, {"sequence.field", "v"}}, false, false},
       }) {
    TableSchema schema = Keyed(c.options);
    std::string key = c.options.begin()->first;
    std::string read = ErrorOf([&] { CheckReadable(schema); }, ErrorKind::kUnsupported);
    std::string write = ErrorOf([&] { CheckWritable(schema); }, ErrorKind::kUnsupported);
    EXPECT_THAT(read, c.reading ? HasSubstr(key) : HasSubstr("no error")) << key;
    EXPECT_THAT(write, c.writing ? HasSubstr(key) : HasSubstr("no error")) << key;
  }
  CheckReadable(Append({{"merge-engine", "partial-update"}, {"record-level.expire-time", "1 d"}}));
}

TEST(Refusals, NameTheColumn) {
  TableSchema schema = Append();
  schema.fields[2].type = DataType::Array(DataType(TypeRoot::kVariant));
  CheckReadable(schema);
  EXPECT_THAT(ErrorOf([&] { CheckWritable(schema); }, ErrorKind::kUnsupported), HasSubstr("column 'v'"));
  schema.fields[2].type = DataType(TypeRoot::kBlob);
  EXPECT_THAT(ErrorOf([&] { CheckReadable(schema); }, ErrorKind::kUnsupported), HasSubstr("column 'v'"));
}

TEST(Refusals, RefuseToLoseKeysThatMoveBetweenPartitions) {
  TableSchema schema = Keyed();
  schema.partition_keys = {"p"};
  CheckWritable(schema);
  const auto refused = [&] { return ErrorOf([&] { CheckWritable(schema); }, ErrorKind::kUnsupported); };
  schema.options = {{"ignore-delete", "true"}};
  CheckReadable(schema);
  EXPECT_THAT(refused(), HasSubstr("'ignore-delete' = 'true' yet: the primary key [a] lacks partition columns"));
  schema.options = {{"deletion-vectors.enabled", "true"}, {"write-only", "true"}};
  EXPECT_THAT(refused(), HasSubstr("'write-only' = 'true' yet: the primary key [a] lacks partition columns"));
  schema.options["bucket"] = "2";
  CheckWritable(schema);
}

}  // namespace
}  // namespace mica
