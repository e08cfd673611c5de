#include "server/kubernetes/change_time.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace vicinal {
namespace {

// Seconds since 1970; -1: no time.
long long Read(std::string_view json) {
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(json);
  const auto time = ChangeTime(padded, parser);
  if (!time) return -1;
  return time->time_since_epoch().count();
}

// What `date -u -d 2026-11-21T19:07:25Z +%s` prints.
constexpr long long kBase = 1795288045;

TEST(ChangeTimeTest, ANewObjectWasChangedWhenItWasCreated) {
  EXPECT_EQ(
      Read(R"({"metadata":{"creationTimestamp":"2026-11-21T19:07:25Z"}})"),
      kBase);
}

TEST(ChangeTimeTest, TheLatestManagedFieldCounts) {
  EXPECT_EQ(Read(R"({"metadata":{"creationTimestamp":"2026-11-21T19:07:25Z",
      "managedFields":[{"time":"2026-11-21T19:07:28Z","fieldsV1":{"f:a":{}}},
                       {"manager":"x"},{"time":"2026-11-21T19:07:27Z"}]}})"),
            kBase + 3);
}

TEST(ChangeTimeTest, BindingShowsInTheCondition) {
  EXPECT_EQ(Read(R"({"kind":"Pod",
      "status":{"phase":"Pending","conditions":[
        {"type":"PodScheduled","lastTransitionTime":"2026-11-21T19:08:25Z"},
        {"type":"Ready","lastTransitionTime":null}]},
      "metadata":{"creationTimestamp":"2026-11-21T19:07:25Z"}})"),
            kBase + 60);
}

TEST(ChangeTimeTest, DeletionWasAskedForAGracePeriodBeforeItsTime) {
  EXPECT_EQ(Read(R"({"metadata":{"deletionTimestamp":"2026-11-21T19:08:25Z",
      "deletionGracePeriodSeconds":30,
      "creationTimestamp":"2026-11-21T19:07:25Z"}})"),
            kBase + 30);
  EXPECT_EQ(
      Read(R"({"metadata":{"deletionTimestamp":"2026-11-21T19:07:25Z"}})"),
      kBase);
}

TEST(ChangeTimeTest, ReadsDatesOfAllLengths) {
  EXPECT_EQ(
      Read(R"({"metadata":{"creationTimestamp":"1970-01-01T00:00:00Z"}})"), 0);
  EXPECT_EQ(
      Read(R"({"metadata":{"creationTimestamp":"2024-02-29T23:59:59Z"}})"),
      1709251199);
  EXPECT_EQ(
      Read(R"({"metadata":{"creationTimestamp":"9999-12-31T23:59:59Z"}})"),
      253402300799);
}

TEST(ChangeTimeTest, WhatCannotBeReadDoesNotCount) {
  for (const char* json :
       {"{}", "[]", "{\"metadata\":", "{\"metadata\":5}", "5",
        R"({"metadata":{"creationTimestamp":5}})",
        R"({"metadata":{"creationTimestamp":"yesterday"}})",
        R"({"metadata":{"creationTimestamp":"2026-11-21T19:07:25+01:00"}})",
        R"({"metadata":{"creationTimestamp":"2026-13-21T19:07:25Z"}})",
        R"({"metadata":{"creationTimestamp":"2026-02-30T19:07:25Z"}})",
        R"({"metadata":{"managedFields":{}},"status":[]})"}) {
    EXPECT_EQ(Read(json), -1) << json;
  }
  EXPECT_EQ(Read(R"({"metadata":{"managedFields":[5],
      "creationTimestamp":"2026-11-21T19:07:25Z"}})"),
            kBase);
}

}  // namespace
}  // namespace vicinal
