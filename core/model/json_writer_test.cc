#include "core/model/json_writer.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace vicinal {
namespace {

constexpr char kReplacement[] = "\xEF\xBF\xBD";  // U+FFFD

std::string Written(std::string_view text) {
  std::string json;
  AppendJsonString(text, json);
  return json;
}

// What a JSON parser that is not ours takes the written text for.
class ReadBack {
 public:
  std::string operator()(std::string_view text) {
    const simdjson::padded_string json(Written(text));
    std::string_view value;
    const auto error = parser_.parse(json).get_string().get(value);
    EXPECT_EQ(error, simdjson::SUCCESS) << Written(text);
    return std::string(value);
  }

 private:
  simdjson::dom::parser parser_;
};

std::string Utf8(std::uint32_t code_point) {
  const auto byte = [](std::uint32_t value) {
    return static_cast<char>(static_cast<unsigned char>(value));
  };
  const auto continuation = [&](int shift) {
    return byte(0x80 | ((code_point >> shift) & 0x3F));
  };
  if (code_point < 0x80) return {byte(code_point)};
  if (code_point < 0x800) {
    return {byte(0xC0 | (code_point >> 6)), continuation(0)};
  }
  if (code_point < 0x10000) {
    return {byte(0xE0 | (code_point >> 12)), continuation(6), continuation(0)};
  }
  return {byte(0xF0 | (code_point >> 18)), continuation(12), continuation(6),
          continuation(0)};
}

TEST(JsonWriterTest, PlainTextIsOnlyQuoted) {
  EXPECT_EQ(Written(""), "\"\"");
  EXPECT_EQ(Written("node(s) didn't match pod <affinity> & /rules"),
            "\"node(s) didn't match pod <affinity> & /rules\"");
}

TEST(JsonWriterTest, QuotesBackslashesAndNewlinesAreEscaped) {
  EXPECT_EQ(Written("\"\\\n"), R"("\"\\\n")");
  EXPECT_EQ(Written("a\"b\\c\nd"), R"("a\"b\\c\nd")");
  EXPECT_EQ(Written("\"\""), R"("\"\"")");
}

TEST(JsonWriterTest, OtherControlCharactersAreEscapedByNumber) {
  EXPECT_EQ(Written(std::string_view("\0\x01\t\r\x1F", 5)),
            R"("\u0000\u0001\u0009\u000d\u001f")");
  EXPECT_EQ(Written("\x7F"), "\"\x7F\"");
}

TEST(JsonWriterTest, EveryAsciiByteReadsBackAndNoneIsRaw) {
  ReadBack read_back;
  for (int c = 0; c < 0x80; ++c) {
    const std::string text(1, static_cast<char>(c));
    EXPECT_EQ(read_back(text), text) << c;
    EXPECT_EQ(read_back("a" + text + "b"), "a" + text + "b") << c;
    for (const char written : Written(text)) EXPECT_GE(written, ' ') << c;
  }
}

TEST(JsonWriterTest, EveryByteThatIsNotAsciiIsReplacedIfItStandsAlone) {
  for (int c = 0x80; c <= 0xFF; ++c) {
    const std::string byte(1, static_cast<char>(c));
    EXPECT_EQ(Written(byte), "\"" + std::string(kReplacement) + "\"") << c;
    EXPECT_EQ(Written("a" + byte + "b"),
              "\"a" + std::string(kReplacement) + "b\"")
        << c;
  }
}

TEST(JsonWriterTest, EveryCodePointStaysAsItIs) {
  for (std::uint32_t code_point = 0x80; code_point <= 0x10FFFF; ++code_point) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
    const std::string text = Utf8(code_point);
    ASSERT_EQ(Written(text), "\"" + text + "\"") << code_point;
  }
}

TEST(JsonWriterTest, EachByteOfWhatIsNoUtf8IsReplaced) {
  const auto all_replaced = [](std::string_view bytes) {
    std::string expected = "\"";
    for (std::size_t i = 0; i < bytes.size(); ++i) expected += kReplacement;
    EXPECT_EQ(Written(bytes), expected + "\"");
  };
  all_replaced("\xC0\x80");          // Overlong U+0000.
  all_replaced("\xC1\xBF");          // Overlong U+007F.
  all_replaced("\xE0\x9F\xBF");      // Overlong U+07FF.
  all_replaced("\xF0\x8F\xBF\xBF");  // Overlong U+FFFF.
  all_replaced("\xED\xA0\x80");      // The first surrogate, U+D800.
  all_replaced("\xED\xBF\xBF");      // The last surrogate, U+DFFF.
  all_replaced("\xF4\x90\x80\x80");  // U+110000.
  all_replaced("\xF5\x80\x80\x80");
  all_replaced("\xFF\xFE");
  all_replaced("\xE2\x82");      // "€", cut off.
  all_replaced("\xF0\x9F\x98");  // "😀", cut off.
}

TEST(JsonWriterTest, WellFormedTextAroundBadBytesIsKept) {
  const std::string bad = kReplacement;
  EXPECT_EQ(Written("é\xFF€\xE2\x82😀\xF0"),
            "\"é" + bad + "€" + bad + bad + "😀" + bad + "\"");
  // A sequence that is broken off by a quote does not swallow it.
  EXPECT_EQ(Written("\xE2\x82\"x"), "\"" + bad + bad + "\\\"x\"");
  EXPECT_EQ(Written("\xC3\n"), "\"" + bad + "\\n\"");
}

TEST(JsonWriterTest, AllPairsOfBytesBecomeValidJson) {
  ReadBack read_back;
  for (int first = 0; first <= 0xFF; ++first) {
    for (int second = 0; second <= 0xFF; ++second) {
      const std::string text = {static_cast<char>(first),
                                static_cast<char>(second)};
      const std::string value = read_back(text);
      ASSERT_TRUE(simdjson::validate_utf8(value)) << first << " " << second;
      const bool is_utf8 = simdjson::validate_utf8(text);
      ASSERT_EQ(value == text, is_utf8) << first << " " << second;
    }
  }
}

TEST(JsonWriterTest, EveryByteIsWrittenAlikeWhereverItStands) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    std::string alone;
    AppendJsonString(one, alone);
    for (std::size_t place = 0; place < 20; ++place) {
      std::string text(20, 'a');
      text[place] = static_cast<char>(byte);
      std::string written;
      AppendJsonString(text, written);
      EXPECT_EQ(written, '"' + std::string(place, 'a') +
                             alone.substr(1, alone.size() - 2) +
                             std::string(19 - place, 'a') + '"')
          << "byte " << byte << " at " << place;
    }
  }
}

TEST(JsonWriterTest, LongTextsAreWhole) {
  ReadBack read_back;
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "plain \"quoted\" €\n";
  EXPECT_EQ(read_back(text), text);
}

TEST(JsonWriterTest, AppendsToWhatIsThere) {
  std::string json = "{";
  AppendJsonString("a", json);
  json += ':';
  AppendJsonNumber(1, json);
  json += '}';
  EXPECT_EQ(json, "{\"a\":1}");
}

TEST(JsonWriterTest, NumbersAreDecimal) {
  const auto written = [](std::int64_t number) {
    std::string json;
    AppendJsonNumber(number, json);
    return json;
  };
  EXPECT_EQ(written(0), "0");
  EXPECT_EQ(written(400), "400");
  EXPECT_EQ(written(-1), "-1");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::max()),
            "9223372036854775807");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()),
            "-9223372036854775808");
}

}  // namespace
}  // namespace vicinal
