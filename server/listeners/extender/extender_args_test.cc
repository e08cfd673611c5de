#include "server/listeners/extender/extender_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <string_view>

#include "core/model/json.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The result is good until the next call.
absl::StatusOr<ExtenderArgs> Read(std::string_view json) {
  static std::string body;
  static JsonReader reader;
  body = json;
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  return ReadExtenderArgs(body, reader);
}

ExtenderArgs Args(std::string_view json) {
  absl::StatusOr<ExtenderArgs> args = Read(json);
  EXPECT_TRUE(args.ok()) << args.status() << " in " << json;
  return args.ok() ? *std::move(args) : ExtenderArgs();
}

std::string ErrorOf(std::string_view json) {
  const absl::Status status = Read(json).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << json;
  return std::string(status.message());
}

TEST(ExtenderArgsTest, ReadsWhatGoWrites) {
  const ExtenderArgs args = Args(
      R"({"Pod":{"metadata":{"name":"p","namespace":"a","labels":{"app":"x"},)"
      R"("creationTimestamp":null},"spec":{"containers":null},"status":{}},)"
      R"("Nodes":null,"NodeNames":["n2","n1"]})");
  EXPECT_EQ(args.pod.meta.name, "p");
  EXPECT_EQ(args.pod.meta.namespace_name, "a");
  ASSERT_NE(args.pod.meta.labels.Find("app"), nullptr);
  EXPECT_EQ(*args.pod.meta.labels.Find("app"), "x");
  EXPECT_THAT(args.node_names, ElementsAre("n2", "n1"));
}

TEST(ExtenderArgsTest, TakesFieldNamesInAnyCase) {
  for (const char* json :
       {R"({"Pod":{"metadata":{"name":"p"}},"NodeNames":["n1"]})",
        R"({"pod":{"metadata":{"name":"p"}},"nodenames":["n1"]})",
        R"({"pod":{"metadata":{"name":"p"}},"nodeNames":["n1"]})",
        R"({"nodeNAMES":["n1"],"POD":{"metadata":{"name":"p"}}})"}) {
    const ExtenderArgs args = Args(json);
    EXPECT_EQ(args.pod.meta.name, "p") << json;
    EXPECT_THAT(args.node_names, ElementsAre("n1")) << json;
  }
}

TEST(ExtenderArgsTest, NamesMayBeEscapedOrNull) {
  const ExtenderArgs args =
      Args(R"({"Pod":{},"NodeNames":["n\u0031","",null,"\"n2"]})");
  EXPECT_THAT(args.node_names, ElementsAre("n1", "", "", "\"n2"));
}

TEST(ExtenderArgsTest, OtherFieldsAreSkipped) {
  const ExtenderArgs args = Args(
      R"({"Nodes":{"items":[{"metadata":{"name":"n9"}}]},"More":[1,{"a":[]}],)"
      R"("NodeName":5,"":null,"NodeNames":["n1"],)"
      R"("Pod":{"metadata":{"name":"p"},"more":1}})");
  EXPECT_EQ(args.pod.meta.name, "p");
  EXPECT_THAT(args.node_names, ElementsAre("n1"));
}

TEST(ExtenderArgsTest, NoNodesAreANodeListToo) {
  EXPECT_THAT(
      Args(R"({"Pod":{"metadata":{"name":"p"}},"NodeNames":[]})").node_names,
      IsEmpty());
}

TEST(ExtenderArgsTest, NamesAreUnescaped) {
  const ExtenderArgs args = Args(
      R"({"P\u006fd":{"metadata":{"name":"p\"\u00e9"}},"NodeNames":["a\nb"]})");
  EXPECT_EQ(args.pod.meta.name, "p\"é");
  EXPECT_THAT(args.node_names, ElementsAre("a\nb"));
}

TEST(ExtenderArgsTest, APodIsRequired) {
  EXPECT_EQ(ErrorOf(R"({"NodeNames":["n1"]})"), "Pod: required");
  EXPECT_EQ(ErrorOf(R"({"Pod":null,"NodeNames":["n1"]})"), "Pod: required");
  EXPECT_EQ(ErrorOf("{}"), "Pod: required");
}

TEST(ExtenderArgsTest, NodeNamesAreRequiredAndWholeNodesWillNotDo) {
  const std::string wanted =
      "NodeNames: required (the extender must be configured with "
      "nodeCacheCapable: true)";
  const std::string pod = R"("Pod":{"metadata":{"name":"p"}})";
  EXPECT_EQ(ErrorOf("{" + pod + "}"), wanted);
  EXPECT_EQ(ErrorOf("{" + pod + R"(,"Nodes":null,"NodeNames":null})"), wanted);
  EXPECT_EQ(ErrorOf("{" + pod +
                    R"(,"Nodes":{"items":[{"metadata":{"name":"n1"}}]},)"
                    R"("NodeNames":null})"),
            wanted);
}

TEST(ExtenderArgsTest, TypeErrorsNameFieldAndValue) {
  EXPECT_EQ(ErrorOf(R"({"Pod":"p","NodeNames":["n1"]})"),
            "Pod: must be an object, got \"p\"");
  EXPECT_EQ(ErrorOf(R"({"Pod":{},"NodeNames":{"n1":1}})"),
            "NodeNames: must be an array, got an object");
  EXPECT_EQ(ErrorOf(R"({"Pod":{},"NodeNames":["n1",2]})"),
            "NodeNames[1]: must be a string, got 2");
  EXPECT_EQ(ErrorOf(R"({"pod":{"spec":{"nodeSelector":{"a":1}}}})"),
            "pod.spec.nodeSelector.a: must be a string, got 1");
  EXPECT_EQ(ErrorOf(R"({"Pod":{"spec":{"affinity":{"podAntiAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":[{}]}}}}})"),
            "Pod.spec.affinity.podAntiAffinity."
            "requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: "
            "required");
  EXPECT_EQ(ErrorOf("[]"), "must be an object, got an array");
  EXPECT_EQ(ErrorOf("pod"), "must be an object or an array");
  EXPECT_EQ(ErrorOf("5"), "must be an object or an array");
}

TEST(ExtenderArgsTest, TextThatIsNotJsonIsAnError) {
  for (const char* json : {"", " ", "{", "{\"Pod\":{}", "{\"Pod\" {}}",
                           "{\"Pod\":{},\"NodeNames\":[\"n1]}", "\xff\xff"}) {
    EXPECT_THAT(ErrorOf(json), HasSubstr("invalid JSON")) << json;
  }
  EXPECT_EQ(ErrorOf(R"({"Pod":{},"NodeNames":[]} {})"),
            "text after the JSON value");
}

TEST(ExtenderArgsTest, ABodyThatIsCutAnywhereIsAnError) {
  const std::string body =
      R"({"Pod":{"metadata":{"name":"p","labels":{"a":"b"}},"spec":{}},)"
      R"("Nodes":null,"NodeNames":["n1","n2"]})";
  ASSERT_TRUE(Read(body).ok());
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_NE(ErrorOf(body.substr(0, size)), "") << body.substr(0, size);
  }
}

TEST(ExtenderArgsTest, ManyNodesKeepTheirOrder) {
  std::string body = R"({"Pod":{"metadata":{"name":"p"}},"NodeNames":[)";
  for (int i = 0; i < 5000; ++i) {
    body += (i == 0 ? "\"node-" : ",\"node-") + std::to_string(i) + '"';
  }
  const ExtenderArgs args = Args(body + "]}");
  ASSERT_EQ(args.node_names.size(), 5000u);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(args.node_names[i], "node-" + std::to_string(i));
  }
}

TEST(ExtenderArgsTest, ReadsThePodsGroup) {
  EXPECT_EQ(Args(R"({"Pod":{"metadata":{"name":"p","namespace":"a"},"spec":)"
                 R"({"schedulingGroup":{"podGroupName":"g"}}},)"
                 R"("NodeNames":["n1"]})")
                .pod_group,
            "a/g");
  EXPECT_EQ(Args(R"({"Pod":{"metadata":{"name":"p","namespace":"a",)"
                 R"("labels":{"schedulingGroup":"g"}},"spec":)"
                 R"({"schedulingGroup":null}},"NodeNames":["n1"]})")
                .pod_group,
            "");
  EXPECT_THAT(ErrorOf(R"({"Pod":{"metadata":{"name":"p"},"spec":)"
                      R"({"schedulingGroup":{"podGroupName":1}}},)"
                      R"("NodeNames":["n1"]})"),
              HasSubstr("Pod.spec.schedulingGroup.podGroupName"));
}

}  // namespace
}  // namespace vicinal
