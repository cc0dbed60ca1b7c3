// Signs requests to an object store by AWS Signature Version 4.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace mica {

struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;
};

struct S3Request {
  std::string method;
  std::string path;   // percent-encoded, begins with a slash
  std::string query;  // already in canonical form, without the question mark
  std::map<std::string, std::string> headers;  // names in lower case; "host" must be there
  std::string_view body;
};

// Adds x-amz-date, x-amz-content-sha256, the session token and the authorization, which covers every header given.
// `now` is in seconds since the epoch.
void SignS3Request(const S3Credentials& credentials, const std::string& region, int64_t now, S3Request* request);

// Every byte but letters, digits and "-._~/" as %XX.
std::string EncodeS3Key(std::string_view key);

}  // namespace mica
