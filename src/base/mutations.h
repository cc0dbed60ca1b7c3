// For tests: damaged copies of bytes or text, for everything that reads what comes from outside. Tests that use it have
// "Damaged" in their name; `make fuzz` runs those for longer (MICA_FUZZ rounds as many), with the seed that is printed.
#pragma once

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.h"

namespace mica {

class Mutations {
 public:
  Mutations() : generator_(Seed()) {}

  // How often to repeat what a usual run does `rounds` times.
  static int Rounds(int rounds) {
    const char* times = std::getenv("MICA_FUZZ");
    return times ? rounds * std::atoi(times) : rounds;
  }

  uint32_t Next() { return static_cast<uint32_t>(generator_()); }

  // One to four changes: a bit, a byte, a cut, a piece twice or gone, a number at a limit.
  std::string Of(std::string_view intact) {
    std::string damaged(intact);
    for (uint32_t i = 0; i <= Next() % 4; ++i) Change(&damaged);
    return damaged;
  }

  // The body may fail, but only with an error that says what is wrong with the input.
  template <typename Body>
  static void ExpectErrorOrValue(Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      const ErrorKind kind = error.kind();
      EXPECT_TRUE(kind == ErrorKind::kCorrupt || kind == ErrorKind::kUnsupported ||
                  kind == ErrorKind::kInvalidArgument || kind == ErrorKind::kNotFound)
          << ErrorKindName(kind) << ": " << error.what();
      EXPECT_STRNE(error.what(), "");
    }
  }

 private:
  // Printed, and given again by MICA_SEED.
  static uint32_t Seed() {
    const char* given = std::getenv("MICA_SEED");
    const uint32_t seed = given ? static_cast<uint32_t>(std::stoul(given)) : std::random_device()();
    std::cout << "MICA_SEED=" << seed << std::endl;
    return seed;
  }

  void Change(std::string* text) {
    if (text->empty()) {
      text->push_back(static_cast<char>(Next()));
      return;
    }
    const size_t at = Next() % text->size();
    const size_t length = 1 + Next() % std::min<size_t>(text->size() - at, 1 + Next() % 32);
    static constexpr unsigned char kLimits[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '0', '9', '-', '"', '\'', '(', ';'};
    switch (Next() % 8) {
      case 0:
        (*text)[at] = static_cast<char>(Next());
        break;
      case 1:
        text->resize(at);
        break;
      case 2:
        text->erase(at, length);
        break;
      case 3:
        text->insert(Next() % text->size(), text->substr(at, length));
        break;
      case 4:
        for (size_t i = at; i < at + length; ++i) (*text)[i] = static_cast<char>(kLimits[Next() % sizeof(kLimits)]);
        break;
      default:
        (*text)[at] = static_cast<char>((*text)[at] ^ (1 << (Next() % 8)));
    }
  }

  std::mt19937 generator_;
};

}  // namespace mica
