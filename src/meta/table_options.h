// Typed access to a table's options (Engine 11): names, defaults and refusals in one table. Values that cannot be read
// give InvalidArgument naming option and value.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "meta/table_schema.h"
#include "types/partition_path.h"

namespace mica {

enum class BucketMode { kHashFixed, kHashDynamic, kKeyDynamic, kUnaware, kPostpone };

class TableOptions {
 public:
  explicit TableOptions(const Options& options) : options_(options) {}

  const Options& raw() const { return options_; }
  std::optional<std::string> Find(std::string_view key) const;  // follows old names of a key
  std::string Text(std::string_view key, std::string_view fallback) const;
  bool Bool(std::string_view key, bool fallback) const;
  int64_t Integer(std::string_view key, int64_t fallback) const;
  double Number(std::string_view key, double fallback) const;
  int64_t Bytes(std::string_view key, int64_t fallback) const;
  std::chrono::nanoseconds Duration(std::string_view key, std::chrono::nanoseconds fallback) const;

  int32_t bucket() const;           // -1 by default
  std::string file_format() const;  // parquet
  int64_t target_file_bytes(bool primary_key) const;
  // Files below this size are rewritten with their neighbours (Engine 2.5).
  int64_t small_file_bytes(bool primary_key) const;
  PartitionNaming partition_naming() const;

 private:
  Options options_;
};

BucketMode BucketModeOf(const TableSchema& schema);

// Refuses what SchemaValidation refuses at creation (Engine 12.4, M-0205, M-0209, M-0210, M-0305, M-0338).
void ValidateSchema(const TableSchema& schema);

// What Mica cannot yet do with a table, by option name: throws Unsupported naming the option and what would go wrong.
// Reading and writing have their own lists, since e.g. a changelog producer matters to writers only.
void CheckReadable(const TableSchema& schema);
void CheckWritable(const TableSchema& schema);

}  // namespace mica
