#include "io/s3_signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <ctime>

#include <fmt/format.h>

namespace mica {

namespace {

std::string Hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) out += fmt::format("{:02x}", c);
  return out;
}

std::string Sha256(std::string_view text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  ::SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

std::string Hmac(std::string_view key, std::string_view text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  unsigned int size = 0;
  ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size);
  return digest;
}

std::string Trimmed(const std::string& value) {
  size_t begin = value.find_first_not_of(' '), end = value.find_last_not_of(' ');
  return begin == std::string::npos ? "" : value.substr(begin, end - begin + 1);
}

}  // namespace

void SignS3Request(const S3Credentials& credentials, const std::string& region, int64_t now, S3Request* request) {
  std::time_t seconds = now;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char time[32];
  std::strftime(time, sizeof(time), "%Y%m%dT%H%M%SZ", &utc);
  std::string date(time, 8);

  auto& headers = request->headers;
  headers["x-amz-date"] = time;
  headers["x-amz-content-sha256"] = Hex(Sha256(request->body));
  if (!credentials.session_token.empty()) headers["x-amz-security-token"] = credentials.session_token;

  std::string lines, names;
  for (const auto& [name, value] : headers) {
    lines += name + ":" + Trimmed(value) + "\n";
    names += (names.empty() ? "" : ";") + name;
  }
  std::string canonical = request->method + "\n" + request->path + "\n" + request->query + "\n" + lines + "\n" + names +
                          "\n" + headers["x-amz-content-sha256"];
  std::string scope = date + "/" + region + "/s3/aws4_request";
  std::string to_sign = std::string("AWS4-HMAC-SHA256\n") + time + "\n" + scope + "\n" + Hex(Sha256(canonical));
  std::string key = Hmac(Hmac(Hmac(Hmac("AWS4" + credentials.secret_key, date), region), "s3"), "aws4_request");
  headers["authorization"] = "AWS4-HMAC-SHA256 Credential=" + credentials.access_key + "/" + scope +
                             ",SignedHeaders=" + names + ",Signature=" + Hex(Hmac(key, to_sign));
}

std::string EncodeS3Key(std::string_view key) {
  std::string out;
  for (unsigned char c : key) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                 c == '_' || c == '~' || c == '/';
    if (plain) {
      out += static_cast<char>(c);
    } else {
      out += fmt::format("%{:02X}", c);
    }
  }
  return out;
}

}  // namespace mica
