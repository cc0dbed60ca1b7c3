#include "system/row_text.h"

namespace mica {

std::string RowText(std::string_view serialized, const std::vector<DataField>& fields, char open, char close) {
  BinaryRow row = BinaryRow::Deserialize(serialized);
  std::string text(1, open);
  for (int32_t i = 0; i < row.arity() && i < static_cast<int32_t>(fields.size()); ++i) {
    if (i > 0) text += ", ";
    const DataType& type = fields[static_cast<size_t>(i)].type;
    if (!row.IsNullAt(i)) text += ValueToString(row.Get(i, type), type);
  }
  return text + close;
}

}  // namespace mica
