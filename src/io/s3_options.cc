#include "io/s3_options.h"

#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

namespace mica {

namespace {

// The one table: what follows the prefix (lower case) -> the canonical key.
struct Spelling {
  const char* name;
  const char* key;
};
constexpr Spelling kSpellings[] = {
    {"endpoint", "endpoint"},
    {"access-key", "access-key"},
    {"access.key", "access-key"},
    {"accesskeyid", "access-key"},
    {"secret-key", "secret-key"},
    {"secret.key", "secret-key"},
    {"accesskeysecret", "secret-key"},
    {"session-token", "session-token"},
    {"session.token", "session-token"},
    {"securitytoken", "session-token"},
    {"region", "region"},
    {"endpoint.region", "region"},
    {"path-style-access", "path-style-access"},
    {"path.style.access", "path-style-access"},
    {"ssl.enabled", "ssl.enabled"},
    {"connection.ssl.enabled", "ssl.enabled"},
};

// The first prefix that has a key wins. Only "s3." and "s3a." are Paimon's own, where an unknown name is a slip; the
// others are Hadoop's, which has many names that mean nothing here.
const std::vector<std::string> kS3Prefixes = {"s3.", "s3a.", "s3n.", "fs.s3.", "fs.s3a.", "fs.s3n."};
const std::vector<std::string> kOssPrefixes = {"fs.oss.", "oss."};

void WarnOnce(const std::string& option) {
  static std::mutex mutex;
  static std::set<std::string> warned;
  std::lock_guard lock(mutex);
  if (!warned.insert(option).second) return;
  std::vector<std::string> known;
  std::string prefix = option.substr(0, option.find('.') + 1);
  for (const Spelling& spelling : kSpellings) known.push_back(prefix + spelling.name);
  Log(LogLevel::kWarning,
      fmt::format("The option '{}' is not known and has no effect{}", option, DidYouMean(option, known)));
}

bool ReadBool(const std::string& key, const std::string& value) {
  if (EqualsIgnoreCase(Trim(value), "true")) return true;
  if (EqualsIgnoreCase(Trim(value), "false")) return false;
  throw InvalidArgument("Cannot read the object-store option '{}': '{}' is neither true nor false", key, value);
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool StartsWith(const std::string& text, std::string_view prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}
bool EndsWith(const std::string& text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

// "http://host:9000/" -> transport and host.
void ReadEndpoint(std::string endpoint, S3Settings* settings) {
  size_t separator = endpoint.find("://");
  if (separator != std::string::npos) {
    settings->transport = ToLower(endpoint.substr(0, separator));
    endpoint = endpoint.substr(separator + 3);
    if (settings->transport != "http" && settings->transport != "https") {
      throw InvalidArgument("Cannot use the endpoint '{}://{}': write http:// or https://", settings->transport,
                            endpoint);
    }
  }
  while (!endpoint.empty() && endpoint.back() == '/') endpoint.pop_back();
  if (endpoint.empty() || endpoint.find_first_of("/ ?#@") != std::string::npos) {
    throw InvalidArgument("Cannot use the endpoint '{}': write a host, with a port if it needs one", endpoint);
  }
  settings->endpoint = endpoint;
}

}  // namespace

bool S3Settings::is_aws() const {
  return endpoint.empty() || EndsWith(endpoint, ".amazonaws.com") || EndsWith(endpoint, ".amazonaws.com.cn");
}

S3Settings ReadS3Settings(const std::string& scheme, const std::map<std::string, std::string>& options) {
  bool oss = scheme == "oss";
  std::map<std::string, std::string> values;
  for (const std::string& prefix : oss ? kOssPrefixes : kS3Prefixes) {
    for (const auto& [option, value] : options) {
      if (!StartsWith(option, prefix)) continue;
      std::string name = ToLower(option.substr(prefix.size()));
      const char* key = nullptr;
      for (const Spelling& spelling : kSpellings) {
        if (name == spelling.name) key = spelling.key;
      }
      if (key) values.emplace(key, std::string(Trim(value)));
      if (!key && (prefix == "s3." || prefix == "s3a.")) WarnOnce(option);
    }
  }
  auto get = [&](const char* key) { return values.count(key) ? values[key] : std::string(); };

  S3Settings settings;
  settings.access_key = get("access-key");
  settings.secret_key = get("secret-key");
  settings.session_token = get("session-token");
  settings.region = get("region");
  if (settings.access_key.empty() != settings.secret_key.empty()) {
    throw InvalidArgument(
        "The object-store options have only one of access key and secret key. Give both, or none to use "
        "the AWS variables and profile");
  }
  std::string endpoint = get("endpoint");
  if (endpoint.empty() && !oss) endpoint = Variable("AWS_ENDPOINT_URL_S3");
  if (endpoint.empty() && !oss) endpoint = Variable("AWS_ENDPOINT_URL");
  if (endpoint.empty() && oss) throw InvalidArgument("An oss:// path needs the option 'fs.oss.endpoint'");
  if (!endpoint.empty()) ReadEndpoint(endpoint, &settings);
  if (values.count("ssl.enabled") && endpoint.find("://") == std::string::npos) {
    settings.transport = ReadBool("ssl.enabled", get("ssl.enabled")) ? "https" : "http";
  }
  if (oss) {
    // OSS answers the S3 interface under s3.oss-<region>, and knows buckets by their host name only.
    if (StartsWith(settings.endpoint, "oss-") && EndsWith(settings.endpoint, ".aliyuncs.com")) {
      settings.endpoint = "s3." + settings.endpoint;
    }
    if (settings.region.empty() && StartsWith(settings.endpoint, "s3.oss-")) {
      settings.region = settings.endpoint.substr(3, settings.endpoint.find('.', 3) - 3);
      if (EndsWith(settings.region, "-internal")) settings.region.resize(settings.region.size() - 9);
    }
  }
  if (values.count("path-style-access")) {
    settings.virtual_addressing = !ReadBool("path-style-access", get("path-style-access"));
  } else {
    settings.virtual_addressing = oss || settings.is_aws();
  }
  if (settings.region.empty()) settings.region = Variable("AWS_REGION");
  if (settings.region.empty()) settings.region = Variable("AWS_DEFAULT_REGION");
  // A store of one's own seldom has regions; asking the cloud's metadata service for one would cost seconds.
  if (settings.region.empty() && !settings.endpoint.empty()) settings.region = "us-east-1";
  return settings;
}

}  // namespace mica
