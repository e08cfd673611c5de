#include "server/kubernetes/change_time.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/testing/encode_protobuf.h"

namespace vicinal {
namespace {

// Seconds since 1970; -1: no time.
long long Read(std::string_view json) {
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(json);
  const auto time = ChangeTime({Encoding::kJson, padded}, "Pod", parser);
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

// The same of protobuf.
long long ReadProtobuf(std::string_view kind, std::string_view message) {
  simdjson::ondemand::parser parser;
  const auto time =
      ChangeTime({Encoding::kProtobuf,
                  simdjson::padded_string_view(message.data(), message.size(),
                                               message.size())},
                 kind, parser);
  if (!time) return -1;
  return time->time_since_epoch().count();
}

TEST(ChangeTimeTest, ReadsTheTimesOfProtobuf) {
  const std::string created = WireTime(8, kBase);
  EXPECT_EQ(ReadProtobuf("Node", WireBytes(1, created)), kBase);
  EXPECT_EQ(
      ReadProtobuf("Node",
                   WireBytes(1, created +
                                    WireBytes(17, WireBytes(1, "kubelet") +
                                                      WireTime(4, kBase + 3)) +
                                    WireBytes(17, WireTime(4, kBase + 2)))),
      kBase + 3);
  EXPECT_EQ(ReadProtobuf("Pod", WireBytes(1, WireTime(9, kBase + 30) +
                                                 WireNumber(10, 20))),
            kBase + 10);
  EXPECT_EQ(ReadProtobuf("Pod", WireBytes(1, WireBytes(8, ""))), -1);
  EXPECT_EQ(ReadProtobuf("Pod", ""), -1);
  EXPECT_EQ(ReadProtobuf("Pod", "no protobuf"), -1);
}

TEST(ChangeTimeTest, EachKindHasItsConditionsElsewhere) {
  const auto condition = [](int conditions, int time) {
    return WireBytes(
        3, WireBytes(static_cast<unsigned>(conditions),
                     WireBytes(1, "Ready") +
                         WireTime(static_cast<unsigned>(time), kBase)));
  };
  for (const char* kind : {"Pod", "Namespace", "Service"}) {
    EXPECT_EQ(ReadProtobuf(kind, condition(2, 4)), kBase) << kind;
  }
  EXPECT_EQ(ReadProtobuf("Node", condition(4, 4)), kBase);
  EXPECT_EQ(ReadProtobuf("ReplicationController", condition(6, 3)), kBase);
  EXPECT_EQ(ReadProtobuf("ReplicaSet", condition(6, 3)), kBase);
  EXPECT_EQ(ReadProtobuf("StatefulSet", condition(10, 3)), kBase);
  EXPECT_EQ(ReadProtobuf("PodDisruptionBudget", condition(7, 4)), kBase);
  // Another kind's conditions: a pod's container statuses, for example.
  EXPECT_EQ(ReadProtobuf("Pod", condition(10, 3)), -1);
}

}  // namespace
}  // namespace vicinal
