// What SHOW PARTITIONS and SHOW TABLES cost below SQL: 100,000 partitions and 10,000 tables (at most 200 ms each).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>

#include "catalog/filesystem_catalog.h"
#include "io/file_systems.h"
#include "io/memory_file_system.h"
#include "table/partitions.h"

namespace mica {
namespace {

DataField Column(std::string name, DataType type) {
  DataField field;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

TablePtr ManyPartitions(Catalog& catalog, int64_t count) {
  TableDefinition definition;
  definition.fields = {Column("id", DataType::Int()), Column("dt", DataType::String())};
  definition.partition_keys = {"dt"};
  TablePtr table = catalog.CreateTable({"default", "t"}, definition, false);
  std::vector<CommitMessage> messages;
  for (int64_t i = 0; i < count; ++i) {
    CommitMessage message;
    message.partition = BinaryRow::Of(std::vector<Value>{Value("2024-" + std::to_string(i))}, table->partition_types()).Serialize();
    DataFileMeta file;
    file.file_name = "data-" + std::to_string(i) + ".parquet";
    file.file_size = 1000;
    file.row_count = 10;
    file.key_stats = file.value_stats = SimpleStats::Empty();
    file.min_key = file.max_key = file.key_stats.min_values;
    message.data.new_files.push_back(std::move(file));
    messages.push_back(std::move(message));
  }
  TableCommit(table, {}).Commit(messages);
  return table;
}

void ShowPartitions(benchmark::State& state) {
  FileSystemCatalog catalog(std::make_shared<MemoryFileSystem>(), "/warehouse", {});
  TablePtr table = ManyPartitions(catalog, state.range(0));
  ThreadExecutor executor;
  for (auto _ : state) {
    PartitionPrinter printer(*table, nullptr);  // its partitions are numbers
    std::vector<std::string> texts;
    for (const PartitionSummary& partition : ListPartitions(*table, *table->snapshots().Latest(), {}, executor)) {
      texts.push_back(printer.Text(partition.partition));
    }
    std::sort(texts.begin(), texts.end());
    if (static_cast<int64_t>(texts.size()) != state.range(0)) state.SkipWithError("wrong count");
  }
}
BENCHMARK(ShowPartitions)->Arg(100'000)->Unit(benchmark::kMillisecond);

void ShowTables(benchmark::State& state) {
  std::string root = std::filesystem::temp_directory_path() / "mica-listing-bench";
  std::filesystem::remove_all(root);
  FileSystemCatalog catalog(OpenFileSystem(root, {}), root, {});
  TableDefinition definition;
  definition.fields = {Column("id", DataType::Int())};
  for (int64_t i = 0; i < state.range(0); ++i) catalog.CreateTable({"default", "t" + std::to_string(i)}, definition, false);
  for (auto _ : state) {
    if (static_cast<int64_t>(catalog.ListTables("default").size()) != state.range(0)) state.SkipWithError("wrong count");
  }
  std::filesystem::remove_all(root);
}
BENCHMARK(ShowTables)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mica
