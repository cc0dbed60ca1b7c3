#include "long_history.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "table/commit.h"
#include "table/scan.h"

namespace mica::bench {

namespace {

constexpr int kAppended = 220;
constexpr int kCompacted = 21;

std::string NameOf(uint32_t commit, int file) {
  return fmt::format("data-{:08x}-0000-4000-8000-{:012x}-{}.parquet", commit * 2654435761u, commit, file);
}

}  // namespace

int64_t WriteLongHistory(Catalog& catalog, const TablePtr& table, const TablePtr& like, int commits) {
  ScanRequest request{.snapshot = ResolveSnapshot(*like, {}).snapshot};
  const Split model = PlanScan(*like, request).splits.at(0);
  auto make = [&](uint32_t commit, int number) {
    DataFileMeta file = model.files[0];
    file.file_name = NameOf(commit, number);
    std::string path = table->paths().DataFilePath(model.partition, model.bucket, file);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream{path};
    return file;
  };
  for (int i = 0; i < commits; ++i) {
    CommitMessage message{.partition = model.partition, .bucket = model.bucket, .total_buckets = model.total_buckets};
    for (int k = 0; k < kAppended; ++k) message.data.new_files.push_back(make(static_cast<uint32_t>(i), k));
    message.compact.deleted_files.assign(message.data.new_files.begin(), message.data.new_files.begin() + kCompacted);
    message.compact.new_files.push_back(make(static_cast<uint32_t>(i), kAppended));
    TableCommit(table, {.commit_user = "bench", .publisher = catalog.publisher()}).Commit({message});
  }
  return static_cast<int64_t>(commits) * (kAppended - kCompacted + 1);
}

void LeaveOrphans(const TablePtr& table, int count) {
  for (int i = 0; i < count; ++i) {
    std::ofstream{fmt::format("{}/bucket-0/data-0000dead-0000-4000-8000-{:012x}-0.parquet", table->root(), i)};
  }
}

}  // namespace mica::bench
