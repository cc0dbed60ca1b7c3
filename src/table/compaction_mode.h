// What a table's options ask of its compactions beside merging (Engine 4, 5): changelogs, deletion vectors, lookups.
#pragma once

#include <optional>
#include <vector>

#include "meta/table_schema.h"

namespace mica {

struct CompactionMode {
  enum class Changelog { kNone, kFull, kLookup };
  Changelog changelog = Changelog::kNone;
  bool deletion_vectors = false;
  bool deduplicate = true;
  bool newest_row_wins = true;  // whatever is older
  bool first_row = false;
  bool has_sequence_field = false;
  // Each compaction takes all of level 0 and looks older rows up (producer lookup, vectors, first-row, force-lookup).
  bool needs_lookup = false;
  // changelog-producer.row-deduplicate: positions of the table's columns whose equality makes two rows equal.
  std::optional<std::vector<int>> equal_columns;

  // Whether results depend on the values of older rows, or their changes are wanted.
  bool needs_old_values() const {
    if (first_row) return false;
    return changelog == Changelog::kLookup || (needs_lookup && (!newest_row_wins || has_sequence_field));
  }
};

// For primary-key tables.
CompactionMode CompactionModeOf(const TableSchema& schema);

}  // namespace mica
