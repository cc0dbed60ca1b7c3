#include "procedures/registry.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "procedures/entries.h"
#include "procedures/history_entries.h"
#include "procedures/hive_entries.h"

namespace mica {

namespace {

// Procedures of Paimon that are not among the entries: refused by name, so that a script is told the truth.
constexpr std::array kNotAvailable = {
    "alter_function", "alter_view_dialect", "compact_chain_table", "create_function",
    "create_global_index", "data_evolution_merge_into", "drop_function", "drop_global_index", "full_text_search",
    "materialize_deletion_vectors",
    "query_service", "reassign_row_id", "refresh_object_table", "remove_unexisting_manifests",
    "repair_earliest_snapshot", "rescale", "vector_search",
};

}  // namespace

const std::vector<Procedure>& Procedures() {
  // In the order of the alphabet. An entry that is added leaves kNotAvailable.
  static const std::vector<Procedure> procedures = {
      AlterColumnDefaultValueProcedure(),
      ClearConsumersProcedure(),
      CloneProcedure(),
      CompactProcedure(),
      CompactDatabaseProcedure(),
      CompactManifestProcedure(),
      CopyProcedure(),
      CopyFilesProcedure(),
      CreateBranchProcedure(),
      CreateTagProcedure(),
      CreateTagFromTimestampProcedure(),
      CreateTagFromWatermarkProcedure(),
      DeleteBranchProcedure(),
      DeleteTagProcedure(),
      DropPartitionProcedure(),
      ExpireChangelogsProcedure(),
      ExpirePartitionsProcedure(),
      ExpireSnapshotsProcedure(),
      ExpireTagsProcedure(),
      FastForwardProcedure(),
      ImportFilesProcedure(),
      MarkPartitionDoneProcedure(),
      MergeBranchProcedure(),
      MergeIntoProcedure(),
      MigrateDatabaseProcedure(),
      MigrateTableProcedure(),
      PurgeFilesProcedure(),
      RemoveOrphanFilesProcedure(),
      RemoveUnexistingFilesProcedure(),
      RenameBranchProcedure(),
      RenameTagProcedure(),
      RepairProcedure(),
      ReplaceTagProcedure(),
      ResetConsumerProcedure(),
      RewriteFileIndexProcedure(),
      RollbackProcedure(),
      RollbackToProcedure(),
      RollbackToAsLatestProcedure(),
      RollbackToTimestampProcedure(),
      RollbackToWatermarkProcedure(),
      TriggerTagAutomaticCreationProcedure(),
  };
  return procedures;
}

const Procedure& FindProcedure(std::string_view name) {
  std::vector<std::string> known;
  for (const Procedure& procedure : Procedures()) {
    if (EqualsIgnoreCase(procedure.name, name)) return procedure;
    known.push_back(procedure.name);
  }
  for (const char* missing : kNotAvailable) {
    if (EqualsIgnoreCase(missing, name)) {
      throw Unsupported("The procedure '{}' is not available in this version. SHOW PROCEDURES lists those that are", missing);
    }
  }
  throw NotFound("The procedure '{}' does not exist{}", name, DidYouMean(ToLower(name), known));
}

std::string_view ArgumentTypeName(ArgumentType type) {
  switch (type) {
    case ArgumentType::kText: return "STRING";
    case ArgumentType::kInt: return "INT";
    case ArgumentType::kLong: return "BIGINT";
    case ArgumentType::kBoolean: return "BOOLEAN";
    case ArgumentType::kMap: return "MAP<STRING, STRING>";
  }
  return "";
}

Engine Procedure::ShapeFor(Engine dialect) const {
  if (spark_result.empty()) return Engine::kFlink;
  if (flink_result.empty()) return Engine::kSpark;
  return dialect;
}

const std::vector<DataField>& Procedure::ResultOf(Engine shape) const {
  return shape == Engine::kSpark ? spark_result : flink_result;
}

std::vector<std::string> Procedure::OrderOf(Engine shape) const {
  if (shape == Engine::kFlink && !flink_order.empty()) return flink_order;
  std::vector<std::string> names;
  for (const ProcedureArgument& argument : arguments) names.push_back(argument.name);
  return names;
}

const ProcedureArgument* Procedure::FindArgument(std::string_view name) const {
  for (const ProcedureArgument& argument : arguments) {
    if (EqualsIgnoreCase(argument.name, name)) return &argument;
  }
  for (const ProcedureArgument& argument : arguments) {
    for (const std::string& alias : argument.aliases) {
      if (EqualsIgnoreCase(alias, name)) return &argument;
    }
  }
  return nullptr;
}

DataField ResultColumn(std::string name, DataType type) {
  DataField field;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

std::vector<DataField> SuccessAsBoolean() { return {ResultColumn("result", DataType(TypeRoot::kBoolean))}; }

std::vector<DataField> SuccessAsText() { return {ResultColumn("result", DataType::String())}; }

}  // namespace mica
