// For tests: random tables beside a model in memory, for some seconds or, with MICA_SEED, once.
#pragma once

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace mica {

// A Model is made of a seed and has Step(), Compare() and description(). MICA_MODEL_SECONDS goes before `seconds`. The first
// seed is printed; every further table takes the next one.
template <typename Model>
void RunRandomTables(int steps, int64_t seconds) {
  const char* given = std::getenv("MICA_SEED");
  const char* given_seconds = std::getenv("MICA_MODEL_SECONDS");
  uint32_t seed = given ? static_cast<uint32_t>(std::stoul(given)) : std::random_device()();
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(given_seconds ? std::stol(given_seconds) : seconds);
  std::cout << "MICA_SEED=" << seed << '\n';
  int tables = 0;
  do {
    Model model(seed);
    for (int step = 0; step < steps; ++step) {
      SCOPED_TRACE(fmt::format("MICA_SEED={} step {}", seed, step));
      try {
        model.Step();
        model.Compare();
      } catch (const Error& error) {
        FAIL() << error.what() << ": " << model.description();
      }
      if (::testing::Test::HasFailure()) return;
    }
    ++seed;
    ++tables;
  } while (!given && std::chrono::steady_clock::now() < end);
  std::cout << tables << " tables\n";
}

}  // namespace mica
