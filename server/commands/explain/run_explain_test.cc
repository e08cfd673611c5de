#include "server/commands/explain/run_explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vicinal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Written(std::string_view name, std::string_view text) {
  std::string path = ::testing::TempDir() + "/" + std::string(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

constexpr char kCluster[] = R"(
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
- apiVersion: v1
  kind: Node
  metadata: {name: n2, labels: {kubernetes.io/hostname: n2}}
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
- {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-1, namespace: shop, uid: u1, labels: {app: web}}
  spec: {nodeName: n1}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-2, namespace: shop, uid: u2, labels: {app: web}}
  spec:
    affinity: &apart
      podAntiAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
        - labelSelector: {matchLabels: {app: web}}
          topologyKey: kubernetes.io/hostname
)";

constexpr char kDeployment[] = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - labelSelector: {matchLabels: {app: web}}
            topologyKey: kubernetes.io/hostname
)";

struct Result {
  absl::Status status;
  bool fits = false;
  bool checked = false;
  std::string out;
  std::string err;
};

Result Explained(ExplainOptions options) {
  if (options.cluster_file.empty()) {
    options.cluster_file = Written("cluster.yaml", kCluster);
  }
  std::ostringstream out;
  std::ostringstream err;
  Result result;
  result.status = RunExplain(options, out, err, &result.fits, &result.checked);
  result.out = out.str();
  result.err = err.str();
  return result;
}

ExplainOptions Manifest(std::string_view text) {
  ExplainOptions options;
  options.manifest = Written("manifest.yaml", text);
  return options;
}

std::string ErrorOf(ExplainOptions options) {
  return std::string(Explained(std::move(options)).status.message());
}

TEST(ExplainCommandTest, ExplainsAnObjectOfTheClusterByItsName) {
  ExplainOptions options;
  options.cluster_file =
      Written("with_web.yaml", std::string(kCluster) + "---" + kDeployment);
  options.namespace_name = "shop";
  options.object = "deploy/web";
  const Result result = Explained(options);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.out,
              HasSubstr("Deployment shop/web: fits on 1 of 2 nodes"));
  EXPECT_THAT(result.out, HasSubstr("spec.template.spec.affinity"));
  options.object = "pod/web-2";
  EXPECT_THAT(Explained(options).out, HasSubstr("Pod shop/web-2: fits on"));
  options.object = "deployment/wbe";
  EXPECT_EQ(ErrorOf(options),
            "deployment/wbe: there is none in namespace shop; did you mean "
            "web?");
  options.object = "gadget/web";
  EXPECT_THAT(ErrorOf(options), HasSubstr("must be KIND/NAME"));
}

TEST(ExplainCommandTest, TheNamespaceHoldsForWhatDoesNotSayIt) {
  std::string web = kDeployment;
  web.replace(web.find(", namespace: shop"), 17, "");
  ExplainOptions options = Manifest(web);
  EXPECT_THAT(Explained(options).out, HasSubstr("Deployment default/web: "));
  options.namespace_name = "shop";
  EXPECT_THAT(Explained(options).out, HasSubstr("Deployment shop/web: "));
  options.manifest = "";
  options.pod = "web-2";
  EXPECT_THAT(Explained(options).out, HasSubstr("Pod shop/web-2: "));
}

TEST(ExplainCommandTest, ExplainsAManifest) {
  const Result result = Explained(Manifest(kDeployment));
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_TRUE(result.fits);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out,
              HasSubstr("Deployment shop/web: fits on 1 of 2 nodes, best on "
                        "n2\n"));
  EXPECT_THAT(result.out,
              HasSubstr("spec.template.spec.affinity.podAntiAffinity."
                        "requiredDuringSchedulingIgnoredDuringExecution[0]"));
  EXPECT_THAT(result.out, HasSubstr("shop/web-1"));
}

TEST(ExplainCommandTest, ExplainsAWaitingPod) {
  ExplainOptions options;
  options.pod = "shop/web-2";
  const Result result = Explained(options);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_TRUE(result.fits);
  EXPECT_THAT(result.out, HasSubstr("Pod shop/web-2: fits on 1 of 2 nodes"));
}

TEST(ExplainCommandTest, ExplainsARunningPodAsIfItWereToBePlacedAnew) {
  ExplainOptions options;
  options.pod = "shop/web-1";
  const Result result = Explained(options);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.out, HasSubstr("Pod shop/web-1: fits on 2 of 2 nodes"));
  EXPECT_THAT(result.err, HasSubstr("pod shop/web-1 runs on n1"));
}

TEST(ExplainCommandTest, HonoursTheSchedulersConfiguration) {
  ExplainOptions options = Manifest(R"(
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-3, namespace: shop, labels: {app: web}}
spec: {schedulerName: strict}
)");
  options.output = "json";
  options.scheduler_config = Written("scheduler.yaml", R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: strict
  plugins:
    score:
      disabled: [{name: ImageLocality}]
      enabled: [{name: ImageLocality, weight: 7}]
  pluginConfig:
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule}
)");
  const Result result = Explained(options);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.err, "");
  const nlohmann::json json = nlohmann::json::parse(result.out);
  const nlohmann::json& one = json["explanations"][0];
  EXPECT_EQ(one["nodesFitting"], 1);
  EXPECT_EQ(one["nodes"][0]["plugin"], "PodTopologySpread");
  ASSERT_EQ(one["spreadConstraints"].size(), 1u);
  int weight = 0;
  for (const nlohmann::json& score : one["nodes"][1]["scores"]) {
    if (score["plugin"] == "ImageLocality") weight = score["weight"];
  }
  EXPECT_EQ(weight, 7);
}

TEST(ExplainCommandTest, AScorePluginThatIsNotHereIsAWarning) {
  ExplainOptions options = Manifest(kDeployment);
  options.scheduler_config = Written("unknown.yaml", R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {score: {enabled: [{name: Ours, weight: 1}]}}
)");
  const Result result = Explained(options);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.err, HasSubstr("scores are by the default weights"));
  EXPECT_THAT(result.err, HasSubstr("Ours"));
  options.scheduler_config = "/no/such.yaml";
  EXPECT_EQ(ErrorOf(options), "/no/such.yaml: No such file or directory");
}

TEST(ExplainCommandTest, APodOfNoProfileIsAnError) {
  ExplainOptions options = Manifest(kDeployment);
  options.scheduler_config = Written("other.yaml", R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: other}]
)");
  EXPECT_THAT(ErrorOf(options),
              HasSubstr("Deployment shop/web: spec.schedulerName: "));
  EXPECT_THAT(ErrorOf(options), HasSubstr("no profile"));
}

TEST(ExplainCommandTest, WritesJson) {
  ExplainOptions options = Manifest(kDeployment);
  options.output = "json";
  const nlohmann::json json = nlohmann::json::parse(Explained(options).out);
  ASSERT_EQ(json["explanations"].size(), 1u);
  const nlohmann::json& one = json["explanations"][0];
  EXPECT_EQ(one["kind"], "Deployment");
  EXPECT_EQ(one["namespace"], "shop");
  EXPECT_EQ(one["name"], "web");
  EXPECT_EQ(one["fits"], true);
  EXPECT_EQ(one["nodesTotal"], 2);
  EXPECT_EQ(one["nodesFitting"], 1);
  ASSERT_EQ(one["nodes"].size(), 2u);
  const nlohmann::json& closed = one["nodes"][0];
  EXPECT_EQ(closed["name"], "n1");
  EXPECT_EQ(closed["code"], "Unschedulable");
  EXPECT_EQ(closed["plugin"], "InterPodAffinity");
  EXPECT_EQ(closed["reason"], "node(s) didn't match pod anti-affinity rules");
  const nlohmann::json& cause = closed["causes"][0];
  EXPECT_EQ(cause["topologyKey"], "kubernetes.io/hostname");
  EXPECT_EQ(cause["domain"], "n1");
  EXPECT_EQ(cause["blockingPodsTotal"], 1);
  EXPECT_EQ(cause["blockingPods"][0]["name"], "web-1");
  const nlohmann::json& open = one["nodes"][1];
  EXPECT_EQ(open["fits"], true);
  std::int64_t total = 0;
  for (const auto& score : open["scores"]) {
    total += score["normalized"].get<std::int64_t>() *
             score["weight"].get<std::int64_t>();
  }
  EXPECT_EQ(open["score"], total);
}

TEST(ExplainCommandTest, WritesTheSameAsYaml) {
  ExplainOptions options = Manifest(kDeployment);
  options.output = "yaml";
  const std::string yaml = Explained(options).out;
  EXPECT_THAT(yaml, HasSubstr("warnings: []\nexplanations:\n- kind: "
                              "\"Deployment\"\n  namespace: \"shop\"\n"));
  EXPECT_THAT(yaml, HasSubstr("  nodes:\n  - name: \"n1\"\n    fits: false\n"));
  EXPECT_THAT(yaml, HasSubstr("      blockingPods:\n      - namespace: "
                              "\"shop\"\n        name: \"web-1\"\n"));
}

TEST(ExplainCommandTest, TellsWhenAPodFitsNowhere) {
  const Result result = Explained(Manifest(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop}
spec: {nodeSelector: {kubernetes.io/hostnam: n1}})"));
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_FALSE(result.fits);
  EXPECT_THAT(result.out, HasSubstr("Pod shop/p: fits on none of 2 nodes"));
  EXPECT_THAT(result.out, HasSubstr("Did you mean kubernetes.io/hostname?"));
}

TEST(ExplainCommandTest, WarnsOfAMisspeltField) {
  const Result result = Explained(Manifest(R"(
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop}
spec: {affinity: {podAntiAfinity: {}}})"));
  EXPECT_TRUE(result.status.ok());
  EXPECT_EQ(result.err,
            "vicinal: warning: Pod shop/p: spec.affinity.podAntiAfinity: "
            "unknown field, ignored; did you mean \"podAntiAffinity\"?\n");
}

TEST(ExplainCommandTest, WarnsOfANamespaceThatIsNotThere) {
  const Result result = Explained(Manifest(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shpo}\n"));
  EXPECT_TRUE(result.status.ok());
  EXPECT_THAT(result.err, HasSubstr("namespace shpo is not in the cluster, "
                                    "where an API server would refuse the "
                                    "pod; did you mean shop?"));
}

TEST(ExplainCommandTest, RefusesAFileThatIsNoCluster) {
  ExplainOptions options = Manifest(kDeployment);
  options.cluster_file = Written("no-cluster.yaml", kDeployment);
  EXPECT_THAT(ErrorOf(options),
              HasSubstr("no-cluster.yaml: there are no nodes in it; a cluster "
                        "file is made with\n  kubectl get nodes,pods"));
  options.cluster_file = Written("no-cluster.txt", "hello");
  EXPECT_THAT(ErrorOf(options), HasSubstr("no-cluster.txt: "));
  options.cluster_file = "/no/such/file";
  EXPECT_EQ(ErrorOf(options), "/no/such/file: No such file or directory");
}

TEST(ExplainCommandTest, NamesTheManifestThatCannotBeRead) {
  EXPECT_THAT(ErrorOf(Manifest("kind: Pod\nkind: Pod\n")),
              HasSubstr("manifest.yaml: line 2, column 1: duplicate key "
                        "\"kind\", first on line 1"));
  EXPECT_THAT(ErrorOf(Manifest("kind: Deploymnet\nmetadata: {name: web}\n")),
              HasSubstr("did you mean \"Deployment\"?"));
  EXPECT_THAT(ErrorOf(Manifest("kind: ConfigMap\nmetadata: {name: c}\n")),
              HasSubstr("no object with pods"));
  ExplainOptions options;
  options.manifest = "/no/such/manifest";
  EXPECT_EQ(ErrorOf(options), "/no/such/manifest: No such file or directory");
}

TEST(ExplainCommandTest, GuessesWhichPodWasMeant) {
  ExplainOptions options;
  options.pod = "web-1";
  EXPECT_EQ(ErrorOf(options),
            "--pod default/web-1: no such pod that is not finished; did you "
            "mean shop/web-1?");
  options.pod = "shop/wbe-2";
  EXPECT_THAT(ErrorOf(options), HasSubstr("did you mean shop/web-2?"));
  options.pod = "nowhere/nothing";
  EXPECT_THAT(ErrorOf(options), HasSubstr("(the namespace has no pods)"));
}

TEST(ExplainCommandTest, AnswersForEveryPodOfAManifest) {
  const Result result =
      Explained(Manifest(std::string(kDeployment) +
                         "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, "
                         "namespace: shop}\nspec: {nodeSelector: {a: b}}\n"));
  EXPECT_FALSE(result.fits);
  EXPECT_THAT(result.out, HasSubstr("Deployment shop/web: fits on 1"));
  EXPECT_THAT(result.out, HasSubstr("Pod shop/p: fits on none"));
}

TEST(ExplainCommandTest, LinesOfTheTableAreShort) {
  const std::string out = Explained(Manifest(kDeployment)).out;
  std::istringstream lines(out);
  std::string line;
  while (std::getline(lines, line)) EXPECT_LE(line.size(), 120u) << line;
}

TEST(ExplainCommandTest, DrawsAPage) {
  ExplainOptions options = Manifest(kDeployment);
  options.html = ::testing::TempDir() + "/page.html";
  ASSERT_TRUE(Explained(options).status.ok());
  std::ifstream file(options.html);
  const std::string html((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(html, HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(html, HasSubstr("shop/web-1"));
  EXPECT_THAT(html, Not(HasSubstr("@DATA@")));
  options.html = "/no/such/folder/page.html";
  EXPECT_THAT(ErrorOf(options), HasSubstr("--html /no/such/folder/page.html"));
}

nlohmann::json JsonOf(ExplainOptions options, Result* result) {
  options.output = "json";
  *result = Explained(std::move(options));
  EXPECT_TRUE(result->status.ok()) << result->status;
  return nlohmann::json::parse(result->out).at("explanations").at(0);
}

TEST(ExplainCommandTest, APodWithGatesDoesNotFitYet) {
  Result result;
  const nlohmann::json json = JsonOf(
      Manifest("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: "
               "shop}\nspec: {schedulingGates: [{name: g}]}\n"),
      &result);
  EXPECT_FALSE(result.fits);
  EXPECT_TRUE(result.checked);
  EXPECT_EQ(json["fits"], false);
  EXPECT_EQ(json["nodesFitting"], 2);
  EXPECT_EQ(json["heldBack"], "waiting for scheduling gates: [g]");
}

TEST(ExplainCommandTest, TellsWhatWasNotChecked) {
  Result result;
  const nlohmann::json json = JsonOf(
      Manifest("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: "
               "shop}\nspec: {volumes: [{name: v, persistentVolumeClaim: "
               "{claimName: c}}]}\n"),
      &result);
  EXPECT_TRUE(result.fits);
  EXPECT_FALSE(result.checked);
  ASSERT_EQ(json["notChecked"].size(), 1u);
  EXPECT_EQ(json["notChecked"][0]["why"], "no PersistentVolumeClaim is known");
  const std::vector<std::string> checked = json["checked"];
  EXPECT_THAT(checked, ::testing::Contains("NodePorts"));
  EXPECT_THAT(checked, Not(::testing::Contains("VolumeBinding")));
}

TEST(ExplainCommandTest, AnswersForTheReplicasBesideThoseThatRun) {
  std::string cluster = kCluster;
  cluster +=
      "- apiVersion: v1\n  kind: Node\n"
      "  metadata: {name: n3, labels: {kubernetes.io/hostname: n3}}\n"
      "  status: {allocatable: {cpu: \"4\", memory: 8Gi, pods: \"10\"}}\n"
      "- apiVersion: v1\n  kind: Pod\n"
      "  metadata:\n    name: web-0\n    namespace: shop\n    uid: u0\n"
      "    labels: {app: web}\n"
      "    ownerReferences:\n"
      "    - {apiVersion: apps/v1, kind: ReplicaSet, name: web-5d, controller: "
      "true}\n"
      "  spec: {nodeName: n3}\n";
  std::string manifest = kDeployment;
  manifest.replace(manifest.find("  selector:"), 0, "  replicas: 3\n");
  ExplainOptions options = Manifest(manifest);
  options.cluster_file = Written("cluster-3.yaml", cluster);
  Result result;
  const nlohmann::json replicas = JsonOf(options, &result)["replicas"];
  EXPECT_FALSE(result.fits);
  EXPECT_EQ(replicas["running"], 1);
  EXPECT_EQ(replicas["asked"], 2);
  EXPECT_EQ(replicas["fitting"], 1);
  EXPECT_EQ(replicas["message"],
            "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity "
            "rules.");
}

}  // namespace
}  // namespace vicinal
