// create_branch, delete_branch, rename_branch, fast_forward and merge_branch (M-0635 to M-0641).
#include "history/branches.h"

#include "base/error.h"
#include "base/text.h"
#include "meta/branch.h"
#include "procedures/call.h"
#include "procedures/history_entries.h"
#include "procedures/shared_arguments.h"

namespace mica {

namespace {

ProcedureArgument BranchArgument(std::string description) {
  return {.name = "branch", .description = std::move(description), .required = true, .option = "branch_name"};
}

}  // namespace

Procedure CreateBranchProcedure() {
  return {
      .name = "create_branch",
      .description = "Makes a branch: a line of snapshots, columns and tags of its own that begins with a state of the table.",
      .arguments = {TableArgument(), BranchArgument("the name of the branch"),
                    {.name = "tag",
                     .description = "the tag that it begins with",
                     .fallback = "the latest snapshot, which then gets the tag 'branch-<name>'",
                     .option = "tag_name"},
                    {.name = "ignoreIfExists",
                     .type = ArgumentType::kBoolean,
                     .description = "whether a branch that is there is fine",
                     .fallback = "false",
                     .aliases = {"ignore_if_exists"},
                     .option = "ignore_if_exists"},
                    {.name = "snapshot_id",
                     .type = ArgumentType::kLong,
                     .description = "the snapshot that it begins with, which may be one that only a tag holds",
                     .aliases = {"snapshot"},
                     .option = "snapshot"},
                    {.name = "empty",
                     .type = ArgumentType::kBoolean,
                     .description = "whether it begins with the columns and options alone",
                     .fallback = "false"}},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        BranchRequest request;
        request.name = call.Text("branch");
        request.tag = call.OptionalText("tag");
        request.snapshot_id = call.OptionalInteger("snapshot_id");
        request.empty = call.BooleanOr("empty", false);
        request.ignore_if_exists = call.BooleanOr("ignoreIfExists", false);
        CreateBranch(*call.Table(), request);
        return call.Success();
      },
  };
}

Procedure DeleteBranchProcedure() {
  return {
      .name = "delete_branch",
      .description = "Deletes branches, and the files that only they have.",
      .arguments = {TableArgument(), BranchArgument("the branches, separated by commas")},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        DeleteBranches(*call.Table(), SplitList(call.Text("branch"), ','), call.executor());
        return call.Success();
      },
  };
}

Procedure RenameBranchProcedure() {
  return {
      .name = "rename_branch",
      .description = "Gives a branch another name.",
      .arguments = {TableArgument(),
                    {.name = "from_branch", .description = "the name that it has", .required = true},
                    {.name = "to_branch", .description = "the name that it gets", .required = true}},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        RenameBranch(*call.Table(), call.Text("from_branch"), call.Text("to_branch"));
        return call.Success();
      },
  };
}

Procedure FastForwardProcedure() {
  return {
      .name = "fast_forward",
      .description = "Takes over the history of a branch. What the table did itself since the branch began is dropped.",
      .arguments = {TableArgument(), BranchArgument("the branch")},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        FastForward(*call.Table(), call.Text("branch"), call.executor());
        return call.Success();
      },
  };
}

Procedure MergeBranchProcedure() {
  return {
      .name = "merge_branch",
      .description = "Gives a branch, or the table, the files that only another one has, without copying. For append tables that "
                     "only ever had rows appended.",
      .arguments = {TableArgument(),
                    {.name = "source_branch", .description = "the branch that has the files, or main", .required = true},
                    {.name = "target_branch", .description = "the branch that gets them", .fallback = "main"}},
      .spark_result = SuccessAsBoolean(),
      .flink_result = SuccessAsText(),
      .run = [](ProcedureCall& call) {
        TableName name = call.Name();
        name.table = SplitBranch(name.table).table;
        auto line = [&](const std::string& branch) {
          if (Trim(branch).empty()) throw InvalidArgument("Branch name '{}' is blank", branch);
          return call.catalog().GetTable({name.database, WithBranch(name.table, branch == kMainBranch ? "" : branch)});
        };
        MergeBranch(line(call.Text("source_branch")), line(call.OptionalText("target_branch").value_or(std::string(kMainBranch))),
                    call.NewCommitSettings(), call.executor());
        return call.Success();
      },
  };
}

}  // namespace mica
