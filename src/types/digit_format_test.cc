#include "types/digit_format.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace mica {
namespace {

std::string Parsed(std::string_view format, std::string_view text) {
  const auto value = DigitFormat(format).Parse(text);
  return value ? std::to_string(static_cast<int64_t>(*value)) : "none";
}

TEST(DigitFormat, WritesNumbersInTheLengthOfTheFormat) {
  EXPECT_EQ(DigitFormat("999").Write("454"), "454");
  EXPECT_EQ(DigitFormat("99,999").Write("454"), "   454");
  EXPECT_EQ(DigitFormat("99,999").Write("12454"), "12,454");
  EXPECT_EQ(DigitFormat("000.00").Write("1.5"), "001.50");
  EXPECT_EQ(DigitFormat("$99.99").Write("78.12"), "$78.12");
  EXPECT_EQ(DigitFormat("99.9").Write("0.5"), " 0.5");
  EXPECT_EQ(DigitFormat("S9999").Write("-12"), "  -12");
  EXPECT_EQ(DigitFormat("9999MI").Write("12"), "  12 ");
  EXPECT_EQ(DigitFormat("99.9PR").Write("-1.5"), " <1.5>");
}

TEST(DigitFormat, WritesHashesForNumbersThatDoNotFit) {
  EXPECT_EQ(DigitFormat("99").Write("123"), "##");
  EXPECT_EQ(DigitFormat("9.9").Write("1.25"), "#.#");
}

TEST(DigitFormat, ReadsWhatHasItsForm) {
  EXPECT_EQ(Parsed("999", "454"), "454");
  EXPECT_EQ(Parsed("000.00", "454.0"), "45400");
  EXPECT_EQ(Parsed("99,999", "12,454"), "12454");
  EXPECT_EQ(Parsed("$99.99", "$78.12"), "7812");
  EXPECT_EQ(Parsed("99,999.9S", "12,454.8-"), "-124548");
  EXPECT_EQ(Parsed("99PR", "<12>"), "-12");
  EXPECT_EQ(Parsed("99PR", "12"), "12");
}

TEST(DigitFormat, HasNoNumberForOtherTexts) {
  EXPECT_EQ(Parsed("999", "4545"), "none");
  EXPECT_EQ(Parsed("000", "45"), "none");
  EXPECT_EQ(Parsed("99,999", "1,2,3"), "none");
  EXPECT_EQ(Parsed("$99", "12"), "none");
  EXPECT_EQ(Parsed("9.9", "1.25"), "none");
  EXPECT_EQ(Parsed("99PR", "<12"), "none");
  EXPECT_EQ(Parsed("99", "abc"), "none");
  EXPECT_EQ(Parsed("99", ""), "none");
}

TEST(DigitFormat, RefusesWhatIsNoFormat) {
  for (std::string_view format : {"", "abc", "9,,9", ",9", "9,", "9.9,9", "9.9.9", "99$", "S9S", "SS9", "$", "9x"}) {
    EXPECT_ERROR(DigitFormat{format}, InvalidArgument, "'" + std::string(format) + "'");
  }
  EXPECT_ERROR(DigitFormat{std::string(39, '9')}, InvalidArgument, "more than 38 digits");
}

}  // namespace
}  // namespace mica
