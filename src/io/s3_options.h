// Reads the options of an object store from all the spellings that Paimon's and Hadoop's users know: "s3.", "s3a.",
// "fs.s3.", "fs.s3a." (and s3n) for S3, "fs.oss." for OSS, which is spoken to by its S3 interface. What is not given
// comes from the AWS variables and profile.
#pragma once

#include <map>
#include <string>

namespace mica {

struct S3Settings {
  std::string transport = "https";  // or "http"
  std::string endpoint;             // "host" or "host:port"; empty: AWS itself
  std::string access_key;           // empty: the standard AWS ways to find credentials
  std::string secret_key;
  std::string session_token;
  std::string region;  // empty: the standard AWS ways to find it
  bool virtual_addressing = true;  // https://bucket.endpoint/key; otherwise https://endpoint/bucket/key

  // Whether the store is AWS's own, which honours conditional puts.
  bool is_aws() const;
};

// `scheme` is s3, s3a, s3n or oss. Warns (base/log.h) of "s3." options nobody reads. Throws InvalidArgument.
S3Settings ReadS3Settings(const std::string& scheme, const std::map<std::string, std::string>& options);

}  // namespace mica
