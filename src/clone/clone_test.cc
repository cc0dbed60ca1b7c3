// Every call to the storage fails once, in each of its ways: the source stays as it is, the target reads as before or as it
// is to read, and a rerun ends the work without copying again what is there.
#include "base/expect_error.h"
#include "catalog/scratch_table.h"
#include "clone/clone_job.h"
#include "io/counting_file_system.h"
#include "io/faulty_file_system.h"

namespace mica {
namespace {

using T = DataType;

const TableName kSource{"default", "t"}, kTarget{"copies", "t"};

Row Make(int64_t id, std::string name) { return {id, std::move(name), id % 2}; }

std::shared_ptr<MemoryFileSystem> NewSource(std::vector<std::string> keys, Options options) {
  auto fs = std::make_shared<MemoryFileSystem>();
  ScratchCatalog scratch(fs);
  TablePtr table = scratch.Create({Column("id", T::Int()), Column("name", T::String()), Column("day", T::Int())}, {"day"},
                                  std::move(keys), std::move(options));
  Insert(table, {Make(1, "a"), Make(2, "b"), Make(3, "c")});
  Insert(table, {Make(2, "B"), Make(4, "d")});
  return fs;
}

CloneRequest RequestFor(const FileSystemPtr& source, const FileSystemPtr& target) {
  CloneRequest request;
  request.source = std::make_shared<FileSystemCatalog>(source, "/warehouse", Options{});
  request.target = std::make_shared<FileSystemCatalog>(target, "/other", Options{});
  request.database = kSource.database;
  request.table = kSource.table;
  request.target_database = kTarget.database;
  request.target_table = kTarget.table;
  return request;
}

void Clone(const FileSystemPtr& source, const FileSystemPtr& target, std::vector<std::string>* notes = nullptr,
           Options conf = {}) {
  CloneRequest request = RequestFor(source, target);
  request.wishes.options = std::move(conf);
  if (notes != nullptr) request.note = [notes](const std::string& line) { notes->push_back(line); };
  CloneTables(request);
}

// What a fresh reader sees; "none" without a table.
std::vector<std::string> State(const FileSystemPtr& fs, const std::string& warehouse, const TableName& name) {
  FileSystemCatalog catalog(fs, warehouse, Options{});
  if (!catalog.TableExists(name)) return {"none"};
  return Scan(*catalog.GetTable(name)).rows;
}

struct Kind {
  const char* name;
  std::vector<std::string> keys;
  Options options, conf;
};

std::vector<Kind> Kinds() {
  return {{"append", {}, {}, {}},
          {"primary key", {"id", "day"}, {{"bucket", "2"}}, {}},
          {"dynamic buckets", {"id", "day"}, {{"bucket", "-1"}}, {}},
          {"rows", {"id", "day"}, {{"bucket", "2"}}, {{"bucket", "1"}}}};
}

TEST(Clone, AnyFaultLeavesTheOldStateOrTheNewOne) {
  for (const Kind& kind : Kinds()) {
    auto source = NewSource(kind.keys, kind.options);
    const auto source_files = source->Files();
    const auto rows = State(source, "/warehouse", kSource);
    for (bool fault_in_source : {false, true}) {
      for (const char* way : {"fail", "fail-after", "fail-partial", "fail-lasting", "unknown-after"}) {
        bool passed = false;
        for (int at = 0; !passed; ++at) {
          ASSERT_LT(at, 2000);
          SCOPED_TRACE(fmt::format("{}: {}:{} in the {}", kind.name, way, at, fault_in_source ? "source" : "target"));
          auto target = std::make_shared<MemoryFileSystem>();
          auto faulty = std::make_shared<FaultyFileSystem>(fault_in_source ? source : target,
                                                           Fault::Parse(fmt::format("{}:{}", way, at)));
          try {
            FileSystemPtr from = source, to = target;
            (fault_in_source ? from : to) = faulty;
            Clone(from, to, nullptr, kind.conf);
            passed = faulty->calls() <= at;
            ASSERT_EQ(State(target, "/other", kTarget), rows);
          } catch (const Error& error) {
            ASSERT_TRUE(error.kind() == ErrorKind::kOutcomeUnknown || error.kind() == ErrorKind::kIoError) << error.what();
            const auto state = State(target, "/other", kTarget);
            ASSERT_TRUE(state.empty() || state == std::vector<std::string>{"none"} || state == rows);
          }
          ASSERT_EQ(source->Files(), source_files);
          Clone(source, target, nullptr, kind.conf);
          ASSERT_EQ(State(target, "/other", kTarget), rows);
        }
      }
    }
  }
}

TEST(Clone, ARerunAfterAFaultCopiesOnlyWhatIsMissing) {
  auto source = NewSource({}, {});
  auto target = std::make_shared<MemoryFileSystem>();
  // The last write is that of the snapshot hint; the one before it publishes.
  auto counting = std::make_shared<FaultyFileSystem>(std::make_shared<MemoryFileSystem>(), Fault::Parse("none:0"));
  Clone(source, counting);
  auto faulty = std::make_shared<FaultyFileSystem>(target, Fault::Parse(fmt::format("fail:{}", counting->calls() - 4)));
  EXPECT_THROW(Clone(source, faulty), Error);
  ASSERT_TRUE(State(target, "/other", kTarget).empty());
  std::vector<std::string> notes;
  Clone(source, target, &notes);
  ASSERT_EQ(notes.size(), 1);
  EXPECT_EQ(notes[0], "copies.t: has 3 files: 0 copied (0.0 MB), 3 there already");
  EXPECT_EQ(State(target, "/other", kTarget), State(source, "/warehouse", kSource));
}

TEST(Clone, ARerunOverARightTargetReadsNoDataFile) {
  auto source = std::make_shared<CountingFileSystem>(NewSource({"id", "day"}, {{"bucket", "2"}}));
  auto target = std::make_shared<MemoryFileSystem>();
  Clone(source, target);
  source->Reset();
  const auto files = target->Files();
  Clone(source, target);
  EXPECT_EQ(source->Counts("*/bucket-*").opens, 0);
  EXPECT_EQ(target->Files(), files);
}

TEST(Clone, AHalfWrittenFileOfAnotherRunIsNotTaken) {
  auto source = NewSource({}, {});
  auto target = std::make_shared<MemoryFileSystem>();
  Clone(source, target);
  // As if the run had ended before the commit, with one file cut short.
  auto files = target->Files();
  bool cut = false;
  for (const auto& [path, content] : files) {
    if (path.find("/snapshot/") != std::string::npos) target->DeleteFile(path);
    if (path.find("/bucket-") == std::string::npos || cut) continue;
    target->DeleteFile(path);
    target->ReplaceAtomically(path, content.substr(0, content.size() / 2));
    cut = true;
  }
  ASSERT_TRUE(cut);
  std::vector<std::string> notes;
  Clone(source, target, &notes);
  EXPECT_EQ(notes.back(), "copies.t: has 3 files: 1 copied (0.0 MB), 2 there already");
  EXPECT_EQ(State(target, "/other", kTarget), State(source, "/warehouse", kSource));
}

TEST(Clone, OneOfTwoRunsAtOnceIsAConflict) {
  auto source = NewSource({}, {});
  auto target = std::make_shared<MemoryFileSystem>();
  CloneRequest request = RequestFor(source, target);
  bool first = true;
  // The other run begins and ends while this one copies.
  request.progress = [&](const std::string&) {
    if (std::exchange(first, false)) CloneTables(RequestFor(source, target));
  };
  EXPECT_ERROR(CloneTables(request), Conflict, "another run did so meanwhile");
  EXPECT_EQ(State(target, "/other", kTarget), State(source, "/warehouse", kSource));
  const auto files = target->Files();
  CloneTables(RequestFor(source, target));
  EXPECT_EQ(target->Files(), files);
}

}  // namespace
}  // namespace mica
