// DuckDB's headers, compiled once for every source of this folder. Nothing outside of src/sql sees them.
#pragma once
// Arrow's C data interface comes first: DuckDB's own copy of it hides behind the same guard.
#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/compute/api.h>

#include <duckdb.hpp>
#include <duckdb/catalog/catalog.hpp>
#include <duckdb/catalog/catalog_entry/schema_catalog_entry.hpp>
#include <duckdb/catalog/catalog_entry/table_catalog_entry.hpp>
#include <duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp>
#include <duckdb/catalog/catalog_entry/view_catalog_entry.hpp>
#include <duckdb/common/arrow/arrow_appender.hpp>
#include <duckdb/common/arrow/arrow_converter.hpp>
#include <duckdb/common/box_renderer.hpp>
#include <duckdb/common/multi_file/multi_file_function.hpp>
#include <duckdb/common/multi_file/multi_file_reader.hpp>
#include <duckdb/execution/physical_operator.hpp>
#include <duckdb/execution/physical_plan_generator.hpp>
#include <duckdb/function/table/arrow.hpp>
#include <duckdb/main/attached_database.hpp>
#include <duckdb/main/database.hpp>
#include <duckdb/main/extension_helper.hpp>
#include <duckdb/parser/parser.hpp>
#include <duckdb/planner/filter/list.hpp>
#include <duckdb/planner/operator/list.hpp>
#include <duckdb/planner/expression/list.hpp>
#include <duckdb/storage/storage_extension.hpp>
#include <duckdb/storage/table/column_segment.hpp>
#include <duckdb/transaction/transaction.hpp>
#include <duckdb/transaction/transaction_manager.hpp>

#include <parquet_reader.hpp>

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
