// Which file indexes a table's options ask for (Format 11).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "index/file_index_builder.h"
#include "meta/manifest.h"
#include "table/table.h"

namespace mica {

inline constexpr std::string_view kFileIndexSuffix = ".index";

// `file-index.<kind>.columns` with `file-index.<kind>.<column>.<option>`. Throws Unsupported or InvalidArgument that names
// the option: a kind that is not written, a type that the kind does not take.
std::vector<FileIndexColumn> FileIndexColumnsOf(const TableSchema& schema);

// For new schemas, whose columns are known to be there. Throws InvalidArgument for a type that a kind which is written does
// not take.
void CheckFileIndexes(const TableSchema& schema);

// Columns that some kind of index is named for, read or written.
std::set<std::string> IndexedColumns(const TableSchema& schema);

// The index of a file, where it belongs: inside of its entry, or written beside it, by `file-index.in-manifest-threshold`.
// `index_name` is that of a file of its own.
void PlaceFileIndex(const Table& table, const std::string& partition, int32_t bucket, std::string index,
                    const std::string& index_name, DataFileMeta* file);

}  // namespace mica
