// Writes tables with `bucket` = -2 (Engine 6): into the real buckets of each partition, or, without
// `postpone.batch-write-fixed-bucket`, as it comes into files that a compaction puts into buckets later (Format 8.6).
#include <map>
#include <random>

#include <arrow/api.h>

#include "base/arrow.h"
#include "base/uuid.h"
#include "io/memory_file_system.h"
#include "table/bucket_write.h"
#include "table/postpone_buckets.h"
#include "table/rolling_file.h"

namespace mica {

namespace {

class FixedWrite final : public TableWrite {
 public:
  FixedWrite(TablePtr table, WriteSettings settings)
      : incoming_(*table),
        buckets_(*table, table->snapshots().Latest(), settings.executor ? *settings.executor : InlineExecutor()) {
    inner_ = MakeBucketWrite(std::move(table), std::move(settings),
                             [this](const std::string& partition) { return buckets_.TotalOf(partition); });
  }

  void Write(const std::shared_ptr<arrow::RecordBatch>& input) override {
    if (input->num_rows() == 0) return;
    const IncomingBatch batch = incoming_.Take(input);
    if (batch.rows->num_rows() > 0) inner_->WriteTo(batch, buckets_.BucketsOf(*batch.rows));
  }
  std::vector<CommitMessage> PrepareCommit() override { return inner_->PrepareCommit(); }
  int64_t rows_written() const override { return inner_->rows_written(); }

 private:
  IncomingRows incoming_;
  PostponeBuckets buckets_;
  std::unique_ptr<BucketWrite> inner_;
};

// Avro without statistics, where Avro knows the types; the name says who wrote it.
TablePtr WithPostponeOptions(const TablePtr& table, const std::string& user) {
  Options options{
      {"data-file.prefix", fmt::format("{}-u-{}-s-{}-w-", table->options().Text("data-file.prefix", "data-"), user,
                                       std::random_device{}() % INT32_MAX)}};
  TablePtr named = table->WithOptions(options);
  options["file.format"] = "avro";
  options["metadata.stats-mode"] = "none";
  TablePtr avro = table->WithOptions(options);
  try {
    MemoryFileSystem nowhere;
    CreateDataFile(nowhere, "file", WriteOptionsAt(avro->schema(), 0));
    return avro;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported) throw;
    return named;
  }
}

class PostponedWrite final : public TableWrite {
 public:
  PostponedWrite(const TablePtr& table, const WriteSettings& settings)
      : table_(WithPostponeOptions(table, settings.commit_user.empty() ? RandomUuid() : settings.commit_user)),
        incoming_(*table_),
        partitions_(table_->schema()),
        thin_(table_->options().Bool("data-file.thin-mode", false)) {}

  void Write(const std::shared_ptr<arrow::RecordBatch>& input) override {
    if (input->num_rows() == 0) return;
    const IncomingBatch batch = incoming_.Take(input);
    if (batch.rows->num_rows() == 0) return;
    std::vector<uint32_t> numbers;
    partitions_.Number(*batch.rows, &numbers);
    const RoutedBatch routed = GroupRows(batch.rows, numbers, static_cast<uint32_t>(partitions_.count()));
    for (const RoutedBatch::Part& part : routed.parts) {
      const std::string& partition = partitions_.partition(part.target);
      Target& target = targets_[partition];
      if (!target.file) {
        target.file = std::make_unique<RollingFile>(table_, partition, kPostponeBucket, 0, FileSource::kAppend, SystemClock());
      }
      target.file->Write(InFileLayout(*routed.batch->Slice(part.begin, part.end - part.begin), batch.with_kinds,
                                      &target.next_sequence));
    }
    rows_ += batch.rows->num_rows();
  }

  std::vector<CommitMessage> PrepareCommit() override {
    std::vector<CommitMessage> messages;
    for (auto& [partition, target] : targets_) {
      std::vector<DataFileMeta> files = target.file->Finish();
      if (files.empty()) continue;
      CommitMessage& message = messages.emplace_back();
      message.partition = partition;
      message.bucket = message.total_buckets = kPostponeBucket;
      message.data.new_files = std::move(files);
    }
    return messages;
  }
  int64_t rows_written() const override { return rows_; }

 private:
  struct Target {
    std::unique_ptr<RollingFile> file;
    int64_t next_sequence = 0;
  };

  std::shared_ptr<arrow::RecordBatch> InFileLayout(const arrow::RecordBatch& batch, bool with_kinds,
                                                   int64_t* next_sequence) const {
    const TableSchema& schema = table_->schema();
    const auto fields = schema.FileFields(thin_);
    arrow::FieldVector out_fields;
    arrow::ArrayVector columns;
    for (const DataField& field : fields) {
      std::shared_ptr<arrow::Array> column;
      if (field.name == kSequenceNumber) {
        arrow::Int64Builder numbers;
        Check(numbers.Reserve(batch.num_rows()));
        for (int64_t i = 0; i < batch.num_rows(); ++i) numbers.UnsafeAppend((*next_sequence)++);
        column = Take(numbers.Finish());
      } else if (field.name == kValueKind) {
        column = with_kinds ? batch.column(batch.num_columns() - 1)
                            : Take(arrow::MakeArrayFromScalar(arrow::Int8Scalar(0), batch.num_rows()));
      } else {
        const bool key = field.name.starts_with(kKeyPrefix) && FindField(schema.fields, field.name) < 0;
        const std::string name = key ? field.name.substr(kKeyPrefix.size()) : field.name;
        column = batch.column(FindField(schema.fields, name));
      }
      out_fields.push_back(arrow::field(field.name, column->type(), field.type.nullable()));
      columns.push_back(std::move(column));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(out_fields)), batch.num_rows(), std::move(columns));
  }

  TablePtr table_;
  IncomingRows incoming_;
  PartitionNumbers partitions_;
  bool thin_;
  std::map<std::string, Target> targets_;
  int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<TableWrite> MakePostponeWrite(TablePtr table, WriteSettings settings) {
  if (table->options().Bool("postpone.batch-write-fixed-bucket", true)) {
    return std::make_unique<FixedWrite>(std::move(table), std::move(settings));
  }
  return std::make_unique<PostponedWrite>(table, settings);
}

}  // namespace mica
