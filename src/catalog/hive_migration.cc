#include "catalog/hive_migration.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "base/log.h"
#include "base/text.h"
#include "base/uuid.h"
#include "catalog/hive_files.h"
#include "catalog/hive_table.h"
#include "catalog/migration_plan.h"
#include "hive/hive_type.h"
#include "table/file_import.h"

namespace mica {

namespace {

constexpr std::string_view kTemporarySuffix = "_paimon_";

class Migration {
 public:
  Migration(HiveCatalog& catalog, const MigrationRequest& request, CommitSettings settings)
      : catalog_(catalog),
        request_(request),
        settings_(std::move(settings)),
        executor_(settings_.executor ? *settings_.executor : InlineExecutor()),
        replaces_(!request.target || *request.target == request.source),
        target_(replaces_ ? TableName{request.source.database, request.source.table + std::string(kTemporarySuffix)}
                          : *request.target) {}

  int64_t Run() {
    if (replaces_ && !request_.delete_origin) {
      throw InvalidArgument(
          "'delete_origin' = 'false' needs a 'target_table': the table '{}' cannot stay beside one of its own name",
          request_.source.ToString());
    }
    if (auto finished = TakeUpInterrupted()) return *finished;
    if (source_.name.empty()) source_ = catalog_.Describe(request_.source);
    if (IsPaimonTable(source_)) throw InvalidArgument("'{}' is a table of Paimon already", request_.source.ToString());
    parts_ = HivePartsOf(catalog_, source_);
    ListHiveFiles(&parts_, executor_);
    CheckSource();
    OpenTarget();
    try {
      CheckPlace();
      Prepare();
      plan_.commit_user = settings_.commit_user = RandomUuid();
      plan_.Save(fs(), table_->root());
      MoveFiles();
      Register();
    } catch (Error& error) {
      if (error.kind() == ErrorKind::kOutcomeUnknown) {
        error.Add(fmt::format(
            "migration of '{}'. Call migrate_table again: it finishes, or puts the files back and starts anew",
            request_.source.ToString()));
        throw;
      }
      UndoAndThrow();
    } catch (...) {
      UndoAndThrow();
    }
    Finish();
    return static_cast<int64_t>(plan_.moves.size());
  }

 private:
  FileSystem& fs() { return table_->file_system(); }

  // ---- before anything is changed ----

  void CheckSource() {
    if (auto key = catalog_.metastore().PrimaryKey(source_.database, source_.name); !key.empty()) {
      Log(LogLevel::kWarning,
          fmt::format("'{}' declares the primary key [{}], which Hive never kept: it becomes an append table without "
                      "one",
                      request_.source.ToString(), Join(key, ", ")));
    }
    if (!request_.delete_origin) return;
    if (std::string stray = StrayFile(catalog_, source_, parts_); !stray.empty()) {
      throw InvalidArgument(
          "Cannot migrate '{}': the file '{}' belongs to no partition that the metastore knows and would be deleted "
          "with the table. Make the partition known (MSCK REPAIR TABLE in Hive) or take the file away",
          request_.source.ToString(), stray);
    }
  }

  void OpenTarget() {
    default_partition_ = HiveDefaultPartition(catalog_.metastore());
    if (!replaces_ && catalog_.TableExists(target_)) {
      table_ = catalog_.GetTable(target_);
      CheckTarget();
    } else {
      CreateTarget(Definition());
    }
    plan_.source = request_.source.ToString();
    plan_.source_location = source_.storage.location;
  }

  void CreateTarget(const TableDefinition& definition) {
    try {
      table_ = catalog_.CreateTable(target_, definition, /*ignore_if_exists=*/false);
      plan_.created = true;
    } catch (const Error& error) {
      // It can have been made and not been opened; nobody else knows of it.
      if (error.kind() == ErrorKind::kIoError) DropQuietly();
      throw;
    }
  }

  void DropQuietly() {
    try {
      catalog_.DropTable(target_, /*ignore_if_missing=*/true);
    } catch (const Error& error) {
      Log(LogLevel::kWarning, fmt::format("The table '{}' is left: {}", target_.ToString(), error.what()));
    }
  }

  // Dropping the source deletes its folder, and a table that replaces it takes the place of the name.
  void CheckPlace() const {
    if (!request_.delete_origin) return;
    const std::string place = catalog_.NewTableLocation(request_.source);
    const std::string last = HiveCatalog::PlainLocation(place);
    if (replaces_ && last != HiveCatalog::PlainLocation(source_.storage.location) &&
        !catalog_.FileSystemOf(place)->List(last).empty()) {
      throw InvalidArgument(
          "Cannot migrate '{}': the folder '{}', where the table is to lie, holds other files. Give "
          "another 'target_table'",
          request_.source.ToString(), place);
    }
    const std::string folder = HiveCatalog::PlainLocation(source_.storage.location);
    if ((table_->root() + "/").starts_with(folder + "/")) {
      throw InvalidArgument(
          "Cannot migrate '{}': the target '{}' lies in the folder of the source, '{}', which is deleted with it. Give "
          "'delete_origin' = 'false', or another 'target_table'",
          request_.source.ToString(), target_.ToString(), folder);
    }
  }

  TableDefinition Definition() {
    TableDefinition definition = AppendTableLike(source_, default_partition_);
    for (const auto& [key, wanted] : {std::pair("bucket", "-1"), std::pair("primary-key", ""), std::pair("path", "")}) {
      auto given = request_.options.find(key);
      if (given == request_.options.end() || given->second == wanted) continue;
      throw InvalidArgument(
          "'{}' = '{}' cannot be an option of a migrated table: it is an append table with 'bucket' = '-1' where the "
          "catalog puts it",
          key, given->second);
    }
    for (const auto& [key, value] : request_.options) definition.options.emplace(key, value);
    return definition;
  }

  void CheckTarget() {
    const TableSchema& schema = table_->schema();
    auto refuse = [&](const std::string& why) {
      throw InvalidArgument("Cannot migrate '{}' into '{}': {}", request_.source.ToString(), target_.ToString(), why);
    };
    if (schema.has_primary_key()) refuse("the target has a primary key");
    if (BucketModeOf(schema) != BucketMode::kUnaware)
      refuse(fmt::format("the target has 'bucket' = '{}', not '-1'", table_->options().bucket()));
    std::vector<std::string> keys;
    for (const HiveColumn& key : source_.partition_keys) keys.push_back(key.name);
    if (keys != schema.partition_keys) {
      refuse(fmt::format("the source is partitioned by [{}], the target by [{}]", Join(keys, ", "),
                         Join(schema.partition_keys, ", ")));
    }
    const std::vector<DataField> fields = FieldsOf(source_);
    for (const DataField& field : fields) {
      const int place = FindField(schema.fields, field.name);
      if (place < 0) refuse(fmt::format("the target has no column '{}'", field.name));
      const DataType& type = schema.fields[static_cast<size_t>(place)].type;
      if (HiveTypeText(type) == HiveTypeText(field.type)) continue;
      refuse(fmt::format("the column '{}' is {} in the source and {} in the target", field.name, field.type.ToString(),
                         type.ToString()));
    }
    for (const DataField& field : schema.fields) {
      if (FindField(fields, field.name) < 0 && !field.type.nullable()) {
        refuse(fmt::format("the source has no column '{}', which must not be NULL in the target", field.name));
      }
    }
  }

  // Reads what every file is and where it goes; makes the folders.
  void Prepare() {
    const int64_t now = (settings_.clock ? settings_.clock : SystemClock())();
    struct Task {
      size_t part;
      size_t file;
    };
    std::vector<Task> tasks;
    std::vector<std::unique_ptr<ForeignFiles>> describers;
    for (const HivePart& part : parts_) {
      CheckStorage(part.location);
      std::vector<Value> partition = part.PartitionValues(table_->partition_types(), default_partition_);
      CommitMessage message;
      message.partition = BinaryRow::Of(partition, table_->partition_types()).Serialize();
      message.data.new_files.resize(part.files.size());
      const std::string folder = table_->paths().BucketPath(message.partition, 0);
      std::unordered_set<std::string> taken;
      if (!plan_.created) {
        for (const FileStatus& file : fs().List(folder)) taken.insert(BaseName(file.path));
      }
      for (size_t i = 0; i < part.files.size(); ++i) {
        tasks.push_back({messages_.size(), i});
        plan_.moves.push_back({part.files[i].path, JoinPath(folder, NewName(part, part.files[i], &taken))});
      }
      if (!part.files.empty()) folders_.push_back(folder);
      describers.push_back(std::make_unique<ForeignFiles>(
          table_->file_system_ptr(), table_->schema_ptr(), std::move(partition), now,
          SummaryOptions{.format = part.format, .columns_may_be_missing = true}));
      messages_.push_back(std::move(message));
    }
    executor_.ForEach(tasks.size(), [&](size_t i) {
      const auto [part, file] = tasks[i];
      DataFileMeta meta = describers[part]->Describe(parts_[part].files[file]);
      meta.file_name = BaseName(plan_.moves[i].to);
      messages_[part].data.new_files[file] = std::move(meta);
    });
    std::erase_if(messages_, [](const CommitMessage& message) { return message.data.new_files.empty(); });
  }

  void CheckStorage(const std::string& location) const {
    if (StorageOf(location) == StorageOf(table_->root())) return;
    throw InvalidArgument(
        "Files cannot be moved from '{}' to '{}', which is another storage. Clone the table to copy them", location,
        table_->root());
  }

  static std::string NewName(const HivePart& part, const FileStatus& file, std::unordered_set<std::string>* taken) {
    const std::string extension = "." + part.format;
    std::string name = BaseName(file.path);
    if (!name.ends_with(extension)) name += extension;
    if (!taken->insert(name).second) {
      name = name.substr(0, name.size() - extension.size()) + "-" + RandomUuid() + extension;
      taken->insert(name);
    }
    return name;
  }

  // ---- the moves ----

  void MoveFiles() {
    for (const std::string& folder : folders_) fs().CreateFolder(folder);
    begun_ = std::vector<std::atomic<bool>>(plan_.moves.size());
    executor_.ForEach(plan_.moves.size(), [&](size_t i) {
      begun_[i] = true;
      fs().Rename(plan_.moves[i].from, plan_.moves[i].to);
    });
  }

  void Register() {
    CommitSettings settings = settings_;
    settings.publisher = catalog_.publisher();
    TableCommit(table_, std::move(settings)).Commit(messages_);
  }

  // Called while an error is handled, which goes on when all is as it was.
  [[noreturn]] void UndoAndThrow() {
    const std::exception_ptr cause = std::current_exception();
    std::vector<FileMove> begun;
    for (size_t i = 0; i < begun_.size(); ++i) {
      if (begun_[i]) begun.push_back(plan_.moves[i]);
    }
    try {
      MoveBack(begun);
      RemoveTarget();
    } catch (const Error& undo) {
      try {
        std::rethrow_exception(cause);
      } catch (Error& error) {
        error.Add(
            fmt::format("and not everything could be put back: {}. Files of '{}' may lie in '{}'. Call migrate_table "
                        "again: it puts "
                        "them back and starts anew",
                        undo.what(), request_.source.ToString(), table_->root()));
        throw;
      }
    }
    std::rethrow_exception(cause);
  }

  // Safe to repeat: a file that is where it was stays there.
  void MoveBack(const std::vector<FileMove>& moves) {
    FileSystem& storage = fs();
    executor_.ForEach(moves.size(), [&](size_t i) {
      const FileMove& move = moves[i];
      for (int attempt = 0;; ++attempt) {
        try {
          if (storage.Exists(move.to) && !storage.Exists(move.from)) storage.Rename(move.to, move.from);
          return;
        } catch (const Error& error) {
          if (attempt == 2) throw;
        }
      }
    });
  }

  void RemoveTarget() {
    if (plan_.created) {
      for (int attempt = 0;; ++attempt) {
        try {
          return catalog_.DropTable(target_, /*ignore_if_missing=*/true);
        } catch (const Error& error) {
          if (attempt == 2) throw;
        }
      }
    }
    MigrationPlan::Remove(fs(), table_->root());
  }

  // ---- after the commit ----

  void Finish() {
    const TableName last = replaces_ ? request_.source : target_;
    try {
      if (request_.delete_origin) DropSource();
      if (replaces_) catalog_.RenameTable(target_, last);
      const TablePtr table = catalog_.GetTable(last);
      MigrationPlan::Remove(table->file_system(), table->root());
    } catch (Error& error) {
      error.Add(
          fmt::format("after all files of '{}' were moved to the table '{}' and registered there. Call migrate_table "
                      "again to finish",
                      request_.source.ToString(), target_.ToString()));
      throw;
    }
  }

  // Every step may have been done by an interrupted run. The folders of the partitions, which are empty but for hidden files,
  // go while the metastore forgets the partitions: both take long.
  void DropSource() {
    executor_.ForEach(parts_.size() + 1, [&](size_t i) {
      if (i == 0) return DropEntry();
      DeleteEmptied(*parts_[i - 1].storage, HiveCatalog::PlainLocation(parts_[i - 1].location));
    });
    // A table would not come into a folder that is there.
    DeleteEmptied(*catalog_.FileSystemOf(plan_.source_location), HiveCatalog::PlainLocation(plan_.source_location));
  }

  void DropEntry() {
    try {
      // Without the data: the metastore would look into each folder.
      catalog_.metastore().DropTable(request_.source.database, request_.source.table, /*delete_data=*/false);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kNotFound) throw;
    }
  }

  static void DeleteEmptied(FileSystem& storage, const std::string& folder) {
    if (FirstVisibleFile(storage, folder).empty()) storage.DeleteFolder(folder);
  }

  // What a run that was ended has left behind: when its commit is there, finishes it and gives the number of files;
  // otherwise puts everything back.
  std::optional<int64_t> TakeUpInterrupted() {
    if (!catalog_.TableExists(target_)) return replaces_ ? TakeUpLastSteps() : std::nullopt;
    table_ = catalog_.GetTable(target_);
    auto plan = MigrationPlan::Find(fs(), table_->root());
    if (!plan) {
      // The name is one that only a migration gives.
      if (replaces_ && !table_->snapshots().LatestId()) catalog_.DropTable(target_, true);
      return std::nullopt;
    }
    if (plan->source != request_.source.ToString()) {
      throw InvalidArgument("A migration of '{}' into '{}' was interrupted. Call migrate_table for it first",
                            plan->source, target_.ToString());
    }
    plan_ = *std::move(plan);
    if (IsRegistered(*table_)) {
      Finish();
      return static_cast<int64_t>(plan_.moves.size());
    }
    MoveBack(plan_.moves);
    RemoveTarget();
    plan_ = {};
    return std::nullopt;
  }

  // Without the temporary table: either its name has been changed already, or the metastore has never learnt of it.
  std::optional<int64_t> TakeUpLastSteps() {
    const std::string location = catalog_.NewTableLocation(target_);
    const FileSystemPtr storage = catalog_.FileSystemOf(location);
    const std::string root = HiveCatalog::PlainLocation(location);
    if (!SchemaStore(storage, root).Ids().empty() && !SnapshotStore(storage, root).LatestId()) {
      if (FirstVisibleFile(*storage, JoinPath(root, "bucket-0")).empty()) storage->DeleteFolder(root);
    }
    auto source = catalog_.metastore().FindTable(request_.source.database, request_.source.table);
    if (!source) return std::nullopt;
    if (!IsPaimonTable(*source)) {
      source_ = *std::move(source);
      return std::nullopt;
    }
    const TablePtr table = catalog_.GetTable(request_.source);
    auto plan = MigrationPlan::Find(table->file_system(), table->root());
    if (!plan || plan->source != request_.source.ToString()) return std::nullopt;
    MigrationPlan::Remove(table->file_system(), table->root());
    return static_cast<int64_t>(plan->moves.size());
  }

  bool IsRegistered(const Table& table) const {
    const std::vector<int64_t> ids = table.snapshots().Ids();
    return std::any_of(ids.rbegin(), ids.rend(),
                       [&](int64_t id) { return table.snapshots().Get(id).commit_user == plan_.commit_user; });
  }

  HiveCatalog& catalog_;
  const MigrationRequest& request_;
  CommitSettings settings_;
  Executor& executor_;
  const bool replaces_;
  const TableName target_;
  HiveTable source_;
  std::vector<HivePart> parts_;
  TablePtr table_;
  std::string default_partition_;
  std::vector<std::string> folders_;
  std::vector<CommitMessage> messages_;
  MigrationPlan plan_;
  std::vector<std::atomic<bool>> begun_;
};

}  // namespace

int64_t MigrateHiveTable(HiveCatalog& catalog, const MigrationRequest& request, CommitSettings settings) {
  return Migration(catalog, request, std::move(settings)).Run();
}

}  // namespace mica
