// Finds rows by their whole primary key, again and again: for services and look-up joins. Files are planned once, and what
// was found for a key is kept. Not thread safe: one a thread.
//
//   mica::api::Lookup lookup = table.NewLookup({.columns = {{"id", "total"}}});
//   std::vector<bool> found = lookup.Find(&keys, &key_schema, &rows, &row_schema);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mica/arrow_c.h"

namespace mica::api {

struct LookupOptions {
  std::optional<std::vector<std::string>> columns;  // of the rows, in this order; all when not given
  int64_t cache_bytes = 64 << 20;                   // about what the rows that are kept take at most
};

class Lookup {
 public:
  Lookup(Lookup&&) noexcept;
  Lookup& operator=(Lookup&&) noexcept;
  ~Lookup();

  // Takes over the batch of keys, also when it throws: the columns of the primary key, of the types of
  // Table::ExportSchema, in any order. Gives the rows that were found, in the order of the keys, as a batch to be released
  // by the caller, and tells of each key whether it was found. Throws kInvalidArgument for NULLs and other columns.
  std::vector<bool> Find(ArrowArray* keys, ArrowSchema* key_schema, ArrowArray* rows, ArrowSchema* row_schema);

  // Goes over to the newest snapshot of the table; true when it is another one than before. The schema stays.
  bool Refresh();

  struct State;  // of the implementation
  explicit Lookup(std::unique_ptr<State> state);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace mica::api
