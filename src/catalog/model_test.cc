// Random statements on random tables, against a model in memory.
#include <random>

#include "catalog/random_tables.h"
#include "catalog/scratch_table.h"

namespace mica {
namespace {

using T = DataType;
using P = Predicate;

TableName Name() { return {"default", "t"}; }

class Model {
 public:
  explicit Model(uint32_t seed) : random_(seed) {
    fields_ = {Column("id", T::Int()), Column("day", T::Int()), Column("c0", T::String()), Column("c1", T::Int())};
    partitioned_ = OneIn(2);
    keyed_ = !OneIn(3);
    Options options;
    switch (Below(3)) {
      case 0: options["bucket"] = "-1"; break;
      case 1: options["bucket"] = "1"; break;
      default: options["bucket"] = "3";
    }
    if (!keyed_ && options["bucket"] != "-1") options["bucket-key"] = "id";
    if (keyed_) options["dynamic-bucket.target-row-num"] = "7";
    const char* formats[] = {"parquet", "orc", "avro"};
    options["file.format"] = formats[Below(3)];
    if (OneIn(2)) options["manifest.merge-min-count"] = "2";
    if (OneIn(3)) options["target-file-row-num"] = "5";
    if (OneIn(3)) options["source.split.target-size"] = "1 b";
    if (keyed_ && OneIn(4)) options["data-file.thin-mode"] = "true";
    std::vector<std::string> keys;
    if (keyed_) keys = partitioned_ ? std::vector<std::string>{"id", "day"} : std::vector<std::string>{"id"};
    scratch_.Create(fields_, partitioned_ ? std::vector<std::string>{"day"} : std::vector<std::string>{}, keys, options);
    for (const auto& [key, value] : options) description_ += key + "=" + value + " ";
    if (keyed_) description_ += "keyed ";
    if (partitioned_) description_ += "partitioned";
    fields_ = scratch_.Get()->schema().fields;
  }

  std::string description() const { return description_ + log_; }

  void Step() {
    switch (Below(12)) {
      case 0: return Overwrite();
      case 1: return Alter();
      case 2:
        if (OneIn(3)) {
          log_ += " truncate";
          TableCommit(scratch_.Get(), {}).Truncate();
          rows_.clear();
        }
        return;
      case 3: return DropPartition();
      default: return Write();
    }
  }

  void Compare() {
    TablePtr table = scratch_.Get();
    ASSERT_EQ(Scan(*table).rows, RowTexts(rows_, fields_)) << description_ << log_;
    PredicatePtr predicate = RandomPredicate();
    Rows matching;
    for (const Row& row : rows_) {
      bool matches = Matches(*predicate, [&](const std::string& name) {
        return row[static_cast<size_t>(FindField(fields_, name))];
      });
      if (matches) matching.push_back(row);
    }
    ASSERT_EQ(Scan(*table, predicate).rows, RowTexts(matching, fields_)) << predicate->ToString() << ' ' << description_ << log_;
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  Value RandomValue(const DataField& field) {
    if (field.name == "id") return static_cast<int64_t>(Below(40));
    if (field.name == "day") return static_cast<int64_t>(Below(3));
    if (OneIn(4)) return Value{};
    if (field.type.IsString()) return fmt::format("t{}", Below(20));
    return static_cast<int64_t>(Below(30));
  }

  Rows RandomRows(uint64_t most) {
    Rows rows;
    for (uint64_t n = Below(most) + 1; n > 0; --n) {
      Row& row = rows.emplace_back();
      for (const DataField& field : fields_) row.push_back(RandomValue(field));
    }
    return rows;
  }

  Row KeyOf(const Row& row) const {
    Row key{row[static_cast<size_t>(FindField(fields_, "id"))]};
    if (partitioned_) key.push_back(row[static_cast<size_t>(FindField(fields_, "day"))]);
    return key;
  }

  void Put(const Row& row, int8_t kind) {
    if (keyed_) {
      std::erase_if(rows_, [&](const Row& old) { return KeyOf(old) == KeyOf(row); });
    }
    if (kind == 0) rows_.push_back(row);
  }

  void Write() {
    TablePtr table = scratch_.Get();
    WriteSettings settings;
    if (OneIn(3)) settings.memory_bytes = 1;  // spills
    auto write = TableWrite::Create(table, settings);
    for (uint64_t batches = Below(3) + 1; batches > 0; --batches) {
      Rows rows = RandomRows(25);
      std::vector<int8_t> kinds(rows.size(), 0);
      if (keyed_) {
        for (int8_t& kind : kinds) kind = OneIn(4) ? 3 : 0;
      }
      for (size_t i = 0; i < rows.size(); ++i) Put(rows[i], kinds[i]);
      write->Write(ToBatch(fields_, rows, keyed_ ? kinds : std::vector<int8_t>{}));
      log_ += fmt::format(" write({})", rows.size());
    }
    CommitRows(table, write->PrepareCommit());
  }

  void Overwrite() {
    OverwriteScope scope;
    Rows rows = OneIn(4) ? Rows{} : RandomRows(10);
    size_t day = static_cast<size_t>(FindField(fields_, "day"));
    log_ += fmt::format(" overwrite({})", rows.size());
    if (partitioned_ && OneIn(2)) {
      scope.dynamic = true;
      std::erase_if(rows_, [&](const Row& old) {
        return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row[day] == old[day]; });
      });
    } else if (partitioned_ && OneIn(2)) {
      Value wanted = static_cast<int64_t>(Below(3));
      scope.partition["day"] = wanted;
      for (Row& row : rows) row[day] = wanted;
      std::erase_if(rows_, [&](const Row& old) { return old[day] == wanted; });
    } else {
      rows_.clear();
    }
    Replace(scratch_.Get(), scope, rows);
    for (const Row& row : rows) Put(row, 0);
  }

  void DropPartition() {
    if (!partitioned_) return;
    Value wanted = static_cast<int64_t>(Below(4));
    log_ += " drop partition";
    TableCommit(scratch_.Get(), {}).DropPartitions({{{"day", wanted}}});
    size_t day = static_cast<size_t>(FindField(fields_, "day"));
    std::erase_if(rows_, [&](const Row& old) { return old[day] == wanted; });
  }

  void Alter() {
    std::vector<std::string> changeable;
    for (const DataField& field : fields_) {
      if (field.name != "id" && field.name != "day") changeable.push_back(field.name);
    }
    std::string name = changeable.empty() ? "" : changeable[Below(changeable.size())];
    size_t at = changeable.empty() ? 0 : static_cast<size_t>(FindField(fields_, name));
    switch (changeable.empty() ? 0 : Below(4)) {
      case 0: {
        std::string added = fmt::format("c{}", Below(4));
        if (FindField(fields_, added) >= 0) return;
        log_ += " add " + added;
        scratch_.catalog.AlterTable(Name(), {AddColumn{{added}, OneIn(2) ? T::String() : T::Int(), {}, {}}});
        for (Row& row : rows_) row.emplace_back();
        break;
      }
      case 1: {
        std::string renamed = fmt::format("c{}", Below(4));
        if (FindField(fields_, renamed) >= 0) return;
        log_ += " rename " + name + " to " + renamed;
        scratch_.catalog.AlterTable(Name(), {RenameColumn{{name}, renamed}});
        break;
      }
      case 2: {
        log_ += " drop " + name;
        scratch_.catalog.AlterTable(Name(), {DropColumn{{name}}});
        for (Row& row : rows_) row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      }
      default: {
        if (OneIn(2)) {
          if (fields_[at].type.IsString()) return;
          log_ += " widen " + name;
          scratch_.catalog.AlterTable(Name(), {UpdateColumnType{{name}, T::BigInt()}});
        } else {
          log_ += " first " + name;
          scratch_.catalog.AlterTable(Name(), {MoveColumn{name, {ColumnMove::Kind::kFirst, ""}}});
          for (Row& row : rows_) std::rotate(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(at),
                                             row.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
      }
    }
    fields_ = scratch_.Get()->schema().fields;
  }

  PredicatePtr RandomPredicate() {
    auto leaf = [&]() -> PredicatePtr {
      const DataField& field = fields_[Below(fields_.size())];
      Value literal = RandomValue(field);
      if (IsNull(literal)) return OneIn(2) ? P::IsNull(field.name, field.type) : P::IsNotNull(field.name, field.type);
      constexpr PredicateOp kOps[] = {PredicateOp::kEqual, PredicateOp::kNotEqual, PredicateOp::kLess,
                                      PredicateOp::kLessOrEqual, PredicateOp::kGreater, PredicateOp::kGreaterOrEqual};
      if (OneIn(4)) return P::In(field.name, field.type, {literal, RandomValue(field)});
      return P::Compare(kOps[Below(6)], field.name, field.type, literal);
    };
    switch (Below(4)) {
      case 0: return P::And({leaf(), leaf()});
      case 1: return P::Or({leaf(), leaf()});
      case 2: return P::Not(P::Or({leaf(), P::And({leaf(), leaf()})}));
      default: return leaf();
    }
  }

  std::mt19937_64 random_;
  ScratchCatalog scratch_;
  std::vector<DataField> fields_;
  Rows rows_;
  bool keyed_ = false;
  bool partitioned_ = false;
  std::string description_, log_;
};

TEST(Model, RandomTables) { RunRandomTables<Model>(/*steps=*/25, /*seconds=*/15); }

}  // namespace
}  // namespace mica
