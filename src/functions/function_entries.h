// The functions of dialect/function_list.h as entries of DuckDB's catalog, made when a query first names one. They live
// in a schema of their own that the search path names before DuckDB's own functions, so they take precedence there and
// nothing has to be renamed. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "dialect/function_list.h"

namespace mica::sql {

// Not the name of a database: '$' begins system tables.
inline constexpr const char* kFunctionSchema = "$functions";

class FunctionEntries {
 public:
  // The entry of a function in the dialect; nullptr where DuckDB's own is meant, or none is known.
  duckdb::optional_ptr<duckdb::CatalogEntry> Find(duckdb::ClientContext& context, duckdb::SchemaCatalogEntry& schema,
                                                  const duckdb::EntryLookupInfo& lookup, dialect::Dialect dialect);

 private:
  std::mutex mutex_;
  std::map<std::pair<dialect::Dialect, std::string>, duckdb::unique_ptr<duckdb::CatalogEntry>> entries_;
};

// What bound expressions are made with: DuckDB's own function of that name over the children.
duckdb::unique_ptr<duckdb::Expression> CallSystem(duckdb::ClientContext& context, const std::string& name,
                                                  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> children,
                                                  bool is_operator = false);

// A function that becomes the expression which `bind` makes of its arguments: `fixed` ones, and others behind with
// `more`.
duckdb::ScalarFunctionSet BoundFunction(duckdb::function_bind_expression_t bind, size_t fixed, bool more = false);

// The only argument of a function that is bound, a text that has to be a constant.
std::string ConstantText(duckdb::FunctionBindExpressionInput& input, const char* function);

// The functions written in C++, by the name in the list. Each gives an empty set for a name that is not its own.
duckdb::ScalarFunctionSet ShapeFunctions(const std::string& name, dialect::Dialect dialect);  // arrays, maps, structs
duckdb::ScalarFunctionSet ValueFunctions(const std::string& name, dialect::Dialect dialect);  // texts, times
duckdb::ScalarFunctionSet NumberFormats(const std::string& name, dialect::Dialect dialect);   // to_char, to_number
duckdb::ScalarFunctionSet HashFunctions(const std::string& name, dialect::Dialect dialect);   // hash, xxhash64
duckdb::ScalarFunctionSet JsonFunctions(const std::string& name, dialect::Dialect dialect);
duckdb::ScalarFunctionSet CsvFunctions(const std::string& name, dialect::Dialect dialect);
duckdb::ScalarFunctionSet NumberFunctions(const std::string& name, dialect::Dialect dialect);     // division, rounding
duckdb::ScalarFunctionSet GeneratorFunctions(const std::string& name, dialect::Dialect dialect);  // rows of explode
duckdb::AggregateFunctionSet NumberAggregates(const std::string& name, dialect::Dialect dialect);

}  // namespace mica::sql
