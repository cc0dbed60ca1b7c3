// Every merge engine against a model that follows one row after the other (Engine 3; M-0405).
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "merge/merge_reader.h"
#include "merge/model_rows.h"
#include "merge/run_merge.h"
#include "merge/sort_buffer.h"
#include "types/arrow_types.h"

namespace mica {
namespace {

constexpr int8_t kInsert = 0, kUpdateBefore = 1, kUpdateAfter = 2, kDelete = 3;

using Cell = std::optional<int64_t>;

struct Op {
  int64_t key = 0;
  int8_t kind = kInsert;
  int64_t sequence = 0;
  std::vector<Cell> cells;
};

struct Result {
  int8_t kind = kInsert;
  int64_t sequence = 0;
  std::vector<Cell> cells;
  bool operator==(const Result&) const = default;
};

std::string Text(const std::map<int64_t, Result>& rows) {
  std::ostringstream out;
  for (const auto& [key, row] : rows) {
    out << key << ": kind " << int{row.kind} << " sequence " << row.sequence;
    for (const Cell& cell : row.cells) out << (cell ? " " + std::to_string(*cell) : " NULL");
    out << "\n";
  }
  return out.str();
}

// What a function makes of the value so far and a new one.
struct Function {
  virtual ~Function() = default;
  virtual Cell Add(Cell so_far, Cell value) = 0;
  virtual Cell Retract(Cell so_far, Cell /*value*/) { return so_far; }  // ignored
  virtual void Reset() {}
};

struct Simple final : Function {
  std::function<Cell(Cell, Cell)> add, retract;
  Cell Add(Cell so_far, Cell value) override { return add(so_far, value); }
  Cell Retract(Cell so_far, Cell value) override { return retract ? retract(so_far, value) : so_far; }
};

struct First final : Function {
  bool skip_null = false, found = false;
  Cell Add(Cell so_far, Cell value) override {
    if (found || (skip_null && !value)) return so_far;
    found = true;
    return value;
  }
  void Reset() override { found = false; }
};

std::unique_ptr<Function> FunctionOf(const std::string& name) {
  auto simple = std::make_unique<Simple>();
  const auto both = [](auto combine) {
    return [combine](Cell a, Cell b) -> Cell { return !a ? b : !b ? a : Cell(combine(*a, *b)); };
  };
  if (name == "sum") {
    simple->add = both([](int64_t a, int64_t b) { return a + b; });
    simple->retract = [](Cell a, Cell b) -> Cell { return !b ? a : Cell(a.value_or(0) - *b); };
  } else if (name == "max") {
    simple->add = both([](int64_t a, int64_t b) { return std::max(a, b); });
  } else if (name == "min") {
    simple->add = both([](int64_t a, int64_t b) { return std::min(a, b); });
  } else if (name == "last_value") {
    simple->add = [](Cell, Cell b) { return b; };
    simple->retract = [](Cell, Cell) { return Cell(); };
  } else if (name == "last_non_null_value") {
    simple->add = [](Cell a, Cell b) { return b ? b : a; };
    simple->retract = [](Cell a, Cell b) { return b ? Cell() : a; };
  } else {
    auto first = std::make_unique<First>();
    first->skip_null = name == "first_non_null_value";
    return first;
  }
  return simple;
}

bool Retracts(const std::string& function) {
  return function == "sum" || function == "last_value" || function == "last_non_null_value";
}

const std::vector<std::string> kFunctions = {"sum",         "max",         "min",
                                             "last_value",  "last_non_null_value",
                                             "first_value", "first_non_null_value"};

// A table of BIGINT columns: k, then c0, c1, ...
struct ModelTable {
  TableSchema schema;
  std::vector<std::string> functions;  // of the columns; empty: none
  std::vector<int> groups;             // of the columns, -1: none
  std::vector<std::vector<int>> orders;
  std::vector<bool> removes;  // of the groups
  std::vector<int> user_sequence;
  bool ascending = true;
  bool remove_on_delete = false;
  bool ignore_delete = false;
  std::string engine;

  Result Merge(std::vector<Op> ops) const {
    if (ops.size() == 1) return {ops[0].kind, ops[0].sequence, ops[0].cells};
    if (engine == "aggregation") return Aggregate(ops);
    if (engine == "partial-update") return Update(ops);
    Result result;
    bool found = false;
    for (const Op& op : ops) {
      if (IsRetract(op.kind) && ignore_delete) continue;
      if (found && engine == "first-row") continue;
      result = {op.kind, op.sequence, op.cells};
      found = true;
    }
    if (!found) result.kind = -1;
    return result;
  }

  Result Aggregate(const std::vector<Op>& ops) const {
    Result result;
    result.cells.resize(functions.size());
    std::vector<std::unique_ptr<Function>> all;
    for (const auto& name : functions) all.push_back(FunctionOf(name));
    for (const Op& op : ops) {
      result.sequence = op.sequence;
      result.kind = remove_on_delete && op.kind == kDelete ? kDelete : kInsert;
      if (result.kind == kDelete) {
        result.cells = op.cells;
        continue;
      }
      for (size_t i = 0; i < all.size(); ++i) {
        result.cells[i] = IsRetract(op.kind) ? all[i]->Retract(result.cells[i], op.cells[i])
                                             : all[i]->Add(result.cells[i], op.cells[i]);
      }
    }
    return result;
  }

  bool NoOrder(int group, const Op& op) const {
    return std::all_of(orders[group].begin(), orders[group].end(), [&](int c) { return !op.cells[c]; });
  }
  // NULL is the oldest.
  bool Newer(int group, const Op& op, const Result& result) const {
    for (const int c : orders[group]) {
      if (op.cells[c] != result.cells[c]) return op.cells[c] > result.cells[c];
    }
    return true;
  }
  bool IsOrder(int column) const {
    const auto& order = orders[groups[column]];
    return std::find(order.begin(), order.end(), column) != order.end();
  }

  Result Update(const std::vector<Op>& ops) const {
    Result result;
    const size_t width = groups.size();
    result.cells.resize(width);
    result.sequence = ops.back().sequence;  // where every row is ignored
    std::vector<std::unique_ptr<Function>> all;
    for (const auto& name : functions) all.push_back(name.empty() ? nullptr : FunctionOf(name));
    bool filled = false, inserted = false, deleted = false;
    for (const Op& op : ops) {
      deleted = false;
      if (IsRetract(op.kind)) {
        if (!filled) result.cells = op.cells;
        filled = true;
        if (ignore_delete) continue;
        result.sequence = op.sequence;
        if (orders.empty()) {
          if (op.kind != kDelete) continue;
          deleted = true;
          result.cells = op.cells;
          continue;
        }
        const Result before = result;
        for (size_t g = 0; g < orders.size(); ++g) {
          deleted = deleted || (op.kind == kDelete && removes[g] && !NoOrder(static_cast<int>(g), op) &&
                                Newer(static_cast<int>(g), op, before));
        }
        if (deleted) {
          result.cells = op.cells;
          continue;
        }
        for (size_t i = 0; i < width; ++i) {
          if (groups[i] < 0 || NoOrder(groups[i], op)) continue;
          const bool newer = Newer(groups[i], op, before);
          if (IsOrder(static_cast<int>(i))) {
            if (newer) result.cells[i] = op.cells[i];
          } else if (all[i] != nullptr) {
            result.cells[i] = all[i]->Retract(result.cells[i], op.cells[i]);
          } else if (newer) {
            result.cells[i] = std::nullopt;
          }
        }
        continue;
      }
      result.sequence = op.sequence;
      filled = inserted = true;
      const Result before = result;
      for (size_t i = 0; i < width; ++i) {
        if (groups[i] < 0) {
          if (op.cells[i]) result.cells[i] = op.cells[i];
          continue;
        }
        if (NoOrder(groups[i], op)) continue;
        const bool newer = Newer(groups[i], op, before);
        if (newer && (IsOrder(static_cast<int>(i)) || all[i] == nullptr)) {
          result.cells[i] = op.cells[i];
        } else if (all[i] != nullptr) {
          result.cells[i] = newer ? all[i]->Add(before.cells[i], op.cells[i])
                                  : all[i]->Add(op.cells[i], before.cells[i]);
        }
      }
    }
    result.kind = deleted || !inserted ? kDelete : kInsert;
    return result;
  }

  // From old to new.
  void Sort(std::vector<Op>* ops) const {
    std::stable_sort(ops->begin(), ops->end(), [&](const Op& a, const Op& b) {
      for (const int c : user_sequence) {
        if (a.cells[c] == b.cells[c]) continue;
        if (!a.cells[c] || !b.cells[c]) return !a.cells[c];
        return (*a.cells[c] < *b.cells[c]) == ascending;
      }
      return a.sequence < b.sequence;
    });
  }

  std::map<int64_t, Result> Expected(const std::vector<Op>& ops, bool drop_deletes) const {
    std::map<int64_t, std::vector<Op>> by_key;
    for (const Op& op : ops) by_key[op.key].push_back(op);
    std::map<int64_t, Result> expected;
    for (auto& [key, versions] : by_key) {
      Sort(&versions);
      Result result = Merge(versions);
      if (result.kind < 0 || (drop_deletes && IsRetract(result.kind))) continue;
      expected.emplace(key, std::move(result));
    }
    return expected;
  }
};

ModelTable RandomTable(std::mt19937& random) {
  const auto chance = [&](uint32_t n) { return random() % n == 0; };
  ModelTable table;
  const std::vector<std::string> engines = {"partial-update", "partial-update", "aggregation", "aggregation",
                                            "deduplicate", "first-row"};
  table.engine = engines[random() % engines.size()];
  const size_t width = 2 + random() % 5;
  Options& options = table.schema.options;
  options["merge-engine"] = table.engine;
  table.schema.fields.push_back({0, "k", DataType::BigInt().WithNullable(false), {}, {}});
  table.schema.primary_keys = {"k"};
  table.functions.resize(width);
  table.groups.assign(width, -1);
  for (size_t i = 0; i < width; ++i) {
    table.schema.fields.push_back({static_cast<int32_t>(i + 1), "c" + std::to_string(i), DataType::BigInt(), {}, {}});
  }
  const bool only_last = chance(3);
  const auto choose_function = [&](size_t i) {
    const std::string name = "c" + std::to_string(i);
    table.functions[i] = only_last ? (chance(2) ? "last_value" : "last_non_null_value")
                                   : kFunctions[random() % kFunctions.size()];
    options["fields." + name + ".aggregate-function"] = table.functions[i];
    if (!Retracts(table.functions[i]) && !table.remove_on_delete) options["fields." + name + ".ignore-retract"] = "true";
  };
  table.ignore_delete = table.engine == "deduplicate" || table.engine == "first-row";
  if (table.engine == "aggregation") {
    // With this option -U would meet functions that do not take it.
    table.remove_on_delete = chance(3);
    if (table.remove_on_delete) options["aggregation.remove-record-on-delete"] = "true";
    for (size_t i = 0; i < width; ++i) choose_function(i);
  }
  if (table.engine == "partial-update") {
    if (chance(2)) {
      size_t next = 0;
      for (size_t group_count = 1 + random() % 2; group_count > 0 && next < width; --group_count) {
        const int g = static_cast<int>(table.orders.size());
        table.orders.emplace_back();
        table.removes.push_back(chance(3));
        std::vector<std::string> order, members;
        for (size_t count = 1 + random() % 2; count > 0 && next < width; --count, ++next) {
          order.push_back("c" + std::to_string(next));
          table.orders[g].push_back(static_cast<int>(next));
          table.groups[next] = g;
        }
        for (size_t count = random() % 3; count > 0 && next < width; --count, ++next) {
          members.push_back("c" + std::to_string(next));
          table.groups[next] = g;
          if (chance(2)) choose_function(next);
        }
        const auto join = [](const std::vector<std::string>& names) {
          std::string text;
          for (const auto& name : names) text += (text.empty() ? "" : ",") + name;
          return text;
        };
        options["fields." + join(order) + ".sequence-group"] = join(members);
        if (!table.removes.back()) continue;
        std::string& removing = options["partial-update.remove-record-on-sequence-group"];
        removing += (removing.empty() ? "" : ",") + order[random() % order.size()];
      }
    } else if (chance(2)) {
      table.ignore_delete = true;
    } else {
      table.remove_on_delete = true;
      options["partial-update.remove-record-on-delete"] = "true";
    }
  }
  if (table.ignore_delete) options["ignore-delete"] = "true";
  if (table.engine != "first-row" && chance(3)) {
    const int column = static_cast<int>(random() % width);
    const std::string name = "c" + std::to_string(column);
    // A sequence field is not aggregated.
    options.erase("fields." + name + ".aggregate-function");
    options.erase("fields." + name + ".ignore-retract");
    if (table.engine == "aggregation") table.functions[column] = "last_value";
    if (table.engine == "partial-update") table.functions[column].clear();
    table.user_sequence = {column};
    table.ascending = chance(2);
    options["sequence.field"] = name;
    if (!table.ascending) options["sequence.field.sort-order"] = "descending";
  }
  return table;
}

std::vector<Op> RandomOps(const ModelTable& table, std::mt19937& random, int64_t count) {
  std::vector<Op> ops;
  // Keys below have neither retracts nor NULLs: some chunks of a run may then be merged without looking at values.
  const auto whole_below = static_cast<int64_t>(20 * (random() % 3));
  for (int64_t i = 0; i < count; ++i) {
    Op op{static_cast<int64_t>(random() % 40), kInsert, i, {}};
    const bool whole = op.key < whole_below;
    if (whole && random() % 8 == 0) op.kind = kUpdateAfter;
    if (!whole && random() % 4 == 0) {
      op.kind = static_cast<int8_t>(random() % 4);
      if (table.engine == "aggregation" && table.remove_on_delete && op.kind == kUpdateBefore) op.kind = kDelete;
    }
    for (size_t c = 0; c < table.groups.size(); ++c) {
      op.cells.push_back(!whole && random() % 3 == 0 ? Cell() : Cell(static_cast<int64_t>(random() % 9)));
    }
    ops.push_back(std::move(op));
  }
  return ops;
}

std::shared_ptr<arrow::Array> Numbers(const std::vector<Cell>& cells) {
  arrow::Int64Builder builder;
  for (const Cell& cell : cells) Check(cell ? builder.Append(*cell) : builder.AppendNull());
  return Take(builder.Finish());
}

std::shared_ptr<arrow::Array> KindArray(const std::vector<Op>& ops) {
  arrow::Int8Builder builder;
  for (const Op& op : ops) Check(builder.Append(op.kind));
  return Take(builder.Finish());
}

// The table's columns.
arrow::ArrayVector Columns(const ModelTable& table, const std::vector<Op>& ops) {
  arrow::ArrayVector columns;
  std::vector<Cell> cells;
  for (const Op& op : ops) cells.emplace_back(op.key);
  columns.push_back(Numbers(cells));
  for (size_t c = 0; c < table.groups.size(); ++c) {
    cells.clear();
    for (const Op& op : ops) cells.push_back(op.cells[c]);
    columns.push_back(Numbers(cells));
  }
  return columns;
}

// `columns`: k, c0, ..., and where sequence and kind are.
std::map<int64_t, Result> Rows(const std::vector<std::shared_ptr<arrow::RecordBatch>>& batches, int first, int width,
                               int sequence, int kind) {
  std::map<int64_t, Result> rows;
  for (const auto& batch : batches) {
    EXPECT_EQ(batch->ValidateFull(), arrow::Status::OK());
    const auto cell = [&](int column, int64_t row) {
      const auto& array = static_cast<const arrow::Int64Array&>(*batch->column(column));
      return array.IsNull(row) ? Cell() : Cell(array.Value(row));
    };
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      Result result;
      for (int c = 0; c < width; ++c) result.cells.push_back(cell(first + 1 + c, i));
      result.sequence = *cell(sequence, i);
      result.kind = static_cast<const arrow::Int8Array&>(*batch->column(kind)).Value(i);
      EXPECT_TRUE(rows.emplace(*cell(first, i), std::move(result)).second) << "a key came twice";
    }
  }
  return rows;
}

TEST(MergeEngines, RandomRunsAgreeWithAModelThatFollowsRows) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    const ModelTable table = RandomTable(random);
    const auto ops = RandomOps(table, random, 1 + static_cast<int64_t>(random() % 200));
    const bool drop_deletes = random() % 2 == 0;
    const MergeOptions options = MergeOptionsOf(table.schema);
    std::vector<DataField> wanted = table.schema.fields;
    wanted.push_back(SequenceNumberField());
    wanted.push_back(ValueKindField());
    const auto input = MergeInput(table.schema, options, wanted);
    ASSERT_EQ(input.size(), wanted.size() + 1);
    std::vector<std::map<int64_t, Op>> contents(2 + random() % 6);
    std::vector<Op> used;
    // A key occurs once in a run: only what finds a place is there.
    for (const Op& op : ops) contents[random() % contents.size()].emplace(op.key, op);
    std::vector<std::unique_ptr<BatchReader>> runs;
    for (const auto& content : contents) {
      std::vector<Op> rows;
      for (const auto& [key, op] : content) rows.push_back(op);
      used.insert(used.end(), rows.begin(), rows.end());
      arrow::ArrayVector columns = Columns(table, rows);
      columns.insert(columns.begin(), columns[0]);
      std::vector<Cell> sequences;
      for (const Op& op : rows) sequences.emplace_back(op.sequence);
      columns.push_back(Numbers(sequences));
      columns.push_back(KindArray(rows));
      const auto batch = arrow::RecordBatch::Make(ToArrowSchema(input), static_cast<int64_t>(rows.size()), columns);
      std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
      for (int64_t i = 0; i < batch->num_rows(); i += 7) parts.push_back(batch->Slice(i, 7));
      runs.push_back(std::make_unique<BatchList>(std::move(parts)));
    }
    MergeSpec spec = MakeMergeSpec(table.schema, options, input, wanted.size());
    spec.drop_deletes = drop_deletes;
    spec.batch_rows = 1 + static_cast<int64_t>(random() % 20);
    std::vector<std::shared_ptr<arrow::RecordBatch>> out;
    const auto reader = MergeRuns(std::move(runs), std::move(spec));
    while (auto batch = reader->Next()) out.push_back(std::move(batch));
    const int width = static_cast<int>(table.groups.size());
    const auto got = Rows(out, 0, width, width + 1, width + 2);
    const auto expected = table.Expected(used, drop_deletes);
    ASSERT_EQ(got, expected) << "round " << round << " engine " << table.engine << "\ngot\n"
                             << Text(got) << "expected\n"
                             << Text(expected);
  }
}

TEST(MergeEngines, TheWriteBufferMergesAsTheModelDoes) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const ModelTable table = RandomTable(random);
    const auto ops = RandomOps(table, random, 1 + static_cast<int64_t>(random() % 300));
    const MergeOptions options = MergeOptionsOf(table.schema);
    std::vector<DataField> fields = table.schema.fields;
    SortBufferSpec spec{.schema = ToArrowSchema(fields), .key_columns = {0}, .key_types = {DataType::BigInt()}};
    for (const int column : table.user_sequence) {
      spec.user_sequence_columns.push_back(column + 1);
      spec.user_sequence_types.push_back(DataType::BigInt());
    }
    spec.user_sequence_ascending = options.sequence_ascending;
    fields.push_back(SequenceNumberField());
    fields.push_back(ValueKindField());
    if (!options.newest_row_wins()) spec.rules = MakeMergeRules(options, table.schema, fields);
    spec.thin = true;
    spec.batch_rows = 1 + static_cast<int64_t>(random() % 30);
    SortBuffer buffer(spec);
    for (size_t start = 0; start < ops.size();) {
      const size_t end = std::min(ops.size(), start + 1 + random() % 50);
      const std::vector<Op> part(ops.begin() + static_cast<std::ptrdiff_t>(start),
                                 ops.begin() + static_cast<std::ptrdiff_t>(end));
      buffer.Add(*arrow::RecordBatch::Make(spec.schema, static_cast<int64_t>(part.size()), Columns(table, part)),
                 KindArray(part).get());
      start = end;
    }
    std::vector<std::shared_ptr<arrow::RecordBatch>> out;
    buffer.Flush([&](const std::shared_ptr<arrow::RecordBatch>& batch) { out.push_back(batch); });
    const auto got = Rows(out, 2, static_cast<int>(table.groups.size()), 0, 1);
    const auto expected = table.Expected(ops, /*drop_deletes=*/false);
    ASSERT_EQ(got, expected) << "round " << round << " engine " << table.engine << "\ngot\n"
                             << Text(got) << "expected\n"
                             << Text(expected);
  }
}

}  // namespace
}  // namespace mica
