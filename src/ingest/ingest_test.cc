// Streams of records into tables: values, kinds, when commits happen, and runs that go on where others ended.
#include "ingest/ingest.h"

#include <deque>

#include "base/expect_error.h"
#include "catalog/scratch_table.h"
#include "ingest/json_text.h"
#include "ingest/record_splitter.h"
#include "ingest/row_maker.h"

namespace mica {
namespace {

using T = DataType;

// Gives prepared pieces; the clock moves with each.
class Pieces final : public InputSource {
 public:
  struct Piece {
    std::string bytes;
    int64_t millis = 0;  // that pass before it is there
  };
  explicit Pieces(std::deque<Piece> pieces) : pieces_(std::move(pieces)) {}
  Clock clock() {
    return [this] { return now_; };
  }

  Got Read(std::string* bytes, std::optional<int64_t> timeout_millis) override {
    if (pieces_.empty()) return Got::kEnd;
    Piece& piece = pieces_.front();
    if (timeout_millis && *timeout_millis < piece.millis) {
      now_ += *timeout_millis;
      piece.millis -= *timeout_millis;
      return Got::kNothing;
    }
    now_ += piece.millis;
    *bytes += piece.bytes;
    pieces_.pop_front();
    return Got::kBytes;
  }

 private:
  std::deque<Piece> pieces_;
  int64_t now_ = 1'700'000'000'000;
};

IngestReport IngestPieces(const TablePtr& table, std::deque<Pieces::Piece> pieces, const IngestRequest& request) {
  Pieces source(std::move(pieces));
  CommitSettings settings;
  settings.clock = source.clock();
  settings.sleeper = [](int64_t) {};
  return Ingest(table, source, request, settings);
}

TablePtr Orders(ScratchCatalog& scratch) {
  return scratch.Create({Column("id", T::BigInt()), Column("what", T::String()), Column("price", T::Decimal(20, 2))}, {}, {"id"},
                        {{"bucket", "1"}});
}

TEST(JsonText, KeepsDigitsAndDecodesEscapes) {
  JsonTextParser parser;
  const JsonText json = parser.Parse(R"( {"a": [1.10, -2e5, null], "b\n": "x\u00e4\ud83d\ude00\"", "c": {"d": true}} )");
  ASSERT_EQ(json.kind, JsonText::Kind::kObject);
  EXPECT_EQ(json.Find("a")->items[0].text, "1.10");
  EXPECT_EQ(json.Find("b\n")->text, "x\xc3\xa4\xf0\x9f\x98\x80\"");
  EXPECT_EQ(json.Find("c")->Find("d")->text, "true");
  for (const char* bad : {"", "{", "[1,]", "{\"a\":1,}", "nul", "\"a", "1 2", "{\"a\":1,\"a\":2}", "\"\\ud800\"", "\"\\u12\"", "'a'"}) {
    EXPECT_THROW(parser.Parse(bad), Error) << bad;
  }
  EXPECT_THROW(parser.Parse(std::string(1000, '[')), Error);
}

TEST(RecordSplitter, CutsAtLinesAndLeavesQuotesWhole) {
  RecordSplitter splitter(/*quotes=*/true);
  std::string all;
  std::string_view record;
  for (const char c : std::string("a,b\r\n\"c\nd\",e\nlast")) {
    splitter.Add(std::string(1, c));
    while (splitter.Next(&record)) all += fmt::format("[{}@{}]", record, splitter.line());
  }
  splitter.AddEnd();
  while (splitter.Next(&record)) all += fmt::format("[{}@{}]", record, splitter.line());
  EXPECT_EQ(all, "[a,b@1][\"c\nd\",e@2][last@4]");
}

TEST(Ingest, JsonRowsWithDefaultsAndNestedValues) {
  ScratchCatalog scratch;
  DataField state = Column("state", T::String());
  state.default_value = "new";
  std::vector<DataField> inner = {Column("x", T::Int()), Column("y", T::String())};
  TablePtr table = scratch.Create({Column("id", T::BigInt()), state, Column("at", T::Timestamp(3)),
                                   Column("tags", T::Array(T::String())), Column("place", T::Row(inner)),
                                   Column("counts", T::Map(T::String(), T::Int()))},
                                  {}, {}, {});
  const IngestReport report = IngestPieces(
      table,
      {{R"({"id": 9007199254740993, "at": "2024-01-02 03:04:05.678", "tags": ["a", null], "place": {"x": 1}, "counts": {"k": 2}})"
        "\n\n"},
       {R"({"state": null, "id": "7"})"}},
      {});
  EXPECT_EQ(report.rows, 2);
  EXPECT_EQ(report.commits, 1);
  const auto rows = Scan(*table, nullptr, {"id", "state", "at"}).rows;
  EXPECT_EQ(rows, (std::vector<std::string>{"7|NULL|NULL", "9007199254740993|new|2024-01-02 03:04:05.678"}));
}

TEST(Ingest, KindsOfRowsAndCsv) {
  ScratchCatalog scratch;
  TablePtr table = Orders(scratch);
  IngestRequest request;
  request.format = IngestRequest::Format::kCsv;
  request.kind_field = "op";
  IngestPieces(table, {{"op,price,id\n+I,1.50,1\n+I,,2\n-D,,1\n"}, {"+U,\"12345678901234567.89\",2\n"}}, request);
  EXPECT_EQ(Scan(*table).rows, std::vector<std::string>{"2|NULL|12345678901234567.89"});
  EXPECT_ERROR(IngestPieces(table, {{"op,id\n?,1\n"}}, request), InvalidArgument, "'?' is no kind of row");
  EXPECT_ERROR(IngestPieces(table, {{"op,idd\n"}}, request), InvalidArgument, "no column 'idd'");
  EXPECT_ERROR(IngestPieces(table, {{"op,id\n+I,1,2\n"}}, request), InvalidArgument, "has 3 fields");
}

TEST(Ingest, CommitsByRowsAndByTime) {
  ScratchCatalog scratch;
  TablePtr table = Orders(scratch);
  IngestRequest request;
  request.commit_rows = 3;
  request.commit_millis = 1000;
  const auto row = [](int id) { return fmt::format("{{\"id\": {}}}\n", id); };
  const IngestReport report =
      IngestPieces(table, {{row(1) + row(2) + row(3) + row(4)}, {row(5), 5000}, {row(6), 500}, {row(7), 499}, {"", 2}}, request);
  // 1 to 3 by rows, 4 when its second was over, then 5 to 7 by rows again.
  EXPECT_EQ(report.commits, 3);
  EXPECT_EQ(report.rows, 7);
  EXPECT_EQ(Scan(*table).rows.size(), 7u);
}

TEST(Ingest, AFailedLineCommitsNothingOfItsPart) {
  auto fs = std::make_shared<MemoryFileSystem>();
  ScratchCatalog scratch(fs);
  TablePtr table = Orders(scratch);
  IngestRequest request;
  request.commit_rows = 2;
  EXPECT_ERROR(IngestPieces(table, {{"{\"id\": 1}\n{\"id\": 2}\n{\"id\": 3}\n{\"id\": \"x\"}\n"}}, request), InvalidArgument, "line 4");
  EXPECT_EQ(Scan(*table).rows.size(), 2u);
  int files = 0;
  for (const auto& [name, content] : fs->Files()) files += name.find("/bucket-") != std::string::npos ? 1 : 0;
  EXPECT_EQ(files, 1);
}

TEST(Ingest, ARepeatedRunGoesOnWhereTheOtherEnded) {
  ScratchCatalog scratch;
  TablePtr table = scratch.Create({Column("id", T::BigInt())}, {}, {}, {});
  IngestRequest request;
  request.user = "loader";
  request.commit_rows = 2;
  std::string lines;
  for (int i = 1; i <= 5; ++i) lines += fmt::format("{{\"id\": {}}}\n", i);
  EXPECT_THROW(IngestPieces(table, {{lines + "broken\n"}}, request), Error);
  EXPECT_EQ(Scan(*table).rows.size(), 4u);
  const IngestReport report = IngestPieces(table, {{lines}}, request);
  EXPECT_EQ(report.records_skipped, 4);
  EXPECT_EQ(report.rows, 1);
  EXPECT_EQ(Scan(*table).rows, (std::vector<std::string>{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(IngestPieces(table, {{lines}}, request).rows, 0);
  EXPECT_EQ(Scan(*table).rows.size(), 5u);
}

// A commit whose identifier its user has committed already is no commit.
TEST(Commit, OfAnIdentifierThatIsThereDoesNothing) {
  ScratchCatalog scratch;
  TablePtr table = Orders(scratch);
  CommitSettings settings;
  settings.commit_user = "job";
  settings.identifier = 7;
  auto messages = WriteRows(table, {{Number(1), Text("a"), Value{}}});
  EXPECT_EQ(TableCommit(table, settings).Commit(messages).snapshot_ids.size(), 1u);
  EXPECT_TRUE(TableCommit(table, settings).Commit(messages).snapshot_ids.empty());
  settings.identifier = 6;
  EXPECT_TRUE(TableCommit(table, settings).Commit(WriteRows(table, {{Number(2), Text("b"), Value{}}})).snapshot_ids.empty());
  settings.identifier = 8;
  EXPECT_EQ(TableCommit(table, settings).Commit(WriteRows(table, {{Number(3), Text("c"), Value{}}})).snapshot_ids.size(), 1u);
  settings.commit_user = "other";
  settings.identifier = 1;
  EXPECT_EQ(TableCommit(table, settings).Commit(WriteRows(table, {{Number(4), Text("d"), Value{}}})).snapshot_ids.size(), 1u);
  EXPECT_EQ(Scan(*table).rows.size(), 3u);
}

}  // namespace
}  // namespace mica
