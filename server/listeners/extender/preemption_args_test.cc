#include "server/listeners/extender/preemption_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <string_view>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<ExtenderPreemptionArgs> Read(std::string_view json) {
  std::string body(json);
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  return ReadExtenderPreemptionArgs(body);
}

ExtenderPreemptionArgs Args(std::string_view json) {
  absl::StatusOr<ExtenderPreemptionArgs> args = Read(json);
  EXPECT_TRUE(args.ok()) << args.status() << " in " << json;
  return args.ok() ? *std::move(args) : ExtenderPreemptionArgs();
}

std::string ErrorOf(std::string_view json) {
  const absl::Status status = Read(json).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << json;
  return std::string(status.message());
}

TEST(PreemptionArgsTest, ReadsWhatGoWritesForAnExtenderWithACacheOfNodes) {
  const ExtenderPreemptionArgs args = Args(
      R"({"Pod":{"metadata":{"name":"p"}},"NodeNameToVictims":null,)"
      R"("NodeNameToMetaVictims":{"n2":{"Pods":[{"UID":"u2"},{"UID":"u1"}],)"
      R"("NumPDBViolations":3},"n1":{"Pods":[],"NumPDBViolations":0}}})");
  EXPECT_EQ(args.pod.meta.name, "p");
  EXPECT_THAT(args.candidates, ElementsAre(NodeVictims{"n2", {"u2", "u1"}, 3},
                                           NodeVictims{"n1", {}, 0}));
}

TEST(PreemptionArgsTest, ReadsTheUidsOfWholePods) {
  const ExtenderPreemptionArgs args =
      Args(R"({"Pod":{},"NodeNameToVictims":{"n1":{"Pods":[{"metadata":)"
           R"({"name":"v","uid":"u"},"spec":{"containers":null}}],)"
           R"("NumPDBViolations":1}},"NodeNameToMetaVictims":null})");
  EXPECT_THAT(args.candidates, ElementsAre(NodeVictims{"n1", {"u"}, 1}));
}

TEST(PreemptionArgsTest, TakesFieldNamesInAnyCase) {
  const ExtenderPreemptionArgs args =
      Args(R"({"pod":{"metadata":{"name":"p"}},"nodeNameToMetaVictims":)"
           R"({"n1":{"pods":[{"uid":"u"}],"numPDBViolations":2}}})");
  EXPECT_EQ(args.pod.meta.name, "p");
  EXPECT_THAT(args.candidates, ElementsAre(NodeVictims{"n1", {"u"}, 2}));
}

TEST(PreemptionArgsTest, TheOrderOfTheFieldsDoesNotMatter) {
  const ExtenderPreemptionArgs args = Args(
      R"({"NodeNameToMetaVictims":{"n1":{"NumPDBViolations":2,"Pods":null}},)"
      R"("Pod":{"metadata":{"name":"p"}}})");
  EXPECT_EQ(args.pod.meta.name, "p");
  EXPECT_THAT(args.candidates, ElementsAre(NodeVictims{"n1", {}, 2}));
}

TEST(PreemptionArgsTest, NoCandidatesAreNone) {
  EXPECT_THAT(Args(R"({"Pod":{},"NodeNameToMetaVictims":{}})").candidates,
              IsEmpty());
}

TEST(PreemptionArgsTest, WhatIsMissingOrWrongIsNamed) {
  EXPECT_EQ(ErrorOf("{}"), "Pod: required");
  EXPECT_EQ(ErrorOf(R"({"Pod":{},"NodeNameToMetaVictims":null})"),
            "NodeNameToMetaVictims: required");
  EXPECT_EQ(ErrorOf(R"({"Pod":{},"NodeNameToMetaVictims":{"n1":
                    {"Pods":[{"UID":7}]}}})"),
            "NodeNameToMetaVictims.n1.Pods[0].UID: must be a string, got 7");
  EXPECT_EQ(ErrorOf(R"({"Pod":{},"NodeNameToMetaVictims":{"n1":
                    {"Pods":[{}]}}})"),
            "NodeNameToMetaVictims.n1.Pods[0]: the pod must have a uid");
  EXPECT_EQ(ErrorOf(R"({"Pod":{},"NodeNameToVictims":{"n1":
                    {"Pods":[null]}}})"),
            "NodeNameToVictims.n1.Pods[0]: the pod must have a uid");
  EXPECT_THAT(ErrorOf(R"({"Pod":{},"NodeNameToMetaVictims":{"n1":
                      {"NumPDBViolations":"many"}}})"),
              HasSubstr("NodeNameToMetaVictims.n1.NumPDBViolations"));
  EXPECT_THAT(ErrorOf(R"({"Pod":{"spec":[]},"NodeNameToMetaVictims":{}})"),
              HasSubstr("Pod.spec"));
  EXPECT_NE(ErrorOf("nonsense"), "");
}

TEST(PreemptionArgsTest, TheAnswerIsInTheWordsOfExtenderV1) {
  EXPECT_EQ(ToJson(std::vector<NodeVictims>()),
            R"({"NodeNameToMetaVictims":{}})");
  EXPECT_EQ(
      ToJson(
          std::vector<NodeVictims>{{"n\"1", {"u1", "u2"}, 3}, {"n2", {}, 0}}),
      R"({"NodeNameToMetaVictims":{)"
      R"("n\"1":{"Pods":[{"UID":"u1"},{"UID":"u2"}],"NumPDBViolations":3},)"
      R"("n2":{"Pods":[],"NumPDBViolations":0}}})");
}

}  // namespace
}  // namespace vicinal
