#include "clone/clone_source.h"
#include "clone/row_copy.h"
#include "table/partitions.h"
#include "types/binary_row.h"

namespace mica {

namespace {

class PaimonSource final : public CloneSource {
 public:
  explicit PaimonSource(TablePtr table) : table_(std::move(table)) { CheckReadable(table_->schema()); }

  const TableName& name() const override { return table_->name(); }

  TableDefinition Definition(const TargetWishes& wishes) const override {
    return DefinitionLike(table_->schema(), wishes);
  }

  void CheckTarget(const Table& target, const TargetWishes& wishes) const override {
    CheckCloneTarget(table_->name(), table_->schema(), target, wishes);
  }

  void CheckPlace(const std::string& root) const override { CheckLocations(table_->root(), root); }

  void Choose(const PartitionChoice& choice, Executor& executor) override {
    std::vector<std::vector<Value>> partitions;
    if (auto latest = table_->snapshots().Latest()) {
      for (const PartitionSummary& partition : ListPartitions(*table_, *latest, {}, executor)) {
        partitions.push_back(BinaryRow::Deserialize(partition.partition).Values(table_->partition_types()));
      }
    }
    keep_ = choice(table_->name(), table_->schema().PartitionFields(), partitions);
  }

  std::string Copy(const TablePtr& target, const TargetWishes& wishes, const CopyRequest& request) override {
    Executor& executor = request.executor();
    SourceFiles files = ListSourceFiles(*table_, keep_, executor);
    if (files.entries.empty()) return "is as it was: there is nothing to copy";
    if (const auto why = WhyNotCopied(*table_, files, *target, wishes.file_format)) {
      const RowCopyResult result = CopyRows(*table_, files, target, request);
      return fmt::format("has {} rows, written one by one because {}", result.rows, *why);
    }
    const CopyResult result = CopyTable(*table_, std::move(files), target, request);
    return fmt::format("has {} files: {} copied ({}), {} there already", result.files, result.files_copied,
                       Megabytes(result.bytes_copied), result.files_present + result.files_found);
  }

 private:
  TablePtr table_;
  KeepPartition keep_;
};

}  // namespace

std::unique_ptr<CloneSource> PaimonCloneSource(TablePtr table) {
  return std::make_unique<PaimonSource>(std::move(table));
}

std::string Megabytes(int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace mica
