// The border to Arrow's errors: a Status or Result becomes an Error at the call.
#pragma once

#include <utility>

#include <arrow/result.h>
#include <arrow/status.h>

#include "base/error.h"

namespace mica {

Error FromArrow(const arrow::Status& status);

inline void Check(const arrow::Status& status) {
  if (!status.ok()) [[unlikely]] throw FromArrow(status);
}

template <typename T>
T Take(arrow::Result<T>&& result) {
  if (!result.ok()) [[unlikely]] throw FromArrow(result.status());
  return std::move(result).ValueUnsafe();
}

}  // namespace mica
