#include "server/commands/simulate/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace vicinal {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr char kCluster[] = R"(
kind: Node
metadata: {name: w1, labels: {kubernetes.io/hostname: w1}}
status: {allocatable: {pods: 10}}
---
kind: Node
metadata: {name: w2, labels: {kubernetes.io/hostname: w2}}
status: {allocatable: {pods: 10}}
---
kind: Namespace
metadata: {name: shop}
)";

constexpr char kWeb[] = R"(
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - topologyKey: kubernetes.io/hostname
            labelSelector: {matchLabels: {app: web}}
)";

class SimulateTest : public testing::Test {
 protected:
  SimulateTest() {
    options_.cluster_file = Write("cluster.yaml", kCluster);
    web_ = Write("web.yaml", kWeb);
  }

  static std::string Write(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  absl::Status Run(std::vector<std::string> script) {
    options_.script = std::move(script);
    std::ostringstream out;
    std::ostringstream log;
    as_expected_ = true;
    const absl::Status status = Simulate(options_, out, log, &as_expected_);
    out_ = out.str();
    log_ = log.str();
    return status;
  }

  std::string Error(std::vector<std::string> script) {
    return std::string(Run(std::move(script)).message());
  }

  SimulateOptions options_;
  std::string web_;
  std::string out_;
  std::string log_;
  bool as_expected_ = true;
};

TEST_F(SimulateTest, TheHeadlineComesFirstAndDomainsOnRequest) {
  ASSERT_TRUE(Run({"apply " + web_}).ok());
  EXPECT_THAT(out_, testing::StartsWith(
                        "0 moved, 2 started, 1 pending, 0 rules broken\n"));
  EXPECT_THAT(out_, testing::Not(HasSubstr("DOMAIN")));
  ASSERT_TRUE(Run({"apply " + web_ + " scale deployment/web=1 -n shop",
                   "drain -l kubernetes.io/hostname=w1"})
                  .ok());
  EXPECT_THAT(out_, testing::StartsWith("0 moved, 1 started, 0 pending"));
  std::int64_t pending = 0;
  std::ostringstream out;
  options_.script = {"apply " + web_};
  options_.terminal = {40, true};
  ASSERT_TRUE(Simulate(options_, out, out, &as_expected_, &pending).ok());
  EXPECT_EQ(pending, 1);
  EXPECT_THAT(out.str(), testing::StartsWith("\033[1;31m0 moved, "));
  EXPECT_THAT(out.str(), HasSubstr("    0/2 nodes are available: 2 node(s)\n"
                                   "    didn't match pod anti-affinity\n"
                                   "    rules.\n"));
}

// Nodes of two sizes, and a configuration that fills the fuller ones first.
constexpr char kTwoSizes[] = R"(
kind: Node
metadata: {name: large, labels: {kubernetes.io/hostname: large}}
status: {allocatable: {pods: 10, cpu: 8, memory: 8Gi}}
---
kind: Node
metadata: {name: small, labels: {kubernetes.io/hostname: small}}
status: {allocatable: {pods: 10, cpu: 2, memory: 2Gi}}
---
kind: Namespace
metadata: {name: shop}
)";

constexpr char kPacks[] = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]
)";

constexpr char kOne[] = R"(
kind: Pod
metadata: {name: one, namespace: shop}
spec: {containers: [{name: c, resources: {requests: {cpu: 1, memory: 1Gi}}}]}
)";

TEST_F(SimulateTest, WhomPreemptionWouldTakeIsNoted) {
  const std::string important = Write("important.yaml", R"(
kind: Pod
metadata: {name: important, namespace: shop}
spec:
  priority: 1000
  nodeSelector: {kubernetes.io/hostname: w1}
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {matchLabels: {app: web}}
)");
  ASSERT_TRUE(Run({"apply " + web_, "apply " + important}).ok());
  EXPECT_THAT(out_, HasSubstr("preemption is not simulated: for "
                              "shop/important (priority 1000) it would take "
                              "shop/web-"));
  EXPECT_THAT(out_, HasSubstr("(priority 0) from w1, unless"));
  // The third pod of web takes nobody, as all have the same priority.
  ASSERT_TRUE(Run({"apply " + web_}).ok());
  EXPECT_THAT(out_, testing::Not(HasSubstr("preemption")));
}

TEST_F(SimulateTest, PodsArePlacedByTheConfiguration) {
  options_.cluster_file = Write("sizes.yaml", kTwoSizes);
  const std::string one = Write("one.yaml", kOne);
  ASSERT_TRUE(Run({"apply " + one}).ok());
  EXPECT_THAT(out_, testing::ContainsRegex("one +Running +large"));
  options_.scheduler_config = Write("packs.yaml", kPacks);
  ASSERT_TRUE(Run({"apply " + one}).ok());
  EXPECT_THAT(out_, testing::ContainsRegex("one +Running +small"));
  options_.scheduler_config = Write("other.yaml", R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: other}]
)");
  EXPECT_THAT(Error({"apply " + one}),
              HasSubstr("other.yaml: has no profile \"default-scheduler\""));
}

TEST_F(SimulateTest, TwoConfigurationsAreComparedSideBySide) {
  options_.cluster_file = Write("sizes.yaml", kTwoSizes);
  const std::string one = Write("one.yaml", kOne);
  options_.against = Write("packs.yaml", kPacks);
  ASSERT_TRUE(Run({"apply " + one}).ok());
  EXPECT_THAT(out_, testing::StartsWith(
                        "default: 0 moved, 1 started, 0 pending, 0 rules "
                        "broken\n" +
                        options_.against + ": 0 moved, 1 started, "));
  EXPECT_THAT(out_, testing::ContainsRegex("NAMESPACE +NAME +default +/"));
  EXPECT_THAT(out_, testing::ContainsRegex("shop +one +large +small\n"));
  options_.output = "json";
  ASSERT_TRUE(Run({"apply " + one}).ok());
  const nlohmann::json json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["podDifferences"][0]["nodes"],
            nlohmann::json({"large", "small"}));
  EXPECT_EQ(json["configurations"][1]["schedulerConfig"], options_.against);
  EXPECT_EQ(json["configurations"][1]["running"], 1);
}

TEST_F(SimulateTest, ConfigurationsThatDoTheSameDifferInNothing) {
  options_.against = Write("packs.yaml", kPacks);
  ASSERT_TRUE(Run({"apply " + web_}).ok());
  EXPECT_THAT(out_, HasSubstr("Every pod is where the other puts it.\n"));
  EXPECT_THAT(out_, testing::Not(HasSubstr("SKEW")));
}

TEST_F(SimulateTest, TheSkewsOfTwoConfigurationsStandSideBySide) {
  options_.cluster_file = Write("sizes.yaml", kTwoSizes);
  std::string web = kWeb;
  web.resize(web.find("      affinity:"));
  web += "      containers: [{name: c, resources: {requests: {cpu: 500m}}}]\n";
  const std::string file = Write("plain-web.yaml", web);
  options_.scheduler_config = Write("no-spread.yaml", R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {score: {disabled: [{name: "*"}], enabled: [{name: NodeResourcesFit, weight: 100}]}}
)");
  options_.against = Write("spread.yaml", R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {score: {disabled: [{name: "*"}], enabled: [{name: PodTopologySpread}]}}
  pluginConfig:
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}
)");
  ASSERT_TRUE(Run({"apply " + file}).ok()) << out_;
  EXPECT_THAT(out_,
              testing::ContainsRegex("Deployment/web in namespace shop by "
                                     "kubernetes.io/hostname +0 +3 +1\n"));
}

TEST_F(SimulateTest, TheTableShowsPodsReasonsAndDomains) {
  options_.domains = true;
  ASSERT_TRUE(Run({"apply " + web_}).ok());
  EXPECT_THAT(out_, HasSubstr("NAMESPACE   NAME"));
  EXPECT_THAT(out_, HasSubstr("Deployment/web in namespace shop: 1 pod ("));
  EXPECT_THAT(out_, HasSubstr("\n    0/2 nodes are available: 2 node(s) didn't "
                              "match pod anti-affinity rules.\n"));
  EXPECT_THAT(out_, HasSubstr("Deployment/web in namespace shop by "
                              "kubernetes.io/hostname\n"
                              "  DOMAIN   BEFORE   AFTER\n"
                              "  w1       0        1\n"
                              "  w2       0        1\n"
                              "  skew     0        0\n"));
  EXPECT_THAT(out_, HasSubstr("2 nodes, 2 pods running (before 0), 1 pending "
                              "(before 0)\n"));
}

TEST_F(SimulateTest, JsonSaysTheSame) {
  options_.output = "json";
  ASSERT_TRUE(Run({"apply", web_, "drain", "w2"}).ok());
  const json report = json::parse(out_);
  EXPECT_EQ(report["pending"], 2);
  EXPECT_EQ(report["running"], 1);
  EXPECT_EQ(report["steps"].size(), 2u);
  EXPECT_EQ(report["pods"].size(), 3u);
  EXPECT_EQ(report["spreads"][0]["domains"]["w1"]["after"], 1);
  int pending = 0;
  for (const json& pod : report["pods"]) {
    EXPECT_EQ(pod["workload"], "Deployment/web");
    if (!pod["node"].is_null()) continue;
    ++pending;
    EXPECT_EQ(pod["message"],
              "0/2 nodes are available: 1 node(s) didn't match pod "
              "anti-affinity rules, 1 node(s) were unschedulable.");
  }
  EXPECT_EQ(pending, 2);
}

TEST_F(SimulateTest, AScriptNamesItsFilesAndSaysWhatItExpects) {
  const std::string script = Write("script.yaml", R"(
cluster: cluster.yaml
steps:
- name: two run
  apply: [web.yaml]
  expect:
  - pods: {namespace: shop, labels: {app: web}}
    running: 2
    pending: 1
- name: a drain helps
  drain: w1
  expect:
  - pods: {namespace: shop, labels: {app: web}}
    running: 2
    pending: 1
)");
  options_.cluster_file = "";
  ASSERT_TRUE(Run({script}).ok());
  EXPECT_FALSE(as_expected_);
  EXPECT_THAT(out_, HasSubstr("Steps\n  ok       two run\n  FAILED   a drain "
                              "helps\n"));
  EXPECT_THAT(log_, HasSubstr("step 2 (a drain helps) is not as expected\n"
                              "pods with app=web in namespace shop\n"
                              "  pods\n"
                              "    expected: 2 running, 1 pending\n"
                              "    got:      1 running, 2 pending\n"));
}

TEST_F(SimulateTest, TheTraceHasACaseForEachPlacement) {
  options_.trace_file = testing::TempDir() + "/trace.ndjson";
  ASSERT_TRUE(Run({"apply " + web_}).ok());
  std::ifstream trace(options_.trace_file);
  std::string line;
  std::vector<json> cases;
  while (std::getline(trace, line)) cases.push_back(json::parse(line));
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0]["objects"].size(), 4u) << "nodes, namespace, ReplicaSet";
  EXPECT_EQ(cases[1]["objects"].size(), 5u) << "and the first pod";
  EXPECT_NE(cases[0]["id"]["node"], cases[1]["id"]["node"]);
  EXPECT_EQ(cases[1]["pod"]["metadata"]["namespace"], "shop");
}

TEST_F(SimulateTest, ErrorsNameTheFileAndTheField) {
  EXPECT_EQ(Error({"apply /no/such.yaml"}),
            "/no/such.yaml: No such file or directory");
  EXPECT_THAT(Error({"apply " + Write("bad.yaml",
                                      "kind: Deployment\n"
                                      "metadata: {name: x}\n"
                                      "spec: {replicas: many}\n")}),
              HasSubstr("bad.yaml: spec.replicas: must be an integer, got "
                        "\"many\""));
  EXPECT_THAT(Error({"apply " + Write("twice.yaml", "kind: Pod\nkind: Pod\n")}),
              HasSubstr("twice.yaml: "));
  EXPECT_THAT(Error({"apply " + Write("empty.yaml", "")}),
              HasSubstr("empty.yaml: no Kubernetes object in it"));
  EXPECT_THAT(
      Error({"apply " + Write("nowhere.yaml",
                              "kind: Pod\nmetadata: {name: p, namespace: "
                              "nowhere}\nspec: {}\n")}),
      HasSubstr("namespaces \"nowhere\" not found"));
  EXPECT_EQ(Error({"drain w9"}), "drain w9: there is no node \"w9\"");
  options_.cluster_file = web_;
  EXPECT_THAT(Error({"drain w1"}),
              HasSubstr("web.yaml: there are no nodes in it"));
  options_.cluster_file = "";
  unsetenv("KUBECONFIG");
  setenv("HOME", testing::TempDir().c_str(), 1);
  EXPECT_EQ(Error({"drain w1"}),
            "no cluster: give --cluster-file, or a script that names one; "
            "there is no kubeconfig: neither --kubeconfig nor $KUBECONFIG nor "
            "~/.kube/config names a file that is there");
  options_.cluster_file = "a";
  EXPECT_THAT(Error({Write("script.yaml",
                           "cluster: cluster.yaml\nsteps: [{drain: w1}]\n")}),
              HasSubstr("two clusters"));
}

TEST_F(SimulateTest, TheNamespaceHoldsForWhatManifestsDoNotSay) {
  std::string web = kWeb;
  web.replace(web.find(", namespace: shop"), 17, "");
  const std::string path = Write("nowhere.yaml", web);
  options_.output = "json";
  options_.namespace_name = "shop";
  ASSERT_TRUE(Run({"apply " + path, "scale deployment/web=1"}).ok());
  EXPECT_EQ(json::parse(out_)["pods"][0]["namespace"], "shop");
  options_.namespace_name = "";
  ASSERT_TRUE(Run({"apply " + path + " -n shop"}).ok());
  EXPECT_EQ(json::parse(out_)["pods"][0]["namespace"], "shop");
  ASSERT_TRUE(Run({"apply " + path}).ok());
  EXPECT_EQ(json::parse(out_)["pods"][0]["namespace"], "default");
}

TEST_F(SimulateTest, ThePictureHasBothClusters) {
  options_.html = testing::TempDir() + "/simulated.html";
  ASSERT_TRUE(Run({"apply " + web_}).ok());
  std::ifstream file(options_.html);
  const std::string html(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(html, HasSubstr(R"("title":"Before")"));
  EXPECT_THAT(html, HasSubstr(R"("title":"After")"));
  EXPECT_THAT(html, HasSubstr(R"("steps":[{"name":"apply )"));
  options_.html = "/no/such/folder/page.html";
  EXPECT_EQ(Error({"apply " + web_}),
            "--html /no/such/folder/page.html: No such file or directory");
}

TEST_F(SimulateTest, APolicyIsReadFromItsFile) {
  const std::string policy = Write(
      "policy.yaml",
      "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nprofiles: "
      "[{name: p, plugins: {deschedule: {enabled: "
      "[RemovePodsViolatingNodeTaints]}}}]\n");
  ASSERT_TRUE(Run({"cordon w2", "apply " + web_,
                   "scale deployment/web=1 -n shop", "uncordon w2",
                   "taint node w1 closed:NoSchedule", "deschedule " + policy})
                  .ok());
  EXPECT_THAT(out_,
              HasSubstr("note: deschedule: 1 eviction; broken hard rules: "
                        "1 -> 0"));
  EXPECT_THAT(Error({"deschedule " + web_}),
              HasSubstr("web.yaml: metadata: unknown field"));
  EXPECT_EQ(Error({"deschedule /no/such.yaml"}),
            "/no/such.yaml: No such file or directory");
}

TEST_F(SimulateTest, AScriptDeschedulesToo) {
  Write("policy.yaml",
        "apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\nprofiles: "
        "[{name: p, plugins: {deschedule: {enabled: "
        "[RemovePodsViolatingNodeTaints]}}}]\n");
  ASSERT_TRUE(Run({Write("script.yaml",
                         "steps:\n- deschedule: policy.yaml\n- deschedule: "
                         "\"\"\n- deschedule:\n")})
                  .ok());
  EXPECT_THAT(out_, HasSubstr("note: deschedule: nothing to evict"));
}

TEST_F(SimulateTest, KindsThatDoNotMatterAreNoted) {
  ASSERT_TRUE(Run({"apply " + Write("more.yaml",
                                    "kind: ConfigMap\nmetadata: {name: c}\n")})
                  .ok());
  EXPECT_THAT(out_, HasSubstr("1 ConfigMap left out"));
}

}  // namespace
}  // namespace vicinal
