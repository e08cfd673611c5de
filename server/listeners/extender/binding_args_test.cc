#include "server/listeners/extender/binding_args.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>

namespace vicinal {
namespace {

absl::StatusOr<BindingArgs> Read(std::string json) {
  json.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  return ReadBindingArgs(json);
}

std::string ErrorOf(const std::string& json) {
  const absl::StatusOr<BindingArgs> args = Read(json);
  return args.ok() ? "no error" : std::string(args.status().message());
}

TEST(BindingArgsTest, ReadsTheFieldsInAnyCase) {
  for (const char* json :
       {R"({"PodName":"p","PodNamespace":"ns","PodUID":"u","Node":"n.1"})",
        R"({"podname":"p","podNamespace":"ns","poduid":"u","NODE":"n.1"})"}) {
    const absl::StatusOr<BindingArgs> args = Read(json);
    ASSERT_TRUE(args.ok()) << args.status();
    EXPECT_EQ(args->pod_name, "p");
    EXPECT_EQ(args->pod_namespace, "ns");
    EXPECT_EQ(args->pod_uid, "u");
    EXPECT_EQ(args->node, "n.1");
  }
}

TEST(BindingArgsTest, EveryFieldIsRequired) {
  EXPECT_EQ(ErrorOf(R"({"PodNamespace":"ns","PodUID":"u","Node":"n"})"),
            "PodName: required");
  EXPECT_EQ(ErrorOf(R"({"PodName":"p","PodUID":"u","Node":"n"})"),
            "PodNamespace: required");
  EXPECT_EQ(ErrorOf(R"({"PodName":"p","PodNamespace":"ns","Node":"n"})"),
            "PodUID: required");
  EXPECT_EQ(ErrorOf(R"({"PodName":"p","PodNamespace":"ns","PodUID":"u"})"),
            "Node: required");
}

TEST(BindingArgsTest, NamesThatWouldLeaveThePathAreRefused) {
  const auto error = [](const std::string& name) {
    return ErrorOf(R"({"PodName":")" + name +
                   R"(","PodNamespace":"ns","PodUID":"u","Node":"n"})");
  };
  EXPECT_EQ(error("a/b"),
            "PodName: must be the name of an object, got \"a/b\"");
  for (const char* bad : {"..", "a?b", "a%2fb", "a b", "A", "#"}) {
    EXPECT_NE(error(bad), "no error") << bad;
  }
  EXPECT_NE(error(std::string(254, 'a')), "no error");
}

TEST(BindingArgsTest, WhatIsNoObjectIsRefused) {
  EXPECT_NE(ErrorOf("[]"), "no error");
  EXPECT_NE(ErrorOf("{"), "no error");
  EXPECT_EQ(ErrorOf(R"({"PodName":5})"), "PodName: must be a string, got 5");
}

TEST(BindingResultTest, HasTheErrorEscaped) {
  EXPECT_EQ(BindingResultJson(""), R"({"Error":""})");
  EXPECT_EQ(BindingResultJson("409: \"p\""), R"({"Error":"409: \"p\""})");
}

}  // namespace
}  // namespace vicinal
