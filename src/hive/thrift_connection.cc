#include "hive/thrift_connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace mica {

namespace {

constexpr uint32_t kVersion = 0x80010000;  // of the strict binary protocol; the low byte says what the message is
constexpr uint32_t kCall = 1;
constexpr uint32_t kException = 3;
constexpr int64_t kUnknownMethod = 1;
constexpr size_t kBufferBytes = 64 << 10;

std::string Reason(int error) {
  return std::strerror(error);
}

}  // namespace

ThriftConnection::ThriftConnection(const std::string& host, uint16_t port, std::chrono::milliseconds connect_timeout,
                                   std::chrono::milliseconds answer_timeout)
    : server_(fmt::format("{}:{}", host, port)), answer_timeout_(answer_timeout) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); failed != 0) {
    throw IoError("Cannot find the host '{}' of the metastore: {}", host, ::gai_strerror(failed));
  }
  std::string why = "it has no address";
  for (const addrinfo* address = found; address && socket_ < 0; address = address->ai_next) {
    socket_ = ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket_ < 0) continue;
    int error = ::connect(socket_, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      pollfd wait{socket_, POLLOUT, 0};
      socklen_t size = sizeof(error);
      const int ready = ::poll(&wait, 1, static_cast<int>(connect_timeout.count()));
      if (ready <= 0)
        error = ETIMEDOUT;
      else
        ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) break;
    why = Reason(error);
    ::close(socket_);
    socket_ = -1;
  }
  ::freeaddrinfo(found);
  if (socket_ < 0) throw IoError("Cannot connect to the metastore at '{}': {}", server_, why);
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

ThriftConnection::~ThriftConnection() {
  ::close(socket_);
}

bool ThriftConnection::IsAlive() const {
  // Between calls there is nothing to read: what can be read is the end.
  pollfd look{socket_, POLLIN, 0};
  return position_ == buffer_.size() && ::poll(&look, 1, 0) == 0;
}

void ThriftConnection::Await(short events, std::chrono::milliseconds timeout) {
  pollfd wait{socket_, events, 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, static_cast<int>(timeout.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) {
    throw IoError(
        "The metastore at '{}' did not answer within {} s. 'hive.metastore.client.socket.timeout' sets how long to "
        "wait",
        server_, std::chrono::duration_cast<std::chrono::seconds>(timeout).count());
  }
  if (ready < 0) throw IoError("Cannot wait for the metastore at '{}': {}", server_, Reason(errno));
}

void ThriftConnection::Send(const std::string& bytes, bool* sent) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t step = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (step > 0) {
      done += static_cast<size_t>(step);
      *sent = done == bytes.size();  // a part of a call is never carried out
    } else if (errno == EAGAIN) {
      Await(POLLOUT, answer_timeout_);
    } else if (errno != EINTR) {
      throw IoError("The connection to the metastore at '{}' broke: {}", server_, Reason(errno));
    }
  }
}

void ThriftConnection::Read(char* bytes, size_t count) {
  while (count > 0) {
    if (position_ == buffer_.size()) {
      buffer_.resize(kBufferBytes);
      position_ = 0;
      ssize_t got = -1;
      while ((got = ::recv(socket_, buffer_.data(), buffer_.size(), 0)) < 0) {
        const int error = errno;
        if (error == EAGAIN) {
          Await(POLLIN, answer_timeout_);
        } else if (error != EINTR) {
          buffer_.clear();
          throw IoError("The connection to the metastore at '{}' broke: {}", server_, Reason(error));
        }
      }
      buffer_.resize(static_cast<size_t>(got));
      if (got == 0) throw IoError("The metastore at '{}' ended the connection", server_);
    }
    const size_t step = std::min(count, buffer_.size() - position_);
    std::memcpy(bytes, buffer_.data() + position_, step);
    position_ += step;
    bytes += step;
    count -= step;
  }
}

ThriftValue ThriftConnection::Call(const std::string& method, const ThriftValue& arguments, bool* sent) {
  *sent = false;
  std::string message;
  AppendThriftInt(static_cast<int32_t>(kVersion | kCall), &message);
  AppendThriftText(method, &message);
  AppendThriftInt(++sequence_, &message);
  AppendThrift(arguments, &message);
  Send(message, sent);

  const auto head = static_cast<uint32_t>(ReadThriftInt(*this));
  if ((head & 0xffff0000) != kVersion) {
    throw Unsupported(
        "The server at '{}' does not speak Thrift's binary protocol without frames, as a Hive metastore does "
        "that has neither SASL, TLS nor frames switched on",
        server_);
  }
  ReadThriftText(*this);
  if (const int32_t sequence = ReadThriftInt(*this); sequence != sequence_) {
    throw IoError("The metastore at '{}' answered call {} instead of {}", server_, sequence, sequence_);
  }
  ThriftValue result = ReadThrift(*this, ThriftType::kStruct);
  if ((head & 0xff) != kException) return result;
  if (result.NumberAt(2) == kUnknownMethod)
    throw Unsupported("The metastore at '{}' has no method '{}'", server_, method);
  throw IoError("The metastore at '{}' failed in '{}': {}", server_, method, result.TextAt(1));
}

}  // namespace mica
