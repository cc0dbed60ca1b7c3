// Every call to the storage fails once, in each of its ways: afterwards a fresh reader sees the old state or the new one.
#include "catalog/scratch_table.h"
#include "compaction/compact.h"
#include "io/faulty_file_system.h"

namespace mica {
namespace {

using T = DataType;

std::vector<DataField> Fields() {
  return {Column("id", T::Int()), Column("name", T::String()), Column("day", T::Int())};
}

Row Make(int64_t id, std::string name) { return {id, std::move(name), id % 2}; }

using Step = std::function<void(ScratchCatalog&)>;
// What a fresh reader sees; "none" without a table.
std::vector<std::string> State(const FileSystemPtr& fs) {
  ScratchCatalog scratch(fs);
  if (!scratch.catalog.TableExists({"default", "t"})) return {"none"};
  return Scan(*scratch.Get()).rows;
}

std::vector<std::string> Names(const std::map<std::string, std::string>& files) {
  std::vector<std::string> names;
  for (const auto& [name, content] : files) names.push_back(name);
  return names;
}

struct Operation {
  const char* name;
  Step before, run;
  bool repeatable;  // running it twice gives the same as once
  // A schema is published by one call; an error after it does not undo it.
  bool changes_schema = false;
};

CommitSettings Quickly() {
  CommitSettings settings;
  settings.sleeper = [](int64_t) {};
  return settings;
}

void CommitQuickly(const TablePtr& table, const Rows& rows) { CommitRows(table, WriteRows(table, rows), Quickly()); }

// Rows and the compaction that follows them.
void Upsert(const TablePtr& table, const Rows& rows) {
  auto messages = WriteRows(table, rows);
  try {
    CommitWritten(table, std::nullopt, Quickly(), &messages);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOutcomeUnknown) AbortMessages(*table, messages);
    throw;
  }
}

std::vector<Operation> Operations() {
  Options keyed{{"bucket", "2"}};
  auto create = [](std::vector<std::string> partitions, std::vector<std::string> keys, Options options) {
    return [=](ScratchCatalog& scratch) {
      TablePtr table = scratch.Create(Fields(), partitions, keys, options);
      CommitQuickly(table, {Make(1, "a"), Make(2, "b")});
      CommitQuickly(table, {Make(3, "c")});
    };
  };
  auto insert = [](ScratchCatalog& scratch) { CommitQuickly(scratch.Get(), {Make(2, "new"), Make(4, "new")}); };
  auto replace = [](ScratchCatalog& scratch) { Replace(scratch.Get(), {}, {Make(2, "only"), Make(9, "only")}); };
  auto upsert = [](ScratchCatalog& scratch) { Upsert(scratch.Get(), {Make(2, "new"), Make(4, "new")}); };
  auto compact = [](ScratchCatalog& scratch) { CompactTable(scratch.Get(), {}, Quickly()); };
  Options trigger{{"bucket", "1"}, {"num-sorted-run.compaction-trigger", "2"}};
  auto with = [](Options options, const Options& more) {
    options.insert(more.begin(), more.end());
    return options;
  };
  auto create_compacted = [](Options options) {
    return [=](ScratchCatalog& scratch) {
      TablePtr table = scratch.Create(Fields(), {}, {"id"}, options);
      Upsert(table, {Make(1, "a"), Make(2, "b")});
      Upsert(table, {Make(3, "c")});
    };
  };
  auto alter = [](ScratchCatalog& scratch) {
    TablePtr table = scratch.Get();
    if (FindField(table->schema().fields, "extra") < 0) {
      scratch.catalog.AlterTable({"default", "t"}, {AddColumn{{"extra"}, T::Int(), {}, {}}});
    }
  };
  return {{"create", [](ScratchCatalog&) {},
           [](ScratchCatalog& scratch) { scratch.catalog.CreateTable({"default", "t"}, {Fields(), {}, {}, {}, {}}, true); },
           true, true},
          {"append", create({"day"}, {}, {}), insert, false},
          {"upsert", create({}, {"id"}, keyed), insert, true},
          {"upsert, dynamic buckets", create({}, {"id"}, {{"bucket", "-1"}}), insert, true},
          {"merged manifests", create({}, {"id"}, {{"bucket", "1"}, {"manifest.merge-min-count", "2"}}), insert, true},
          {"overwrite", create({"day"}, {}, {}), replace, true},
          {"overwrite, dynamic buckets", create({}, {"id"}, {{"bucket", "-1"}}), replace, true},
          {"truncate", create({}, {"id"}, keyed), [](ScratchCatalog& s) { TableCommit(s.Get(), {}).Truncate(); }, true},
          {"upsert and compact", create({}, {"id"}, trigger), upsert, true},
          {"upsert, marks deleted rows", create_compacted(with(trigger, {{"deletion-vectors.enabled", "true"}})), upsert, true},
          {"upsert with changelog", create_compacted(with(trigger, {{"changelog-producer", "lookup"}})), upsert, true},
          {"upsert with its input as changelog", create({}, {"id"}, with(keyed, {{"changelog-producer", "input"}})), upsert, true},
          {"compact", create({}, {"id"}, keyed), compact, true},
          {"compact an append table", create({}, {}, {{"compaction.min.file-num", "2"}}), compact, true},
          {"alter", create({}, {"id"}, keyed), alter, true, true}};
}

TEST(Faults, OldStateOrNewState) {
  for (const Operation& operation : Operations()) {
    auto prepared = [&] {
      auto fs = std::make_shared<MemoryFileSystem>();
      ScratchCatalog scratch(fs);
      operation.before(scratch);
      return fs;
    };
    auto clean = prepared();
    auto old_state = State(clean);
    {
      ScratchCatalog scratch(clean);
      operation.run(scratch);
    }
    auto new_state = State(clean);
    std::vector<const char*> ways = {"fail", "fail-after", "unknown-after"};
    if (!operation.repeatable) ways.insert(ways.end(), {"fail-partial", "unknown", "unknown-partial", "fail-lasting"});
    for (const char* way : ways) {
      bool passed = false;
      for (int at = 0; !passed; ++at) {
        ASSERT_LT(at, 2000);
        SCOPED_TRACE(fmt::format("{}: {}:{}", operation.name, way, at));
        auto fs = prepared();
        auto faulty = std::make_shared<FaultyFileSystem>(fs, Fault::Parse(fmt::format("{}:{}", way, at)));
        bool failed = false, unknown = false;
        auto files = fs->Files();
        try {
          ScratchCatalog scratch(faulty);
          operation.run(scratch);
          passed = faulty->calls() <= at;
        } catch (const Error& error) {
          failed = true;
          unknown = error.kind() == ErrorKind::kOutcomeUnknown;
          ASSERT_TRUE(unknown || error.kind() == ErrorKind::kIoError) << error.what();
        }
        auto state = State(fs);
        if (!failed) {
          ASSERT_EQ(state, new_state);
        } else if (unknown || operation.changes_schema) {
          ASSERT_TRUE(state == old_state || state == new_state);
        } else {
          ASSERT_EQ(state, old_state);
          // The one fault is over when the clean-up begins.
          if (way == std::string_view("fail")) {
            ASSERT_EQ(Names(fs->Files()), Names(files));
          }
        }
        // Again, on a healthy storage.
        ScratchCatalog scratch(fs);
        operation.run(scratch);
        if (operation.repeatable || state == old_state) {
          ASSERT_EQ(State(fs), new_state);
        }
      }
    }
  }
}

}  // namespace
}  // namespace mica
