// The parsers of the statement families, each called with the cursor on the first word of the statement. They take
// everything up to what follows the statement; parser.cc checks that nothing does.
#pragma once

#include "dialect/cursor.h"
#include "dialect/statement.h"
#include "dialect/type_parser.h"

namespace mica::dialect {

// ddl_parser.cc: CREATE, REPLACE, DROP
StatementBody ParseCreate(Cursor& cursor, const TypeRules& rules);
StatementBody ParseReplace(Cursor& cursor, const TypeRules& rules);
StatementBody ParseDrop(Cursor& cursor);
// One column of a table: name, type, NOT NULL, COMMENT, DEFAULT. `primary_key` is set by an inline PRIMARY KEY.
Column ParseColumn(Cursor& cursor, const TypeRules& rules, bool* primary_key);
// What of a column follows its name.
void ParseColumnRest(Cursor& cursor, const TypeRules& rules, Column* column, bool* primary_key);

// alter_parser.cc: ALTER TABLE, ALTER DATABASE
StatementBody ParseAlter(Cursor& cursor, const TypeRules& rules);

// dml_parser.cc: INSERT, TRUNCATE, CALL and what goes to the engine as text
StatementBody ParseInsert(Cursor& cursor);
StatementBody ParseWith(Cursor& cursor);
StatementBody ParseTruncate(Cursor& cursor);
StatementBody ParseCall(Cursor& cursor);
// Everything up to the end, whatever it is.
StatementBody ParseEngineStatement(Cursor& cursor, Query::Kind kind);
// The query from the current token to the end.
QueryText TakeQuery(Cursor& cursor);
// The expression up to one of the words, a comma or a closing bracket.
Expression TakeExpression(Cursor& cursor, std::initializer_list<std::string_view> stops);

// update_parser.cc: UPDATE, DELETE and MERGE. `begin` is where the statement starts: its WITH, or the cursor.
StatementBody ParseUpdate(Cursor& cursor, size_t begin);
StatementBody ParseDelete(Cursor& cursor, size_t begin);
StatementBody ParseMerge(Cursor& cursor, size_t begin);

// show_parser.cc: SHOW, DESCRIBE, ANALYZE, REFRESH, CACHE
StatementBody ParseShow(Cursor& cursor);
StatementBody ParseDescribe(Cursor& cursor);
StatementBody ParseAnalyze(Cursor& cursor);
StatementBody ParseRefresh(Cursor& cursor);
StatementBody ParseCache(Cursor& cursor);
StatementBody ParseComment(Cursor& cursor);

// session_parser.cc: USE, SET, RESET, transactions
StatementBody ParseUse(Cursor& cursor);
StatementBody ParseSet(Cursor& cursor);
StatementBody ParseReset(Cursor& cursor);
StatementBody ParseTransaction(Cursor& cursor);

}  // namespace mica::dialect
