#include "clone/clone_job.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "clone/row_copy.h"

namespace mica {

namespace {

void Refuse(bool given, std::string_view argument, std::string_view scope) {
  if (given) throw InvalidArgument("The argument '{}' cannot be given when {}", argument, scope);
}

void Require(bool given, std::string_view argument, std::string_view scope) {
  if (!given) throw InvalidArgument("The argument '{}' is needed when {}", argument, scope);
}

// The names of a list, each of which has to be a table of the scope.
std::set<std::string> ListedNames(const std::optional<std::vector<std::string>>& list, std::string_view argument,
                                  const std::vector<TablePair>& scope) {
  std::set<std::string> names;
  std::vector<std::string> known;
  for (const TablePair& pair : scope) known.push_back(pair.source.ToString());
  for (const std::string& name : list.value_or(std::vector<std::string>())) {
    if (name.find('.') == std::string::npos) {
      throw InvalidArgument("The tables in '{}' must be written 'database.table', not '{}'", argument, name);
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw NotFound("The argument '{}' names the table '{}', which is not among those to be cloned{}", argument, name,
                     DidYouMean(name, known));
    }
    names.insert(name);
  }
  return names;
}

// A table that passed every check.
struct PlannedClone {
  TablePair names;
  TablePtr source;
  TablePtr target;  // nullptr: it has to be made
  TableDefinition definition;
  std::function<bool(const std::vector<Value>&)> keep_partition;
};

std::string Megabytes(int64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

class Cloner {
 public:
  explicit Cloner(const CloneRequest& request)
      : request_(request), executor_(request.executor != nullptr ? *request.executor : InlineExecutor()) {}

  // Nothing for a table that is there and is to be skipped.
  std::optional<PlannedClone> Plan(const TablePair& names) const {
    PlannedClone plan{.names = names};
    try {
      plan.source = request_.source->GetTable(names.source);
      CheckReadable(plan.source->schema());
      if (request_.target->TableExists(names.target)) {
        plan.target = request_.target->GetTable(names.target);
        CheckLocations(plan.source->root(), plan.target->root());
        if (!request_.clone_if_exists) {
          Note(names, "exists already: skipped");
          return std::nullopt;
        }
        CheckTarget(*plan.source, *plan.target, request_.wishes);
      } else {
        plan.definition = DefinitionLike(*plan.source, request_.wishes);
      }
      if (request_.partitions) plan.keep_partition = request_.partitions(*plan.source);
      return plan;
    } catch (Error& error) {
      error.Add(fmt::format("table '{}'. Nothing was cloned", names.source.ToString()));
      throw;
    }
  }

  void Run(PlannedClone& plan) const {
    CopyRequest copy;
    if (!plan.target) {
      request_.target->CreateDatabase(plan.names.target.database, true, {});
      plan.target = request_.target->CreateTable(plan.names.target, plan.definition, true);
      copy.new_target = plan.target != nullptr;
      if (!plan.target) {
        // Somebody made it meanwhile.
        plan.target = request_.target->GetTable(plan.names.target);
        CheckLocations(plan.source->root(), plan.target->root());
        CheckTarget(*plan.source, *plan.target, request_.wishes);
      }
    }
    if (request_.meta_only) return Note(plan.names, "has the columns and options of its source");
    copy.commit.publisher = request_.target->publisher();
    copy.commit.clock = request_.clock;
    copy.commit.executor = &executor_;
    if (request_.progress) {
      copy.on_progress = [&](const CopyProgress& at) {
        request_.progress(fmt::format("{}: {} of {} files, {} of {}", plan.names.target.ToString(), at.files_done, at.files,
                                      Megabytes(at.bytes_done), Megabytes(at.bytes)));
      };
    }
    Fill(plan, copy);
  }

 private:
  void Fill(const PlannedClone& plan, const CopyRequest& copy) const {
    SourceFiles files = ListSourceFiles(*plan.source, plan.keep_partition, executor_);
    if (files.entries.empty()) return Note(plan.names, "is as it was: there is nothing to copy");
    if (const auto why = WhyNotCopied(*plan.source, files, *plan.target, request_.wishes.file_format)) {
      const RowCopyResult result = CopyRows(*plan.source, files, plan.target, copy);
      return Note(plan.names, fmt::format("has {} rows, written one by one because {}", result.rows, *why));
    }
    const CopyResult result = CopyTable(*plan.source, std::move(files), plan.target, copy);
    Note(plan.names, fmt::format("has {} files: {} copied ({}), {} there already", result.files, result.files_copied,
                                 Megabytes(result.bytes_copied), result.files_present + result.files_found));
  }

  void Note(const TablePair& names, std::string_view text) const {
    if (request_.note) request_.note(fmt::format("{}: {}", names.target.ToString(), text));
  }

  const CloneRequest& request_;
  Executor& executor_;
};

}  // namespace

std::vector<TablePair> TablesToClone(const CloneRequest& request) {
  std::vector<TablePair> pairs;
  if (!request.database) {
    const std::string scope = "all tables of a catalog are cloned (no 'database' is given)";
    Refuse(request.table.has_value(), "table", scope);
    Refuse(request.target_database.has_value(), "target_database", scope);
    Refuse(request.target_table.has_value(), "target_table", scope);
    for (const std::string& database : request.source->ListDatabases()) {
      for (const std::string& table : request.source->ListTables(database)) pairs.push_back({{database, table}, {database, table}});
    }
  } else if (!request.table) {
    const std::string scope = "all tables of a database are cloned (no 'table' is given)";
    Require(request.target_database.has_value(), "target_database", scope);
    Refuse(request.target_table.has_value(), "target_table", scope);
    for (const std::string& table : request.source->ListTables(*request.database)) {
      pairs.push_back({{*request.database, table}, {*request.target_database, table}});
    }
  } else {
    const std::string scope = "one table is cloned";
    Require(request.target_database.has_value(), "target_database", scope);
    Require(request.target_table.has_value(), "target_table", scope);
    Refuse(request.included.has_value(), "included_tables", scope);
    Refuse(request.excluded.has_value(), "excluded_tables", scope);
    return {{{*request.database, *request.table}, {*request.target_database, *request.target_table}}};
  }
  const auto included = ListedNames(request.included, "included_tables", pairs);
  const auto excluded = ListedNames(request.excluded, "excluded_tables", pairs);
  std::erase_if(pairs, [&](const TablePair& pair) {
    const std::string name = pair.source.ToString();
    return (request.included && !included.contains(name)) || excluded.contains(name);
  });
  if (pairs.empty()) throw NotFound("There is no table to clone in {}", request.database ? "database '" + *request.database + "'" : "the source catalog");
  return pairs;
}

void CloneTables(const CloneRequest& request) {
  const Cloner cloner(request);
  std::vector<PlannedClone> plans;
  for (const TablePair& names : TablesToClone(request)) {
    if (auto plan = cloner.Plan(names)) plans.push_back(std::move(*plan));
  }
  std::vector<std::string> failures;
  std::optional<ErrorKind> kind;
  for (PlannedClone& plan : plans) {
    try {
      cloner.Run(plan);
    } catch (Error& error) {
      if (plans.size() == 1 || error.kind() == ErrorKind::kCancelled) {
        error.Add(fmt::format("table '{}'", plan.names.source.ToString()));
        throw;
      }
      if (!kind) kind = error.kind();
      failures.push_back(fmt::format("'{}': {}", plan.names.source.ToString(), error.what()));
    }
  }
  if (failures.empty()) return;
  throw Error(*kind, fmt::format("{} of {} tables could not be cloned; the others are. Run it again for the rest. {}",
                                 failures.size(), plans.size(), Join(failures, "; ")));
}

}  // namespace mica
