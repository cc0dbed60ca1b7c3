// What the values of the public API hold.
#pragma once

#include <memory>
#include <vector>

#include "catalog/catalog.h"
#include "mica/catalog.h"
#include "mica/filter.h"
#include "mica/lookup.h"
#include "predicate/predicate.h"
#include "table/commit_message.h"
#include "table/lookup.h"
#include "table/split.h"
#include "table/write.h"

namespace mica::api {

struct Filter::Node {
  PredicateOp op;
  std::string column;
  std::vector<Literal> literals;
  std::vector<Filter> children;
};

// The filter over these columns; throws InvalidArgument naming the column or the literal.
PredicatePtr ToPredicate(const Filter& filter, const std::vector<DataField>& fields);

struct Split::State {
  mica::Split split;
  int64_t schema_id;  // to read with
};

struct CommitMessage::State {
  mica::CommitMessage message;
};

struct Catalog::State {
  std::shared_ptr<mica::Catalog> catalog;
};

struct Table::State {
  std::shared_ptr<mica::Catalog> catalog;
  TablePtr table;
};

struct Lookup::State {
  TableLookup lookup;
};

struct Writer::State {
  TablePtr table;
  std::unique_ptr<TableWrite> write;
};

}  // namespace mica::api
