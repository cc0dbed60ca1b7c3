// The system tables, one file each; system_table.cc lists them.
#pragma once

#include "system/system_table.h"

namespace mica {

std::vector<DataField> SnapshotsFields(const Table& table);
std::unique_ptr<BatchReader> ReadSnapshots(TablePtr table);
std::vector<DataField> SchemasFields(const Table& table);
std::unique_ptr<BatchReader> ReadSchemas(TablePtr table);
std::vector<DataField> OptionsFields(const Table& table);
std::unique_ptr<BatchReader> ReadOptions(TablePtr table);
std::vector<DataField> FilesFields(const Table& table);
std::unique_ptr<BatchReader> ReadFiles(TablePtr table);
std::vector<DataField> TagsFields(const Table& table);
std::unique_ptr<BatchReader> ReadTags(TablePtr table);
std::vector<DataField> ManifestsFields(const Table& table);
std::unique_ptr<BatchReader> ReadManifests(TablePtr table);
std::vector<DataField> StatisticsFields(const Table& table);
std::unique_ptr<BatchReader> ReadStatistics(TablePtr table);

}  // namespace mica
