// The pages of docs/reference, made from the registries of statements, procedures and options.
#pragma once

#include <string>

namespace mica::cli {

std::string StatementPage();
std::string ProcedurePage();
std::string OptionPage();
// Writes sql.md, procedures.md and options.md. Throws IoError.
void WriteReference(const std::string& folder);

}  // namespace mica::cli
