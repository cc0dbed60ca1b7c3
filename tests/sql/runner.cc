// Runs the .test files of this folder: SQL with the rows or the error that it has to give, each file in a warehouse of its
// own. README.md tells the form.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "procedures/sql_session.h"

namespace {

namespace fs = std::filesystem;
using mica::Error;

struct Configuration {
  std::string name = "default";
  mica::Options catalog_options;
  std::map<std::string, std::string> skip;  // test file (or folder) -> reason
};

Configuration LoadConfiguration(const fs::path& path) {
  Configuration configuration;
  configuration.name = path.stem();
  std::ifstream file(path);
  nlohmann::json json = nlohmann::json::parse(file);
  for (const auto& [key, value] : json["catalog"].items()) configuration.catalog_options[key] = value.get<std::string>();
  for (const auto& [key, value] : json["skip"].items()) configuration.skip[key] = value.get<std::string>();
  return configuration;
}

struct Failure {
  int line;
  std::string message;
};

class TestFile {
 public:
  TestFile(fs::path path, const Configuration& configuration) : path_(std::move(path)), configuration_(configuration) {
    warehouse_ = fs::temp_directory_path() / fmt::format("mica-sql-test-{}-{}", getpid(), counter_++);
    fs::create_directories(warehouse_);
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) lines_.push_back(line);
  }
  ~TestFile() {
    sessions_.clear();
    std::error_code ignored;
    fs::remove_all(warehouse_, ignored);
  }

  // Throws Failure.
  void Run() {
    while (at_ < lines_.size()) {
      std::string line = lines_[at_];
      std::string_view trimmed = mica::Trim(line);
      if (trimmed.empty() || trimmed.starts_with('#')) {
        ++at_;
        continue;
      }
      std::istringstream words{std::string(trimmed)};
      std::string word;
      words >> word;
      if (word == "statement") {
        RunStatement(words);
      } else if (word == "query") {
        RunQuery(words);
      } else if (word == "repeat") {
        Repeat(words);
      } else if (word == "dialect") {
        words >> dialect_;
        sessions_.clear();
        ++at_;
      } else if (word == "reopen") {
        sessions_.clear();
        ++at_;
      } else if (word == "session") {
        words >> current_;
        ++at_;
      } else if (word == "complete") {
        Complete(trimmed);
      } else if (word == "exists" || word == "absent") {
        std::string name;
        std::getline(words, name);
        fs::path wanted = warehouse_ / std::string(mica::Trim(name));
        if (fs::exists(wanted) != (word == "exists")) {
          throw Failure{static_cast<int>(at_) + 1, fmt::format("'{}' {}", wanted.string(), word == "exists" ? "does not exist" : "exists")};
        }
        ++at_;
      } else if (word == "json") {
        SetKey(words);
      } else if (word == "clock") {
        SetClock(words);
      } else if (word == "only") {
        // The rest is for these configurations.
        bool found = false;
        for (std::string name; words >> name;) found |= name == configuration_.name;
        if (!found) return;
        ++at_;
      } else {
        throw Failure{static_cast<int>(at_) + 1, "Unknown directive: " + word};
      }
    }
  }

 private:
  mica::SqlSession& session() {
    auto& session = sessions_[current_];
    if (!session) {
      mica::SessionSettings settings;
      settings.catalog_options = configuration_.catalog_options;
      settings.catalog_options["warehouse"] = warehouse_.string();
      settings.dialect = dialect_;
      settings.threads = 2;
      settings.memory_bytes = int64_t{1} << 30;
      session = mica::OpenSqlSession(settings);
      session->Run("CREATE DATABASE IF NOT EXISTS `default`");
      if (!clock_.empty()) session->Run(clock_);
    }
    return *session;
  }

  // json PATH KEY VALUE: a metadata file as another writer, at another time, would have made it.
  void SetKey(std::istringstream& words) {
    std::string name, key, value;
    words >> name >> key >> value;
    std::ifstream file(warehouse_ / name);
    if (!file) throw Failure{static_cast<int>(at_) + 1, fmt::format("'{}' does not exist", name)};
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(file);
    json[key] = nlohmann::ordered_json::parse(value);
    std::ofstream(warehouse_ / name) << json.dump(2);
    ++at_;
  }

  // clock 2024-05-01 10:00:00: the time in UTC that all sessions take from now on.
  void SetClock(std::istringstream& words) {
    std::string time;
    std::getline(words, time);
    clock_ = fmt::format("SET 'mica.clock' = '{}'", mica::Trim(time));
    for (auto& [name, session] : sessions_) {
      if (session) session->Run(clock_);
    }
    ++at_;
  }

  // The lines up to a separator or an empty line.
  std::string TakeSql() {
    std::string sql;
    for (++at_; at_ < lines_.size() && lines_[at_] != "----" && !mica::Trim(lines_[at_]).empty(); ++at_) {
      sql += (sql.empty() ? "" : "\n") + lines_[at_];
    }
    for (size_t found; (found = sql.find("${WAREHOUSE}")) != std::string::npos;) sql.replace(found, 12, warehouse_.string());
    return sql;
  }

  std::vector<std::string> TakeExpected() {
    std::vector<std::string> expected;
    if (at_ < lines_.size() && lines_[at_] == "----") {
      for (++at_; at_ < lines_.size() && !lines_[at_].empty(); ++at_) expected.push_back(lines_[at_]);
    }
    return expected;
  }

  // A session of many statements neither grows nor slows.
  void Repeat(std::istringstream& words) {
    constexpr int kSample = 100;              // statements that are measured together
    constexpr int64_t kGrowthBytes = 48 << 20;  // allocators and caches of the engine settle within this
    int line = static_cast<int>(at_) + 1;
    int times = 0;
    words >> times;
    std::string sql = TakeSql();
    if (times < 4 * kSample) throw Failure{line, fmt::format("repeat takes a number from {}", 4 * kSample)};
    std::vector<double> seconds;
    int64_t resident = 0;
    try {
      for (int i = 0; i < times; ++i) {
        if (i == 2 * kSample) resident = ResidentBytes();
        std::clock_t start = std::clock();
        std::string text = sql;
        for (size_t found; (found = text.find("${I}")) != std::string::npos;) text.replace(found, 4, std::to_string(i));
        auto result = session().Run(text);
        if (result->has_rows()) result->Rows();
        seconds.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
      }
    } catch (const Error& error) {
      throw Failure{line, fmt::format("{}\n  failed: {}", sql, error.what())};
    }
    int64_t growth = ResidentBytes() - resident;
    if (growth > kGrowthBytes) throw Failure{line, fmt::format("{}\n  the session grew by {} bytes", sql, growth)};
    // Processor time, the middle of many: other processes do not show in it.
    auto middle = [&](size_t from) {
      std::vector<double> part(seconds.begin() + static_cast<std::ptrdiff_t>(from), seconds.begin() + static_cast<std::ptrdiff_t>(from + kSample));
      std::nth_element(part.begin(), part.begin() + kSample / 2, part.end());
      return part[kSample / 2];
    };
    double first = middle(kSample), last = middle(seconds.size() - kSample);
    if (last > 3 * first + 0.001) throw Failure{line, fmt::format("{}\n  slowed from {} s to {} s a statement", sql, first, last)};
  }

  static int64_t ResidentBytes() {
    std::ifstream file("/proc/self/statm");
    int64_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * sysconf(_SC_PAGESIZE);
  }

  // complete SHOW TAB|
  void Complete(std::string_view directive) {
    int line = static_cast<int>(at_) + 1;
    std::string typed(mica::Trim(directive.substr(directive.find(' ') + 1)));
    if (!typed.ends_with('|')) throw Failure{line, "the text to complete ends with '|'"};
    typed.pop_back();
    ++at_;
    std::vector<std::string> offered;
    for (const mica::Completion& completion : session().Complete(typed)) {
      offered.push_back(typed.substr(0, completion.start) + completion.text);
    }
    for (std::string text : TakeExpected()) {
      bool wanted = !text.starts_with("not ");
      if (!wanted) text = text.substr(4);
      bool found = std::find(offered.begin(), offered.end(), text) != offered.end();
      if (found == wanted) continue;
      std::string all;
      for (const std::string& offer : offered) all += "\n    " + offer;
      throw Failure{line, fmt::format("'{}' is {} for '{}':{}", text, found ? "offered" : "not offered", typed, all)};
    }
  }

  void RunStatement(std::istringstream& words) {
    int line = static_cast<int>(at_) + 1;
    std::string wanted;
    words >> wanted;
    std::string sql = TakeSql();
    std::vector<std::string> texts = TakeExpected();
    try {
      auto result = session().Run(sql);
      if (result->has_rows()) result->Rows();
    } catch (const Error& error) {
      if (wanted == "ok") throw Failure{line, fmt::format("{}\n  failed: {}", sql, error.what())};
      std::string kind;
      if (words >> kind && kind != mica::ErrorKindName(error.kind())) {
        throw Failure{line, fmt::format("{}\n  the error is {} ({}), not {}", sql, mica::ErrorKindName(error.kind()), error.what(), kind)};
      }
      if (error.kind() == mica::ErrorKind::kInternal) throw Failure{line, fmt::format("{}\n  internal error: {}", sql, error.what())};
      for (const std::string& text : texts) {
        if (std::string_view(error.what()).find(text) == std::string_view::npos) {
          throw Failure{line, fmt::format("{}\n  the error does not say '{}': {}", sql, text, error.what())};
        }
      }
      return;
    }
    if (wanted == "error") throw Failure{line, fmt::format("{}\n  succeeded, an error was expected", sql)};
  }

  void RunQuery(std::istringstream& words) {
    int line = static_cast<int>(at_) + 1;
    bool sorted = false, contains = false, header = false;
    for (std::string word; words >> word;) {
      sorted |= word == "rowsort";
      contains |= word == "contains";
      header |= word == "header";
    }
    std::string sql = TakeSql();
    std::vector<std::string> expected = TakeExpected();
    std::vector<std::string> actual;
    std::string all;
    try {
      auto result = session().Run(sql);
      if (header) {
        std::string names;
        for (const auto& column : result->columns()) names += (names.empty() ? "" : "\t") + column.name;
        actual.push_back(names);
      }
      for (const auto& row : result->Rows()) {
        std::string text;
        for (size_t i = 0; i < row.size(); ++i) {
          text += (i > 0 ? "\t" : "") + (row[i] ? (row[i]->empty() ? std::string("(empty)") : *row[i]) : std::string("NULL"));
        }
        actual.push_back(text);
        all += text + "\n";
      }
    } catch (const Error& error) {
      throw Failure{line, fmt::format("{}\n  failed: {}", sql, error.what())};
    }
    if (contains) {
      for (const std::string& text : expected) {
        if (all.find(text) == std::string::npos) throw Failure{line, fmt::format("{}\n  '{}' is not in\n{}", sql, text, all)};
      }
      return;
    }
    // Several lines in one value count as lines.
    std::vector<std::string> lines;
    for (const std::string& row : actual) {
      std::istringstream text(row);
      bool any = false;
      for (std::string part; std::getline(text, part); any = true) lines.push_back(part);
      if (!any) lines.emplace_back();
    }
    if (sorted) {
      std::sort(lines.begin(), lines.end());
      std::sort(expected.begin(), expected.end());
    }
    if (lines != expected) {
      std::string message = sql + "\n  expected:";
      for (const std::string& row : expected) message += "\n    " + row;
      message += "\n  but got:";
      for (const std::string& row : lines) message += "\n    " + row;
      throw Failure{line, message};
    }
  }

  static inline int counter_ = 0;
  fs::path path_;
  const Configuration& configuration_;
  fs::path warehouse_;
  std::vector<std::string> lines_;
  size_t at_ = 0;
  std::string dialect_ = "spark";
  std::string current_ = "main";
  std::string clock_;  // the statement that sets it
  std::map<std::string, std::unique_ptr<mica::SqlSession>> sessions_;
};

// A statement that never ends would hold up all that comes after: no file takes minutes.
constexpr unsigned kLongestSeconds = 600;
std::string running;

void EndWithName(int) {
  std::fprintf(stderr, "FAILED %s\n  it takes more than %u seconds\n", running.c_str(), kLongestSeconds);
  ::_exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  std::cout << std::unitbuf;
  // Times that a statement gives without a zone mean the same everywhere.
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  ::signal(SIGALRM, EndWithName);
  fs::path folder = MICA_SQL_TESTS;
  std::vector<Configuration> configurations;
  std::vector<fs::path> wanted;
  bool slow = false;
  for (int i = 1; i < count; ++i) {
    std::string word = arguments[i];
    if (word == "--config" && i + 1 < count) {
      configurations.push_back(LoadConfiguration(folder / "configs" / (std::string(arguments[++i]) + ".json")));
    } else if (word == "--all-configs") {
      configurations.emplace_back();
      for (const auto& entry : fs::directory_iterator(folder / "configs")) configurations.push_back(LoadConfiguration(entry.path()));
    } else if (word == "--slow") {
      slow = true;
    } else {
      wanted.emplace_back(fs::exists(word) ? fs::absolute(word) : folder / word);
    }
  }
  if (configurations.empty()) configurations.emplace_back();
  if (wanted.empty()) wanted.push_back(folder);
  std::vector<fs::path> files;
  for (const fs::path& path : wanted) {
    if (!fs::exists(path)) {
      std::fprintf(stderr, "There is no test '%s'\n", path.c_str());
      return 2;
    }
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".test" || (slow && entry.path().extension() == ".test_slow")) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  int failed = 0, passed = 0, skipped = 0;
  for (const Configuration& configuration : configurations) {
    for (const fs::path& file : files) {
      std::string name = fs::relative(file, folder).string();
      auto skip = configuration.skip.find(name);
      if (skip == configuration.skip.end()) skip = configuration.skip.find(fs::path(name).parent_path().string());
      if (skip != configuration.skip.end()) {
        ++skipped;
        continue;
      }
      running = name;
      ::alarm(kLongestSeconds);
      try {
        TestFile(file, configuration).Run();
        ++passed;
      } catch (const Failure& failure) {
        ++failed;
        std::cout << fmt::format("FAILED {}:{} [{}]\n  {}\n", name, failure.line, configuration.name, failure.message);
      } catch (const std::exception& error) {
        ++failed;
        std::cout << fmt::format("FAILED {} [{}]\n  {}\n", name, configuration.name, error.what());
      }
    }
  }
  std::cout << fmt::format("{} passed, {} failed, {} skipped\n", passed, failed, skipped);
  return failed == 0 ? 0 : 1;
}
