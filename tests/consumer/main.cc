// A program that has only the installed headers and libmica.so: it creates a table, writes and commits rows, plans and
// reads them with a filter and a projection, and meets errors. Plans and messages go through their bytes on the way.
#include <mica/catalog.h>
#include <mica/error.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

namespace api = mica::api;

namespace {

void Expect(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "consumer: not so: " << what << "\n";
  std::exit(1);
}

// A batch with the columns id (int64), name (utf8) and day (int32), as anybody can make one by hand.
struct Batch {
  std::vector<int64_t> ids;
  std::vector<std::string> names;
  std::vector<int32_t> days;

  std::vector<int32_t> offsets = {0};
  std::string text;
  const void* root_buffers[1] = {nullptr};
  const void* id_buffers[2];
  const void* name_buffers[3];
  const void* day_buffers[2];
  ArrowArray columns[3];
  ArrowArray* column_pointers[3];
  ArrowSchema fields[3];
  ArrowSchema* field_pointers[3];

  static void ReleaseArray(ArrowArray* array) {
    for (int64_t i = 0; i < array->n_children; ++i) {
      if (array->children[i]->release) array->children[i]->release(array->children[i]);
    }
    array->release = nullptr;
  }
  static void ReleaseSchema(ArrowSchema* schema) {
    for (int64_t i = 0; i < schema->n_children; ++i) {
      if (schema->children[i]->release) schema->children[i]->release(schema->children[i]);
    }
    schema->release = nullptr;
  }

  // The batch has to outlive what is exported.
  void Export(ArrowArray* array, ArrowSchema* schema, bool with_name = true) {
    for (const std::string& name : names) {
      text += name;
      offsets.push_back(static_cast<int32_t>(text.size()));
    }
    const auto rows = static_cast<int64_t>(ids.size());
    id_buffers[0] = name_buffers[0] = day_buffers[0] = nullptr;
    id_buffers[1] = ids.data();
    name_buffers[1] = offsets.data();
    name_buffers[2] = text.data();
    day_buffers[1] = days.data();
    columns[0] = {rows, 0, 0, 2, 0, id_buffers, nullptr, nullptr, ReleaseArray, nullptr};
    columns[1] = {rows, 0, 0, 3, 0, name_buffers, nullptr, nullptr, ReleaseArray, nullptr};
    columns[2] = {rows, 0, 0, 2, 0, day_buffers, nullptr, nullptr, ReleaseArray, nullptr};
    const char* formats[] = {"l", "u", "i"};
    const char* field_names[] = {"id", "name", "day"};
    for (int i = 0; i < 3; ++i) {
      fields[i] = {formats[i], field_names[i], nullptr, ARROW_FLAG_NULLABLE, 0, nullptr, nullptr, ReleaseSchema, nullptr};
      column_pointers[i] = &columns[i];
      field_pointers[i] = &fields[i];
    }
    if (!with_name) columns[1] = columns[2], fields[1] = fields[2];
    const int64_t count = with_name ? 3 : 2;
    *array = {rows, 0, 0, 1, count, root_buffers, column_pointers, nullptr, ReleaseArray, nullptr};
    *schema = {"+s", "", nullptr, 0, count, field_pointers, nullptr, ReleaseSchema, nullptr};
  }
};

std::vector<api::CommitMessage> Write(const api::Table& table, Batch batch) {
  ArrowArray array;
  ArrowSchema schema;
  batch.Export(&array, &schema);
  api::Writer writer = table.NewWriter({.user = "consumer"});
  writer.Write(&array, &schema);
  std::vector<api::CommitMessage> messages;
  for (const api::CommitMessage& message : writer.PrepareCommit()) {
    messages.push_back(api::CommitMessage::Deserialize(message.Serialize()));
  }
  return messages;
}

struct Row {
  std::string name;
  int64_t id;
  bool operator==(const Row&) const = default;
};

// The columns name and id of the rows that match, in the order of the splits.
std::vector<Row> Read(const api::Table& table, const api::PlanOptions& plan) {
  std::vector<Row> rows;
  for (const api::Split& planned : table.Plan(plan)) {
    const api::Split split = api::Split::Deserialize(planned.Serialize());
    Expect(split.row_count() == planned.row_count() && split.bytes() > 0, "a split keeps what it tells");
    ArrowArrayStream stream;
    table.Read(split, {.columns = {{"name", "id"}}, .filter = plan.filter}, &stream);
    while (true) {
      ArrowArray batch;
      Expect(stream.get_next(&stream, &batch) == 0, "a batch can be read");
      if (!batch.release) break;
      Expect(batch.n_children == 2, "two columns come");
      const auto* offsets = static_cast<const int32_t*>(batch.children[0]->buffers[1]);
      const auto* text = static_cast<const char*>(batch.children[0]->buffers[2]);
      const auto* ids = static_cast<const int64_t*>(batch.children[1]->buffers[1]);
      for (int64_t i = 0; i < batch.length; ++i) {
        rows.push_back({std::string(text + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])), ids[i]});
      }
      batch.release(&batch);
    }
    stream.release(&stream);
  }
  return rows;
}

// The ids of the rows with these keys, 0 where there is none.
std::vector<int64_t> Find(api::Lookup& lookup, Batch keys) {
  ArrowArray array, rows;
  ArrowSchema schema, row_schema;
  keys.Export(&array, &schema, /*with_name=*/false);
  const std::vector<bool> found = lookup.Find(&array, &schema, &rows, &row_schema);
  Expect(row_schema.n_children == 1 && rows.n_children == 1, "one column comes");
  const auto* ids = static_cast<const int64_t*>(rows.children[0]->buffers[1]);
  std::vector<int64_t> all;
  int64_t row = rows.children[0]->offset;
  for (const bool one : found) all.push_back(one ? ids[row++] : 0);
  rows.release(&rows);
  row_schema.release(&row_schema);
  return all;
}

template <typename Body>
void ExpectError(api::ErrorKind kind, const char* word, Body&& body) {
  try {
    body();
  } catch (const api::Error& error) {
    Expect(error.kind() == kind, error.what());
    Expect(std::strstr(error.what(), word) != nullptr, error.what());
    return;
  }
  Expect(false, word);
}

void Run(const char* warehouse) {
  auto catalog = api::Catalog::Open({{"warehouse", warehouse}});
  catalog.CreateDatabase("shop", true);
  api::Table table = catalog.CreateTable("shop", "orders",
                                         {.columns = {{"id", "BIGINT NOT NULL", "the key"}, {"name", "STRING", ""},
                                                      {"day", "INT NOT NULL", ""}},
                                          .partition_keys = {"day"},
                                          .primary_keys = {"id", "day"},
                                          .options = {{"bucket", "1"}}});
  Expect(catalog.ListTables("shop") == std::vector<std::string>{"orders"}, "the table is listed");
  Expect(table.Plan().empty() && !table.LastCommit("consumer"), "a new table has no rows");

  auto first = Write(table, {.ids = {1, 2, 3}, .names = {"a", "b", "c"}, .days = {7, 7, 8}});
  Expect(first.size() == 2, "one message a partition");
  auto ids = table.Commit(first, {.user = "consumer", .identifier = 41, .properties = {{"by", "consumer"}}});
  Expect(ids == std::vector<int64_t>{1}, "one snapshot");
  table.Commit(Write(table, {.ids = {1}, .names = {"a again"}, .days = {7}}), {.user = "consumer", .identifier = 42});
  Expect(table.LastCommit("consumer") == 42 && !table.LastCommit("nobody"), "the last commit of a user is known");

  Expect(table.Commit(first, {.user = "consumer", .identifier = 41}).empty(), "a commit that is there is not repeated");

  Expect(Read(table, {.filter = api::Filter::Equal("day", int64_t{7})}) == std::vector<Row>{{"a again", 1}, {"b", 2}},
         "rows are merged");
  Expect(Read(table, {.filter = api::Filter::And({api::Filter::Equal("day", int64_t{7}),
                                                  api::Filter::StartsWith("name", "a")})}) ==
             std::vector<Row>{{"a again", 1}},
         "rows are filtered");
  Expect(Read(table, {.snapshot_id = 1, .filter = api::Filter::Less("id", int64_t{2})}) == std::vector<Row>{{"a", 1}},
         "older snapshots are read");

  api::Lookup lookup = table.NewLookup({.columns = {{"id"}}});
  Expect(Find(lookup, {.ids = {3, 1, 5}, .days = {8, 7, 7}}) == std::vector<int64_t>{3, 1, 0}, "rows are found by their keys");
  Expect(Find(lookup, {.ids = {}, .days = {}}).empty(), "no keys, no rows");

  table.Commit(Write(table, {.ids = {9}, .names = {"only"}, .days = {7}}),
               {.user = "consumer", .identifier = 43, .overwrite = {{{"day", "7"}}}});
  Expect(Read(table, {.filter = api::Filter::Not(api::Filter::In("day", {int64_t{8}}))}) ==
             std::vector<Row>{{"only", 9}},
         "a partition is replaced");
  Expect(Find(lookup, {.ids = {1}, .days = {7}}) == std::vector<int64_t>{1}, "a look-up stays at its snapshot");
  Expect(lookup.Refresh() && !lookup.Refresh(), "there is one newer snapshot");
  Expect(Find(lookup, {.ids = {1, 9}, .days = {7, 7}}) == std::vector<int64_t>{0, 9}, "and then sees the newer one");

  auto abandoned = Write(table, {.ids = {5}, .names = {"no"}, .days = {7}});
  table.Abort(abandoned);
  ExpectError(api::ErrorKind::kNotFound, "'shop.nowhere'", [&] { catalog.GetTable("shop", "nowhere"); });
  ExpectError(api::ErrorKind::kNotFound, "'dya'", [&] { table.Plan({.filter = api::Filter::IsNull("dya")}); });
  ExpectError(api::ErrorKind::kAlreadyExists, "orders", [&] { catalog.CreateTable("shop", "orders", {{{"i", "INT", ""}}}); });
  ExpectError(api::ErrorKind::kCorrupt, "split", [&] { api::Split::Deserialize(table.Plan()[0].Serialize().substr(0, 60)); });
  catalog.DropTable("shop", "orders");
  Expect(catalog.ListTables("shop").empty(), "the table is gone");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: consumer WAREHOUSE\n";
    return 2;
  }
  try {
    Run(arguments[1]);
  } catch (const std::exception& error) {
    std::cerr << "consumer: " << error.what() << "\n";
    return 1;
  }
  std::cout << "consumer: all as expected\n";
  return 0;
}
