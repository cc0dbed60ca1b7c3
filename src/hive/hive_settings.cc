// Reads the options of a Hive catalog that concern the connection to its metastore.
#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "hive/hive_metastore.h"

namespace mica {

namespace {

std::chrono::milliseconds Duration(const std::map<std::string, std::string>& options, const char* key,
                                   std::chrono::milliseconds fallback) {
  auto found = options.find(key);
  if (found == options.end()) return fallback;
  // Hive's bare numbers are seconds.
  if (auto seconds = ParseInteger(found->second)) return std::chrono::seconds(*seconds);
  try {
    return std::chrono::duration_cast<std::chrono::milliseconds>(ParseDuration(found->second));
  } catch (const Error&) {
    throw InvalidArgument("The option '{}' = '{}' is not a duration", key, found->second);
  }
}

int Count(const std::map<std::string, std::string>& options, const char* key, int fallback) {
  auto found = options.find(key);
  if (found == options.end()) return fallback;
  auto number = ParseInteger(found->second);
  if (!number || *number < 1 || *number > 32767) {
    throw InvalidArgument("The option '{}' = '{}' must be a number from 1 to 32767", key, found->second);
  }
  return static_cast<int>(*number);
}

HiveServer ParseServer(const std::string& uri) {
  constexpr std::string_view kScheme = "thrift://";
  std::string_view rest = uri;
  if (!rest.starts_with(kScheme)) throw InvalidArgument("The metastore '{}' must be given as thrift://host:port", uri);
  rest.remove_prefix(kScheme.size());
  while (rest.ends_with('/')) rest.remove_suffix(1);
  HiveServer server;
  size_t colon = rest.rfind(':');
  if (!rest.empty() && rest.front() == '[' && rest.ends_with(']')) colon = std::string_view::npos;
  if (colon != std::string_view::npos) {
    auto port = ParseInteger(rest.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) throw InvalidArgument("The metastore '{}' has no valid port", uri);
    server.port = static_cast<uint16_t>(*port);
    rest = rest.substr(0, colon);
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  if (rest.empty()) throw InvalidArgument("The metastore '{}' has no host", uri);
  server.host = rest;
  return server;
}

}  // namespace

bool IsTrue(const HiveParameters& parameters, const std::string& key) {
  auto found = parameters.find(key);
  return found != parameters.end() && EqualsIgnoreCase(found->second, "true");
}

HiveMetastoreSettings ReadHiveMetastoreSettings(const std::map<std::string, std::string>& options) {
  for (const char* key :
       {"hive.metastore.sasl.enabled", "hive.metastore.use.SSL", "hive.metastore.thrift.framed.transport.enabled",
        "hive.metastore.thrift.compact.protocol.enabled"}) {
    if (!IsTrue(options, key)) continue;
    throw Unsupported("A metastore with '{}' = 'true' is not supported yet: it is spoken to in plain Thrift only", key);
  }
  HiveMetastoreSettings settings;
  auto uri = options.find("uri");
  if (uri == options.end()) uri = options.find("hive.metastore.uris");
  if (uri != options.end()) {
    for (const std::string& server : SplitList(uri->second, ',')) settings.servers.push_back(ParseServer(server));
  }
  if (settings.servers.empty())
    throw InvalidArgument("A Hive catalog needs the option 'uri': thrift://host:port of the metastore");
  settings.answer_timeout = Duration(options, "hive.metastore.client.socket.timeout", settings.answer_timeout);
  settings.connect_timeout = std::min(
      settings.answer_timeout, Duration(options, "hive.metastore.client.connection.timeout", settings.connect_timeout));
  settings.connect_rounds = Count(options, "hive.metastore.connect.retries", settings.connect_rounds);
  settings.round_delay = Duration(options, "hive.metastore.client.connect.retry.delay", settings.round_delay);
  settings.location_in_properties = IsTrue(options, "location-in-properties");
  settings.batch = Count(options, "hive.metastore.batch.retrieve.max", settings.batch);
  return settings;
}

}  // namespace mica
