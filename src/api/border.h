// What every function of the public API does at its border: errors of the layers below leave as api::Error.
#pragma once

#include <exception>

#include "base/error.h"
#include "mica/error.h"

namespace mica::api {

[[noreturn]] void Rethrow();  // the exception in flight

template <typename Body>
auto AtBorder(Body&& body) {
  try {
    return body();
  } catch (...) {
    Rethrow();
  }
}

}  // namespace mica::api
