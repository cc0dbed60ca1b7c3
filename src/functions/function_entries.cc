#include "functions/function_entries.h"

#include <duckdb/catalog/catalog_entry/aggregate_function_catalog_entry.hpp>
#include <duckdb/catalog/catalog_entry/scalar_function_catalog_entry.hpp>
#include <duckdb/catalog/catalog_entry/scalar_macro_catalog_entry.hpp>
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/function/function_binder.hpp>
#include <duckdb/parser/parsed_data/create_aggregate_function_info.hpp>
#include <duckdb/parser/parsed_data/create_scalar_function_info.hpp>
#include <duckdb/parser/statement/create_statement.hpp>
#include <duckdb/planner/binder.hpp>

#include "base/text.h"

namespace mica::sql {

namespace {

using dialect::Dialect;
using dialect::FunctionKind;
using dialect::SqlFunction;

duckdb::unique_ptr<duckdb::CatalogEntry> MakeMacro(duckdb::ClientContext& context, duckdb::SchemaCatalogEntry& schema,
                                                   const SqlFunction& function) {
  duckdb::Parser parser;
  parser.ParseQuery(dialect::MacroDefinition(function));
  auto& info = parser.statements.front()->Cast<duckdb::CreateStatement>().info->Cast<duckdb::CreateMacroInfo>();
  info.schema = schema.name;
  // The parser leaves the types of parameters as names.
  auto binder = duckdb::Binder::CreateBinder(context);
  for (auto& macro : info.macros) {
    for (auto& type : macro->types) {
      if (type.id() != duckdb::LogicalTypeId::UNKNOWN) binder->BindLogicalType(type);
    }
  }
  return duckdb::make_uniq<duckdb::ScalarMacroCatalogEntry>(schema.catalog, schema, info);
}

// DuckDB's own overloads for the types that ours leave out.
void AddOwnOverloads(duckdb::ClientContext& context, duckdb::AggregateFunctionSet* set) {
  constexpr std::string_view kTry = "try_";
  const std::string name = set->name.substr(set->name.starts_with(kTry) ? kTry.size() : 0);
  auto& own = duckdb::Catalog::GetEntry<duckdb::AggregateFunctionCatalogEntry>(context, SYSTEM_CATALOG, DEFAULT_SCHEMA,
                                                                               name);
  std::vector<duckdb::LogicalTypeId> ours;
  for (const auto& function : set->functions) ours.push_back(function.arguments[0].id());
  for (const auto& function : own.functions.functions) {
    bool covered = std::find(ours.begin(), ours.end(), function.arguments[0].id()) != ours.end();
    if (!covered) set->AddFunction(function);
  }
}

duckdb::unique_ptr<duckdb::CatalogEntry> MakeNative(duckdb::ClientContext& context, duckdb::SchemaCatalogEntry& schema,
                                                    const SqlFunction& function, Dialect dialect) {
  std::string name(function.name);
  duckdb::AggregateFunctionSet aggregates = NumberAggregates(name, dialect);
  if (aggregates.Size() > 0) {
    AddOwnOverloads(context, &aggregates);
    duckdb::CreateAggregateFunctionInfo info(std::move(aggregates));
    return duckdb::make_uniq<duckdb::AggregateFunctionCatalogEntry>(schema.catalog, schema, info);
  }
  for (auto* make :
       {ShapeFunctions, ValueFunctions, NumberFormats, HashFunctions, JsonFunctions, CsvFunctions, NumberFunctions,
        GeneratorFunctions}) {
    duckdb::ScalarFunctionSet functions = make(name, dialect);
    if (functions.Size() == 0) continue;
    functions.name = name;
    duckdb::CreateScalarFunctionInfo info(std::move(functions));
    return duckdb::make_uniq<duckdb::ScalarFunctionCatalogEntry>(schema.catalog, schema, info);
  }
  throw Internal("The function '{}' is listed and not written", name);
}

}  // namespace

duckdb::optional_ptr<duckdb::CatalogEntry> FunctionEntries::Find(duckdb::ClientContext& context,
                                                                 duckdb::SchemaCatalogEntry& schema,
                                                                 const duckdb::EntryLookupInfo& lookup,
                                                                 Dialect dialect) {
  switch (lookup.GetCatalogType()) {
    case duckdb::CatalogType::SCALAR_FUNCTION_ENTRY:
    case duckdb::CatalogType::AGGREGATE_FUNCTION_ENTRY:
    case duckdb::CatalogType::MACRO_ENTRY:
      break;
    default:
      return nullptr;
  }
  const SqlFunction* function = dialect::FindFunction(lookup.GetEntryName(), dialect);
  if (function == nullptr) return nullptr;
  switch (function->kind) {
    case FunctionKind::kEngine:
    case FunctionKind::kGenerator:
    case FunctionKind::kRewritten:
      return nullptr;
    case FunctionKind::kAlias: {
      std::string body(function->body);  // Outlives the lookup, which refers to it.
      duckdb::EntryLookupInfo own(duckdb::CatalogType::SCALAR_FUNCTION_ENTRY, body);
      auto& system = duckdb::Catalog::GetSystemCatalog(context);
      return system.GetEntry(context, DEFAULT_SCHEMA, own, duckdb::OnEntryNotFound::RETURN_NULL);
    }
    default:
      break;
  }
  std::lock_guard lock(mutex_);
  auto& entry = entries_[{dialect, std::string(function->name)}];
  if (!entry) {
    entry = function->kind == FunctionKind::kMacro ? MakeMacro(context, schema, *function)
                                                   : MakeNative(context, schema, *function, dialect);
  }
  return entry.get();
}

duckdb::unique_ptr<duckdb::Expression> CallSystem(duckdb::ClientContext& context, const std::string& name,
                                                  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> children,
                                                  bool is_operator) {
  duckdb::FunctionBinder binder(context);
  duckdb::ErrorData error;
  auto result = binder.BindScalarFunction(DEFAULT_SCHEMA, name, std::move(children), error, is_operator);
  if (!result) error.Throw();
  return result;
}

duckdb::ScalarFunctionSet BoundFunction(duckdb::function_bind_expression_t bind, size_t fixed, bool more) {
  using duckdb::LogicalType;
  duckdb::ScalarFunction function(duckdb::vector<LogicalType>(fixed, LogicalType::ANY), LogicalType::ANY, nullptr);
  if (more) function.varargs = LogicalType::ANY;
  function.null_handling = duckdb::FunctionNullHandling::SPECIAL_HANDLING;
  function.SetBindExpressionCallback(bind);
  duckdb::ScalarFunctionSet set;
  set.AddFunction(std::move(function));
  return set;
}

std::string ConstantText(duckdb::FunctionBindExpressionInput& input, const char* function) {
  const duckdb::Expression& text = *input.children[0];
  const duckdb::Value given =
      text.IsFoldable() ? duckdb::ExpressionExecutor::EvaluateScalar(input.context, text) : duckdb::Value();
  if (given.IsNull()) throw duckdb::BinderException("The text of %s has to be a constant", std::string(function));
  return given.ToString();
}

}  // namespace mica::sql
