// The words after `mica sql`, and what the environment adds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "procedures/sql_session.h"

namespace mica::cli {

struct SqlOptions {
  SessionSettings session;
  RenderFormat format = RenderFormat::kTable;
  std::vector<std::pair<std::string, std::string>> settings;  // to be SET at the start
  std::vector<std::string> commands;                          // -c, in order
  std::optional<std::string> file;
  std::optional<std::string> init_file;
  bool go_on = false;
  bool help = false;
};

// Throws InvalidArgument for what is not understood.
SqlOptions ParseSqlOptions(const std::vector<std::string>& words);

// "k=v" of an option, both trimmed. Throws InvalidArgument naming the option.
std::pair<std::string, std::string> KeyAndValue(const std::string& option, const std::string& text);

// MICA_CATALOG__PAIMON__S3_ENDPOINT: the option s3.endpoint of the catalog paimon.
Options CatalogOptionsFromEnvironment(const std::string& catalog);

// The text with the values of secret options replaced, those of the catalogs of a session and those that the text itself
// assigns ("s3.secret-key=..."), as a statement does that an error shows.
std::string MaskSecrets(std::string text, const Options& options);
std::string MaskSecrets(std::string text, const SessionSettings& session);

}  // namespace mica::cli
