#include "types/time_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"

namespace mica {
namespace {

// 2024-03-05 16:07:08.090123, a Tuesday.
constexpr int64_t kMoment = 1'709'654'828'090'123;

TEST(TimePattern, WritesEachLetterAsJavaDoes) {
  struct Case {
    const char* pattern;
    const char* text;
  };
  for (const Case& c :
       {Case{"yyyy-MM-dd HH:mm:ss", "2024-03-05 16:07:08"}, Case{"yy/M/d", "24/3/5"},
        Case{"EEE, d MMM uuuu", "Tue, 5 Mar 2024"}, Case{"EEEE d MMMM", "Tuesday 5 March"}, Case{"h:mm a", "4:07 PM"},
        Case{"KK kk", "04 16"}, Case{"D DDD", "65 065"}, Case{"SSS SSSSSS S", "090 090123 0"},
        Case{"Q QQ QQQ QQQQ", "1 01 Q1 1st quarter"}, Case{"yyyy'T'HH''", "2024T16'"}, Case{"'it''s' y", "it's 2024"},
        Case{"yyyyMMdd", "20240305"}}) {
    EXPECT_EQ(TimePattern(c.pattern).Format(kMoment), c.text) << c.pattern;
  }
  EXPECT_EQ(TimePattern("yyyy-MM-dd HH:mm:ss.SSS").Format(-1), "1969-12-31 23:59:59.999");
}

TEST(TimePattern, ReadsWhatItWrote) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int64_t> moments(-60'000'000'000, 4'000'000'000);
  for (const char* text : {"yyyy-MM-dd HH:mm:ss", "d MMM uuuu h:m:s a", "yyyyMMddHHmmss", "D/yyyy HH.mm.ss"}) {
    TimePattern pattern(text);
    for (int i = 0; i < 200; ++i) {
      int64_t micros = moments(random) * 1'000'000;
      EXPECT_EQ(pattern.Parse(pattern.Format(micros)), micros) << text << " of " << pattern.Format(micros);
    }
  }
}

TEST(TimePattern, ReadsNothingFromTextThatDoesNotFit) {
  TimePattern date("yyyy-MM-dd");
  for (const char* text : {"2024-3-05", "2024-13-01", "2024-02-30", "2024-01-01 ", "x", "", "2024/01/01"}) {
    EXPECT_EQ(date.Parse(text), std::nullopt) << text;
  }
  EXPECT_EQ(date.Parse("1970-01-02"), 86'400'000'000);
  EXPECT_EQ(TimePattern("HH:mm").Parse("01:30"), 5'400'000'000);
  EXPECT_EQ(TimePattern("ss.SSS").Parse("01.250"), 1'250'000);
}

TEST(TimePattern, RefusesLettersWithoutMeaningByName) {
  for (const char* text : {"yyyy-ww", "z", "VV", "MMMMM", "e"}) {
    EXPECT_THROW(TimePattern{text}, Error) << text;
  }
  EXPECT_THROW(TimePattern{"'open"}, Error);
}

}  // namespace
}  // namespace mica
