#include "sql/expression_text.h"

#include <duckdb/parser/expression/list.hpp>
#include <duckdb/parser/parsed_expression_iterator.hpp>

#include "base/text.h"
#include "dialect/tokenizer.h"
#include "sql/errors.h"

namespace mica::sql {

namespace {

using duckdb::ColumnRefExpression;
using duckdb::ExpressionClass;
using duckdb::ParsedExpression;
using ExpressionPtr = duckdb::unique_ptr<ParsedExpression>;

ExpressionPtr Parse(const std::string& text) {
  try {
    auto list = duckdb::Parser::ParseExpressionList(text);
    if (list.size() == 1) return std::move(list.front());
  } catch (const std::exception& error) {
    throw FromDuck(duckdb::ErrorData(error), "SELECT " + text);  // what it was parsed as
  }
  throw InvalidArgument("'{}' is not one expression", text);
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& known) { return EqualsIgnoreCase(known, name); });
}

// The column, if the expression is one of that table; a name with several parts may be of it.
std::optional<std::string> ColumnOf(const ParsedExpression& expression, const std::string& table) {
  if (expression.GetExpressionClass() != ExpressionClass::COLUMN_REF) return std::nullopt;
  const auto& names = expression.Cast<ColumnRefExpression>().column_names;
  if (names.size() > 1 && !EqualsIgnoreCase(names[names.size() - 2], table)) return std::nullopt;
  return names.back();
}

void CollectEqualities(const ParsedExpression& condition, const std::string& table, const std::string& column,
                       std::vector<std::string>* others) {
  if (condition.GetExpressionType() == duckdb::ExpressionType::CONJUNCTION_AND) {
    for (const auto& child : condition.Cast<duckdb::ConjunctionExpression>().children) {
      CollectEqualities(*child, table, column, others);
    }
    return;
  }
  auto type = condition.GetExpressionType();
  if (type != duckdb::ExpressionType::COMPARE_EQUAL && type != duckdb::ExpressionType::COMPARE_NOT_DISTINCT_FROM) return;
  const auto& comparison = condition.Cast<duckdb::ComparisonExpression>();
  for (const auto& [one, other] : {std::pair(&comparison.left, &comparison.right), std::pair(&comparison.right, &comparison.left)}) {
    // Without a name in front it could be a column of either side.
    auto found = (*one)->GetExpressionClass() == ExpressionClass::COLUMN_REF &&
                         (*one)->Cast<ColumnRefExpression>().column_names.size() > 1
                     ? ColumnOf(**one, table)
                     : std::nullopt;
    if (found && EqualsIgnoreCase(*found, column)) others->push_back((*other)->ToString());
  }
}

class Qualifier {
 public:
  Qualifier(const ColumnScope& scope, const ColumnScope& hidden, const std::string& clause)
      : scope_(scope), hidden_(hidden), clause_(clause) {}

  bool changed() const { return changed_; }

  void Visit(ParsedExpression& expression) {
    if (expression.GetExpressionClass() == ExpressionClass::COLUMN_REF) {
      Column(expression.Cast<ColumnRefExpression>());
      return;
    }
    if (expression.GetExpressionClass() == ExpressionClass::LAMBDA) {
      auto& lambda = expression.Cast<duckdb::LambdaExpression>();
      duckdb::string error;
      size_t known = parameters_.size();
      for (const auto& parameter : lambda.ExtractColumnRefExpressions(error)) {
        parameters_.push_back(parameter.get().Cast<ColumnRefExpression>().column_names.back());
      }
      if (known == parameters_.size()) Visit(*lambda.lhs);
      Visit(*lambda.expr);
      parameters_.resize(known);
      return;
    }
    duckdb::ParsedExpressionIterator::EnumerateChildren(expression, [&](ParsedExpression& child) { Visit(child); });
  }

 private:
  void Column(ColumnRefExpression& reference) {
    auto& names = reference.column_names;
    const std::string first = names.front();
    if (names.size() > 1 && EqualsIgnoreCase(first, scope_.table)) return;
    if (Contains(parameters_, first)) return;
    if (Contains(scope_.columns, first)) {
      names.insert(names.begin(), scope_.table);
      changed_ = true;
      return;
    }
    bool hidden = Contains(hidden_.columns, first) || (names.size() > 1 && EqualsIgnoreCase(first, hidden_.table));
    if (hidden) {
      throw InvalidArgument("{} cannot use '{}': there is no row of '{}' then", clause_, reference.ToString(), hidden_.table);
    }
  }

  const ColumnScope& scope_;
  const ColumnScope& hidden_;
  const std::string& clause_;
  std::vector<std::string> parameters_;  // of the lambdas around
  bool changed_ = false;
};

bool OfColumns(const ParsedExpression& expression, const std::string& table, const std::vector<std::string>& columns,
               bool* uses_column) {
  switch (expression.GetExpressionClass()) {
    case ExpressionClass::CONSTANT:
    case ExpressionClass::COMPARISON:
    case ExpressionClass::CONJUNCTION:
    case ExpressionClass::OPERATOR:
    case ExpressionClass::BETWEEN:
    case ExpressionClass::CAST: break;
    case ExpressionClass::FUNCTION:
      // LIKE and the like; functions may be random.
      if (!expression.Cast<duckdb::FunctionExpression>().is_operator) return false;
      break;
    case ExpressionClass::COLUMN_REF: {
      auto column = ColumnOf(expression, table);
      *uses_column = true;
      return column && expression.Cast<ColumnRefExpression>().column_names.size() <= 2 && Contains(columns, *column);
    }
    default: return false;
  }
  bool all = true;
  duckdb::ParsedExpressionIterator::EnumerateChildren(expression, [&](const ParsedExpression& child) {
    all = all && OfColumns(child, table, columns, uses_column);
  });
  return all;
}

}  // namespace

bool HasSubquery(const std::string& expression) { return Parse(expression)->HasSubquery(); }

bool IsColumn(const std::string& expression, const std::string& table, const std::string& column) {
  auto found = ColumnOf(*Parse(expression), table);
  return found && EqualsIgnoreCase(*found, column);
}

std::vector<std::string> EqualTo(const std::string& condition, const std::string& table, const std::string& column) {
  std::vector<std::string> others;
  CollectEqualities(*Parse(condition), table, column, &others);
  return others;
}

std::string Normal(const std::string& expression) { return Parse(expression)->ToString(); }

std::string Qualified(const std::string& expression, const ColumnScope& scope, const ColumnScope& hidden,
                      const std::string& clause) {
  ExpressionPtr tree = Parse(expression);
  Qualifier qualifier(scope, hidden, clause);
  qualifier.Visit(*tree);
  return qualifier.changed() ? tree->ToString() : expression;
}

bool IsOfColumns(const std::string& expression, const std::string& table, const std::vector<std::string>& columns) {
  bool uses_column = false;
  return OfColumns(*Parse(expression), table, columns, &uses_column) && uses_column;
}

}  // namespace mica::sql
