#include "hive/hive_site.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "base/mutations.h"
#include "hive/hive_metastore.h"

namespace mica {
namespace {

const std::string kSite = R"(<?xml version="1.0"?>
<!-- <configuration> of a test -->
<configuration>
  <property>
    <name>hive.metastore.uris</name>
    <value>thrift://a:1,thrift://b:2</value>
    <description>with &lt;tags&gt;</description>
  </property>
  <!-- <property><name>hive.metastore.sasl.enabled</name><value>true</value></property> -->
  <property><name> hive.metastore.warehouse.dir </name><value>/w&amp;h</value><final>true</final></property>
  <property><name>javax.jdo.option.ConnectionPassword</name><value>secret</value></property>
  <property><name>empty</name></property>
</configuration>
)";

TEST(HiveSite, PropertiesAreRead) {
  const auto site = ParseHiveSite(kSite, "f");
  EXPECT_EQ(site.size(), 3);
  EXPECT_EQ(site.at("hive.metastore.uris"), "thrift://a:1,thrift://b:2");
  EXPECT_EQ(site.at("hive.metastore.warehouse.dir"), "/w&h");
}

TEST(HiveSite, WhatIsNoSuchFileIsRefusedByName) {
  EXPECT_ERROR(ParseHiveSite("hive.metastore.uris=x", "f.xml"), InvalidArgument,
               "'f.xml' has no element <configuration>");
  EXPECT_ERROR(ParseHiveSite("<configuration><property><name>a", "f.xml"), InvalidArgument, "'f.xml' does not end");
  EXPECT_ERROR(ParseHiveSite("<configuration><property><value>a</value></property></configuration>", "f.xml"),
               InvalidArgument, "A property in 'f.xml' has no name");
  EXPECT_ERROR(ParseHiveSite("<!-- ", "f.xml"), InvalidArgument, "A comment in 'f.xml' does not end");
}

TEST(HiveSite, OptionsOfTheCatalogWinAndSecretsOfTheServerStayOut) {
  const auto folder = std::filesystem::temp_directory_path() / ("hive_site_test_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "hive-site.xml") << kSite;
  auto options = WithHiveSite({{"hive-conf-dir", folder.string()}, {"hive.metastore.warehouse.dir", "/own"}});
  EXPECT_EQ(options.at("hive.metastore.warehouse.dir"), "/own");
  EXPECT_FALSE(options.contains("javax.jdo.option.ConnectionPassword"));
  const HiveMetastoreSettings settings = ReadHiveMetastoreSettings(options);
  ASSERT_EQ(settings.servers.size(), 2);
  EXPECT_EQ(settings.servers[1].host, "b");
  options["uri"] = "thrift://c";
  EXPECT_EQ(ReadHiveMetastoreSettings(options).servers.at(0).host, "c");
  std::filesystem::remove_all(folder);
  EXPECT_ERROR(WithHiveSite({{"hive-conf-dir", folder.string()}}), NotFound, "hive-conf-dir");
}

TEST(HiveSite, Damaged) {
  Mutations mutations;
  for (int i = 0; i < Mutations::Rounds(2000); ++i) {
    const std::string damaged = mutations.Of(kSite);
    Mutations::ExpectErrorOrValue([&] { ParseHiveSite(damaged, "f"); });
  }
}

}  // namespace
}  // namespace mica
