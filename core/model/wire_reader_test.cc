#include "core/model/wire_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace vicinal {
namespace {

using std::string_literals::operator""s;

// Whether the message can be read to its end.
bool IsMessage(std::string_view message) {
  WireReader reader(message);
  WireField field;
  while (reader.Next(field)) {
  }
  return reader.ok();
}

TEST(WireReaderTest, ReadsEveryTypeOfField) {
  const std::string message =
      "\x08\x96\x01"                          // 1: 150
      "\x11\x01\x02\x03\x04\x05\x06\x07\x08"  // 2: 64 bits
      "\x1a\x07testing"                       // 3
      "\x25\x01\x02\x03\x04"                  // 4: 32 bits
      "\x82\x01\x00"s;                        // 16: no bytes
  WireReader reader(message);
  WireField field;
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 1U);
  EXPECT_EQ(field.type, WireType::kVarint);
  EXPECT_EQ(field.varint, 150U);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 2U);
  EXPECT_EQ(field.type, WireType::kFixed64);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 3U);
  EXPECT_EQ(field.type, WireType::kBytes);
  EXPECT_EQ(field.bytes, "testing");
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 4U);
  EXPECT_EQ(field.type, WireType::kFixed32);
  EXPECT_EQ(field.bytes, "");
  EXPECT_EQ(field.varint, 0U);
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.number, 16U);
  EXPECT_EQ(field.bytes, "");
  EXPECT_FALSE(reader.Next(field));
  EXPECT_TRUE(reader.ok());
}

TEST(WireReaderTest, ReadsTheLargestNumber) {
  WireReader reader("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  WireField field;
  ASSERT_TRUE(reader.Next(field));
  EXPECT_EQ(field.varint, std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(reader.Next(field));
  EXPECT_TRUE(reader.ok());
}

TEST(WireReaderTest, AnEmptyMessageHasNoField) {
  WireReader reader("");
  WireField field;
  EXPECT_FALSE(reader.Next(field));
  EXPECT_TRUE(reader.ok());
}

TEST(WireReaderTest, RefusesWhatIsNoMessage) {
  EXPECT_FALSE(IsMessage("\x08"s));              // no value
  EXPECT_FALSE(IsMessage("\x08\x80"s));          // half a value
  EXPECT_FALSE(IsMessage("\x80"s));              // half a tag
  EXPECT_FALSE(IsMessage("\x1a\x03te"s));        // too few bytes
  EXPECT_FALSE(IsMessage("\x1a"s));              // no length
  EXPECT_FALSE(IsMessage("\x11\x01\x02\x03"s));  // not 64 bits
  EXPECT_FALSE(IsMessage("\x25\x01\x02\x03"s));  // not 32 bits
  EXPECT_FALSE(IsMessage("\x0b\x0c"s));          // a group
  EXPECT_FALSE(IsMessage("\x0e\x01"s));          // wire type 6
  EXPECT_FALSE(IsMessage("\x00\x01"s));          // field 0
  EXPECT_FALSE(IsMessage("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x"s));
  EXPECT_FALSE(IsMessage("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s));
  EXPECT_FALSE(IsMessage("\x80\x80\x80\x80\x80\x01\x01"s));  // a huge number
}

}  // namespace
}  // namespace vicinal
