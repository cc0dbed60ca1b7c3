#include "sql/streaming_statement.h"

#include <duckdb/parser/expression/columnref_expression.hpp>
#include <duckdb/parser/expression/constant_expression.hpp>
#include <duckdb/parser/expression/star_expression.hpp>
#include <duckdb/parser/query_node/select_node.hpp>
#include <duckdb/planner/logical_operator.hpp>

#include "base/text.h"
#include "sql/followed_table.h"

namespace mica::sql {

std::optional<std::string> NeedsAllRows(const duckdb::QueryNode& query) {
  if (!query.cte_map.map.empty()) return "WITH";
  if (query.type != duckdb::QueryNodeType::SELECT_NODE) return "UNION, INTERSECT or EXCEPT";
  const auto& node = query.Cast<duckdb::SelectNode>();
  if (node.from_table->type == duckdb::TableReferenceType::JOIN) return "JOIN";
  if (node.from_table->type != duckdb::TableReferenceType::BASE_TABLE) return "a query in FROM";
  if (node.sample) return "TABLESAMPLE";
  for (const auto& modifier : query.modifiers) {
    switch (modifier->type) {
      case duckdb::ResultModifierType::ORDER_MODIFIER: return "ORDER BY";
      case duckdb::ResultModifierType::DISTINCT_MODIFIER: return "DISTINCT";
      case duckdb::ResultModifierType::LIMIT_PERCENT_MODIFIER: return "LIMIT in percent";
      case duckdb::ResultModifierType::LIMIT_MODIFIER: {
        const auto& limit = modifier->Cast<duckdb::LimitModifier>();
        if (limit.offset) return "OFFSET";
        if (limit.limit->GetExpressionClass() != duckdb::ExpressionClass::CONSTANT) return "a LIMIT that is computed";
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> NeedsAllRows(const duckdb::LogicalOperator& step) {
  using Type = duckdb::LogicalOperatorType;
  switch (step.type) {
    case Type::LOGICAL_PROJECTION:
    case Type::LOGICAL_FILTER:
    case Type::LOGICAL_GET:
    case Type::LOGICAL_UNNEST:
    case Type::LOGICAL_DUMMY_SCAN:
    case Type::LOGICAL_EMPTY_RESULT: break;
    case Type::LOGICAL_AGGREGATE_AND_GROUP_BY: return "an aggregate";
    case Type::LOGICAL_WINDOW: return "a window function";
    case Type::LOGICAL_DISTINCT: return "DISTINCT";
    default: return "a subquery";
  }
  for (const auto& child : step.children) {
    if (auto reason = NeedsAllRows(*child)) return reason;
  }
  return std::nullopt;
}

std::optional<int64_t> TakeLimit(duckdb::QueryNode& query) {
  for (auto item = query.modifiers.begin(); item != query.modifiers.end(); ++item) {
    if ((*item)->type != duckdb::ResultModifierType::LIMIT_MODIFIER) continue;
    const auto& value = (*item)->Cast<duckdb::LimitModifier>().limit->Cast<duckdb::ConstantExpression>().value;
    std::optional<int64_t> limit;
    if (!value.IsNull()) limit = value.DefaultCastAs(duckdb::LogicalType::BIGINT).GetValue<int64_t>();
    query.modifiers.erase(item);
    return limit;
  }
  return std::nullopt;
}

void SetLimit(duckdb::QueryNode& query, int64_t rows) {
  auto limit = duckdb::make_uniq<duckdb::LimitModifier>();
  limit->limit = duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value::BIGINT(rows));
  query.modifiers.push_back(std::move(limit));
}

void SelectKind(duckdb::SelectNode& node) {
  const duckdb::string name(kRowKindColumn);
  for (const auto& item : node.select_list) {
    if (item->GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) continue;
    if (EqualsIgnoreCase(item->Cast<duckdb::ColumnRefExpression>().GetColumnName(), kRowKindColumn)) return;
  }
  for (auto& item : node.select_list) {
    if (item->GetExpressionClass() == duckdb::ExpressionClass::STAR) {
      item->Cast<duckdb::StarExpression>().exclude_list.insert(duckdb::QualifiedColumnName(name));
    }
  }
  node.select_list.insert(node.select_list.begin(), duckdb::make_uniq<duckdb::ColumnRefExpression>(name));
}

}  // namespace mica::sql
