#include "meta/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/error.h"
#include "base/uuid.h"
#include "io/memory_file_system.h"
#include "format/avro_file.h"
#include "meta/golden.h"
#include "meta/manifest_format.h"

namespace mica {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::SizeIs;

template <typename Action>
std::string ErrorOf(const Action& action, ErrorKind kind) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

class ManifestTest : public testing::Test {
 protected:
  void Put(const std::string& name, const std::string& content) {
    fs_->ReplaceAtomically("/t/manifest/" + name, content);
  }
  std::string Get(const std::string& name) { return fs_->ReadFile("/t/manifest/" + name); }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  ManifestStore store_{fs_, "/t", {}};
};

std::string PlainBlocks(std::string_view content, std::string* schema = nullptr) {
  AvroFileReader reader(content);
  if (schema) *schema = reader.schema_json();
  std::string blocks;
  reader.ForEachBlock([&](int64_t, std::string_view block) { blocks += block; });
  return blocks;
}

bool IsAvro(const std::string& content) {
  return content.starts_with("Obj");
}

std::vector<std::string> ManifestsOf(std::string_view prefix) {
  std::vector<std::string> paths;
  for (const std::string& path : GoldenAndFixtures(prefix, "manifest")) {
    bool is_list = path.find("/manifest-list-") != std::string::npos;
    if (prefix == "manifest-" && is_list) continue;
    paths.push_back(path);
  }
  return paths;
}

// Other implementations check the schema's text only by its fields, but ours is the same text.
TEST_F(ManifestTest, WritesTheSchemasOfPaimon) {
  std::string schema;
  PlainBlocks(Golden("manifest-all-types"), &schema);
  EXPECT_EQ(ManifestEntrySchema(), schema);
  PlainBlocks(Golden("manifest-list-partitions"), &schema);
  schema.erase(schema.size() - 2);
  EXPECT_EQ(ManifestFileSchema(), schema + R"(,{"name":"_MIN_ROW_ID","type":["null","long"],"default":null})" +
                                      R"(,{"name":"_MAX_ROW_ID","type":["null","long"],"default":null}]})");
  PlainBlocks(Golden("index-manifest-vectors"), &schema);
  EXPECT_EQ(IndexEntrySchema(false), schema);
  PlainBlocks(Golden("index-manifest-hash"), &schema);
  schema.erase(schema.size() - 2);
  EXPECT_THAT(IndexEntrySchema(false), testing::StartsWith(schema));
}

TEST_F(ManifestTest, WritesTheRecordsThatItRead) {
  size_t count = 0;
  for (const std::string& path : ManifestsOf("manifest-")) {
    std::string content = ReadLocalFile(path);
    if (!IsAvro(content)) continue;
    Put("m", content);
    std::string encoded;
    for (const ManifestEntry& entry : store_.Read("m", content.size())) EncodeManifestEntry(entry, encoded);
    EXPECT_EQ(encoded, PlainBlocks(content)) << path;
    ++count;
  }
  EXPECT_GE(count, 3u);
}

TEST_F(ManifestTest, WritesTheListsAndIndexesThatItRead) {
  size_t count = 0;
  for (const std::string& path : ManifestsOf("manifest-list-")) {
    std::string content = ReadLocalFile(path);
    Put("l", content);
    auto manifests = store_.ReadList("l", content.size());
    auto [name, size] = store_.WriteList(manifests);
    EXPECT_EQ(store_.ReadList(name, size), manifests) << path;
    EXPECT_EQ(size, static_cast<int64_t>(Get(name).size()));
    ++count;
  }
  for (const std::string& path : ManifestsOf("index-manifest-")) {
    std::string content = ReadLocalFile(path);
    Put("i", content);
    auto entries = store_.ReadIndex("i");
    std::string schema, encoded;
    std::string plain = PlainBlocks(content, &schema);
    for (const IndexManifestEntry& entry : entries) {
      EncodeIndexEntry(entry, false, encoded);
      // Paimon 1.3.1 does not write the last field.
      if (schema.find("_GLOBAL_INDEX") == std::string::npos) encoded.pop_back();
    }
    EXPECT_EQ(encoded, plain) << path;
    auto [name, size] = store_.WriteIndex(entries);
    EXPECT_EQ(store_.ReadIndex(name), entries) << path;
    ++count;
  }
  EXPECT_GE(count, 3u);
}

TEST_F(ManifestTest, ReadsOrc) {
  Put("m", Golden("manifest-orc"));
  auto entries = store_.Read("m", std::nullopt);
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_THAT(entries[0].file.file_name, HasSubstr(".parquet"));
  EXPECT_EQ(entries[0].kind, FileKind::kAdd);
  EXPECT_EQ(entries[0].partition, BinaryRow().Serialize());
  EXPECT_GT(entries[0].file.creation_time_millis.value_or(0), 1600000000000);
  EXPECT_FALSE(entries[0].file.external_path.has_value());
  Put("l", Golden("manifest-list-orc"));
  auto manifests = store_.ReadList("l", std::nullopt);
  ASSERT_THAT(manifests, SizeIs(1));
  EXPECT_EQ(manifests[0].file_size, static_cast<int64_t>(Golden("manifest-orc").size()));
  EXPECT_EQ(manifests[0].added_count, 1);
  ManifestFilter none;
  none.keep = [](std::string_view, int32_t, int32_t) { return false; };
  EXPECT_THAT(store_.Read("m", std::nullopt, none), IsEmpty());
}

// Metadata comes from other programs: whatever the bytes are, there is an error that names the file, or a result.
TEST_F(ManifestTest, SurvivesEveryCutAndFlip) {
  auto read = [&](const std::string& golden, const std::string& content) {
    Put("broken", content);
    try {
      if (golden.starts_with("index")) {
        store_.ReadIndex("broken");
      } else if (golden.starts_with("manifest-list")) {
        store_.ReadList("broken", std::nullopt);
      } else {
        store_.Read("broken", std::nullopt);
      }
      return true;
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kUnsupported) << error.what();
      EXPECT_THAT(error.what(), HasSubstr("broken"));
      return false;
    }
  };
  for (const char* name : {"manifest-partitions", "manifest-all-types", "manifest-list-partitions",
                           "index-manifest-vectors", "index-manifest-hash", "manifest-orc", "manifest-list-orc"}) {
    std::string content = Golden(name);
    ASSERT_TRUE(read(name, content));
    for (size_t i = 0; i < content.size(); ++i) {
      read(name, content.substr(0, i));
      for (unsigned char mask : {0x01, 0x80, 0xff}) {
        std::string flipped = content;
        flipped[i] = static_cast<char>(flipped[i] ^ mask);
        read(name, flipped);
      }
    }
  }
}

// The same without compression, so that every byte of the records is met.
TEST_F(ManifestTest, SurvivesFlipsInRecords) {
  std::string schema;
  std::string records = PlainBlocks(Golden("manifest-all-types"), &schema);
  ManifestEntryDecoder decoder(schema);
  auto decode = [&](const std::string& block) {
    try {
      decoder.Decode(2, block, {}, [](ManifestEntry&&) {});
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::kCorrupt || error.kind() == ErrorKind::kUnsupported) << error.what();
    }
  };
  for (size_t i = 0; i < records.size(); ++i) {
    decode(records.substr(0, i));
    for (int mask = 1; mask < 256; ++mask) {
      std::string flipped = records;
      flipped[i] = static_cast<char>(flipped[i] ^ mask);
      decode(flipped);
    }
  }
}

TEST_F(ManifestTest, RefusesOtherVersionsAndSchemas) {
  ManifestEntry entry;
  entry.partition = BinaryRow().Serialize();
  entry.file.key_stats = entry.file.value_stats = SimpleStats::Empty();
  auto put = [&](const std::string& schema, int64_t version) {
    AvroFileWriter writer(schema, "none", 1);
    writer.Append([&](std::string& out) {
      std::string record;
      EncodeManifestEntry(entry, record);
      AppendAvroLong(out, version);
      out += record.substr(1);
    });
    Put("m", writer.Finish());
  };
  auto read = [&] { store_.Read("m", std::nullopt); };
  put(ManifestEntrySchema(), 2);
  read();
  put(ManifestEntrySchema(), 3);
  EXPECT_THAT(ErrorOf(read, ErrorKind::kUnsupported), HasSubstr("version '3'"));
  put(ManifestEntrySchema(), 1);
  EXPECT_THAT(ErrorOf(read, ErrorKind::kUnsupported), HasSubstr("version '1'"));

  auto replaced = [](std::string text, std::string_view what, std::string_view with) {
    text.replace(text.find(what), what.size(), with);
    return text;
  };
  put(replaced(ManifestEntrySchema(), "\"_BUCKET\"", "\"_BUCKETS\""), 2);
  EXPECT_THAT(ErrorOf(read, ErrorKind::kCorrupt), HasSubstr("'_BUCKET' is missing"));
  put(replaced(ManifestEntrySchema(), "\"_BUCKET\",\"type\":\"int\"", "\"_BUCKET\",\"type\":\"string\""), 2);
  EXPECT_THAT(ErrorOf(read, ErrorKind::kCorrupt), HasSubstr("'_BUCKET'"));
}

// Other writers order, add and leave out fields: names decide.
TEST_F(ManifestTest, ResolvesFieldsByName) {
  std::string schema =
      R"({"type":"record","name":"x","fields":[
        {"name":"_NEW","type":{"type":"map","values":["null",{"type":"record","name":"y","fields":[
          {"name":"a","type":"double"},{"name":"b","type":{"type":"fixed","name":"f","size":3}}]}]}},
        {"name":"_VERSION","type":"long"},
        {"name":"_FILE_NAME","type":["string","null"]},
        {"name":"_FILE_SIZE","type":"int"},
        {"name":"_NUM_ADDED_FILES","type":"long"},
        {"name":"_OTHER","type":{"type":"array","items":"y"}},
        {"name":"_NUM_DELETED_FILES","type":"long"},
        {"name":"_SCHEMA_ID","type":"long"},
        {"name":"_PARTITION_STATS","type":{"type":"record","name":"s","fields":[
          {"name":"_MAX_VALUES","type":"bytes"},{"name":"_MIN_VALUES","type":"bytes"}]}}]})";
  AvroFileWriter writer(schema, "deflate", 1);
  writer.Append([](std::string& out) {
    AppendAvroLong(out, 2);  // map of two
    AppendAvroBytes(out, "k");
    AppendAvroLong(out, 0);
    AppendAvroBytes(out, "l");
    AppendAvroLong(out, 1);
    out += "12345678abc";
    AppendAvroLong(out, 0);
    AppendAvroLong(out, 2);  // version
    AppendAvroLong(out, 0);  // branch of the name
    AppendAvroBytes(out, "manifest-1");
    AppendAvroLong(out, 10);
    AppendAvroLong(out, 20);
    AppendAvroLong(out, -1);  // array of one, with its size
    AppendAvroLong(out, 11);
    out += "12345678abc";
    AppendAvroLong(out, 0);
    AppendAvroLong(out, 30);
    AppendAvroLong(out, 40);
    AppendAvroBytes(out, "max");
    AppendAvroBytes(out, "min");
  });
  Put("l", writer.Finish());
  ManifestFileMeta expected;
  expected.file_name = "manifest-1";
  expected.file_size = 10;
  expected.added_count = 20;
  expected.deleted_count = 30;
  expected.schema_id = 40;
  expected.partition_stats = {"min", "max", std::nullopt};
  EXPECT_THAT(store_.ReadList("l", std::nullopt), ElementsAre(expected));
}

// ---- writing ----

std::string PartitionOf(const std::vector<Value>& values, const std::vector<DataType>& types) {
  return BinaryRow::Of(values, types).Serialize();
}

ManifestEntry Entry(std::string name, FileKind kind = FileKind::kAdd, int32_t bucket = 0, int32_t level = 0) {
  ManifestEntry entry;
  entry.kind = kind;
  entry.partition = BinaryRow().Serialize();
  entry.bucket = bucket;
  entry.file.file_name = std::move(name);
  entry.file.level = level;
  entry.file.min_key = entry.file.max_key = BinaryRow().Serialize();
  entry.file.key_stats = entry.file.value_stats = SimpleStats::Empty();
  return entry;
}

TEST_F(ManifestTest, DescribesWhatItWrites) {
  std::vector<DataType> types = {DataType::String(), DataType::Int(), DataType::Decimal(20, 2)};
  std::vector<ManifestEntry> entries = {Entry("a", FileKind::kAdd, 3, 1), Entry("b", FileKind::kDelete, 1, 5),
                                        Entry("c")};
  entries[0].partition = PartitionOf({Value("x"), Value(int64_t{10}), Value()}, types);
  entries[1].partition = PartitionOf({Value("mm"), Value(int64_t{-10}), Value()}, types);
  entries[2].partition = PartitionOf({Value(), Value(int64_t{2}), Value()}, types);
  entries[1].file.schema_id = 7;
  auto manifests = store_.Write(entries, types, 9);
  ASSERT_THAT(manifests, SizeIs(1));
  const ManifestFileMeta& meta = manifests[0];
  EXPECT_THAT(meta.file_name, MatchesRegex("manifest-[0-9a-f-]{36}-0"));
  EXPECT_EQ(meta.file_size, static_cast<int64_t>(Get(meta.file_name).size()));
  EXPECT_EQ(meta.added_count, 2);
  EXPECT_EQ(meta.deleted_count, 1);
  EXPECT_EQ(meta.schema_id, 7);
  EXPECT_EQ(meta.min_bucket, 0);
  EXPECT_EQ(meta.max_bucket, 3);
  EXPECT_EQ(meta.min_level, 0);
  EXPECT_EQ(meta.max_level, 5);
  EXPECT_FALSE(meta.min_row_id || meta.max_row_id);
  EXPECT_EQ(meta.partition_stats.min_values, PartitionOf({Value("mm"), Value(int64_t{-10}), Value()}, types));
  EXPECT_EQ(meta.partition_stats.max_values, PartitionOf({Value("x"), Value(int64_t{10}), Value()}, types));
  EXPECT_THAT(*meta.partition_stats.null_counts, ElementsAre(1, 0, 3));
  EXPECT_EQ(store_.Read(meta.file_name, meta.file_size), entries);
  EXPECT_THAT(store_.Write({}, types, 9), IsEmpty());
}

TEST_F(ManifestTest, TellsTheRangeOfRowIdsWhenAllHaveOne) {
  std::vector<ManifestEntry> entries = {Entry("a"), Entry("b")};
  entries[0].file.first_row_id = 100;
  entries[0].file.row_count = 10;
  entries[1].file.first_row_id = 5;
  entries[1].file.row_count = 1;
  auto meta = store_.Write(entries, {}, 0).at(0);
  EXPECT_EQ(meta.min_row_id, 5);
  EXPECT_EQ(meta.max_row_id, 109);
  entries[0].file.first_row_id.reset();
  EXPECT_FALSE(store_.Write(entries, {}, 0).at(0).min_row_id.has_value());
}

TEST_F(ManifestTest, KeepsStatisticsOfTheListThatJavaWrote) {
  std::string content = Golden("manifest-partitions");
  Put("m", content);
  Put("l", Golden("manifest-list-partitions"));
  auto listed = store_.ReadList("l", std::nullopt);
  ASSERT_THAT(listed, SizeIs(1));
  std::vector<DataType> types = {DataType::String()};
  auto ours = store_.Write(store_.Read("m", std::nullopt), types, 0);
  ASSERT_THAT(ours, SizeIs(1));
  EXPECT_EQ(ours[0].partition_stats, listed[0].partition_stats);
  EXPECT_EQ(ours[0].added_count, listed[0].added_count);
  EXPECT_EQ(ours[0].min_bucket, listed[0].min_bucket);
  EXPECT_EQ(ours[0].max_level, listed[0].max_level);
  EXPECT_EQ(ours[0].schema_id, listed[0].schema_id);
}

TEST_F(ManifestTest, RollsAtTheTargetSize) {
  ManifestWriteOptions options;
  options.target_bytes = 20000;
  ManifestStore store(fs_, "/t", options);
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < 5000; ++i) entries.push_back(Entry(fmt::format("data-{}", i)));
  auto manifests = store.Write(entries, {}, 0);
  EXPECT_GT(manifests.size(), 2u);
  std::vector<ManifestEntry> read;
  for (const auto& meta : manifests) {
    for (auto& entry : store.Read(meta.file_name, meta.file_size)) read.push_back(std::move(entry));
  }
  EXPECT_EQ(read, entries);
  auto written = store.TakeWritten();
  EXPECT_EQ(written.size(), manifests.size());
  EXPECT_THAT(store.TakeWritten(), IsEmpty());
}

TEST_F(ManifestTest, ReadsEveryCodecThatItWrites) {
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < 1000; ++i) entries.push_back(Entry(fmt::format("data-{}", i)));
  for (const char* compression : {"zstd", "ZSTD", "snappy", "deflate", "none"}) {
    ManifestWriteOptions options;
    options.compression = compression;
    ManifestStore store(fs_, "/t", options);
    auto meta = store.Write(entries, {}, 0).at(0);
    EXPECT_EQ(store.Read(meta.file_name, meta.file_size), entries) << compression;
  }
  ManifestWriteOptions options;
  options.compression = "lz77";
  EXPECT_THAT(ErrorOf([&] { ManifestStore(fs_, "/t", options).Write(entries, {}, 0); }, ErrorKind::kUnsupported),
              HasSubstr("lz77"));
}

TEST_F(ManifestTest, FiltersByPartitionAndBucketBeforeItDecodes) {
  std::vector<ManifestEntry> entries = {Entry("a", FileKind::kAdd, 0), Entry("b", FileKind::kAdd, 1),
                                        Entry("c", FileKind::kAdd, 0)};
  auto meta = store_.Write(entries, {}, 0).at(0);
  ManifestFilter filter;
  filter.keep = [](std::string_view, int32_t bucket, int32_t) { return bucket == 0; };
  EXPECT_THAT(store_.Read(meta.file_name, meta.file_size, filter), ElementsAre(entries[0], entries[2]));
  filter.without_stats = true;
  auto read = store_.Read(meta.file_name, meta.file_size, filter);
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_EQ(read[0].file.value_stats, SimpleStats());
  EXPECT_EQ(read[0].file.file_name, "a");
}

TEST_F(ManifestTest, NamesTheFileThatIsMissingOrShort) {
  EXPECT_THAT(ErrorOf([&] { store_.Read("manifest-x-0", std::nullopt); }, ErrorKind::kNotFound),
              HasSubstr("manifest-x-0"));
  auto meta = store_.Write({Entry("a")}, {}, 0).at(0);
  EXPECT_THAT(ErrorOf([&] { store_.Read(meta.file_name, meta.file_size + 1); }, ErrorKind::kCorrupt),
              HasSubstr(meta.file_name));
  EXPECT_THAT(ErrorOf([&] { store_.Read("../x", std::nullopt); }, ErrorKind::kCorrupt), HasSubstr("../x"));
}

TEST_F(ManifestTest, CarriesUnknownIndexesOver) {
  IndexManifestEntry entry;
  entry.partition = BinaryRow().Serialize();
  entry.index_type = "lumina";
  entry.file_name = "index-1";
  entry.file_size = 5;
  entry.row_count = 6;
  entry.external_path = "s3://x/index-1";
  entry.global_index = IndexManifestEntry::GlobalIndex{1, 2, 3, std::vector<int32_t>{4, 5}, "meta", std::nullopt};
  IndexManifestEntry newer = entry;
  newer.global_index->source_meta = "source";
  IndexManifestEntry empty = entry;
  empty.global_index.reset();
  empty.deletion_vector_ranges.emplace();
  for (const auto& entries : {std::vector{entry, empty}, std::vector{entry, newer, empty}}) {
    auto [name, size] = store_.WriteIndex(entries);
    EXPECT_THAT(name, MatchesRegex("index-manifest-[0-9a-f-]{36}-[0-9]+"));
    EXPECT_EQ(store_.ReadIndex(name), entries);
  }
}

// ---- merging ----

std::vector<std::string> NamesOf(const std::vector<ManifestEntry>& entries) {
  std::vector<std::string> names;
  for (const ManifestEntry& entry : entries) {
    names.push_back((entry.kind == FileKind::kAdd ? "+" : "-") + entry.file.file_name);
  }
  return names;
}

TEST(MergeEntries, CancelsAddsAndDeletes) {
  constexpr auto kDelete = FileKind::kDelete;
  EXPECT_THAT(NamesOf(MergeEntries({Entry("a"), Entry("b"), Entry("a", kDelete), Entry("c")})),
              ElementsAre("+b", "+c"));
  EXPECT_THAT(NamesOf(MergeEntries({Entry("x", kDelete), Entry("a")})), ElementsAre("-x", "+a"));
  EXPECT_THAT(NamesOf(MergeEntries({Entry("x", kDelete), Entry("x", kDelete)})), ElementsAre("-x"));
  EXPECT_THAT(NamesOf(MergeEntries({Entry("a"), Entry("a", kDelete), Entry("a")})), ElementsAre("+a"));
  EXPECT_THAT(ErrorOf([] { MergeEntries({Entry("a"), Entry("a")}); }, ErrorKind::kCorrupt), HasSubstr("'a'"));
  // An upgrade is another identity.
  EXPECT_THAT(NamesOf(MergeEntries({Entry("a"), Entry("a", kDelete), Entry("a", FileKind::kAdd, 0, 5)})),
              ElementsAre("+a"));
}

TEST(MergeEntries, ComparesTheWholeIdentity) {
  ManifestEntry a = Entry("a");
  std::vector<ManifestEntry> others(6, a);
  others[0].bucket = 1;
  others[1].file.level = 1;
  others[2].file.extra_files = {"x"};
  others[3].file.embedded_file_index = "";
  others[4].file.external_path = "p";
  others[5].partition = "other";
  for (ManifestEntry& other : others) {
    EXPECT_NE(other.Identity(), a.Identity());
    EXPECT_THAT(MergeEntries({a, other}), SizeIs(2));
    other.kind = FileKind::kDelete;
    EXPECT_THAT(MergeEntries({a, other}), SizeIs(2));
  }
}

// Whatever is merged, a reader sees the same files.
TEST_F(ManifestTest, MergesManifestsToTheSameFiles) {
  std::vector<DataType> types = {DataType::Int()};
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
    ManifestMergeOptions options;
    options.target_bytes = 500 + below(6000);
    options.full_threshold_bytes = seed % 3 == 0 ? INT64_MAX : 500 + below(20000);
    options.min_count = 2 + below(10);
    ManifestWriteOptions write;
    write.target_bytes = options.target_bytes;
    ManifestStore store(fs_, "/t", write);
    std::map<std::string, ManifestEntry> live;
    std::vector<ManifestFileMeta> manifests;
    int next = 0;
    for (int commit = 0; commit < 40; ++commit) {
      std::vector<ManifestEntry> delta;
      for (int i = below(20); i > 0; --i) {
        ManifestEntry entry = Entry(fmt::format("data-{}", next++), FileKind::kAdd, below(3), below(3));
        std::vector<Value> value = {below(8) == 0 ? Value() : Value(int64_t{commit / 10})};
        entry.partition = PartitionOf(value, types);
        delta.push_back(entry);
      }
      for (int i = below(8); i > 0 && !live.empty(); --i) {
        auto victim = std::next(live.begin(), below(static_cast<int>(live.size())));
        ManifestEntry entry = victim->second;
        entry.kind = FileKind::kDelete;
        delta.push_back(entry);
        live.erase(victim);
      }
      for (const ManifestEntry& entry : delta) {
        if (entry.kind == FileKind::kAdd) live[entry.Identity()] = entry;
      }
      for (auto& meta : store.Write(delta, types, 0)) manifests.push_back(std::move(meta));

      size_t before = manifests.size();
      manifests = MergeManifests(store, std::move(manifests), options, types, InlineExecutor());
      EXPECT_LE(manifests.size(), before + 1);
      std::vector<ManifestEntry> all;
      for (const auto& meta : manifests) {
        auto entries = store.Read(meta.file_name, meta.file_size);
        EXPECT_EQ(static_cast<int64_t>(entries.size()), meta.added_count + meta.deleted_count);
        for (auto& entry : entries) all.push_back(std::move(entry));
      }
      std::map<std::string, ManifestEntry> read;
      for (ManifestEntry& entry : MergeEntries(std::move(all))) {
        EXPECT_EQ(entry.kind, FileKind::kAdd);
        read[entry.Identity()] = entry;
      }
      ASSERT_EQ(read, live);
    }
  }
}

TEST_F(ManifestTest, FullMergeLeavesNoDeletes) {
  ManifestMergeOptions options;
  options.full_threshold_bytes = 1;
  auto manifests = store_.Write({Entry("a"), Entry("b")}, {}, 0);
  manifests.push_back(store_.Write({Entry("a", FileKind::kDelete), Entry("c")}, {}, 0).at(0));
  auto merged = MergeManifests(store_, manifests, options, {}, InlineExecutor());
  ASSERT_THAT(merged, SizeIs(1));
  EXPECT_EQ(merged[0].deleted_count, 0);
  EXPECT_THAT(NamesOf(store_.Read(merged[0].file_name, merged[0].file_size)), ElementsAre("+b", "+c"));
}

TEST_F(ManifestTest, FullMergeKeepsLargeManifestsOfOtherPartitions) {
  std::vector<DataType> types = {DataType::Int()};
  auto in_partition = [&](ManifestEntry entry, int64_t value) {
    std::vector<Value> values = {Value(value)};
    entry.partition = PartitionOf(values, types);
    return entry;
  };
  auto large = store_.Write({in_partition(Entry("a"), 1), in_partition(Entry("b"), 2)}, types, 0).at(0);
  auto small = store_.Write({in_partition(Entry("c"), 9)}, types, 0).at(0);
  auto deletes =
      store_.Write({in_partition(Entry("c", FileKind::kDelete), 9), in_partition(Entry("d"), 9)}, types, 0).at(0);
  ManifestMergeOptions options;
  options.full_threshold_bytes = 1;
  options.target_bytes = 1;
  auto merged = MergeManifests(store_, {large, small, deletes}, options, types, InlineExecutor());
  ASSERT_THAT(merged, SizeIs(2));
  EXPECT_EQ(merged[0], large);
  EXPECT_THAT(NamesOf(store_.Read(merged[1].file_name, std::nullopt)), ElementsAre("+d"));
}

TEST_F(ManifestTest, MinorMergeWaitsForEnoughManifests) {
  ManifestMergeOptions options;
  options.min_count = 3;
  std::vector<ManifestFileMeta> manifests;
  for (const char* name : {"a", "b"}) manifests.push_back(store_.Write({Entry(name)}, {}, 0).at(0));
  EXPECT_EQ(MergeManifests(store_, manifests, options, {}, InlineExecutor()), manifests);
  manifests.push_back(store_.Write({Entry("z", FileKind::kDelete)}, {}, 0).at(0));
  auto merged = MergeManifests(store_, manifests, options, {}, InlineExecutor());
  ASSERT_THAT(merged, SizeIs(1));
  EXPECT_THAT(NamesOf(store_.Read(merged[0].file_name, std::nullopt)), ElementsAre("+a", "+b", "-z"));
}

// What a commit costs must not grow with the number of commits before it.
TEST_F(ManifestTest, MinorMergeRewritesLittleOfALongHistory) {
  constexpr int kCommits = 1500;
  ManifestMergeOptions options;
  std::vector<ManifestFileMeta> manifests;
  std::set<std::string> known;
  int64_t rewritten = 0;
  size_t most_manifests = 0;
  for (int i = 0; i < kCommits; ++i) {
    manifests = MergeManifests(store_, std::move(manifests), options, {}, InlineExecutor());
    for (const ManifestFileMeta& manifest : manifests) {
      if (known.insert(manifest.file_name).second) rewritten += manifest.added_count;
    }
    manifests.push_back(store_.Write({Entry(fmt::format("data-{}-{}", RandomUuid(), i))}, {}, 0).at(0));
    known.insert(manifests.back().file_name);
    most_manifests = std::max(most_manifests, manifests.size());
  }
  // All of them at every thirtieth commit would be about 39,000.
  EXPECT_LT(rewritten, 8 * kCommits);
  EXPECT_LT(most_manifests, 40u);
  std::vector<std::string> names;
  for (const ManifestFileMeta& manifest : manifests) {
    for (const ManifestEntry& entry : store_.Read(manifest.file_name, manifest.file_size)) {
      names.push_back(entry.file.file_name.substr(entry.file.file_name.rfind('-') + 1));
    }
  }
  ASSERT_EQ(names.size(), static_cast<size_t>(kCommits));
  for (int i = 0; i < kCommits; ++i) EXPECT_EQ(names[static_cast<size_t>(i)], std::to_string(i));
}

}  // namespace
}  // namespace mica
