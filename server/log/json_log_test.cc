#include "server/log/json_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace vicinal {
namespace {

using nlohmann::json;
using ::testing::MatchesRegex;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(JsonLogTest, ALineIsAnObject) {
  EXPECT_EQ(JsonLogLine(google::GLOG_WARNING, "a.cc", 12, 1'700'000'000'123'500,
                        "a \"word\"\nand more"),
            R"({"ts":1700000000123.5,"severity":"warning","caller":"a.cc:12",)"
            "\"msg\":\"a \\\"word\\\"\\nand more\"}\n");
}

TEST(JsonLogTest, BytesThatAreNoTextAreReplaced) {
  const json line =
      json::parse(JsonLogLine(google::GLOG_INFO, "a.cc", 1, 0, "a\xff"));
  EXPECT_EQ(line["msg"], "a\xef\xbf\xbd");
}

TEST(JsonLogTest, TheLogIsWrittenInItsFormAndNoOther) {
  google::InitGoogleLogging("json_log_test");
  ::testing::internal::CaptureStderr();
  {
    const JsonLog log;
    LOG(INFO) << "first";
    LOG(ERROR) << "second";
  }
  FLAGS_logtostderr = true;
  LOG(INFO) << "third";
  const std::vector<std::string> lines =
      LinesOf(::testing::internal::GetCapturedStderr());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(json::parse(lines[0])["msg"], "first");
  EXPECT_EQ(json::parse(lines[0])["severity"], "info");
  EXPECT_THAT(std::string(json::parse(lines[1])["caller"]),
              MatchesRegex("json_log_test.cc:[0-9]+"));
  EXPECT_EQ(json::parse(lines[1])["severity"], "error");
  EXPECT_THAT(lines[2], MatchesRegex("I.* third"));
}

}  // namespace
}  // namespace vicinal
