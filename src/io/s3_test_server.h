// Starts the S3 server of the tests (s3_test_server.py) for the life of a test program. Tests that need it are skipped
// without it, or fail when MICA_REQUIRE_S3=1. MICA_TEST_PYTHON names another interpreter that has moto.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace mica {

class S3TestServer {
 public:
  static S3TestServer& Get();
  ~S3TestServer();

  bool running() const { return port_ > 0; }
  std::string endpoint() const { return "127.0.0.1:" + std::to_string(port_); }
  std::map<std::string, std::string> Options() const;
  // See s3_test_server.py.
  void SetMode(const std::string& mode);

 private:
  S3TestServer();

  pid_t child_ = -1;
  int input_ = -1;
  int port_ = 0;
};

}  // namespace mica
