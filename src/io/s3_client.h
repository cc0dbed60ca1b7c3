// The few requests on single small objects that Arrow's S3 file system does not offer or makes dear: the conditional
// put that publishes a snapshot, plain put, head, get and delete. Signed, over kept-alive connections. Thread safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "io/s3_options.h"
#include "io/s3_signature.h"

namespace httplib {
class Client;
}

namespace mica {

class S3Client {
 public:
  // `credentials` is asked for each request, for they may expire. `sleeper` waits between the tries of a request.
  S3Client(S3Settings settings, std::function<S3Credentials()> credentials, Sleeper sleeper = SystemSleeper());
  ~S3Client();

  enum class PutOutcome {
    kCreated,
    kExists,       // and is not ours
    kNotHonoured,  // the store says that it does not know conditional puts
  };
  // Creates the object unless it exists. An answer that got lost is looked for under a mark in the object's metadata;
  // throws OutcomeUnknown where that tells nothing.
  PutOutcome PutIfAbsent(const std::string& bucket, const std::string& key, std::string_view content);
  void Put(const std::string& bucket, const std::string& key, std::string_view content);
  // Whether there is an object; folders that are only prefixes are none.
  bool Head(const std::string& bucket, const std::string& key);
  void Delete(const std::string& bucket, const std::string& key);

  const S3Settings& settings() const { return settings_; }

 private:
  struct Answer {
    int status = 0;  // 0: no answer
    bool surely_not_sent = false;
    std::string problem;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
  };
  // One try.
  Answer Send(const std::string& method, const std::string& bucket, const std::string& key, std::string_view body,
              const std::map<std::string, std::string>& headers);
  // Several tries while the store is busy or does not answer; for requests that may be repeated.
  Answer SendPatiently(const std::string& method, const std::string& bucket, const std::string& key,
                       std::string_view body);
  void Wait(int tries);

  std::unique_ptr<httplib::Client> TakeConnection(const std::string& host);
  void GiveBack(const std::string& host, std::unique_ptr<httplib::Client> connection);

  S3Settings settings_;
  std::function<S3Credentials()> credentials_;
  Sleeper sleeper_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<httplib::Client>>> idle_;
};

}  // namespace mica
