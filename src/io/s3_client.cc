#include "io/s3_client.h"

#include <httplib.h>
#include <signal.h>

#include "base/error.h"
#include "base/text.h"
#include "base/uuid.h"

namespace mica {

namespace {

constexpr int kTries = 5;
// Tells our object from another's when the answer to a put got lost.
constexpr const char* kMark = "x-amz-meta-mica-publish";

// A connection that the other side closed raises SIGPIPE, which would end the host program. Keeps it from this thread.
class WithoutBrokenPipeSignal {
 public:
  WithoutBrokenPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutBrokenPipeSignal() {
    if (::sigismember(&before_, SIGPIPE)) return;
    timespec none{};
    ::sigtimedwait(&pipe_, nullptr, &none);  // takes one that is waiting
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
};

bool NeverLeft(httplib::Error error) {
  switch (error) {
    case httplib::Error::Connection: case httplib::Error::ConnectionTimeout: case httplib::Error::BindIPAddress:
    case httplib::Error::SSLConnection:
    case httplib::Error::SSLLoadingCerts:
    case httplib::Error::SSLServerVerification:
      return true;
    default:
      return false;
  }
}

// The text of an element of the store's XML error, or nothing.
std::string Element(const std::string& xml, const std::string& name) {
  size_t begin = xml.find("<" + name + ">");
  if (begin == std::string::npos) return "";
  begin += name.size() + 2;
  size_t end = xml.find("</" + name + ">", begin);
  return end == std::string::npos ? "" : xml.substr(begin, end - begin);
}

Error Refused(const char* operation, const std::string& bucket, const std::string& key, int status,
              const std::string& body, const std::string& problem) {
  std::string code = Element(body, "Code"), message = Element(body, "Message");
  ErrorKind kind = status == 401 || status == 403 ? ErrorKind::kPermissionDenied
                   : status == 404                ? ErrorKind::kNotFound
                                                  : ErrorKind::kIoError;
  std::string reason = status == 0 ? problem : fmt::format("HTTP {} {} {}", status, code, message);
  std::string way_out;
  if (status == 301 || code == "AuthorizationHeaderMalformed") way_out = ". Check the option 's3.region'";
  if (code == "SignatureDoesNotMatch" || code == "InvalidAccessKeyId")
    way_out = ". Check the access key and the secret key";
  return MakeError(kind, "Cannot {} '{}' in the bucket '{}': {}{}", operation, key, bucket, Trim(reason), way_out);
}

bool IsBusy(int status) {
  return status == 0 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

}  // namespace

S3Client::S3Client(S3Settings settings, std::function<S3Credentials()> credentials, Sleeper sleeper)
    : settings_(std::move(settings)), credentials_(std::move(credentials)), sleeper_(std::move(sleeper)) {}

S3Client::~S3Client() = default;

std::unique_ptr<httplib::Client> S3Client::TakeConnection(const std::string& host) {
  {
    std::lock_guard lock(mutex_);
    auto& idle = idle_[host];
    if (!idle.empty()) {
      auto connection = std::move(idle.back());
      idle.pop_back();
      return connection;
    }
  }
  auto connection = std::make_unique<httplib::Client>(settings_.transport + "://" + host);
  if (!connection->is_valid()) throw InvalidArgument("Cannot use the endpoint '{}://{}'", settings_.transport, host);
  connection->set_keep_alive(true);
  connection->set_url_encode(false);
  connection->set_connection_timeout(10);
  connection->set_read_timeout(60);
  connection->set_write_timeout(60);
  return connection;
}

void S3Client::GiveBack(const std::string& host, std::unique_ptr<httplib::Client> connection) {
  std::lock_guard lock(mutex_);
  auto& idle = idle_[host];
  if (idle.size() < 16) idle.push_back(std::move(connection));
}

S3Client::Answer S3Client::Send(const std::string& method, const std::string& bucket, const std::string& key,
                                std::string_view body, const std::map<std::string, std::string>& headers) {
  std::string host = settings_.endpoint;
  if (host.empty()) {
    host = "s3." + settings_.region + ".amazonaws.com" + (settings_.region.rfind("cn-", 0) == 0 ? ".cn" : "");
  }
  S3Request request{.method = method, .headers = headers, .body = body};
  // The certificate of a virtual host has one level only, so a bucket with dots goes by path.
  bool by_host =
      settings_.virtual_addressing && (settings_.transport == "http" || bucket.find('.') == std::string::npos);
  if (by_host) host = bucket + "." + host;
  request.path = (by_host ? "/" : "/" + EncodeS3Key(bucket) + "/") + EncodeS3Key(key);
  request.headers["host"] = host;
  SignS3Request(credentials_(), settings_.region, SystemClock()() / 1000, &request);

  httplib::Request wire;
  wire.method = method;
  wire.path = request.path;
  for (const auto& [name, value] : request.headers) wire.headers.emplace(name == "host" ? "Host" : name, value);
  wire.body = std::string(body);
  if (method == "PUT") wire.headers.emplace("Content-Type", "application/octet-stream");

  WithoutBrokenPipeSignal quiet;
  std::unique_ptr<httplib::Client> connection = TakeConnection(host);
  httplib::Result result = connection->send(wire);
  Answer answer;
  if (!result) {
    answer.surely_not_sent = NeverLeft(result.error());
    answer.problem = settings_.transport + "://" + host + ": " + httplib::to_string(result.error());
    return answer;
  }
  answer.status = result->status;
  answer.body = std::move(result->body);
  for (const auto& [name, value] : result->headers) answer.headers[ToLower(name)] = value;
  GiveBack(host, std::move(connection));
  return answer;
}

void S3Client::Wait(int tries) { sleeper_(50 << tries); }

S3Client::Answer S3Client::SendPatiently(const std::string& method, const std::string& bucket, const std::string& key,
                                         std::string_view body) {
  for (int tries = 1;; ++tries) {
    Answer answer = Send(method, bucket, key, body, {});
    if (!IsBusy(answer.status) || tries == kTries) {
      if (tries == kTries) answer.problem += fmt::format(" ({} tries)", tries);
      return answer;
    }
    Wait(tries);
  }
}

S3Client::PutOutcome S3Client::PutIfAbsent(const std::string& bucket, const std::string& key,
                                           std::string_view content) {
  std::string mark = RandomUuid();
  bool maybe_done = false;  // an earlier try may have created the object
  Answer answer;
  for (int tries = 1; tries <= kTries; ++tries) {
    if (tries > 1) Wait(tries - 1);
    answer = Send("PUT", bucket, key, content, {{"if-none-match", "*"}, {kMark, mark}});
    if (answer.status == 200 || answer.status == 201 || answer.status == 204) return PutOutcome::kCreated;
    if (answer.status == 501 && !maybe_done) return PutOutcome::kNotHonoured;
    if (answer.status == 412) {
      if (!maybe_done) return PutOutcome::kExists;
      Answer head = SendPatiently("HEAD", bucket, key, "");
      if (head.status == 200 && head.headers.count(kMark)) {
        return head.headers[kMark] == mark ? PutOutcome::kCreated : PutOutcome::kExists;
      }
      break;
    }
    if (answer.status == 409) continue;  // somebody deletes or writes the same name at this moment; nothing was done
    if (!IsBusy(answer.status)) break;
    maybe_done = maybe_done || !answer.surely_not_sent;
  }
  if (maybe_done) {
    throw OutcomeUnknown(
        "Publishing '{}' in the bucket '{}' got no clear answer in {} tries ({}); the object may exist or not", key,
        bucket, kTries, answer.status == 0 ? answer.problem : fmt::format("HTTP {}", answer.status));
  }
  throw Refused("publish", bucket, key, answer.status, answer.body, answer.problem);
}

void S3Client::Put(const std::string& bucket, const std::string& key, std::string_view content) {
  Answer answer = SendPatiently("PUT", bucket, key, content);
  if (answer.status / 100 != 2) throw Refused("write", bucket, key, answer.status, answer.body, answer.problem);
}

bool S3Client::Head(const std::string& bucket, const std::string& key) {
  Answer answer = SendPatiently("HEAD", bucket, key, "");
  if (answer.status / 100 == 2) return true;
  if (answer.status == 404) return false;
  throw Refused("look up", bucket, key, answer.status, answer.body, answer.problem);
}

void S3Client::Delete(const std::string& bucket, const std::string& key) {
  Answer answer = SendPatiently("DELETE", bucket, key, "");
  if (answer.status / 100 == 2 || answer.status == 404) return;
  throw Refused("delete", bucket, key, answer.status, answer.body, answer.problem);
}

}  // namespace mica
