#include "table/compaction_mode.h"

#include <algorithm>

#include "base/text.h"
#include "meta/table_options.h"

namespace mica {

CompactionMode CompactionModeOf(const TableSchema& schema) {
  TableOptions options(schema.options);
  CompactionMode mode;
  const std::string producer = ToLower(options.Text("changelog-producer", "none"));
  if (producer == "full-compaction") mode.changelog = CompactionMode::Changelog::kFull;
  if (producer == "lookup") mode.changelog = CompactionMode::Changelog::kLookup;
  mode.deletion_vectors = options.Bool("deletion-vectors.enabled", false);
  const std::string engine = ToLower(options.Text("merge-engine", "deduplicate"));
  mode.deduplicate = engine == "deduplicate";
  mode.newest_row_wins = mode.deduplicate && !options.Bool("ignore-delete", false);
  mode.first_row = engine == "first-row";
  mode.has_sequence_field = !options.Text("sequence.field", "").empty();
  mode.needs_lookup = mode.changelog == CompactionMode::Changelog::kLookup || mode.deletion_vectors || mode.first_row ||
                      options.Bool("force-lookup", false);
  if (options.Bool("changelog-producer.row-deduplicate", false)) {
    const auto ignored = SplitList(options.Text("changelog-producer.row-deduplicate-ignore-fields", ""), ',');
    auto& columns = mode.equal_columns.emplace();
    for (size_t i = 0; i < schema.fields.size(); ++i) {
      if (std::find(ignored.begin(), ignored.end(), schema.fields[i].name) == ignored.end()) {
        columns.push_back(static_cast<int>(i));
      }
    }
  }
  return mode;
}

}  // namespace mica
