#include "types/number_pattern.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace mica {
namespace {

TEST(NumberPattern, WritesDigitsCommasAndTextAround) {
  EXPECT_EQ(NumberPattern("#,##0.00").Format(1234567.891), "1,234,567.89");
  EXPECT_EQ(NumberPattern("##################.###").Format(12332.123456), "12332.123");
  EXPECT_EQ(NumberPattern("000.0#").FormatDecimal("-1.5"), "-001.5");
  EXPECT_EQ(NumberPattern("$#,###.## 'a''b'").FormatDecimal("12345"), "$12,345 a'b");
  EXPECT_EQ(NumberPattern("#.##").FormatDecimal("0.25"), ".25");
  EXPECT_EQ(NumberPattern("#.##").FormatDecimal("0"), "0");
  EXPECT_EQ(NumberPattern::Decimals(0).Format(999999.5), "1,000,000");
}

TEST(NumberPattern, RoundsHalvesToTheEvenDigit) {
  EXPECT_EQ(NumberPattern("0.0").FormatDecimal("0.25"), "0.2");
  EXPECT_EQ(NumberPattern("0.0").FormatDecimal("0.35"), "0.4");
  EXPECT_EQ(NumberPattern("0").FormatDecimal("99.5"), "100");
  EXPECT_EQ(NumberPattern("0").FormatDecimal("99.4999"), "99");
  EXPECT_EQ(NumberPattern("0.0").Format(0.15), "0.1");  // the double lies below
}

TEST(NumberPattern, RefusesWhatItDoesNotKnow) {
  for (std::string_view pattern : {"", "abc", "0.0.0", "0%", "0E0", "0;-0", "0#", ".#0", "'0"}) {
    EXPECT_ERROR(NumberPattern{pattern}, InvalidArgument, "'" + std::string(pattern) + "'");
  }
}

}  // namespace
}  // namespace mica
