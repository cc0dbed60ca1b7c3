// The object store against moto: what holds for every file system, what only object stores do, and how publishing
// behaves when the store does not honour conditions or its answers get lost.
#include "io/s3_file_system.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <thread>

#include <arrow/io/interfaces.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include "base/arrow.h"
#include "base/uuid.h"
#include "io/file_systems.h"
#include "io/s3_test_server.h"

namespace mica {

S3TestServer& S3TestServer::Get() {
  static S3TestServer server;
  return server;
}

S3TestServer::S3TestServer() {
  // Clients of this process go to the server only, whatever the machine is set up for.
  for (const char* name : {"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "AWS_ENDPOINT_URL"})
    ::unsetenv(name);
  ::setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
  const char* python = std::getenv("MICA_TEST_PYTHON");
  if (!python) python = MICA_TEST_PYTHON;
  if (::access(python, X_OK) != 0) return;
  int to_child[2], from_child[2];
  if (::pipe(to_child) != 0 || ::pipe(from_child) != 0) return;
  child_ = ::fork();
  if (child_ == 0) {
    ::dup2(to_child[0], 0);
    ::dup2(from_child[1], 1);
    for (int descriptor : {to_child[0], to_child[1], from_child[0], from_child[1]}) ::close(descriptor);
    ::execl(python, python, MICA_S3_TEST_SERVER, nullptr);
    ::_exit(127);
  }
  ::close(to_child[0]);
  ::close(from_child[1]);
  input_ = to_child[1];
  std::string line;
  char c;
  while (::read(from_child[0], &c, 1) == 1 && c != '\n') line += c;
  ::close(from_child[0]);
  port_ = std::atoi(line.c_str());
}

S3TestServer::~S3TestServer() {
  if (input_ >= 0) ::close(input_);  // the server ends when its input does
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

std::map<std::string, std::string> S3TestServer::Options() const {
  return {{"s3.endpoint", "http://" + endpoint()}, {"s3.access-key", "test"}, {"s3.secret-key", "test-secret"}};
}

void S3TestServer::SetMode(const std::string& mode) {
  httplib::Client client("http://" + endpoint());
  ASSERT_TRUE(client.Put("/_mode/" + mode));
}

namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

void Write(FileSystem& fs, const std::string& path, std::string_view content) {
  auto out = fs.OpenOutput(path);
  Check(out->Write(content));
  Check(out->Close());
}

#define EXPECT_ERROR(statement, kind_name, text)                            \
  do {                                                                      \
    try {                                                                   \
      statement;                                                            \
      ADD_FAILURE() << "no error";                                          \
    } catch (const Error& error) {                                          \
      EXPECT_EQ(error.kind(), ErrorKind::k##kind_name) << error.what();     \
      EXPECT_THAT(error.what(), HasSubstr(text));                           \
    }                                                                       \
  } while (false)

class S3Test : public testing::Test {
 protected:
  void SetUp() override {
    S3TestServer& server = S3TestServer::Get();
    if (!server.running()) {
      const char* required = std::getenv("MICA_REQUIRE_S3");
      if (required && std::string(required) == "1") FAIL() << "no S3 server; run tools/setup --tests";
      GTEST_SKIP() << "no S3 server; run tools/setup --tests";
    }
    server.SetMode("faithful");
    root_ = "s3://mica-test/" + RandomUuid();
    fs_ = OpenFileSystem(root_, server.Options());
  }
  std::string At(const std::string& name) { return JoinPath(root_, name); }
  std::vector<std::string> Names(const std::string& folder) {
    std::vector<std::string> names;
    for (const FileStatus& status : fs_->List(folder))
      names.push_back(BaseName(status.path) + (status.is_directory ? "/" : ""));
    return names;
  }
  // A client whose waits only count.
  std::unique_ptr<S3Client> Client() {
    S3Settings settings = ReadS3Settings("s3", S3TestServer::Get().Options());
    return std::make_unique<S3Client>(
        settings, [] { return S3Credentials{"test", "test-secret", ""}; }, [this](int64_t) { ++waits_; });
  }
  std::string Key(const std::string& name) { return ObjectPath::Parse(At(name)).key; }

  std::string root_;
  FileSystemPtr fs_;
  int waits_ = 0;
};

TEST_F(S3Test, WritesReadsAndStats) {
  Write(*fs_, At("a/b"), "hello");
  EXPECT_EQ(fs_->ReadFile(At("a/b")), "hello");
  Write(*fs_, At("a/b"), "new");
  EXPECT_EQ(fs_->ReadFile(At("a/b")), "new");
  Write(*fs_, At("a/empty"), "");
  EXPECT_EQ(fs_->ReadFile(At("a/empty")), "");
  EXPECT_EQ(fs_->Stat(At("a/b"))->size, 3);
  EXPECT_GT(fs_->Stat(At("a/b"))->modified_millis, 1600000000000);
  EXPECT_TRUE(fs_->Stat(At("a"))->is_directory);
  EXPECT_FALSE(fs_->Exists(At("x")));
  auto in = fs_->OpenInput(At("a/b"), 3);
  EXPECT_EQ(Take(in->ReadAt(1, 10))->ToString(), "ew");
}

TEST_F(S3Test, LargeFilesGoUpInParts) {
  std::string content(12 << 20, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 >> 7);
  auto out = fs_->OpenOutput(At("large"));
  for (size_t at = 0; at < content.size(); at += 1 << 20) Check(out->Write(content.substr(at, 1 << 20)));
  Check(out->Close());
  EXPECT_TRUE(fs_->ReadFile(At("large")) == content);
}

TEST_F(S3Test, AnAbandonedOutputIsNoFile) {
  {
    auto out = fs_->OpenOutput(At("half"));
    Check(out->Write("half"));
  }
  EXPECT_FALSE(fs_->Exists(At("half")));
}

TEST_F(S3Test, MissingFilesAreNamed) {
  EXPECT_ERROR(fs_->OpenInput(At("none"), std::nullopt), NotFound, At("none"));
  auto in = fs_->OpenInput(At("none"), 5);  // with a known size the store is asked at the first read
  EXPECT_ERROR(Take(in->ReadAt(0, 5)), NotFound, At("none"));
  EXPECT_FALSE(fs_->DeleteFile(At("none")));
  EXPECT_TRUE(fs_->List(At("none")).empty());
  fs_->DeleteFolder(At("none"));
  EXPECT_ERROR(fs_->Rename(At("none"), At("x")), NotFound, At("none"));
  EXPECT_ERROR(fs_->ReplaceAtomically("s3://no-such-bucket/x", "1"), NotFound, "no-such-bucket");
  EXPECT_ERROR(OpenFileSystem("s3://", S3TestServer::Get().Options()), InvalidArgument, "bucket");
}

TEST_F(S3Test, KeysWithSpecialCharacters) {
  for (const std::string name : {"dt=2024-01-01", "t=10%3A00%3A00", "ä ö", "a+b&c", "(x)!'*", "#?", "@,;$", "~_-."}) {
    std::string path = At("s/" + name + "/f");
    Write(*fs_, path, name);
    EXPECT_EQ(fs_->ReadFile(path), name);
    ASSERT_EQ(fs_->List(At("s/" + name)).size(), 1u) << name;
    EXPECT_EQ(fs_->List(At("s/" + name))[0].path, path);
    EXPECT_TRUE(fs_->CreateAtomically(At("s/" + name + "/p"), name)) << name;
    EXPECT_FALSE(fs_->CreateAtomically(At("s/" + name + "/p"), name)) << name;
    EXPECT_EQ(fs_->ReadFile(At("s/" + name + "/p")), name);
    fs_->Rename(path, At("s/" + name + "/moved"));
    EXPECT_EQ(fs_->ReadFile(At("s/" + name + "/moved")), name);
    EXPECT_TRUE(fs_->DeleteFile(At("s/" + name + "/moved"))) << name;
    EXPECT_FALSE(fs_->Exists(path)) << name;
  }
}

TEST_F(S3Test, ListsDirectChildrenOnlyAndMoreThanAPage) {
  Write(*fs_, At("t/one"), "1");
  Write(*fs_, At("t/sub/deep"), "333");
  Write(*fs_, At("t2/other"), "");
  EXPECT_THAT(Names(At("t")), UnorderedElementsAre("one", "sub/"));
  std::set<std::string> many;
  for (const FileStatus& status : fs_->List("s3://mica-test/many")) many.insert(status.path);
  EXPECT_EQ(many.size(), 1100u);
  EXPECT_EQ(*many.rbegin(), "s3://mica-test/many/file-1099");
}

TEST_F(S3Test, CreatedFoldersAreThereAndListNothing) {
  fs_->CreateFolder(At("db.db"));
  fs_->CreateFolder(At("db.db"));
  EXPECT_TRUE(fs_->Stat(At("db.db"))->is_directory);
  EXPECT_TRUE(fs_->List(At("db.db")).empty());
  EXPECT_THAT(Names(root_), UnorderedElementsAre("db.db/"));
  Write(*fs_, At("file"), "");
  EXPECT_ERROR(fs_->CreateFolder(At("file")), AlreadyExists, "file");
}

TEST_F(S3Test, DeletesFilesAndFolders) {
  fs_->CreateFolder(At("t"));
  Write(*fs_, At("t/a"), "1");
  Write(*fs_, At("t/sub/x/b"), "2");
  Write(*fs_, At("tt"), "3");
  EXPECT_TRUE(fs_->DeleteFile(At("t/a")));
  EXPECT_THAT(Names(At("t")), UnorderedElementsAre("sub/"));
  fs_->DeleteFolder(At("t"));
  EXPECT_FALSE(fs_->Exists(At("t")));
  EXPECT_THAT(Names(root_), UnorderedElementsAre("tt"));
}

TEST_F(S3Test, RenamesFoldersButNeverOntoAnother) {
  Write(*fs_, At("t/a"), "1");
  Write(*fs_, At("t/sub/b"), "2");
  fs_->CreateFolder(At("t/empty"));
  fs_->Rename(At("t"), At("u"));
  EXPECT_FALSE(fs_->Exists(At("t")));
  EXPECT_EQ(fs_->ReadFile(At("u/sub/b")), "2");
  EXPECT_TRUE(fs_->Stat(At("u/empty"))->is_directory);
  Write(*fs_, At("v/x"), "keep");
  EXPECT_ERROR(fs_->Rename(At("u"), At("v")), AlreadyExists, "v");
  EXPECT_ERROR(fs_->Rename(At("u/a"), At("v/x")), AlreadyExists, "v/x");
  EXPECT_EQ(fs_->ReadFile(At("v/x")), "keep");
}

TEST_F(S3Test, OfEightThreadsExactlyOnePublishes) {
  std::string why;
  ASSERT_TRUE(fs_->CanCreateAtomically(&why)) << why;
  EXPECT_TRUE(fs_->List(root_).empty()) << "the probe object is still there";
  for (int round = 0; round < 20; ++round) {
    std::string path = At("snapshot/snapshot-" + std::to_string(round));
    std::atomic<int> winners = 0, winner = -1;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        if (fs_->CreateAtomically(path, "by " + std::to_string(i))) {
          ++winners;
          winner = i;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(winners, 1);
    ASSERT_EQ(fs_->ReadFile(path), "by " + std::to_string(winner));
  }
}

TEST_F(S3Test, ReplacesAtomically) {
  fs_->ReplaceAtomically(At("LATEST"), "1");
  fs_->ReplaceAtomically(At("LATEST"), "22");
  EXPECT_EQ(fs_->ReadFile(At("LATEST")), "22");
}

TEST_F(S3Test, AStoreThatIgnoresConditionsIsRefused) {
  S3TestServer::Get().SetMode("ignore");
  FileSystemPtr other = OpenFileSystem("s3://other/warehouse", S3TestServer::Get().Options());
  std::string why;
  EXPECT_FALSE(other->CanCreateAtomically(&why));
  EXPECT_THAT(why, HasSubstr("If-None-Match"));
  EXPECT_THAT(why, HasSubstr("lock.enabled"));
  EXPECT_ERROR(other->CreateAtomically("s3://other/warehouse/snapshot-1", "x"), Unsupported, "snapshot-1");
  EXPECT_TRUE(other->List("s3://other/warehouse").empty());
}

TEST_F(S3Test, AStoreThatDoesNotKnowConditionsSaysSo) {
  S3TestServer::Get().SetMode("unimplemented");
  EXPECT_EQ(Client()->PutIfAbsent("mica-test", Key("x"), "1"), S3Client::PutOutcome::kNotHonoured);
  EXPECT_FALSE(fs_->Exists(At("x")));
}

TEST_F(S3Test, ALostAnswerIsFoundOutByTheMark) {
  auto client = Client();
  S3TestServer::Get().SetMode("lose-answer");
  EXPECT_EQ(client->PutIfAbsent("mica-test", Key("x"), "mine"), S3Client::PutOutcome::kCreated);
  EXPECT_EQ(waits_, 1);
  S3TestServer::Get().SetMode("lose-request");
  EXPECT_EQ(client->PutIfAbsent("mica-test", Key("y"), "mine"), S3Client::PutOutcome::kCreated);
  S3TestServer::Get().SetMode("lose-answer");
  EXPECT_EQ(client->PutIfAbsent("mica-test", Key("y"), "another's"), S3Client::PutOutcome::kExists);
  EXPECT_EQ(fs_->ReadFile(At("y")), "mine");
}

TEST_F(S3Test, WithoutAnyAnswerTheOutcomeIsUnknown) {
  auto client = Client();
  S3TestServer::Get().SetMode("lose-all");
  EXPECT_ERROR(client->PutIfAbsent("mica-test", Key("x"), "1"), OutcomeUnknown, "may exist or not");
  EXPECT_EQ(waits_, 4);
}

TEST_F(S3Test, AServerThatIsNotThereIsNoUnknownOutcome) {
  S3Settings settings = ReadS3Settings("s3", {{"s3.endpoint", "http://127.0.0.1:1"}});
  S3Client client(settings, [] { return S3Credentials{"a", "b", ""}; }, [](int64_t) {});
  EXPECT_ERROR(client.PutIfAbsent("mica-test", "x", "1"), IoError, "127.0.0.1:1");
}

TEST_F(S3Test, ABusyStoreAndAConflictAreTriedAgain) {
  auto client = Client();
  S3TestServer::Get().SetMode("busy");
  client->Put("mica-test", Key("a"), "1");
  EXPECT_EQ(waits_, 2);
  S3TestServer::Get().SetMode("conflict");
  EXPECT_EQ(client->PutIfAbsent("mica-test", Key("b"), "1"), S3Client::PutOutcome::kCreated);
  EXPECT_EQ(waits_, 3);
}

TEST_F(S3Test, OssPathsUseTheOssOptions) {
  std::map<std::string, std::string> options{{"fs.oss.endpoint", "http://" + S3TestServer::Get().endpoint()},
                                             {"fs.oss.accessKeyId", "test"},
                                             {"fs.oss.accessKeySecret", "test-secret"},
                                             {"fs.oss.path.style.access", "true"}};
  FileSystemPtr oss = OpenFileSystem("oss://mica-test/many", options);
  EXPECT_EQ(oss->List("oss://mica-test/many").size(), 1100u);
  EXPECT_EQ(oss->ReadFile("oss://mica-test/many/file-0000"), "x");
}

TEST_F(S3Test, FaultsWrapObjectStoresToo) {
  auto options = S3TestServer::Get().Options();
  options["test.fault"] = "fail:1";
  FileSystemPtr faulty = OpenFileSystem(root_, options);
  faulty->Stat(At("x"));
  EXPECT_ERROR(faulty->CreateAtomically(At("x"), "1"), IoError, "Injected");
}

TEST(ObjectPath, Parses) {
  EXPECT_EQ(ObjectPath::Parse("s3://bucket/a//b/").bucket, "bucket");
  EXPECT_EQ(ObjectPath::Parse("s3://bucket/a//b/").key, "a/b");
  EXPECT_EQ(ObjectPath::Parse("s3://bucket").key, "");
  EXPECT_EQ(ObjectPath::Parse("oss://b.with.dots/k=%20 ").key, "k=%20 ");
  EXPECT_EQ(ObjectPath::Parse("s3a://bucket/a").ForArrow(), "bucket/a");
  EXPECT_THROW(ObjectPath::Parse("/local"), Error);
  EXPECT_THROW(ObjectPath::Parse("s3:///key"), Error);
}

}  // namespace
}  // namespace mica
