#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "server/commands/cluster/cluster_source.h"
#include "server/commands/cluster/progress.h"
#include "server/commands/cluster/put_in_namespace.h"

namespace vicinal {
namespace {

using ::testing::HasSubstr;

TEST(PutInNamespaceTest, ObjectsWithoutANamespaceGetIt) {
  EXPECT_EQ(PutInNamespace("kind: Pod\nmetadata: {name: a}\n", "shop"),
            "{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"shop\","
            "\"name\":\"a\"}}\n");
  EXPECT_EQ(PutInNamespace("{\"metadata\": {}, \"kind\": \"Pod\"}", "shop"),
            PutInNamespace("metadata: {namespace: shop}\nkind: Pod\n", "b"));
  EXPECT_THAT(PutInNamespace("kind: Pod\nmetadata: {namespace: a}\n", "shop"),
              testing::Not(HasSubstr("shop")));
}

TEST(PutInNamespaceTest, SeveralDocumentsAndItemsOfListsGetItToo) {
  const std::string result = PutInNamespace(R"(
kind: Node
metadata: {name: n1}
---
kind: List
metadata: {}
items:
- {kind: Namespace, metadata: {name: shop}}
- {kind: Deployment, metadata: {name: "07", labels: {a: b}}, spec: {replicas: 3, template: {metadata: {labels: {a: b}}, spec: {containers: [{resources: {requests: {memory: 99999999999999999999}}}]}}}}
)",
                                            "shop");
  EXPECT_EQ(result, PutInNamespace(R"(
kind: Node
metadata: {name: n1}
---
kind: List
metadata: {}
items:
- {kind: Namespace, metadata: {name: shop}}
- {kind: Deployment, metadata: {namespace: shop, name: "07", labels: {a: b}}, spec: {replicas: 3, template: {metadata: {labels: {a: b}}, spec: {containers: [{resources: {requests: {memory: 99999999999999999999}}}]}}}}
)",
                                   "other"));
}

TEST(PutInNamespaceTest, WhatCannotBeReadStaysAsItIs) {
  for (const std::string text :
       {"", "a: [", "just text", "kind: Pod\nkind: Pod\n", "- a\n- b\n"}) {
    EXPECT_EQ(PutInNamespace(text, "shop"), text);
  }
}

TEST(ProgressTest, SaysHowFarItHasCome) {
  std::ostringstream log;
  Progress often(log, "nodes read so far", std::chrono::seconds(0));
  often.Count();
  often.Count();
  EXPECT_EQ(log.str(),
            "vicinal: 1 nodes read so far\nvicinal: 2 nodes read so far\n");
}

TEST(ClusterSourceTest, ReadsAFile) {
  FoundCluster found;
  found.file = testing::TempDir() + "/cluster.yaml";
  int count = 0;
  ClusterReceiver receiver;
  receiver.add = [&count](Object, const PodFacts&) { ++count; };
  std::ostringstream log;
  std::ofstream(found.file) << "kind: Namespace\nmetadata: {name: shop}\n";
  EXPECT_THAT(std::string(ReadCluster(found, receiver, log).message()),
              HasSubstr("there are no nodes in it"));
  std::ofstream(found.file) << "kind: Node\nmetadata: {name: n1}\n";
  EXPECT_TRUE(ReadCluster(found, receiver, log).ok());
  EXPECT_EQ(count, 2);
}

TEST(ClusterSourceTest, TheContextSaysTheNamespace) {
  const std::string path = testing::TempDir() + "/config";
  std::ofstream(path) << R"(
current-context: a
contexts:
- {name: a, context: {cluster: k}}
- {name: b, context: {cluster: k, namespace: shop}}
clusters: [{name: k, cluster: {server: "http://127.0.0.1:1"}}]
)";
  setenv("KUBECONFIG", path.c_str(), 1);
  const auto by_default = FindCluster({});
  ASSERT_TRUE(by_default.ok()) << by_default.status();
  EXPECT_EQ(by_default->namespace_name, "default");
  EXPECT_TRUE(by_default->api);
  ClusterSource source;
  source.context = "b";
  EXPECT_EQ(FindCluster(source)->namespace_name, "shop");
}

}  // namespace
}  // namespace vicinal
