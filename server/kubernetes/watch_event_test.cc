#include "server/kubernetes/watch_event.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/kubernetes/testing/protobuf.h"

namespace vicinal {
namespace {

class WatchEventTest : public testing::Test {
 protected:
  absl::StatusOr<WatchEvent> Parse(const std::string& text) {
    line_ = simdjson::padded_string(text);
    return ParseWatchEvent(line_, parser_);
  }

  std::string ErrorOf(const std::string& text) {
    const absl::StatusOr<WatchEvent> event = Parse(text);
    return event.ok() ? "no error" : std::string(event.status().message());
  }

  simdjson::padded_string line_;
  simdjson::ondemand::parser parser_;
};

TEST_F(WatchEventTest, GivesTheObjectAndItsResourceVersion) {
  const std::string object =
      R"({"kind":"Pod","metadata":{"name":"a","labels":{"resourceVersion":"no"},)"
      R"("resourceVersion":"17","x":"}"},"spec":{"list":[1,[2]]}})";
  const absl::StatusOr<WatchEvent> event =
      Parse(R"({"type":"MODIFIED","object":)" + object + "}\n");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEvent::Type::kModified);
  EXPECT_EQ(event->object.bytes, object);
  EXPECT_GE(event->object.bytes.padding(), simdjson::SIMDJSON_PADDING);
  EXPECT_EQ(event->resource_version, "17");
}

TEST_F(WatchEventTest, KnowsEveryType) {
  const auto type = [&](const std::string& name) {
    const absl::StatusOr<WatchEvent> event =
        Parse(R"({"type":")" + name +
              R"(","object":{"metadata":{"resourceVersion":"1"}}})");
    EXPECT_TRUE(event.ok()) << event.status();
    return event.ok() ? event->type : WatchEvent::Type::kError;
  };
  EXPECT_EQ(type("ADDED"), WatchEvent::Type::kAdded);
  EXPECT_EQ(type("DELETED"), WatchEvent::Type::kDeleted);
  EXPECT_EQ(type("BOOKMARK"), WatchEvent::Type::kBookmark);
}

TEST_F(WatchEventTest, KnowsTheEndOfTheInitialEvents) {
  const auto ends = [&](const std::string& type, const std::string& value) {
    const absl::StatusOr<WatchEvent> event =
        Parse(R"({"type":")" + type +
              R"(","object":{"metadata":{"resourceVersion":"17","annotations":)"
              R"({"k8s.io/initial-events-end":")" +
              value + R"("}}}})");
    EXPECT_TRUE(event.ok()) << event.status();
    EXPECT_EQ(event->resource_version, "17");
    return event->ends_initial_events;
  };
  EXPECT_TRUE(ends("BOOKMARK", "true"));
  EXPECT_FALSE(ends("BOOKMARK", "false"));
  EXPECT_FALSE(ends("ADDED", "true"));
  const absl::StatusOr<WatchEvent> event = Parse(
      R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_FALSE(event->ends_initial_events);
}

TEST_F(WatchEventTest, TakesTheFieldsInAnyOrder) {
  const absl::StatusOr<WatchEvent> event = Parse(
      R"({"object":{"spec":{},"metadata":{"resourceVersion":"5"}},"x":[],"type":"ADDED"})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->resource_version, "5");
  EXPECT_EQ(event->type, WatchEvent::Type::kAdded);
}

TEST_F(WatchEventTest, ReadsTheStatusOfAnError) {
  const absl::StatusOr<WatchEvent> event = Parse(
      R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
      R"x("status":"Failure","message":"too old \"resource\" version: 1 (9)",)x"
      R"("reason":"Expired","code":410}})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEvent::Type::kError);
  EXPECT_EQ(event->error_code, 410);
  EXPECT_EQ(event->error_message, "too old \"resource\" version: 1 (9)");
}

TEST_F(WatchEventTest, AnErrorNeedsNoStatus) {
  const absl::StatusOr<WatchEvent> event =
      Parse(R"({"type":"ERROR","object":{"code":"x"}})");
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->error_code, 0);
  EXPECT_EQ(event->error_message, "");
}

// Found by test/fuzz.
TEST_F(WatchEventTest, AnErrorMayHaveAStatusThatIsNoJson) {
  for (const char* line :
       {R"({"type":"ERROR","object":{"metadata":{},"kind" "x"}})",
        R"({"type":"ERROR","object":{"kind":"S","metadata":{}, 5:1}})",
        R"({"type":"ERROR","object":{"metadata":{},"code":,"message":"m"}})",
        R"({"type":"ERROR","object":{"metadata":{"resourceVersion":"1"},,}})",
        R"({"type":"ERROR","object":{"kind":"StatunodeName":"n1"}}})"}) {
    const absl::StatusOr<WatchEvent> event = Parse(line);
    if (event.ok()) {
      EXPECT_EQ(event->error_code, 0) << line;
    }
  }
}

TEST_F(WatchEventTest, SaysWhyALineIsNoEvent) {
  const std::string start = "not a watch event: ";
  EXPECT_EQ(ErrorOf(R"({"type":"GROWN","object":{}})"),
            start +
                "type is unknown (it begins: "
                "{\\\"type\\\":\\\"GROWN\\\",\\\"object\\\":{}})");
  EXPECT_THAT(ErrorOf(R"({"object":{}})"),
              testing::StartsWith(start + "type is unknown"));
  EXPECT_THAT(ErrorOf(R"({"type":"ADDED"})"),
              testing::StartsWith(start + "object is missing"));
  EXPECT_THAT(ErrorOf(R"({"type":"ADDED","object":{"metadata":{}}})"),
              testing::StartsWith(
                  start + "object.metadata.resourceVersion is missing"));
  EXPECT_THAT(ErrorOf(R"({"type":"ADDED","object":{}})"),
              testing::StartsWith(
                  start + "object.metadata.resourceVersion is missing"));
  for (const char* text :
       {"", "garbage", "[]", "{", R"({"type":7})",
        R"({"type":"ADDED","object":7})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":7}}})",
        R"({"type":"ADDED","object":{"metadata":7}})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"7"})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}}})"}) {
    EXPECT_THAT(ErrorOf(text), testing::StartsWith(start)) << text;
  }
}

std::string ErrorOfProtobuf(const std::string& frame) {
  const absl::StatusOr<WatchEvent> event = ParseProtobufWatchEvent(frame);
  return event.ok() ? "no error" : std::string(event.status().message());
}

TEST(ProtobufWatchEventTest, GivesTheObjectAndItsResourceVersion) {
  const std::string object = ProtobufObject("a", "17") + WireBytes(2, "spec");
  const std::string frame = ProtobufEvent("MODIFIED", "Pod", object);
  const absl::StatusOr<WatchEvent> event = ParseProtobufWatchEvent(frame);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEvent::Type::kModified);
  EXPECT_EQ(event->object.encoding, Encoding::kProtobuf);
  EXPECT_EQ(event->object.bytes, object);
  EXPECT_EQ(event->resource_version, "17");
  EXPECT_FALSE(event->ends_initial_events);
}

TEST(ProtobufWatchEventTest, KnowsEveryType) {
  const auto type = [](const std::string& name) {
    const std::string frame =
        ProtobufEvent(name, "Pod", ProtobufObject("a", "1"));
    const absl::StatusOr<WatchEvent> event = ParseProtobufWatchEvent(frame);
    EXPECT_TRUE(event.ok()) << event.status();
    return event.ok() ? event->type : WatchEvent::Type::kError;
  };
  EXPECT_EQ(type("ADDED"), WatchEvent::Type::kAdded);
  EXPECT_EQ(type("DELETED"), WatchEvent::Type::kDeleted);
  EXPECT_EQ(type("BOOKMARK"), WatchEvent::Type::kBookmark);
}

TEST(ProtobufWatchEventTest, SeesTheEndOfAStreamedList) {
  const auto ends = [](std::string_view type, std::string_view value) {
    const std::string metadata =
        WireBytes(6, "9") +
        WireBytes(12, WireBytes(1, "k8s.io/initial-events-end") +
                          WireBytes(2, value)) +
        WireBytes(12, WireBytes(1, "other") + WireBytes(2, "true"));
    const std::string frame =
        ProtobufEvent(type, "Pod", WireBytes(1, metadata));
    const absl::StatusOr<WatchEvent> event = ParseProtobufWatchEvent(frame);
    EXPECT_TRUE(event.ok()) << event.status();
    return event.ok() && event->ends_initial_events;
  };
  EXPECT_TRUE(ends("BOOKMARK", "true"));
  EXPECT_FALSE(ends("BOOKMARK", "false"));
  EXPECT_FALSE(ends("ADDED", "true"));
}

TEST(ProtobufWatchEventTest, ReadsTheStatusOfAnError) {
  const std::string frame =
      ProtobufEvent("ERROR", "Status", ProtobufStatusOf(410));
  const absl::StatusOr<WatchEvent> event = ParseProtobufWatchEvent(frame);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->type, WatchEvent::Type::kError);
  EXPECT_EQ(event->error_code, 410);
  EXPECT_EQ(event->error_message, "told so");
}

TEST(ProtobufWatchEventTest, SaysWhatIsWrong) {
  const std::string object = ProtobufObject("a", "1");
  EXPECT_THAT(ErrorOfProtobuf(""),
              testing::StartsWith("not a watch event: type is unknown"));
  EXPECT_THAT(ErrorOfProtobuf(ProtobufEvent("added", "Pod", object)),
              testing::StartsWith("not a watch event: type is unknown"));
  EXPECT_THAT(ErrorOfProtobuf(WireBytes(1, "ADDED")),
              testing::StartsWith("not a watch event: object is missing"));
  EXPECT_THAT(
      ErrorOfProtobuf(WireBytes(1, "ADDED") + WireBytes(2, WireBytes(1, "{}"))),
      testing::StartsWith("not a watch event: object is no protobuf"));
  EXPECT_THAT(
      ErrorOfProtobuf(ProtobufEvent("ADDED", "Pod", WireBytes(2, ""))),
      testing::StartsWith(
          "not a watch event: object.metadata.resourceVersion is missing"));
  EXPECT_THAT(
      ErrorOfProtobuf(ProtobufEvent("ADDED", "Pod", WireBytes(1, "\x0a"))),
      testing::StartsWith("not a watch event: object.metadata is no protobuf"));
  EXPECT_THAT(ErrorOfProtobuf("{\"type\":\"ADDED\"}"),
              testing::StartsWith("not a watch event: no protobuf"));
}

TEST(ProtobufWatchEventTest, WhatIsCutOffAnywhereIsNoEvent) {
  const std::string frame =
      ProtobufEvent("ADDED", "Pod", ProtobufObject("a", "1"));
  for (std::size_t size = 0; size < frame.size(); ++size) {
    EXPECT_NE(ErrorOfProtobuf(frame.substr(0, size)), "no error") << size;
  }
}

}  // namespace
}  // namespace vicinal
