// Looks into the text of an expression of a statement, as the engine parses it.
#pragma once

#include <string>
#include <vector>

namespace mica::sql {

// What names in an expression may mean.
struct ColumnScope {
  std::string table;  // the alias, or the name
  std::vector<std::string> columns;
};

// All throw InvalidArgument for what is no expression.
bool HasSubquery(const std::string& expression);
// Whether it is that column itself, with or without the name of the table in front.
bool IsColumn(const std::string& expression, const std::string& table, const std::string& column);
// The other sides of the equalities with that column that must all hold for the condition.
std::vector<std::string> EqualTo(const std::string& condition, const std::string& table, const std::string& column);
// The text in the engine's form, to compare.
std::string Normal(const std::string& expression);
// Puts the name of the table before its columns. Throws InvalidArgument for a column of `hidden` alone.
std::string Qualified(const std::string& expression, const ColumnScope& scope, const ColumnScope& hidden,
                      const std::string& clause);
// Whether it has the same value for all rows of a partition: built of these columns, constants and operators only.
bool IsOfColumns(const std::string& expression, const std::string& table, const std::vector<std::string>& columns);

}  // namespace mica::sql
