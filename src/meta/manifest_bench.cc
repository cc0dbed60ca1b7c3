// Decoding of manifests, which is most of planning: 100 000 entries of a table with ten columns and a partition.
#include <benchmark/benchmark.h>

#include "io/memory_file_system.h"
#include "meta/manifest.h"

namespace mica {
namespace {

constexpr int kEntries = 100000;

std::vector<ManifestEntry> MakeEntries(bool primary_key) {
  std::vector<DataType> types(10, DataType::BigInt());
  types[3] = types[7] = DataType::String();
  std::vector<DataType> partition_types = {DataType::String()};
  std::vector<DataType> key_types = {DataType::BigInt()};
  std::vector<ManifestEntry> entries;
  for (int i = 0; i < kEntries; ++i) {
    std::vector<Value> low, high;
    for (size_t c = 0; c < types.size(); ++c) {
      if (types[c].IsString()) {
        low.emplace_back(fmt::format("customer#{:08}", i * 7919 % 100000));
        high.emplace_back(fmt::format("customer#{:08}", i * 104729 % 100000));
      } else {
        low.emplace_back(int64_t{i} * 48271 % 2147483647);
        high.emplace_back(int64_t{i} * 69621 % 2147483647);
      }
    }
    ManifestEntry entry;
    std::vector<Value> partition = {Value(fmt::format("2026-{:02}-{:02}", i / 30 % 12 + 1, i % 28 + 1))};
    entry.partition = BinaryRow::Of(partition, partition_types).Serialize();
    entry.bucket = i % 16;
    entry.total_buckets = 16;
    DataFileMeta& file = entry.file;
    file.file_name = fmt::format("data-{:08x}-{:04x}-4{:03x}-a000-{:012x}-{}.parquet", i * 2654435761u, i % 65536,
                                 i % 4096, i * 1099511628211ll % 281474976710656ll, i % 10);
    file.file_size = 100000000 + i;
    file.row_count = 1000000 + i;
    std::vector<Value> key = {Value(int64_t{i} * 10)};
    file.min_key = file.max_key = primary_key ? BinaryRow::Of(key, key_types).Serialize() : BinaryRow().Serialize();
    file.key_stats = SimpleStats::Empty();
    if (primary_key) file.key_stats = {file.min_key, file.max_key, std::vector<std::optional<int64_t>>{0}};
    file.value_stats = {BinaryRow::Of(low, types).Serialize(), BinaryRow::Of(high, types).Serialize(),
                        std::vector<std::optional<int64_t>>(types.size(), 0)};
    file.min_sequence_number = int64_t{i} * 1000;
    file.max_sequence_number = int64_t{i} * 1000 + 999;
    file.level = i % 6;
    file.creation_time_millis = 1796005122455 + i;
    file.delete_row_count = 0;
    file.file_source = FileSource::kAppend;
    entries.push_back(std::move(entry));
  }
  return entries;
}

struct Written {
  std::shared_ptr<MemoryFileSystem> fs = std::make_shared<MemoryFileSystem>();
  ManifestStore store{fs, "/t", {}};
  std::vector<ManifestFileMeta> manifests;
  int64_t bytes = 0;

  Written() {
    std::vector<DataType> partition_types = {DataType::String()};
    manifests = store.Write(MakeEntries(true), partition_types, 0);
    for (const auto& manifest : manifests) bytes += manifest.file_size;
  }
};

Written& Shared() {
  static Written written;
  return written;
}

void ReadAll(benchmark::State& state, const ManifestFilter& filter) {
  Written& written = Shared();
  int64_t count = 0;
  for (auto _ : state) {
    count = 0;
    for (const auto& manifest : written.manifests) {
      written.store.Scan(manifest.file_name, manifest.file_size, filter, [&](ManifestEntry&& entry) {
        benchmark::DoNotOptimize(entry);
        ++count;
      });
    }
  }
  state.counters["entries"] = static_cast<double>(count);
  state.counters["file_bytes"] = static_cast<double>(written.bytes);
}

void ScanWithStats(benchmark::State& state) {
  ReadAll(state, {});
}
BENCHMARK(ScanWithStats)->Unit(benchmark::kMillisecond);

void ScanWithoutStats(benchmark::State& state) {
  ManifestFilter filter;
  filter.without_stats = true;
  ReadAll(state, filter);
}
BENCHMARK(ScanWithoutStats)->Unit(benchmark::kMillisecond);

void ScanOneBucket(benchmark::State& state) {
  ManifestFilter filter;
  filter.keep = [](std::string_view, int32_t bucket, int32_t) { return bucket == 3; };
  ReadAll(state, filter);
}
BENCHMARK(ScanOneBucket)->Unit(benchmark::kMillisecond);

void CollectWithoutStats(benchmark::State& state) {
  Written& written = Shared();
  ManifestFilter filter;
  filter.without_stats = true;
  for (auto _ : state) {
    std::vector<ManifestEntry> entries;
    for (const auto& manifest : written.manifests) {
      written.store.Scan(manifest.file_name, manifest.file_size, filter,
                         [&](ManifestEntry&& entry) { entries.push_back(std::move(entry)); });
    }
    benchmark::DoNotOptimize(entries);
  }
}
BENCHMARK(CollectWithoutStats)->Unit(benchmark::kMillisecond);

void CollectAndMergeWithoutStats(benchmark::State& state) {
  Written& written = Shared();
  ManifestFilter filter;
  filter.without_stats = true;
  for (auto _ : state) {
    std::vector<ManifestEntry> entries;
    for (const auto& manifest : written.manifests) {
      written.store.Scan(manifest.file_name, manifest.file_size, filter,
                         [&](ManifestEntry&& entry) { entries.push_back(std::move(entry)); });
    }
    entries = MergeEntries(std::move(entries));
    benchmark::DoNotOptimize(entries);
  }
}
BENCHMARK(CollectAndMergeWithoutStats)->Unit(benchmark::kMillisecond);

void WriteAll(benchmark::State& state) {
  std::vector<ManifestEntry> entries = MakeEntries(true);
  std::vector<DataType> partition_types = {DataType::String()};
  auto fs = std::make_shared<MemoryFileSystem>();
  for (auto _ : state) {
    ManifestStore store(fs, "/w", {});
    benchmark::DoNotOptimize(store.Write(entries, partition_types, 0));
  }
}
BENCHMARK(WriteAll)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mica
