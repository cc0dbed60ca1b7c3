#include "clone/clone_job.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "catalog/hive_table.h"
#include "catalog/schema_change.h"
#include "catalog/table_folder.h"

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
  std::unique_ptr<CloneSource> source;
  TablePtr target;  // nullptr: it has to be made
  TableDefinition definition;
};

class Cloner {
 public:
  explicit Cloner(const CloneRequest& request)
      : request_(request), executor_(request.executor != nullptr ? *request.executor : InlineExecutor()) {}

  // Nothing for a table that is there and is to be skipped.
  std::optional<PlannedClone> Plan(const TablePair& names) const {
    PlannedClone plan{.names = names};
    try {
      plan.source = Open(names.source);
      if (request_.target->TableExists(names.target)) {
        plan.target = request_.target->GetTable(names.target);
        plan.source->CheckPlace(plan.target->root());
        if (!request_.clone_if_exists) {
          Note(names, "exists already: skipped");
          return std::nullopt;
        }
        plan.source->CheckTarget(*plan.target, request_.wishes);
      } else {
        plan.definition = plan.source->Definition(request_.wishes);
        CheckPlace(plan);
      }
      if (request_.partitions) plan.source->Choose(request_.partitions, executor_);
      return plan;
    } catch (Error& error) {
      error.Add(fmt::format("table '{}'. Nothing was cloned", names.source.ToString()));
      throw;
    }
  }

  void Run(PlannedClone& plan) const {
    CopyRequest copy;
    if (!plan.target) copy.new_target = MakeTarget(plan);
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
    Note(plan.names, plan.source->Copy(plan.target, request_.wishes, copy));
  }

 private:
  std::unique_ptr<CloneSource> Open(const TableName& name) const {
    if (const auto hive = std::dynamic_pointer_cast<HiveCatalog>(request_.source); hive && request_.from != CloneFrom::kPaimon) {
      HiveTable table = hive->Describe({name.database, name.table});
      if (!IsPaimonTable(table) && !IsView(table)) return HiveCloneSource(hive, std::move(table));
      if (request_.from == CloneFrom::kHive && !IsView(table)) {
        throw InvalidArgument("'{}' is a table of Paimon. Clone it with 'clone_from' = 'paimon'", name.ToString());
      }
    }
    return PaimonCloneSource(request_.source->GetTable(name));
  }

  void CheckPlace(const PlannedClone& plan) const {
    if (const auto place = PlaceOf(*request_.target, plan.names.target)) plan.source->CheckPlace(*place);
  }

  // False when somebody has made it meanwhile.
  bool MakeTarget(PlannedClone& plan) const {
    Catalog& catalog = *request_.target;
    if (!request_.meta_only) {
      const auto schema =
          std::make_shared<const TableSchema>(FirstSchema(WithTableDefaults(plan.definition, catalog.options())));
      plan.source->CheckFiles(schema, request_.wishes, executor_);
    }
    if (!catalog.DatabaseExists(plan.names.target.database)) {
      catalog.CreateDatabase(plan.names.target.database, true, plan.source->DatabaseProperties());
      CheckPlace(plan);
    }
    plan.target = catalog.CreateTable(plan.names.target, plan.definition, true);
    if (plan.target) return true;
    plan.target = catalog.GetTable(plan.names.target);
    plan.source->CheckPlace(plan.target->root());
    plan.source->CheckTarget(*plan.target, request_.wishes);
    return false;
  }

  void Note(const TablePair& names, std::string_view text) const {
    if (request_.note) request_.note(fmt::format("{}: {}", names.target.ToString(), text));
  }

  const CloneRequest& request_;
  Executor& executor_;
};

// Those of the wanted kind, ascending; views are none.
std::vector<std::string> TablesOf(const CloneRequest& request, const std::string& database) {
  auto* hive = dynamic_cast<HiveCatalog*>(request.source.get());
  if (hive == nullptr || request.from == CloneFrom::kPaimon) return request.source->ListTables(database);
  return hive->ListAllTables(database, /*of_hive_only=*/request.from == CloneFrom::kHive);
}

}  // namespace

std::vector<TablePair> TablesToClone(const CloneRequest& request) {
  std::vector<TablePair> pairs;
  if (!request.database) {
    const std::string scope = "all tables of a catalog are cloned (no 'database' is given)";
    Refuse(request.table.has_value(), "table", scope);
    Refuse(request.target_database.has_value(), "target_database", scope);
    Refuse(request.target_table.has_value(), "target_table", scope);
    for (const std::string& database : request.source->ListDatabases()) {
      for (const std::string& table : TablesOf(request, database)) pairs.push_back({{database, table}, {database, table}});
    }
  } else if (!request.table) {
    const std::string scope = "all tables of a database are cloned (no 'table' is given)";
    Require(request.target_database.has_value(), "target_database", scope);
    Refuse(request.target_table.has_value(), "target_table", scope);
    for (const std::string& table : TablesOf(request, *request.database)) {
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
