// Times the merge of five runs and the sort buffer. Not part of the build: `merge_bench [million rows]`.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include <arrow/api.h>

#include "base/arrow.h"
#include "merge/gather.h"
#include "merge/key_layout.h"
#include "merge/merge_reader.h"
#include "merge/run_merge.h"
#include "merge/sort_buffer.h"

namespace mica {
namespace {

// Of CPU, so that a busy machine does not disturb.
double Seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class BatchList final : public BatchReader {
 public:
  explicit BatchList(std::vector<std::shared_ptr<arrow::RecordBatch>> batches) : batches_(std::move(batches)) {}
  std::shared_ptr<arrow::RecordBatch> Next() override { return next_ < batches_.size() ? batches_[next_++] : nullptr; }

 private:
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches_;
  size_t next_ = 0;
};

// order (int64), line (int32), sequence, kind, three decimals, a comment.
const std::shared_ptr<arrow::Schema>& LineSchema() {
  static const auto schema =
      arrow::schema({arrow::field("o", arrow::int64()), arrow::field("l", arrow::int32()),
                     arrow::field("s", arrow::int64()), arrow::field("kind", arrow::int8()),
                     arrow::field("a", arrow::decimal128(15, 2)), arrow::field("b", arrow::decimal128(15, 2)),
                     arrow::field("c", arrow::decimal128(15, 2)), arrow::field("text", arrow::utf8())});
  return schema;
}

std::shared_ptr<arrow::RecordBatch> Lines(const std::vector<int64_t>& keys, int64_t sequence) {
  arrow::Int64Builder order, number;
  arrow::Int32Builder line;
  arrow::Int8Builder kind;
  arrow::Decimal128Builder decimal(arrow::decimal128(15, 2));
  arrow::StringBuilder text;
  for (const int64_t key : keys) {
    Check(order.Append(key / 4));
    Check(line.Append(static_cast<int32_t>(key % 4)));
    Check(number.Append(sequence++));
    Check(kind.Append(0));
    Check(decimal.Append(arrow::Decimal128(key)));
    Check(
        text.Append(std::string_view("some comment about a line item").substr(0, 10 + static_cast<size_t>(key % 20))));
  }
  const auto decimals = Take(decimal.Finish());
  return arrow::RecordBatch::Make(LineSchema(), static_cast<int64_t>(keys.size()),
                                  {Take(order.Finish()), Take(line.Finish()), Take(number.Finish()),
                                   Take(kind.Finish()), decimals, decimals, decimals, Take(text.Finish())});
}

std::vector<std::shared_ptr<arrow::RecordBatch>> Batches(const std::vector<int64_t>& keys, int64_t sequence,
                                                         size_t rows) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (size_t i = 0; i < keys.size(); i += rows) {
    const std::vector<int64_t> part(keys.begin() + static_cast<std::ptrdiff_t>(i),
                                    keys.begin() + static_cast<std::ptrdiff_t>(std::min(keys.size(), i + rows)));
    batches.push_back(Lines(part, sequence + static_cast<int64_t>(i)));
  }
  return batches;
}

class KeysOnly final : public RunSource {
 public:
  KeysOnly(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches, const KeyLayout& key, bool sequence)
      : batches_(batches), key_(key), sequence_(sequence) {}
  bool NextChunk(KeyChunk* chunk) override {
    if (next_ == batches_.size()) return false;
    const auto& batch = *batches_[next_++];
    const int columns[] = {0, 1};
    key_.Encode(batch, columns, &keys_);
    *chunk = {.row_count = batch.num_rows(), .keys = keys_.rows()};
    if (sequence_) {
      chunk->sequence_numbers = static_cast<const arrow::Int64Array&>(*batch.column(2)).raw_values();
      chunk->kinds = static_cast<const arrow::Int8Array&>(*batch.column(3)).raw_values();
    }
    return true;
  }

 private:
  const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches_;
  const KeyLayout& key_;
  bool sequence_;
  size_t next_ = 0;
  EncodedRows keys_;
};

void MergeBench(const char* name, const std::vector<std::vector<std::shared_ptr<arrow::RecordBatch>>>& runs) {
  const std::vector<DataType> types = {DataType::BigInt(), DataType::Int()};
  const KeyLayout key = KeyLayout::ForKey(types);
  int64_t versions = 0;
  for (const auto& run : runs) {
    for (const auto& batch : run) versions += batch->num_rows();
  }
  for (const bool sequence : {false, true}) {
    const double start = Seconds();
    std::vector<std::unique_ptr<RunSource>> sources;
    for (const auto& run : runs) sources.push_back(std::make_unique<KeysOnly>(run, key, sequence));
    RunMerge merge(std::move(sources), {.key = &key});
    std::vector<Segment> segments;
    int64_t rows = 0;
    while (merge.Next(65536, &segments)) rows += CountRows(segments), segments.clear();
    std::printf("%s, keys only%s: %.1f ns a version (%lld versions, %lld rows)\n", name,
                sequence ? " with sequence" : "", (Seconds() - start) * 1e9 / static_cast<double>(versions),
                static_cast<long long>(versions), static_cast<long long>(rows));
  }
  for (const int64_t batch_rows : {4096, 16384, 65536}) {
    const double start = Seconds();
    std::vector<std::unique_ptr<BatchReader>> readers;
    for (const auto& run : runs) readers.push_back(std::make_unique<BatchList>(run));
    const auto reader =
        MergeRuns(std::move(readers),
                  {.key_columns = {0, 1}, .key_types = types, .output_columns = {4, 5, 6}, .batch_rows = batch_rows});
    while (reader->Next() != nullptr) {
    }
    std::printf("%s, with three decimals, batches of %lld: %.1f ns a version\n", name,
                static_cast<long long>(batch_rows), (Seconds() - start) * 1e9 / static_cast<double>(versions));
  }
}

// All columns of the same runs under each engine.
void EngineBench(const char* name, const std::vector<std::vector<std::shared_ptr<arrow::RecordBatch>>>& runs) {
  TableSchema schema;
  schema.primary_keys = {"o", "l"};
  const DataType decimal = DataType::Decimal(15, 2);
  schema.fields = {{0, "o", DataType::BigInt(), {}, {}}, {1, "l", DataType::Int(), {}, {}}, {2, "a", decimal, {}, {}},
                   {3, "b", decimal, {}, {}},            {4, "c", decimal, {}, {}},         {5, "text", DataType::String(), {}, {}}};
  const std::vector<DataField> fields = {KeyField(schema.fields[0]), KeyField(schema.fields[1]), SequenceNumberField(),
                                         ValueKindField(),           schema.fields[2],           schema.fields[3],
                                         schema.fields[4],           schema.fields[5]};
  int64_t versions = 0;
  for (const auto& run : runs) {
    for (const auto& batch : run) versions += batch->num_rows();
  }
  const std::vector<std::pair<const char*, Options>> engines = {
      {"deduplicate", {}},
      {"partial-update", {{"merge-engine", "partial-update"}}},
      {"aggregation (sum, max, last value)",
       {{"merge-engine", "aggregation"},
        {"fields.a.aggregate-function", "sum"},
        {"fields.b.aggregate-function", "sum"},
        {"fields.c.aggregate-function", "max"}}},
  };
  for (const auto& [engine, options] : engines) {
    schema.options = options;
    const MergeOptions merge = MergeOptionsOf(schema);
    MergeSpec spec{.key_columns = {0, 1},
                   .key_types = {DataType::BigInt(), DataType::Int()},
                   .sequence_column = 2,
                   .output_columns = {0, 1, 4, 5, 6, 7},
                   .batch_rows = 16384};
    if (!merge.newest_row_wins()) spec.rules = MakeMergeRules(merge, schema, fields);
    const double start = Seconds();
    std::vector<std::unique_ptr<BatchReader>> readers;
    for (const auto& run : runs) readers.push_back(std::make_unique<BatchList>(run));
    const auto reader = MergeRuns(std::move(readers), std::move(spec));
    int64_t rows = 0;
    while (const auto batch = reader->Next()) rows += batch->num_rows();
    std::printf("%s, %s: %.1f ns a version (%lld rows)\n", name, engine,
                (Seconds() - start) * 1e9 / static_cast<double>(versions), static_cast<long long>(rows));
  }
}

void SortBench(const char* name, const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches, int64_t budget) {
  int64_t rows = 0;
  SortBuffer buffer(
      {.schema = LineSchema(), .key_columns = {0, 1}, .key_types = {DataType::BigInt(), DataType::Int()}});
  const double start = Seconds();
  double spill = 0;
  for (const auto& batch : batches) {
    rows += batch->num_rows();
    buffer.Add(*batch);
    if (buffer.memory_bytes() > budget) {
      const double before = Seconds();
      buffer.SpillTo("/tmp");
      spill += Seconds() - before;
    }
  }
  const double added = Seconds();
  int64_t out = 0;
  buffer.Flush([&](const auto& batch) { out += batch->num_rows(); });
  const double count = static_cast<double>(rows);
  std::printf("sort buffer, %s: add %.1f, spill %.1f, flush %.1f ns a row (%lld rows, %lld out, peak %lld MB)\n", name,
              (added - start - spill) * 1e9 / count, spill * 1e9 / count, (Seconds() - added) * 1e9 / count,
              static_cast<long long>(rows), static_cast<long long>(out),
              static_cast<long long>(arrow::default_memory_pool()->max_memory() >> 20));
}

void Run(int64_t rows) {
  std::mt19937_64 random(7);
  std::vector<int64_t> all(static_cast<size_t>(rows));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  {
    std::vector<std::vector<std::shared_ptr<arrow::RecordBatch>>> runs = {Batches(all, 0, 65536)};
    for (int64_t r = 1; r < 5; ++r) {
      std::vector<int64_t> keys;
      for (const int64_t key : all) {
        if (random() % 100 < 8) keys.push_back(key);
      }
      runs.push_back(Batches(keys, r * rows, 65536));
    }
    MergeBench("a base and four updates", runs);
    EngineBench("a base and four updates", runs);
  }
  {
    std::vector<std::vector<int64_t>> keys(5);
    for (const int64_t key : all) keys[random() % 5].push_back(key);
    std::vector<std::vector<std::shared_ptr<arrow::RecordBatch>>> runs;
    for (int64_t r = 0; r < 5; ++r) runs.push_back(Batches(keys[static_cast<size_t>(r)], r * rows, 65536));
    MergeBench("five equal runs", runs);
  }
  {
    const std::vector<int64_t> some(all.begin(), all.begin() + rows / 5);
    std::vector<std::vector<std::shared_ptr<arrow::RecordBatch>>> runs;
    for (int64_t r = 0; r < 5; ++r) runs.push_back(Batches(some, r * rows, 16384));
    EngineBench("five versions of each row", runs);
  }
  SortBench("sorted", Batches(all, 0, 65536), INT64_MAX);
  std::shuffle(all.begin(), all.end(), random);
  const std::vector<int64_t> some(all.begin(), all.begin() + rows / 4);
  SortBench("shuffled quarter", Batches(some, 0, 65536), INT64_MAX);
  SortBench("shuffled quarter, small batches", Batches(some, 0, 2048), INT64_MAX);
  SortBench("shuffled quarter, 32 MB", Batches(some, 0, 8192), 32 << 20);
}

}  // namespace
}  // namespace mica

int main(int argc, char** argv) {
  mica::Run((argc > 1 ? std::atoll(argv[1]) : 6) * 1000000);
}
