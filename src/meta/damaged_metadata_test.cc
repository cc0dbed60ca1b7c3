// Damaged metadata files are errors, whatever the damage.
#include <gtest/gtest.h>

#include "base/mutations.h"
#include "base/text.h"
#include "io/memory_file_system.h"
#include "meta/golden.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "meta/table_options.h"
#include "meta/table_schema.h"

namespace mica {
namespace {

// Gives `read` damaged copies of every golden file with this beginning.
template <typename Read>
void ReadDamaged(std::string_view prefix, int rounds, const Read& read) {
  Mutations mutations;
  auto paths = GoldenAndFixtures(prefix, "none");
  ASSERT_FALSE(paths.empty());
  for (const std::string& path : paths) {
    const std::string intact = ReadLocalFile(path);
    for (int i = 0; i < Mutations::Rounds(rounds); ++i) {
      const std::string damaged = mutations.Of(intact);
      Mutations::ExpectErrorOrValue([&] { read(damaged); });
    }
  }
}

class DamagedManifestTest : public testing::Test {
 protected:
  // A store in which "m" has this content.
  ManifestStore& Store(const std::string& content) {
    fs_->ReplaceAtomically("/t/manifest/m", content);
    return store_;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  ManifestStore store_{fs_, "/t", {}};
};

TEST_F(DamagedManifestTest, Manifests) {
  ReadDamaged("manifest-", 200, [&](const std::string& damaged) { Store(damaged).Read("m", std::nullopt); });
}

TEST_F(DamagedManifestTest, ManifestLists) {
  ReadDamaged("manifest-list-", 200, [&](const std::string& damaged) { Store(damaged).ReadList("m", std::nullopt); });
}

TEST_F(DamagedManifestTest, IndexManifests) {
  ReadDamaged("index-manifest-", 200, [&](const std::string& damaged) { Store(damaged).ReadIndex("m"); });
}

TEST(DamagedJsonTest, Snapshots) {
  ReadDamaged("snapshot-", 500, [](const std::string& damaged) { Snapshot::FromJson(damaged, "snapshot").ToJson(); });
}

TEST(DamagedJsonTest, Tags) {
  ReadDamaged("tag-", 500, [](const std::string& damaged) { Tag::FromJson(damaged, "tag").ToJson(); });
}

TEST(DamagedJsonTest, Schemas) {
  ReadDamaged("schema-", 500, [](const std::string& damaged) {
    TableSchema schema = TableSchema::FromJson(damaged, "schema");
    ValidateSchema(schema);
    schema.ToJson();
  });
}

TEST(DamagedOptionTest, Values) {
  Mutations mutations;
  const std::string_view values[] = {"10 min", "7 d", "1 h 30 min", "256 mb", "1073741824", "true", "-1", "2 kibibytes"};
  for (int i = 0; i < Mutations::Rounds(3000); ++i) {
    const std::string value = mutations.Of(values[mutations.Next() % std::size(values)]);
    const TableOptions options(Options{{"a.key", value}});
    Mutations::ExpectErrorOrValue([&] { options.Bytes("a.key", 0); });
    Mutations::ExpectErrorOrValue([&] { options.Duration("a.key", {}); });
    Mutations::ExpectErrorOrValue([&] { options.Integer("a.key", 0); });
    Mutations::ExpectErrorOrValue([&] { options.Bool("a.key", false); });
  }
}

}  // namespace
}  // namespace mica
