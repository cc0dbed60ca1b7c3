#include "compaction/file_index_rewrite.h"

#include "procedures/call.h"
#include "procedures/entries.h"
#include "procedures/partition_selection.h"
#include "procedures/shared_arguments.h"

namespace mica {

Procedure RewriteFileIndexProcedure() {
  return {
      .name = "rewrite_file_index",
      .description = "Makes the file indexes that the table's options name for files that lack them.",
      .arguments =
          {
              TableArgument(),
              {.name = "partitions",
               .description = "only these partitions, as 'dt=2024-01-01,hh=1;dt=2024-01-02'",
               .joined_by = ';'},
              {.name = "where", .description = "only the partitions that match this condition on partition columns"},
          },
      .spark_result = {ResultColumn("written_partitions", DataType::Int()),
                       ResultColumn("written_indexes", DataType::Int())},
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) -> std::vector<ProcedureRow> {
        TablePtr table = call.Table();
        BucketSelection selection;
        auto partitions = call.OptionalText("partitions");
        auto where = call.OptionalText("where");
        if (partitions && where) throw InvalidArgument("Only one of 'partitions' and 'where' can be given");
        if (partitions) selection.keep_partition = PartitionsNamed(*table, *partitions);
        if (where) selection.keep_partition = PartitionsWhere(call, *table, *where);
        CommitSettings settings = call.NewCommitSettings();
        settings.executor = &call.executor();
        const FileIndexRewriteReport report = RewriteFileIndexes(table, selection, settings);
        if (call.shape() == Engine::kFlink) return call.Success();
        return {{report.partitions, report.indexes}};
      },
  };
}

}  // namespace mica
