// Reads the argument form that every peer takes: OP [positional...] --key=value ... --where.{eq,ge,lt}.COLUMN=VALUE.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mica::bench {

struct PeerArguments {
  std::string operation;
  std::vector<std::string> words;
  std::map<std::string, std::string> named;

  PeerArguments(int count, char** values) {
    for (int i = 1; i < count; ++i) {
      std::string word = values[i];
      size_t equals = word.find('=');
      if (word.starts_with("--")) {
        named[word.substr(2, equals == std::string::npos ? equals : equals - 2)] =
            equals == std::string::npos ? "" : word.substr(equals + 1);
      } else if (operation.empty()) {
        operation = word;
      } else {
        words.push_back(word);
      }
    }
  }

  std::string Get(const std::string& key, const std::string& otherwise = "") const {
    auto found = named.find(key);
    return found == named.end() ? otherwise : found->second;
  }
};

// Does the work --repeat times, and prints how long each took and the last answer.
inline void Repeat(const PeerArguments& arguments, const std::function<std::string()>& work) {
  int repeat = std::atoi(arguments.Get("repeat", "1").c_str());
  std::string answer;
  for (int i = 0; i < repeat; ++i) {
    auto started = std::chrono::steady_clock::now();
    answer = work();
    double millis = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    std::printf("ITER %.3f\n", millis);
  }
  std::printf("RESULT %s\n", answer.c_str());
}

}  // namespace mica::bench
