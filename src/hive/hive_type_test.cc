#include "hive/hive_type.h"

#include "base/expect_error.h"

namespace mica {
namespace {

TEST(HiveType, TypesOfHiveBecomePaimons) {
  const std::pair<const char*, const char*> types[] = {
      {"boolean", "BOOLEAN"},
      {"tinyint", "TINYINT"},
      {"smallint", "SMALLINT"},
      {"INT", "INT"},
      {"bigint", "BIGINT"},
      {"float", "FLOAT"},
      {"double", "DOUBLE"},
      {"decimal", "DECIMAL(10, 0)"},
      {"decimal(5)", "DECIMAL(5, 0)"},
      {"decimal(12, 3)", "DECIMAL(12, 3)"},
      {"char(7)", "CHAR(7)"},
      {"varchar(300)", "VARCHAR(300)"},
      {"string", "STRING"},
      {"binary", "BYTES"},
      {"date", "DATE"},
      {"timestamp", "TIMESTAMP(6)"},
      {"timestamp with local time zone", "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
      {"array<int>", "ARRAY<INT>"},
      {"map<string,array<double>>", "MAP<STRING, ARRAY<DOUBLE>>"}};
  for (const auto& [hive, paimon] : types) EXPECT_EQ(ParseHiveType(hive).ToString(), paimon) << hive;
  const DataType row = ParseHiveType("struct<a:int,b:struct<c:decimal(10,2),d:map<string,date>>>");
  EXPECT_EQ(row.fields()[0].name, "a");
  EXPECT_EQ(row.fields()[1].type.fields()[0].type.ToString(), "DECIMAL(10, 2)");
}

TEST(HiveType, TextOfATypeReadsBack) {
  for (const char* text : {"tinyint", "decimal(38,18)", "char(255)", "varchar(65535)",
                           "array<struct<a:int,b:timestamp>>", "map<int,binary>", "timestamp with local time zone"}) {
    EXPECT_EQ(HiveTypeText(ParseHiveType(text)), text);
  }
  EXPECT_EQ(HiveTypeText(DataType::Char(256)), "string");
  EXPECT_EQ(HiveTypeText(DataType(TypeRoot::kTime)), "string");
  EXPECT_EQ(HiveTypeText(DataType::Multiset(DataType::String())), "map<string,int>");
}

TEST(HiveType, WhatPaimonDoesNotHaveIsRefusedByName) {
  EXPECT_ERROR(ParseHiveType("array<uniontype<int,string>>"), Unsupported, "uniontype");
  EXPECT_ERROR(ParseHiveType("void"), Unsupported, "void");
  for (const char* text :
       {"", "in", "array", "array<int", "array<int>>", "map<int>", "struct<a>", "decimal(x)", "char(-1)"}) {
    EXPECT_ERROR(ParseHiveType(text), InvalidArgument, "not a type of Hive");
  }
}

}  // namespace
}  // namespace mica
