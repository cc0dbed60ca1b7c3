#include "io/s3_options.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/log.h"

namespace mica {
namespace {

class S3Options : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"})
      ::unsetenv(name);
  }
};

TEST_F(S3Options, AllSpellingsMeanTheSame) {  // M-0116
  for (const std::map<std::string, std::string>& options :
       std::vector<std::map<std::string, std::string>>{{{"s3.endpoint", "http://h:9000/"},
                                                        {"s3.access-key", "a"},
                                                        {"s3.secret-key", "b"},
                                                        {"s3.session-token", "c"},
                                                        {"s3.region", "r"},
                                                        {"s3.path.style.access", "true"}},
                                                       {{"s3a.endpoint", "http://h:9000"},
                                                        {"s3a.access.key", "a"},
                                                        {"s3.secret.key", "b"},
                                                        {"s3a.session.token", "c"},
                                                        {"s3.endpoint.region", "r"},
                                                        {"s3.path-style-access", "TRUE"}},
                                                       {{"fs.s3a.endpoint", "h:9000"},
                                                        {"fs.s3a.connection.ssl.enabled", "false"},
                                                        {"fs.s3a.access.key", "a"},
                                                        {"fs.s3a.secret.key", "b"},
                                                        {"fs.s3.session-token", "c"},
                                                        {"fs.s3a.endpoint.region", "r"},
                                                        {"fs.s3a.path.style.access", "true"}}}) {
    S3Settings settings = ReadS3Settings("s3", options);
    EXPECT_EQ(settings.transport, "http");
    EXPECT_EQ(settings.endpoint, "h:9000");
    EXPECT_EQ(settings.access_key, "a");
    EXPECT_EQ(settings.secret_key, "b");
    EXPECT_EQ(settings.session_token, "c");
    EXPECT_EQ(settings.region, "r");
    EXPECT_FALSE(settings.virtual_addressing);
  }
}

TEST_F(S3Options, OssIsSpokenToByItsS3Interface) {
  S3Settings settings = ReadS3Settings("oss", {{"fs.oss.endpoint", "oss-cn-hangzhou-internal.aliyuncs.com"},
                                               {"fs.oss.accessKeyId", "a"},
                                               {"fs.oss.accessKeySecret", "b"},
                                               {"fs.oss.securityToken", "c"},
                                               {"s3.endpoint", "http://elsewhere"}});
  EXPECT_EQ(settings.endpoint, "s3.oss-cn-hangzhou-internal.aliyuncs.com");
  EXPECT_EQ(settings.region, "oss-cn-hangzhou");
  EXPECT_EQ(settings.transport, "https");
  EXPECT_EQ(settings.access_key, "a");
  EXPECT_EQ(settings.secret_key, "b");
  EXPECT_EQ(settings.session_token, "c");
  EXPECT_TRUE(settings.virtual_addressing);
  EXPECT_FALSE(settings.is_aws());
  EXPECT_THROW(ReadS3Settings("oss", {}), Error);
}

TEST_F(S3Options, AwsVariablesFillWhatIsMissing) {
  ::setenv("AWS_REGION", "eu-west-1", 1);
  ::setenv("AWS_ENDPOINT_URL", "https://store.example.com", 1);
  S3Settings settings = ReadS3Settings("s3", {});
  EXPECT_EQ(settings.region, "eu-west-1");
  EXPECT_EQ(settings.endpoint, "store.example.com");
  EXPECT_TRUE(settings.access_key.empty());
  EXPECT_EQ(ReadS3Settings("s3", {{"s3.region", "mine"}}).region, "mine");
}

TEST_F(S3Options, AnUnknownNameIsWarnedOfOnceWithTheClosest) {
  std::vector<std::string> warnings;
  SetLogSink([&](LogLevel, const std::string& text) { warnings.push_back(text); });
  for (int i = 0; i < 2; ++i) {
    ReadS3Settings("s3", {{"s3.acces-key", "a"}, {"fs.s3a.connection.maximum", "100"}, {"warehouse", "x"}});
  }
  SetLogSink(nullptr);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], testing::HasSubstr("'s3.acces-key'"));
  EXPECT_THAT(warnings[0], testing::HasSubstr("'s3.access-key'"));
}

TEST_F(S3Options, RefusesHalfAndMalformed) {
  EXPECT_THROW(ReadS3Settings("s3", {{"s3.access-key", "a"}}), Error);
  EXPECT_THROW(ReadS3Settings("s3", {{"s3.endpoint", "ftp://h"}}), Error);
  EXPECT_THROW(ReadS3Settings("s3", {{"s3.endpoint", "http://h/path"}}), Error);
  EXPECT_THROW(ReadS3Settings("s3", {{"s3.path.style.access", "maybe"}}), Error);
}

}  // namespace
}  // namespace mica
