// Options that are kept although nobody knows them: what looks like a slip of the pen is told.
#pragma once

#include "meta/table_schema.h"

namespace mica::sql {

void WarnOfSlips(const Options& options);

}  // namespace mica::sql
