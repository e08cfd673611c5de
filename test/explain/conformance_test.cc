// Explains every named case of test/conformance.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/engine/default_profile.h"
#include "core/explain/explain.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/pod_admission.h"
#include "core/model/read_objects.h"
#include "core/model/yaml.h"
#include "core/plugins/plugin_config.h"
#include "core/plugins/read_plugin_config.h"
#include "test/explain/verdict_check.h"

namespace vicinal {
namespace {

constexpr char kFolder[] = "test/conformance/testdata/named";

void CheckCase(const nlohmann::json& one) {
  ClusterState cluster;
  for (const nlohmann::json& object : one.at("objects")) {
    absl::StatusOr<std::vector<Object>> objects = ReadObjects(object.dump());
    ASSERT_TRUE(objects.ok()) << objects.status();
    for (Object& read : *objects) cluster.Upsert(std::move(read));
  }
  JsonReader reader;
  PluginConfig config;
  if (one.contains("pluginConfig")) {
    absl::StatusOr<PluginConfig> read =
        reader.ReadCopy<PluginConfig>(one["pluginConfig"].dump());
    ASSERT_TRUE(read.ok()) << read.status();
    config = *std::move(read);
  }
  absl::StatusOr<Pod> pod = reader.ReadCopy<Pod>(one.at("pod").dump());
  ASSERT_TRUE(pod.ok()) << pod.status();
  AdmitPod(*pod);
  const Profile profile = DefaultProfile(config);
  const PodInfo info(*std::move(pod));
  const Explanation explanation = Explain(cluster, profile, config, info);
  for (const NodeExplanation& node : explanation.nodes) {
    SCOPED_TRACE(node.name);
    CheckVerdict(explanation, node);
  }
}

TEST(ConformanceCausesTest, EveryRefusalOfANamedCaseHasItsCause) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const absl::StatusOr<std::vector<std::string>> documents = YamlToJson(text);
    ASSERT_TRUE(documents.ok()) << documents.status();
    ASSERT_EQ(documents->size(), 1u);
    CheckCase(nlohmann::json::parse(documents->front()).at("case"));
    ++cases;
  }
  EXPECT_GT(cases, 250);
}

}  // namespace
}  // namespace vicinal
