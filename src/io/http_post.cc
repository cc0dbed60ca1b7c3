#include "io/http_post.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/text.h"

namespace mica {

namespace {

constexpr int kSeconds = 10;
constexpr size_t kLongestAnswer = 1 << 20;

struct Address {
  std::string host, port = "80", target = "/";
};

Address AddressOf(const std::string& url) {
  if (url.starts_with("https://")) {
    throw Unsupported("The URL '{}' cannot be reported to: only http is supported, not https. Put a proxy in between", url);
  }
  if (!url.starts_with("http://")) throw InvalidArgument("'{}' is no URL to report to: it begins with http://", url);
  Address address;
  std::string rest = url.substr(7);
  size_t slash = rest.find_first_of("/?");
  address.host = rest.substr(0, slash);
  if (slash != std::string::npos) address.target = (rest[slash] == '/' ? "" : "/") + rest.substr(slash);
  size_t colon = address.host.rfind(':');
  if (colon != std::string::npos && address.host.back() != ']') {
    address.port = address.host.substr(colon + 1);
    address.host.resize(colon);
  }
  if (address.host.size() > 2 && address.host.front() == '[') address.host = address.host.substr(1, address.host.size() - 2);
  bool breaks = url.find_first_of(" \t\r\n") != std::string::npos;
  if (address.host.empty() || address.port.empty() || breaks) throw InvalidArgument("'{}' is no URL to report to", url);
  return address;
}

class Connection {
 public:
  Connection(const std::string& url, const Address& address) : url_(url) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (int code = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found); code != 0) {
      throw IoError("'{}' cannot be reached: {}", url_, ::gai_strerror(code));
    }
    std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
    for (addrinfo* item = found; item != nullptr && socket_ < 0; item = item->ai_next) {
      socket_ = ::socket(item->ai_family, item->ai_socktype | SOCK_CLOEXEC, item->ai_protocol);
      if (socket_ < 0) continue;
      // Linux takes the time to send as the time to connect, too.
      timeval limit{kSeconds, 0};
      ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
      if (::connect(socket_, item->ai_addr, item->ai_addrlen) == 0) return;
      Close();
    }
    Fail();
  }
  ~Connection() { Close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Send(std::string_view text) {
    while (!text.empty()) {
      ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) Fail();
      text.remove_prefix(static_cast<size_t>(sent));
    }
  }

  // Up to where the other side closes, as it was asked to.
  std::string ReadAll() {
    std::string answer;
    char buffer[4096];
    while (answer.size() < kLongestAnswer) {
      ssize_t got = ::recv(socket_, buffer, sizeof(buffer), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) Fail();
      if (got == 0) return answer;
      answer.append(buffer, static_cast<size_t>(got));
    }
    throw IoError("The answer of '{}' is longer than {} bytes", url_, kLongestAnswer);
  }

 private:
  [[noreturn]] void Fail() {
    const int code = errno == EAGAIN || errno == EINPROGRESS ? ETIMEDOUT : errno;
    Close();
    throw IoError("'{}' cannot be reached: {}", url_, std::strerror(code));
  }
  void Close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  std::string url_;
  int socket_ = -1;
};

}  // namespace

std::string PostJson(const std::string& url, const std::string& body) {
  const Address address = AddressOf(url);
  Connection connection(url, address);
  // HTTP/1.0: the answer comes in one piece and ends with the connection.
  connection.Send(fmt::format("POST {} HTTP/1.0\r\nHost: {}:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n"
                              "Connection: close\r\n\r\n{}", address.target, address.host, address.port, body.size(), body));
  const std::string answer = connection.ReadAll();
  const size_t head = answer.find("\r\n\r\n");
  const std::string status = answer.substr(0, answer.find('\r'));
  if (!status.starts_with("HTTP/1.") || head == std::string::npos) throw IoError("'{}' gave no answer in HTTP", url);
  if (status.size() < 12 || status[9] != '2') throw IoError("'{}' answered '{}'", url, status);
  return answer.substr(head + 4);
}

}  // namespace mica
