#include "core/model/decode_protobuf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/testing/dice.h"
#include "core/testing/each_field.h"
#include "core/testing/encode_protobuf.h"

namespace vicinal {
namespace {

using std::string_literals::operator""s;

template <typename Kind>
std::string ErrorOf(std::string_view message) {
  const absl::StatusOr<Kind> object = DecodeProtobuf<Kind>(message);
  return object.ok() ? "no error" : std::string(object.status().message());
}

Pod MustRead(std::string_view message) {
  const absl::StatusOr<Pod> pod = DecodeProtobuf<Pod>(message);
  EXPECT_TRUE(pod.ok()) << pod.status();
  return pod.ok() ? *pod : Pod();
}

Pod FromJson(std::string_view json) {
  JsonReader reader;
  const absl::StatusOr<Pod> pod = reader.ReadCopy<Pod>(json);
  EXPECT_TRUE(pod.ok()) << pod.status();
  return pod.ok() ? *pod : Pod();
}

std::string Named(std::string_view name) {
  return WireBytes(1, WireBytes(1, name));
}

template <typename T>
class DecodeProtobufTest : public testing::Test {};
using Kinds =
    testing::Types<Node, Pod, Namespace, Service, ReplicationController,
                   ReplicaSet, StatefulSet, PodDisruptionBudget>;
TYPED_TEST_SUITE(DecodeProtobufTest, Kinds);

TYPED_TEST(DecodeProtobufTest, ReadsEachField) {
  for (const OneField<TypeParam>& one : EachField<TypeParam>()) {
    const absl::StatusOr<TypeParam> read =
        DecodeProtobuf<TypeParam>(EncodeProtobuf(one.object));
    ASSERT_TRUE(read.ok()) << one.path << ": " << read.status();
    EXPECT_EQ(*read, one.object) << one.path;
  }
}

TYPED_TEST(DecodeProtobufTest, SkipsWhatItDoesNotKnow) {
  for (const OneField<TypeParam>& one : EachField<TypeParam>()) {
    const absl::StatusOr<TypeParam> read = DecodeProtobuf<TypeParam>(
        WireNumber(100, 1) + WireBytes(101, "\xff") +
        EncodeProtobuf(one.object) + "\xa1\x06xxxxxxxx" + "\xa5\x06xxxx");
    ASSERT_TRUE(read.ok()) << one.path << ": " << read.status();
    EXPECT_EQ(*read, one.object) << one.path;
  }
}

TYPED_TEST(DecodeProtobufTest, RefusesWhatIsCutOff) {
  for (const OneField<TypeParam>& one : EachField<TypeParam>()) {
    std::string message = EncodeProtobuf(one.object);
    message.pop_back();
    EXPECT_FALSE(DecodeProtobuf<TypeParam>(message).ok()) << one.path;
  }
}

TEST(DecodePodFromProtobufTest, ReadsTheVersion) {
  EXPECT_EQ(MustRead(WireBytes(1, WireBytes(6, "4711"))).resource_version,
            4711U);
  EXPECT_EQ(MustRead(WireBytes(1, WireBytes(6, "x1"))).resource_version, 0U);
}

TEST(DecodePodFromProtobufTest, ReadsTheImagesOfVolumes) {
  const std::string image = WireBytes(
      1, WireBytes(1, "v") + WireBytes(2, WireBytes(30, WireBytes(1, "r"))));
  const std::string no_reference =
      WireBytes(1, WireBytes(2, WireBytes(30, "")));
  const std::string empty_dir = WireBytes(1, WireBytes(2, WireBytes(2, "")));
  EXPECT_EQ(MustRead(WireBytes(2, empty_dir + image + no_reference)),
            FromJson(R"({"spec":{"volumes":[{"emptyDir":{}},
              {"name":"v","image":{"reference":"r"}},{"image":{}}]}})"));
}

// A pod's condition, the way the API server writes it.
std::string Condition(std::string_view type, std::string_view status,
                      std::string_view reason, std::int64_t transition) {
  return WireBytes(2, WireBytes(1, type) + WireBytes(2, status) +
                          WireBytes(3, "") + WireTime(4, transition) +
                          WireBytes(5, reason) + WireBytes(6, "why") +
                          WireNumber(7, 0));
}

TEST(DecodePodFromProtobufTest, ReadsConditionsAsFromJson) {
  const Pod pod = MustRead(WireBytes(
      3,
      Condition("PodResizePending", "True", "Infeasible", 1'767'225'600) +
          Condition("PodResizePending", "True", "x", 0) +
          Condition("PodScheduled", "False", "Unschedulable", 1'767'225'600)));
  EXPECT_EQ(pod, FromJson(R"({"status":{"conditions":[
    {"type":"PodResizePending","status":"True","reason":"Infeasible"},
    {"type":"PodResizePending","status":"True","reason":"x"},
    {"type":"PodScheduled","status":"False","reason":"Unschedulable",
     "message":"why","lastProbeTime":null,
     "lastTransitionTime":"2026-01-01T00:00:00Z"}]}})"));
  EXPECT_TRUE(pod.status.resize_infeasible);
  EXPECT_NE(pod.status.scheduling_failure, 0U);
  EXPECT_EQ(MustRead(WireBytes(3, Condition("PodScheduled", "True", "", 0)))
                .status.scheduling_failure,
            0U);
}

TEST(DecodePodFromProtobufTest, InitContainersFollowTheContainers) {
  const auto status = [](std::uint32_t number, std::string_view name) {
    return WireBytes(number, WireBytes(1, name));
  };
  EXPECT_EQ(MustRead(WireBytes(3, status(10, "i") + status(8, "c"))),
            FromJson(R"({"status":{"initContainerStatuses":[{"name":"i"}],
                                   "containerStatuses":[{"name":"c"}]}})"));
}

TEST(DecodePodFromProtobufTest, ASelectorWithoutTermsIsNotAbsent) {
  // affinity = 18 {nodeAffinity = 1 {required… = 1 {}}}
  EXPECT_EQ(
      MustRead(WireBytes(2, WireBytes(18, WireBytes(1, WireBytes(1, ""))))),
      FromJson(
          R"({"spec":{"affinity":{"nodeAffinity":{
              "requiredDuringSchedulingIgnoredDuringExecution":
                {"nodeSelectorTerms":null}}}}})"));
}

TEST(DecodePodFromProtobufTest, ATimeWithoutFieldsIsAbsent) {
  const Pod pod =
      MustRead(WireBytes(1, WireBytes(9, "")) + WireBytes(3, WireBytes(7, "")));
  EXPECT_FALSE(pod.meta.deletion_timestamp);
  EXPECT_FALSE(pod.status.start_time);
}

TEST(DecodePodFromProtobufTest, TellsTimesAsJsonDoes) {
  const auto deleted = [](std::int64_t seconds) {
    return MustRead(WireBytes(1, WireTime(9, seconds)))
        .meta.deletion_timestamp.value_or("absent");
  };
  EXPECT_EQ(deleted(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(deleted(-62'135'596'799), "0001-01-01T00:00:01Z");
  EXPECT_EQ(deleted(253'402'300'799), "9999-12-31T23:59:59Z");
  EXPECT_EQ(deleted(951'827'696), "2000-02-29T12:34:56Z");
  Dice dice(20261124);
  for (int i = 0; i < 10'000; ++i) {
    const auto seconds = static_cast<std::int64_t>(
        dice.Number() % 315'537'897'598 - 62'135'596'799);
    EXPECT_EQ(deleted(seconds), absl::FormatTime("%E4Y-%m-%dT%H:%M:%SZ",
                                                 absl::FromUnixSeconds(seconds),
                                                 absl::UTCTimeZone()))
        << seconds;
  }
}

TEST(DecodePodFromProtobufTest, ReadsBytesThatAreNoTextAsGoWritesThemInJson) {
  const auto label = [](std::string_view value) {
    return *MustRead(WireBytes(1, WireBytes(11, WireBytes(1, "k") +
                                                    WireBytes(2, value))))
                .meta.labels.Find("k");
  };
  EXPECT_EQ(label("größer"), "größer");
  EXPECT_EQ(label("a\xff\xe2\x82z"), "a\uFFFD\uFFFD\uFFFDz");
  EXPECT_EQ(label("12345678\xc3"), "12345678\uFFFD");
}

TEST(DecodePodFromProtobufTest, ANegativeNumberKeepsItsSign) {
  EXPECT_EQ(
      MustRead(WireBytes(2, EncodeField(25, std::int32_t{-3}))).spec.priority,
      -3);
}

TEST(DecodePodFromProtobufTest, ErrorsNameTheField) {
  // spec.containers[1].resources.requests
  const std::string bad_amount =
      WireBytes(2, WireBytes(1, "cpu") + WireBytes(2, WireBytes(1, "1mm")));
  EXPECT_EQ(
      ErrorOf<Pod>(WireBytes(
          2, WireBytes(2, "") + WireBytes(2, WireBytes(8, bad_amount)))),
      "spec.containers[1].resources.requests.cpu: unable to parse quantity's "
      "suffix");
  EXPECT_EQ(ErrorOf<Pod>(WireBytes(2, WireBytes(25, "high"))),
            "spec.priority: must be an integer, got wire type 2");
  EXPECT_EQ(ErrorOf<Pod>(WireBytes(2, WireNumber(10, 5))),
            "spec.nodeName: must be a string, got wire type 0");
  EXPECT_EQ(ErrorOf<Node>(Named("n") + WireBytes(2, WireBytes(4, "yes"))),
            "spec.unschedulable: must be true or false, got wire type 2");
  EXPECT_EQ(ErrorOf<Pod>(WireNumber(2, 1)),
            "spec: must be a message, got a number");
  EXPECT_EQ(ErrorOf<Pod>(WireBytes(2, "\x0a\x05xx"s)),
            "spec: invalid protobuf: cut off, or no message");
  EXPECT_EQ(ErrorOf<Pod>("\x0b"), "invalid protobuf: cut off, or no message");
  EXPECT_EQ(ErrorOf<Pod>(WireBytes(1, WireTime(9, 253'402'300'800))),
            "metadata.deletionTimestamp: must be a time in the years 1 to "
            "9999, got 253402300800 seconds since 1970");
}

TEST(DecodePodFromProtobufTest, WhatIsRequiredIsRequired) {
  EXPECT_EQ(ErrorOf<Node>(""), "metadata.name: required");
  // affinity = 18 {podAntiAffinity = 3 {required… = 1}}
  EXPECT_EQ(
      ErrorOf<Pod>(WireBytes(2, WireBytes(18, WireBytes(3, WireBytes(1, ""))))),
      "spec.affinity.podAntiAffinity."
      "requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
      "required");
  EXPECT_EQ(ErrorOf<Pod>(WireBytes(2, WireBytes(33, WireBytes(2, "zone")))),
            "spec.topologySpreadConstraints[0].whenUnsatisfiable: required");
  EXPECT_EQ(ErrorOf<Pod>(WireBytes(2, WireBytes(33, ""))),
            "spec.topologySpreadConstraints[0].topologyKey: required");
}

}  // namespace
}  // namespace vicinal
