#include "procedures/clone_arguments.h"

#include "procedures/partition_selection.h"

namespace mica {

std::shared_ptr<Catalog> CatalogOf(const ProcedureCall& call, const char* conf, const std::optional<std::string>& warehouse) {
  Options options;
  if (auto text = call.OptionalText(conf)) options = ParseOptionList(*text, ';', conf);
  if (warehouse) options.emplace("warehouse", *warehouse);
  return options.empty() ? call.setting().catalog : OpenCatalog(options);
}

PartitionChoice ChoiceWhere(ProcedureCall& call, std::string condition) {
  return [&call, condition = std::move(condition)](const TableName& table, const std::vector<DataField>& keys,
                                                   const std::vector<std::vector<Value>>& partitions) {
    return PartitionsWhere(call, table, keys, partitions, condition);
  };
}

OwnExecutor::OwnExecutor(const ProcedureCall& call) : executor_(&call.executor()) {
  const auto parallelism = call.OptionalInteger("parallelism");
  if (!parallelism) return;
  if (*parallelism < 1) throw InvalidArgument("The argument 'parallelism' must be at least 1, not {}", *parallelism);
  executor_ = &own_.emplace(static_cast<size_t>(*parallelism));
}

}  // namespace mica
