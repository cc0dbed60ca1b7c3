// One workload of the benchmarks, done by Mica in this process:
//
//   mica_peer OP [positional...] --wh=WAREHOUSE --table=NAME [--repeat=N] [OP's own]
//
//   agg      --cols=a,b --where...        count(*) and sums of the decimal columns; SQL
//   first    --where... [--no-sql]        the first matching row; SQL, or the library alone
//   lookup   FILE                         rows by the keys "orderkey,linenumber" of its lines; the library alone
//   load     FILES --create=append|part|pk --set.OPTION=VALUE   creates the table and writes Parquet files into it; SQL
//   insert   FILES                        writes into the table that is there; SQL
//   compact                               full compaction; SQL
//   clone    WAREHOUSE                    clones the table of that warehouse; the library alone
//   commits  N --create=tiny              N commits of one row; the library alone
//   plan     --where...                   number of data files; the library alone
//   entries  COMMITS FILES                registers that many made-up data files; for planning only
//   history  COMMITS --like=NAME          makes a table of twice as many snapshots; orphans N: files beside it
//   expire, rollback, clean, list         upkeep of such a table, and its $files; SQL
//   follow   COMMITS RATE                 follows a table while another process commits to it; the library alone
//   files                                 paths of the data files, one a line
//   sql      STATEMENT...                 runs statements, prints the rows of the last one
//
// What Mica cannot do yet ends with exit code 77 and a line CANNOT.
#include <arrow/api.h>
#include <sys/resource.h>

#include <ctime>
#include <fstream>

#include "base/allocator.h"
#include "base/arrow.h"
#include "base/error.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "clone/clone_job.h"
#include "dialect/parser.h"
#include "dialect/test_corpus.h"
#include "follow.h"
#include "long_history.h"
#include "procedures/sql_session.h"
#include "peer_arguments.h"
#include "table/commit.h"
#include "table/lookup.h"
#include "table/read.h"
#include "table/scan.h"
#include "table/write.h"
#include "types/arrow_types.h"

namespace mica::bench {

namespace {

constexpr const char* kLineItem =
    "l_orderkey bigint not null, l_partkey bigint, l_suppkey bigint, l_linenumber int not null, "
    "l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2), "
    "l_returnflag string, l_linestatus string, l_shipdate date, l_commitdate date, l_receiptdate date, "
    "l_shipinstruct string, l_shipmode string, l_comment string";

struct Condition {
  PredicateOp op;
  std::string sign, column, value;
};

std::vector<Condition> Conditions(const PeerArguments& arguments) {
  std::vector<Condition> conditions;
  for (const auto& [key, value] : arguments.named) {
    if (!key.starts_with("where.")) continue;
    std::string op = key.substr(6, 2);
    Condition condition{.op = PredicateOp::kEqual, .sign = "=", .column = key.substr(9), .value = value};
    if (op == "ge") condition.op = PredicateOp::kGreaterOrEqual, condition.sign = ">=";
    if (op == "lt") condition.op = PredicateOp::kLess, condition.sign = "<";
    conditions.push_back(condition);
  }
  return conditions;
}

std::string WhereText(const PeerArguments& arguments) {
  std::string text;
  for (const Condition& condition : Conditions(arguments)) {
    bool number = condition.value.find_first_not_of("0123456789") == std::string::npos;
    std::string value = number ? condition.value : "'" + condition.value + "'";
    text += fmt::format("{}{} {} {}", text.empty() ? " where " : " and ", condition.column, condition.sign, value);
  }
  return text;
}

PredicatePtr WherePredicate(const PeerArguments& arguments, const TableSchema& schema) {
  std::vector<PredicatePtr> parts;
  for (const Condition& condition : Conditions(arguments)) {
    const DataType& type = schema.Field(condition.column).type;
    parts.push_back(Predicate::Compare(condition.op, condition.column, type, ValueFromString(condition.value, type)));
  }
  return parts.empty() ? nullptr : Predicate::And(parts);
}

std::string FileList(const PeerArguments& arguments) {
  std::string list;
  for (const std::string& word : arguments.words) list += (list.empty() ? "'" : ", '") + word + "'";
  return "read_parquet([" + list + "])";
}

std::string CreateStatement(const PeerArguments& arguments) {
  std::string kind = arguments.Get("create");
  std::string columns = kind == "tiny" ? "id int, v string" : kLineItem;
  if (kind == "part") columns += ", ship_month string";
  std::string properties = kind == "pk" ? "'primary-key' = 'l_orderkey,l_linenumber', 'bucket' = '4'" : "";
  for (const auto& [key, value] : arguments.named) {
    if (!key.starts_with("set.")) continue;
    properties += fmt::format("{}'{}' = '{}'", properties.empty() ? "" : ", ", key.substr(4), value);
  }
  std::string text = fmt::format("create table {} ({})", arguments.Get("table"), columns);
  if (kind == "part") text += " partitioned by (ship_month)";
  if (!properties.empty()) text += " tblproperties (" + properties + ")";
  return text;
}

// Of this process in its own code: what the file system takes for a new file varies several times over.
double UserMillis() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec) * 1e3 + static_cast<double>(used.ru_utime.tv_usec) / 1e3;
}

class Peer {
 public:
  explicit Peer(const PeerArguments& arguments) : arguments_(arguments) {
    catalog_ = OpenCatalog({{"warehouse", arguments.Get("wh")}});
  }

  int Run() {
    const std::string& op = arguments_.operation;
    if (op == "agg") return Aggregate();
    if (op == "first") return arguments_.named.contains("no-sql") ? FirstRow() : FirstBySql();
    if (op == "lookup") return Lookups();
    if (op == "load" || op == "insert") return Load(op == "load");
    if (op == "compact") return Compact();
    if (op == "clone") return Clone();
    if (op == "commits") return Commits();
    if (op == "plan") return Plan();
    if (op == "entries") return Entries();
    if (op == "history") return History();
    if (op == "orphans") return LeaveOrphans(table(), std::atoi(arguments_.words.at(0).c_str())), 0;
    if (op == "expire" || op == "rollback" || op == "clean" || op == "list") return Upkeep();
    if (op == "follow") return Follow();
    if (op == "files") return Files();
    if (op == "sql") return Statements();
    if (op == "tables") return Tables();
    if (op == "translate") return Translate();
    std::printf("CANNOT %s is not there yet\n", op.c_str());
    return 77;
  }

 private:
  SqlSession& session() {
    if (!session_) {
      SessionSettings settings;
      settings.catalog = catalog_;
      if (arguments_.named.contains("threads")) settings.threads = std::atoi(arguments_.Get("threads").c_str());
      session_ = OpenSqlSession(settings);
    }
    return *session_;
  }

  TablePtr table() { return catalog_->GetTable({"default", arguments_.Get("table")}); }

  std::string Query(const std::string& sql) {
    auto result = session().Run(sql);
    if (!result->has_rows()) return std::to_string(result->changed_rows().value_or(0));
    std::string text;
    auto rows = result->Rows();
    if (rows.empty()) return "none";
    for (const auto& row : rows) {
      if (!text.empty()) text += "\nRESULT ";
      for (size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : " ") + row[i].value_or("NULL");
    }
    return text;
  }

  int Aggregate() {
    std::string sums = "count(*)", counts;
    for (const std::string& column : SplitList(arguments_.Get("cols"), ',')) {
      bool decimal = column == "l_quantity" || column == "l_extendedprice" || column == "l_discount" || column == "l_tax";
      (decimal ? sums : counts) += fmt::format(", {}({})", decimal ? "sum" : "count", column);
    }
    std::string sql = fmt::format("select {}{} from {}{}", sums, counts, arguments_.Get("table"), WhereText(arguments_));
    session();
    Repeat(arguments_, [&] { return Query(sql); });
    return 0;
  }

  int FirstBySql() {
    std::string sql = fmt::format("select * from {}{} limit 1", arguments_.Get("table"), WhereText(arguments_));
    session();
    Repeat(arguments_, [&] { return Query(sql); });
    return 0;
  }

  int FirstRow() {
    Repeat(arguments_, [&]() -> std::string {
      TablePtr table = this->table();
      PredicatePtr predicate = WherePredicate(arguments_, table->schema());
      auto resolved = ResolveSnapshot(*table, {});
      if (!resolved.snapshot) return "none";
      const auto& fields = table->schema().fields;
      for (const Split& split : PlanScan(*table, {.snapshot = resolved.snapshot, .predicate = predicate}).splits) {
        auto reader = ReadSplit(*table, split, {.fields = fields, .predicate = predicate, .batch_rows = 1024});
        auto batch = reader->Next();
        if (!batch) continue;
        std::string text;
        for (size_t i = 0; i < fields.size(); ++i) {
          text += (i == 0 ? "" : "|") + Take(batch->column(static_cast<int>(i))->GetScalar(0))->ToString();
        }
        return text;
      }
      return "none";
    });
    return 0;
  }

  // The keys of a file of "orderkey,linenumber" lines, one after the other, in each repetition.
  int Lookups() {
    std::vector<std::vector<Value>> keys;
    std::ifstream file(arguments_.words.at(0));
    for (std::string line; std::getline(file, line);) {
      const auto parts = SplitList(line, ',');
      keys.push_back({Value(std::stoll(parts.at(0))), Value(std::stoll(parts.at(1)))});
    }
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto started = now();
    TableLookup lookup(table());
    double first = 0;
    Repeat(arguments_, [&] {
      size_t found = 0;
      const auto begin = now();
      for (const auto& key : keys) {
        found += lookup.Find(key) != nullptr;
        if (first == 0) first = std::chrono::duration<double, std::milli>(now() - started).count();
      }
      const double micros = std::chrono::duration<double, std::micro>(now() - begin).count();
      return fmt::format("{} of {} found, first after {:.2f} ms, {:.2f} us each", found, keys.size(), first,
                         micros / static_cast<double>(keys.size()));
    });
    return 0;
  }

  int Load(bool create) {
    catalog_->CreateDatabase("default", true, {});
    if (create) session().Run(CreateStatement(arguments_));
    std::string sql = fmt::format("insert into {} select * from {}", arguments_.Get("table"), FileList(arguments_));
    session();
    Repeat(arguments_, [&] { return Query(sql); });
    return 0;
  }

  int Compact() {
    std::string sql = fmt::format("call sys.compact(table => 'default.{}', compact_strategy => 'full')", arguments_.Get("table"));
    session();
    Repeat(arguments_, [&] { return Query(sql); });
    return 0;
  }

  // A table of the warehouse FROM, without SQL.
  int Clone() {
    CloneRequest request;
    request.source = OpenCatalog({{"warehouse", arguments_.words.at(0)}});
    request.target = catalog_;
    request.database = request.target_database = "default";
    request.table = request.target_table = arguments_.Get("table");
    ThreadExecutor executor;
    request.executor = &executor;
    Repeat(arguments_, [&] {
      CloneTables(request);
      return std::string();
    });
    return 0;
  }

  int Commits() {
    int count = std::atoi(arguments_.words.at(0).c_str());
    catalog_->CreateDatabase("default", true, {});
    TableDefinition definition;
    definition.fields = {{.name = "id", .type = DataType::Int()}, {.name = "v", .type = DataType::String()}};
    TablePtr table = catalog_->CreateTable({"default", arguments_.Get("table")}, definition, true);
    if (!table) table = this->table();
    auto write = TableWrite::Create(table, {.commit_user = "bench"});
    auto schema = ToArrowSchema(table->schema().fields);
    double first = 0, last = 0, first_user = 0, last_user = 0;
    Repeat(arguments_, [&] {
      for (int i = 0; i < count; ++i) {
        auto started = std::chrono::steady_clock::now();
        double user_started = UserMillis();
        arrow::Int32Builder ids;
        arrow::StringBuilder texts;
        Check(ids.Append(i));
        Check(texts.Append("v" + std::to_string(i)));
        write->Write(arrow::RecordBatch::Make(schema, 1, {Take(ids.Finish()), Take(texts.Finish())}));
        CommitSettings settings{.commit_user = "bench", .identifier = i, .publisher = catalog_->publisher()};
        TableCommit(table, settings).Commit(write->PrepareCommit());
        double millis = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
        double user = UserMillis() - user_started;
        if (i < 100) first += millis, first_user += user;
        if (i >= count - 100) last += millis, last_user += user;
      }
      return fmt::format("{} commits, first 100: {:.2f} ms, last 100: {:.2f} ms; user {:.2f} ms each, {:.2f} ms each",
                         count, first / 100, last / 100, first_user / 100, last_user / 100);
    });
    return 0;
  }

  int Plan() {
    ThreadExecutor executor;
    Repeat(arguments_, [&] {
      TablePtr table = this->table();
      ScanRequest request{.predicate = WherePredicate(arguments_, table->schema()), .executor = &executor};
      request.snapshot = ResolveSnapshot(*table, {}).snapshot;
      request.with_stats = false;
      return std::to_string(PlanScan(*table, request).counts.files_kept);
    });
    return 0;
  }

  // The description of a real file of --like, under new names; with --partitioned, each in a partition of its own.
  int Entries() {
    int commits = std::atoi(arguments_.words.at(0).c_str()), files = std::atoi(arguments_.words.at(1).c_str());
    TablePtr like = catalog_->GetTable({"default", arguments_.Get("like")});
    ScanRequest request{.snapshot = ResolveSnapshot(*like, {}).snapshot};
    Split model = PlanScan(*like, request).splits.at(0);
    TablePtr table = this->table();
    if (arguments_.named.contains("partitioned")) return PartitionedEntries(table, model.files[0], commits, files);
    for (int i = 0; i < commits; ++i) {
      CommitMessage message{.partition = model.partition, .bucket = model.bucket, .total_buckets = model.total_buckets};
      for (int k = 0; k < files; ++k) {
        DataFileMeta file = model.files[static_cast<size_t>(k) % model.files.size()];
        file.file_name = fmt::format("data-{:08x}-0000-4000-8000-{:012x}-{}.parquet", i * 2654435761u, i, k);
        message.data.new_files.push_back(std::move(file));
      }
      TableCommit(table, {.commit_user = "bench", .publisher = catalog_->publisher()}).Commit({message});
    }
    std::printf("RESULT %d\n", commits * files);
    return 0;
  }

  int PartitionedEntries(const TablePtr& table, DataFileMeta file, int commits, int files) {
    for (int i = 0; i < commits; ++i) {
      std::vector<CommitMessage> messages;
      for (int k = 0; k < files; ++k) {
        file.file_name = fmt::format("data-{:08x}-0000-4000-8000-{:012x}-{}.parquet", i * 2654435761u, i, k);
        std::vector<Value> day = {Value(fmt::format("day-{:06d}", i * files + k))};
        CommitMessage message{.partition = BinaryRow::Of(day, table->partition_types()).Serialize(), .total_buckets = -1};
        message.data.new_files.push_back(file);
        messages.push_back(std::move(message));
      }
      TableCommit(table, {.commit_user = "bench", .publisher = catalog_->publisher()}).Commit(messages);
    }
    std::printf("RESULT %d\n", commits * files);
    return 0;
  }

  int History() {
    TablePtr like = catalog_->GetTable({"default", arguments_.Get("like")});
    std::printf("RESULT %ld\n", WriteLongHistory(*catalog_, table(), like, std::atoi(arguments_.words.at(0).c_str())));
    return 0;
  }

  int Upkeep() {
    const std::string table = "default." + arguments_.Get("table");
    const std::time_t before = std::time(nullptr) - 1;
    char time[32];
    std::strftime(time, sizeof(time), "%F %T", std::localtime(&before));
    std::map<std::string, std::string> statements = {
        {"expire", fmt::format("call sys.expire_snapshots(table => '{}', retain_max => 1, retain_min => 1, "
                               "max_deletes => 100000)", table)},
        {"rollback", fmt::format("call sys.rollback_to(table => '{}', snapshot_id => 500)", table)},
        {"clean", fmt::format("call sys.remove_orphan_files(table => '{}', older_than => '{}')", table, time)},
        {"list", fmt::format("select count(*), sum(file_size_in_bytes) from {}$files", table)}};
    session();
    Repeat(arguments_, [&] { return Query(statements.at(arguments_.operation)); });
    return 0;
  }

  int Follow() {
    catalog_->CreateDatabase("default", true, {});
    TableDefinition definition;
    definition.fields = {{.name = "id", .type = DataType::Int()}, {.name = "at", .type = DataType::BigInt()}};
    catalog_->CreateTable({"default", arguments_.Get("table")}, definition, false);
    const int commits = std::atoi(arguments_.words.at(0).c_str()), rate = std::atoi(arguments_.words.at(1).c_str());
    std::printf("RESULT %s\n", FollowCommits(*catalog_, table(), commits, rate).c_str());
    return 0;
  }

  // So many empty tables of one column, in a database of their own.
  int Tables() {
    const std::string database = arguments_.Get("database");
    catalog_->CreateDatabase(database, true, {});
    TableDefinition definition;
    definition.fields = {{.name = "id", .type = DataType::Int()}};
    for (int i = 0; i < std::atoi(arguments_.words.at(0).c_str()); ++i) {
      catalog_->CreateTable({database, fmt::format("table_{:05d}", i)}, definition, true);
    }
    return 0;
  }

  // Lexing, parsing and rewriting: the slowest statement of the documents, and a long one of so many bytes.
  int Translate() {
    constexpr int kRounds = 20;
    auto millis = [](const std::string& sql, dialect::Dialect dialect) {
      auto start = std::chrono::steady_clock::now();
      dialect::ParseStatement(sql, dialect);
      return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    };
    Repeat(arguments_, [&] {
      double slowest = 0, all = 0;
      int count = 0;
      for (std::string_view script : {dialect::kFlinkCorpus, dialect::kSparkCorpus}) {
        auto dialect = script == dialect::kFlinkCorpus ? dialect::Dialect::kFlink : dialect::Dialect::kSpark;
        for (const auto& part : dialect::SplitStatements(script, dialect)) {
          std::string sql(script.substr(part.range.begin, part.range.end - part.range.begin));
          double best = millis(sql, dialect);
          for (int i = 1; i < kRounds; ++i) best = std::min(best, millis(sql, dialect));
          slowest = std::max(slowest, best);
          all += best;
          ++count;
        }
      }
      std::string text = fmt::format("{} statements, slowest {:.3f} ms, mean {:.4f} ms", count, slowest, all / count);
      for (const std::string& bytes : arguments_.words) {
        std::string sql = "INSERT INTO t VALUES (0, '')";
        while (sql.size() < static_cast<size_t>(std::atoll(bytes.c_str()))) sql += ", (1, 'it\\'s', CAST('2' AS STRING))";
        double best = std::min(millis(sql, dialect::Dialect::kSpark), millis(sql, dialect::Dialect::kSpark));
        text += fmt::format(", {} bytes {:.2f} ms", bytes, best);
      }
      return text;
    });
    return 0;
  }

  int Files() {
    TablePtr table = this->table();
    ScanRequest request{.snapshot = ResolveSnapshot(*table, {}).snapshot};
    request.predicate = WherePredicate(arguments_, table->schema());
    for (const Split& split : PlanScan(*table, request).splits) {
      for (const DataFileMeta& file : split.files) {
        std::printf("%s\n", table->paths().DataFilePath(split.partition, split.bucket, file).c_str());
      }
    }
    return 0;
  }

  int Statements() {
    for (size_t i = 0; i + 1 < arguments_.words.size(); ++i) Query(arguments_.words[i]);
    const bool count = arguments_.named.contains("count");
    Repeat(arguments_, [&] {
      if (!count) return Query(arguments_.words.back());
      return std::to_string(session().Run(arguments_.words.back())->Rows().size());
    });
    return 0;
  }

  const PeerArguments& arguments_;
  std::shared_ptr<Catalog> catalog_;
  std::unique_ptr<SqlSession> session_;
};

}  // namespace

}  // namespace mica::bench

int main(int count, char** values) {
  mica::PreferFrugalAllocator();
  mica::bench::PeerArguments arguments(count, values);
  try {
    return mica::bench::Peer(arguments).Run();
  } catch (const mica::Error& error) {
    std::fflush(stdout);
    if (error.kind() == mica::ErrorKind::kUnsupported) {
      std::printf("CANNOT %s\n", error.what());
      return 77;
    }
    std::fprintf(stderr, "%s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
