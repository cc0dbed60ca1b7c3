#include "hive/hive_metastore.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/expect_error.h"

namespace mica {
namespace {

// A port that is listened on, or was and is closed: nobody answers there.
class Port {
 public:
  explicit Port(bool listen) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    socklen_t size = sizeof(address);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    number_ = ntohs(address.sin_port);
    if (listen) ::listen(socket_, 8);
  }
  ~Port() { ::close(socket_); }
  uint16_t number() const { return number_; }

 private:
  int socket_;
  uint16_t number_;
};

TEST(HiveMetastoreSettings, OptionsAreRead) {
  const auto settings = ReadHiveMetastoreSettings({{"uri", "thrift://a:1, thrift://b,thrift://[::1]:7/"},
                                                   {"hive.metastore.client.socket.timeout", "5"},
                                                   {"hive.metastore.client.connect.retry.delay", "200 ms"},
                                                   {"hive.metastore.connect.retries", "4"}});
  ASSERT_EQ(settings.servers.size(), 3u);
  EXPECT_EQ(settings.servers[0].host, "a");
  EXPECT_EQ(settings.servers[0].port, 1);
  EXPECT_EQ(settings.servers[1].port, 9083);
  EXPECT_EQ(settings.servers[2].host, "::1");
  EXPECT_EQ(settings.servers[2].port, 7);
  EXPECT_EQ(settings.answer_timeout.count(), 5000);
  EXPECT_EQ(settings.connect_timeout.count(), 5000);
  EXPECT_EQ(settings.round_delay.count(), 200);
  EXPECT_EQ(settings.connect_rounds, 4);
}

TEST(HiveMetastoreSettings, WrongOptionsAreNamed) {
  EXPECT_ERROR(ReadHiveMetastoreSettings({}), InvalidArgument, "'uri'");
  EXPECT_ERROR(ReadHiveMetastoreSettings({{"uri", "http://a"}}), InvalidArgument, "thrift://host:port");
  EXPECT_ERROR(ReadHiveMetastoreSettings({{"uri", "thrift://a:x"}}), InvalidArgument, "thrift://a:x");
  EXPECT_ERROR(ReadHiveMetastoreSettings({{"uri", "thrift://:9083"}}), InvalidArgument, "no host");
  EXPECT_ERROR(ReadHiveMetastoreSettings({{"uri", "thrift://a"}, {"hive.metastore.sasl.enabled", "true"}}), Unsupported,
               "sasl");
  EXPECT_ERROR(ReadHiveMetastoreSettings({{"uri", "thrift://a"}, {"hive.metastore.batch.retrieve.max", "0"}}),
               InvalidArgument, "batch.retrieve.max");
  EXPECT_ERROR(ReadHiveMetastoreSettings({{"uri", "thrift://a"}, {"hive.metastore.client.socket.timeout", "soon"}}),
               InvalidArgument, "socket.timeout");
}

TEST(HiveMetastore, ServersThatCannotBeReachedAreTriedABoundedNumberOfTimes) {
  const Port first(false), second(false);
  int64_t waited = 0;
  HiveMetastore metastore({.servers = {{"127.0.0.1", first.number()}, {"127.0.0.1", second.number()}},
                           .connect_rounds = 3,
                           .sleeper = [&](int64_t millis) { waited += millis; }});
  EXPECT_ERROR(metastore.DatabaseNames(), IoError, "No metastore of 2 can be reached (tried 3 times)");
  EXPECT_EQ(waited, 2 * 1000);
}

TEST(HiveMetastore, AServerThatIsSilentIsGivenUpAfterTheTimeout) {
  const Port silent(true);
  HiveMetastore metastore({.servers = {{"127.0.0.1", silent.number()}},
                           .answer_timeout = std::chrono::milliseconds(20),
                           .connect_rounds = 1});
  EXPECT_ERROR(metastore.DatabaseNames(), IoError, "did not answer");
}

}  // namespace
}  // namespace mica
