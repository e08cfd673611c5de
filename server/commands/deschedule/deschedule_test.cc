#include "server/commands/deschedule/deschedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/model/kubernetes_release.h"
#include "server/kubernetes/testing/test_http_server.h"

namespace vicinal {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kCluster[] = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
- &pod
  apiVersion: v1
  kind: Pod
  metadata: &metadata
    name: web-1
    namespace: shop
    uid: u1
    labels: {app: web}
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, controller: true}]
  spec: &spec
    nodeName: n1
    affinity:
      podAntiAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
        - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}
  status: {phase: Running}
- <<: *pod
  metadata: {<<: *metadata, name: web-0, uid: u0}
  spec: {<<: *spec, volumes: [{name: scratch, emptyDir: {}}]}
)";

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

DescheduleOptions OptionsFor(const std::string& cluster) {
  DescheduleOptions options;
  options.cluster_file = Write("cluster.yaml", cluster);
  options.output = "json";
  return options;
}

TEST(DescheduleTest, PrintsThePlanAsJson) {
  std::ostringstream out;
  const absl::Status status = PrintPlanFor(OptionsFor(kCluster), out);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(nlohmann::json::parse(out.str()), nlohmann::json::parse(R"({
    "skipped": [],
    "evictions": [{"pod": "shop/web-1", "node": "n1", "destination": "n2",
      "strategy": "RemovePodsViolatingInterPodAntiAffinity",
      "reason": "required anti-affinity is broken 2 times in kubernetes.io/hostname=n1"}],
    "kept": [],
    "before": {"hardViolations": 2, "podsToReplace": 0, "skew": 0, "utilization": 0, "softScore": 0},
    "after": {"hardViolations": 0, "podsToReplace": 0, "skew": 0, "utilization": 0, "softScore": 0}})"));
}

TEST(DescheduleTest, PrintsThePlanAsATable) {
  DescheduleOptions options = OptionsFor(kCluster);
  options.output = "table";
  std::ostringstream out;
  ASSERT_TRUE(PrintPlanFor(options, out).ok());
  EXPECT_EQ(
      out.str(),
      "POD          NODE   EXPECTED NODE   STRATEGY                       "
      "           REASON\n"
      "shop/web-1   n1     n2              "
      "RemovePodsViolatingInterPodAntiAffinity   required anti-affinity "
      "is broken 2 times in kubernetes.io/hostname=n1\n"
      "\n"
      "1 eviction. Broken hard rules: 2 -> 0, skew: 0 -> 0, soft score: "
      "0 -> 0\n");
}

TEST(DescheduleTest, SaysWhyPodsAreKept) {
  DescheduleOptions options = OptionsFor(kCluster);
  options.policy_file = Write("policy.yaml", R"(
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: p
  pluginConfig:
  - name: DefaultEvictor
    args: {minReplicas: 3}
  plugins:
    deschedule: {enabled: [RemovePodsViolatingInterPodAntiAffinity]}
)");
  std::ostringstream out;
  const absl::Status status = PrintPlanFor(options, out);
  ASSERT_TRUE(status.ok()) << status;
  const nlohmann::json plan = nlohmann::json::parse(out.str());
  EXPECT_TRUE(plan["evictions"].empty());
  ASSERT_EQ(plan["kept"].size(), 2u);
  EXPECT_EQ(plan["kept"][0]["pod"], "shop/web-0");
  EXPECT_EQ(plan["kept"][0]["reason"],
            "it has local storage (emptyDir or hostPath)");
  EXPECT_EQ(plan["kept"][1]["reason"],
            "its owner has 2 pods, minReplicas is 3");
}

TEST(DescheduleTest, ErrorsNameTheFileAndTheField) {
  std::ostringstream out;
  DescheduleOptions options = OptionsFor("kind: List\nitems: []");
  EXPECT_THAT(std::string(PrintPlanFor(options, out).message()),
              HasSubstr("there are no nodes in it"));
  options = OptionsFor(kCluster);
  options.policy_file = Write("policy.yaml", "kind: Other");
  EXPECT_THAT(std::string(PrintPlanFor(options, out).message()),
              HasSubstr("policy.yaml: apiVersion: must be "
                        "\"descheduler/v1alpha2\", got \"\""));
  options.policy_file = "/no/such/file";
  EXPECT_THAT(std::string(PrintPlanFor(options, out).message()),
              HasSubstr("/no/such/file"));
  options.policy_file.clear();
  options.cluster_file = "/no/such/file";
  EXPECT_THAT(std::string(PrintPlanFor(options, out).message()),
              HasSubstr("/no/such/file: No such file or directory"));
  EXPECT_EQ(out.str(), "");
}

TEST(DescheduleTest, AnotherReleaseThanTheApiServersIsTold) {
  TestHttpServer server({}, [](const TestRequest& request, TestReply& reply) {
    reply.Send(200, request.path == "/version"
                        ? R"({"gitVersion":"v1.36.3"})"
                        : R"({"metadata":{"resourceVersion":"1"},"items":[]})");
  });
  DescheduleOptions options;
  options.kubeconfig =
      Write("kubeconfig",
            "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
            "contexts: [{name: a, context: {cluster: a, user: a}}]\n"
            "users: [{name: a, user: {}}]\n"
            "clusters: [{name: a, cluster: {server: \"http://127.0.0.1:" +
                std::to_string(server.port()) + "\"}}]\n");
  options.release.wanted = *KubernetesReleaseOf("1.35");
  std::ostringstream out;
  ::testing::internal::CaptureStderr();
  const absl::Status status = PrintPlanFor(options, out);
  const std::string log = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(log, AllOf(HasSubstr("1.35"), HasSubstr("v1.36.3")));
}

}  // namespace
}  // namespace vicinal
