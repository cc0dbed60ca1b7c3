// One connection to a Thrift server by TCP, with the strict binary protocol and no frames, as a Hive metastore listens.
// Used by one thread at a time.
//
// Written here because the Thrift library of Debian cannot live in one process with Arrow's: libparquet shows another
// version's classes under the same names.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "hive/thrift_value.h"

namespace mica {

class ThriftConnection final : private ByteSource {
 public:
  // Throws IoError naming the server.
  ThriftConnection(const std::string& host, uint16_t port, std::chrono::milliseconds connect_timeout,
                   std::chrono::milliseconds answer_timeout);
  ~ThriftConnection() override;
  ThriftConnection(const ThriftConnection&) = delete;
  ThriftConnection& operator=(const ThriftConnection&) = delete;

  const std::string& server() const { return server_; }  // "host:port"
  // False when the server has closed it, which an idle one is told only so.
  bool IsAlive() const;
  // The struct that the method answers with: what it returns is field 0, an exception another field. Throws IoError
  // when the server cannot be reached or stays silent (then `sent` is set once the call may have arrived), Unsupported
  // for a method that the server does not have. After any error the connection is of no more use.
  ThriftValue Call(const std::string& method, const ThriftValue& arguments, bool* sent);

 private:
  void Read(char* bytes, size_t count) override;
  void Send(const std::string& bytes, bool* sent);
  void Await(short events, std::chrono::milliseconds timeout);

  std::string server_;
  std::chrono::milliseconds answer_timeout_;
  int socket_ = -1;
  int32_t sequence_ = 0;
  std::string buffer_;  // received and not yet read
  size_t position_ = 0;
};

}  // namespace mica
