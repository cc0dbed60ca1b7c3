// What the procedures that copy tables share: catalogs of both sides, and how many threads copy.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "clone/clone_source.h"
#include "procedures/call.h"

namespace mica {

// The catalog of one side, from options as 'k=v;k2=v2' and a warehouse; without either that of the call.
std::shared_ptr<Catalog> CatalogOf(const ProcedureCall& call, const char* conf, const std::optional<std::string>& warehouse);

// Partitions for which a condition in SQL holds.
PartitionChoice ChoiceWhere(ProcedureCall& call, std::string condition);

// As many threads as the argument `parallelism` says, or those of the call. Throws InvalidArgument.
class OwnExecutor {
 public:
  explicit OwnExecutor(const ProcedureCall& call);
  Executor& get() const { return *executor_; }

 private:
  std::optional<ThreadExecutor> own_;
  Executor* executor_;
};

}  // namespace mica
