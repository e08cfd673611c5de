#include "core/model/object_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/json.h"
#include "core/model/read_objects.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kKinds[] = {
    "Node",       "Pod",        "Namespace", "Service", "ReplicationController",
    "ReplicaSet", "StatefulSet"};

// `Kind namespace/name` of each object.
std::vector<std::string> Names(
    const absl::StatusOr<std::vector<Object>>& objects) {
  EXPECT_TRUE(objects.ok()) << objects.status();
  std::vector<std::string> names;
  if (!objects.ok()) return names;
  for (const Object& object : *objects) {
    const ObjectMeta& meta = MetaOf(object);
    names.push_back(std::string(kKinds[object.index()]) + " " +
                    meta.namespace_name + "/" + meta.name);
  }
  return names;
}

std::vector<std::string> Read(std::string_view text) {
  return Names(ReadObjects(text));
}

std::string ErrorOf(std::string_view text) {
  return std::string(ReadObjects(text).status().message());
}

absl::StatusOr<std::optional<Object>> ReadOne(std::string_view json) {
  JsonReader reader;
  return ReadObject(reader, simdjson::padded_string(json));
}

constexpr char kKubectlList[] = R"(
{
    "apiVersion": "v1",
    "items": [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"},
         "data": {"kind": "Pod"}},
        {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": "p", "namespace": "shop", "uid": "u"}}
    ],
    "kind": "List",
    "metadata": {"resourceVersion": ""}
}
)";

TEST(ReadObjectsTest, ReadsAListAsKubectlWritesItAndSkipsOtherKinds) {
  EXPECT_THAT(Read(kKubectlList), ElementsAre("Node /n1", "Pod shop/p"));
}

TEST(ForEachObjectTest, ReadsPaddedTextInPlace) {
  const simdjson::padded_string padded{std::string_view(kKubectlList)};
  std::vector<std::string> kinds;
  const absl::Status status = ForEachObject(
      simdjson::padded_string_view(padded),
      [&kinds](const TypeMeta& type, JsonValue value, const JsonPath& path,
               simdjson::padded_string_view) {
        kinds.push_back(type.kind);
        std::optional<Object> object;
        return DecodeObject(value, path, type, &object);
      });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(kinds, ElementsAre("Node", "ConfigMap", "Pod"));
}

TEST(ReadObjectsTest, ReadsEveryKindThatItKnows) {
  EXPECT_THAT(Read(R"(---
{apiVersion: v1, kind: Node, metadata: {name: a}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: x}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Service, metadata: {name: a, namespace: x}}
---
{apiVersion: v1, kind: ReplicationController, metadata: {name: a, namespace: x}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a, namespace: x}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a, namespace: x}}
)"),
              ElementsAre("Node /a", "Pod x/a", "Namespace /a", "Service x/a",
                          "ReplicationController x/a", "ReplicaSet x/a",
                          "StatefulSet x/a"));
}

TEST(ReadObjectsTest, KindsOfOtherApiGroupsAndVersionsAreOtherKinds) {
  EXPECT_THAT(Read(R"(---
{apiVersion: v2, kind: Pod, metadata: {name: a}}
---
{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: a}}
---
{apiVersion: v1, kind: ReplicaSet, metadata: {name: a}}
---
{apiVersion: extensions/v1beta1, kind: ReplicaSet, metadata: {name: a}}
)"),
              IsEmpty());
}

TEST(ReadObjectsTest, WithoutApiVersionTheKindAloneTells) {
  EXPECT_THAT(Read(R"({"kind": "List", "items": [
                {"kind": "Pod", "metadata": {"name": "p"}},
                {"kind": "ReplicaSet", "metadata": {"name": "r"}},
                {"kind": "ConfigMap", "metadata": {"name": "c"}}]})"),
              ElementsAre("Pod default/p", "ReplicaSet default/r"));
}

TEST(ReadObjectsTest, KindAndVersionMayStandLast) {
  EXPECT_THAT(Read(R"({"metadata": {"name": "p"}, "spec": {"kind": "Node"},
                       "kind": "Pod", "apiVersion": "v1"})"),
              ElementsAre("Pod default/p"));
}

TEST(ReadObjectsTest, ItemsOfATypedListNeedNotSayTheirKind) {
  EXPECT_THAT(Read(R"({"kind": "PodList", "apiVersion": "v1", "metadata": {},
                       "items": [{"metadata": {"name": "p"}},
                                 {"metadata": {"name": "q"}}]})"),
              ElementsAre("Pod default/p", "Pod default/q"));
  EXPECT_THAT(Read(R"({"items": [{"metadata": {"name": "r"}}],
                       "kind": "ReplicaSetList", "apiVersion": "apps/v1"})"),
              ElementsAre("ReplicaSet default/r"));
  EXPECT_THAT(Read(R"({"kind": "EventList", "apiVersion": "v1",
                       "items": [{"metadata": {"name": "e"}}]})"),
              IsEmpty());
}

TEST(ReadObjectsTest, ItemsOfAnUntypedListMustSayTheirKind) {
  EXPECT_EQ(ErrorOf(R"({"kind": "List", "apiVersion": "v1",
                        "items": [{"metadata": {"name": "p"}}]})"),
            "items[0].kind: required");
}

TEST(ReadObjectsTest, ListsMayBeEmpty) {
  for (const char* items : {"", ", \"items\": []", ", \"items\": null"}) {
    EXPECT_THAT(Read(std::string(R"({"kind": "List", "apiVersion": "v1")") +
                     items + "}"),
                IsEmpty());
  }
}

TEST(ReadObjectsTest, ListsMayStandInLists) {
  EXPECT_THAT(Read(R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: NodeList
  items:
  - metadata: {name: a}
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: v1, kind: Pod, metadata: {name: p}}
- {apiVersion: v1, kind: Node, metadata: {name: b}}
)"),
              ElementsAre("Node /a", "Pod default/p", "Node /b"));
}

TEST(ReadObjectsTest, ListsInListsHaveABound) {
  std::string json = R"({"kind": "Pod", "apiVersion": "v1"})";
  for (int i = 0; i < 1000; ++i) {
    json = R"({"kind": "List", "apiVersion": "v1", "items": [)" + json + "]}";
  }
  EXPECT_EQ(ErrorOf(json),
            "items[0].items[0].items[0]: lists in lists are nested too deeply");
}

TEST(ReadObjectsTest, ReadsDocumentsOfAYamlStream) {
  EXPECT_THAT(Read("# two of them\n"
                   "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n"
                   "---\n---\n"
                   "apiVersion: v1\nkind: Node\nmetadata:\n  name: m\n"),
              ElementsAre("Pod default/p", "Node /m"));
}

TEST(ReadObjectsTest, EmptyTextHasNoObjects) {
  EXPECT_THAT(Read(""), IsEmpty());
  EXPECT_THAT(Read(" \n# x\n---\n"), IsEmpty());
}

TEST(ReadObjectsTest, AByteOrderMarkBeforeJsonIsNothing) {
  EXPECT_THAT(Read(std::string("\xEF\xBB\xBF \n") + kKubectlList),
              ElementsAre("Node /n1", "Pod shop/p"));
}

TEST(ReadObjectsTest, ErrorsNameTheItemAndTheField) {
  EXPECT_EQ(ErrorOf(R"({"kind": "List", "apiVersion": "v1", "items": [
              {"kind": "Pod", "apiVersion": "v1"},
              {"kind": "Pod", "apiVersion": "v1", "spec": {"nodeName": 5}}]})"),
            "items[1].spec.nodeName: must be a string, got 5");
  EXPECT_EQ(ErrorOf("apiVersion: v1\nkind: Node\nmetadata: {name: 1}\n"),
            "metadata.name: must be a string, got 1");
}

TEST(ReadObjectsTest, ErrorsNameTheDocumentIfThereAreSeveral) {
  EXPECT_EQ(ErrorOf("---\n{apiVersion: v1, kind: Pod}\n---\n"
                    "{apiVersion: v1, kind: List, items: [{kind: Pod, "
                    "apiVersion: v1, spec: {priority: high}}]}\n"),
            "documents[1].items[0].spec.priority: must be a 32-bit integer, "
            "got \"high\"");
}

TEST(ReadObjectsTest, ErrorsOfYamlNameTheLine) {
  EXPECT_EQ(ErrorOf("kind: Pod\nkind: Node\n"),
            "line 2, column 1: duplicate key \"kind\", first on line 1");
}

TEST(ReadObjectsTest, WhatIsNoObjectIsRefused) {
  EXPECT_EQ(ErrorOf("[]"), "must be an object, got an array");
  EXPECT_EQ(ErrorOf("just text"), "must be an object or an array");
  EXPECT_EQ(ErrorOf("{}"), "metadata: required");
  EXPECT_EQ(ErrorOf(R"({"apiVersion": "v1"})"), "kind: required");
  EXPECT_EQ(ErrorOf(R"({"apiVersion": "v1", "kind": ""})"), "kind: required");
  EXPECT_EQ(ErrorOf(R"({"apiVersion": "v1", "kind": 5})"),
            "kind: must be a string, got 5");
  EXPECT_EQ(ErrorOf(R"({"kind": "List", "apiVersion": "v1", "items": [5]})"),
            "items[0]: must be an object, got 5");
  EXPECT_EQ(ErrorOf(R"({"kind": "List", "apiVersion": "v1", "items": {}})"),
            "items: must be an array, got an object");
  EXPECT_EQ(ErrorOf(R"({"kind": "PodList", "apiVersion": "v1",
                        "items": [{}]})"),
            "items[0].metadata: required");
}

TEST(ReadObjectsTest, TextBehindTheObjectIsRefused) {
  EXPECT_EQ(ErrorOf(R"({"kind": "Pod", "apiVersion": "v1"} {})"),
            "text after the JSON value");
}

TEST(ReadObjectsTest, JsonCutAnywhereIsAnErrorAndNothingWorse) {
  std::string_view whole = kKubectlList;
  whole = whole.substr(0, whole.rfind('}') + 1);
  const std::size_t begin = whole.find('{') + 1;  // Before that it is YAML.
  for (std::size_t size = begin; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadObjects(whole.substr(0, size)).ok())
        << whole.substr(0, size);
  }
}

TEST(ReadObjectsTest, PodsThatWereNeverAdmittedAreAdmitted) {
  const auto read = [](const std::string& metadata) {
    const auto objects = ReadObjects(R"({"apiVersion": "v1", "kind": "Pod",
      "metadata": {)" + metadata + R"("labels": {"hash": "1a2b"}},
      "spec": {"affinity": {"podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
          {"topologyKey": "zone", "labelSelector": {},
           "matchLabelKeys": ["hash"]}]}}}})");
    EXPECT_TRUE(objects.ok()) << objects.status();
    return std::get<Pod>(objects->at(0));
  };
  const auto expressions = [](const Pod& pod) {
    return pod.spec.affinity->pod_anti_affinity->required[0]
        .label_selector->match_expressions;
  };
  const Pod manifest = read("");
  EXPECT_EQ(manifest.meta.namespace_name, "default");
  EXPECT_EQ(expressions(manifest),
            (std::vector<LabelSelectorRequirement>{{"hash", "In", {"1a2b"}}}));
  const Pod running = read(R"("uid": "u", "namespace": "shop", )");
  EXPECT_EQ(running.meta.namespace_name, "shop");
  EXPECT_THAT(expressions(running), IsEmpty());
}

TEST(ReadObjectsTest, ObjectsWithoutNamespaceAreInTheDefaultOne) {
  EXPECT_THAT(Read("apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"
                   "---\n"
                   "apiVersion: apps/v1\nkind: StatefulSet\n"
                   "metadata: {name: t}\n"),
              ElementsAre("Service default/s", "StatefulSet default/t"));
}

TEST(ReadObjectTest, ReadsAnObjectOfItsKind) {
  const auto object = ReadOne(
      R"({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n1"}})");
  ASSERT_TRUE(object.ok()) << object.status();
  ASSERT_TRUE(object->has_value());
  EXPECT_EQ(std::get<Node>(**object).meta.name, "n1");
}

TEST(ReadObjectTest, OtherKindsAreNothing) {
  const auto object = ReadOne(
      R"({"kind": "Secret", "apiVersion": "v1", "data": {"a": ["b"]}})");
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_FALSE(object->has_value());
}

TEST(ReadObjectTest, WithoutKindItIsAnError) {
  EXPECT_EQ(ReadOne(R"({"apiVersion": "v1"})").status().message(),
            "kind: required");
}

TEST(ReadObjectTest, AReaderServesForManyObjects) {
  JsonReader reader;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(
        ReadObject(reader, simdjson::padded_string(std::string_view("{\"a\"")))
            .ok());
    const auto object =
        ReadObject(reader, simdjson::padded_string(std::string_view(
                               R"({"kind": "Pod", "apiVersion": "v1"})")));
    ASSERT_TRUE(object.ok()) << object.status();
    EXPECT_TRUE(object->has_value());
  }
}

}  // namespace
}  // namespace vicinal
