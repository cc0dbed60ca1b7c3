#include "functions/plain_column.h"

#include <cmath>

#include <duckdb/common/types/blob.hpp>

#include "types/number_text.h"
#include "types/time_pattern.h"

namespace mica::sql {

using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::string_t;
using duckdb::Vector;

namespace {

// Types whose values are not written as the engine's cast writes them.
bool IsSpelled(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE:
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::BLOB:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
      return true;
    default:
      return false;
  }
}

}  // namespace

PlainColumn::PlainColumn(Vector& column, idx_t count) : type_(column.GetType()) {
  if (IsSpelled(type_)) {
    column.ToUnifiedFormat(count, format_);
    return;
  }
  text_ = std::make_unique<Vector>(LogicalType::VARCHAR, count);
  duckdb::VectorOperations::DefaultCast(column, *text_, count);
  text_->ToUnifiedFormat(count, format_);
}

void PlainColumn::Append(idx_t row, std::string* out) const {
  switch (type_.id()) {
    case LogicalTypeId::FLOAT:
      *out += FloatToString(Get<float>(row));
      return;
    case LogicalTypeId::DOUBLE:
      *out += DoubleToString(Get<double>(row));
      return;
    case LogicalTypeId::BLOB:
      *out += duckdb::Blob::ToBase64(Get<string_t>(row));
      return;
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ: {
      static const TimePattern pattern("yyyy-MM-dd'T'HH:mm:ss.SSS");
      pattern.Append(Get<int64_t>(row), out);
      if (type_.id() == LogicalTypeId::TIMESTAMP_TZ) *out += 'Z';
      return;
    }
    default: {
      const string_t text = Get<string_t>(row);
      out->append(text.GetData(), text.GetSize());
    }
  }
}

bool PlainColumn::IsBare(idx_t row) const {
  switch (type_.id()) {
    case LogicalTypeId::FLOAT:
      return std::isfinite(Get<float>(row));
    case LogicalTypeId::DOUBLE:
      return std::isfinite(Get<double>(row));
    default:
      return type_.IsNumeric() || type_.id() == LogicalTypeId::BOOLEAN;
  }
}

}  // namespace mica::sql
