#include "core/model/api_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "core/model/read_objects.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

// What the ClusterRole of a manifest allows, as group, resource and verb.
using Rights = std::set<std::tuple<std::string, std::string, std::string>>;
Rights RightsIn(const std::string& path) {
  Rights rights;
  const auto documents = YamlToJson(ReadFile(path));
  EXPECT_TRUE(documents.ok()) << documents.status();
  for (const std::string& text : *documents) {
    const auto object = nlohmann::json::parse(text);
    if (object["kind"] != "ClusterRole") continue;
    for (const auto& rule : object["rules"]) {
      for (const auto& group : rule["apiGroups"]) {
        for (const auto& resource : rule["resources"]) {
          for (const auto& verb : rule["verbs"]) {
            rights.emplace(group.get<std::string>(),
                           resource.get<std::string>(),
                           verb.get<std::string>());
          }
        }
      }
    }
  }
  return rights;
}

std::string GroupOf(const ApiResource& resource) {
  const std::string version = resource.api_version;
  const std::size_t slash = version.find('/');
  return slash == std::string::npos ? "" : version.substr(0, slash);
}

TEST(ApiResourcesTest, TheServersRoleLetsItListAndWatchEach) {
  const Rights rights = RightsIn("manifests/base/rbac.yaml");
  for (const ApiResource& resource : kApiResources) {
    for (const char* verb : {"list", "watch"}) {
      EXPECT_THAT(rights,
                  Contains(std::tuple(GroupOf(resource), resource.name, verb)));
    }
  }
}

TEST(ApiResourcesTest, TheDeschedulersRoleLetsItListEach) {
  const Rights rights = RightsIn("manifests/deschedule/base/rbac.yaml");
  for (const ApiResource& resource : kApiResources) {
    EXPECT_THAT(rights,
                Contains(std::tuple(GroupOf(resource), resource.name, "list")));
  }
}

// A row stands where Object has the kind that its apiVersion and kind decode
// to.
TEST(ApiResourcesTest, EachRowIsThatOfItsKind) {
  for (std::size_t i = 0; i < kApiResources.size(); ++i) {
    const nlohmann::json written = {
        {"apiVersion", kApiResources[i].api_version},
        {"kind", kApiResources[i].kind},
        {"metadata", {{"name", "x"}}}};
    const auto objects = ReadObjects(written.dump());
    ASSERT_TRUE(objects.ok()) << objects.status();
    ASSERT_EQ(objects->size(), 1) << kApiResources[i].kind;
    EXPECT_EQ(objects->front().index(), i) << kApiResources[i].kind;
    EXPECT_EQ(MetaOf(objects->front()).namespace_name,
              kApiResources[i].namespaced ? "default" : "");
  }
}

TEST(ApiResourcesTest, PathsAreThoseOfTheApiServer) {
  EXPECT_EQ(ApiResourceOf<Pod>().Path(), "/api/v1/pods");
  EXPECT_EQ(ApiResourceOf<StatefulSet>().Path(), "/apis/apps/v1/statefulsets");
}

TEST(ApiResourcesTest, TextsNameTheCommandForAClusterFile) {
  for (const char* path : {"README.md", "server/README.md"}) {
    std::istringstream text(ReadFile(path));
    int commands = 0;
    for (std::string line; std::getline(text, line);) {
      if (line.find("kubectl get nodes,") == std::string::npos) continue;
      EXPECT_THAT(line, HasSubstr(ClusterFileCommand())) << path;
      ++commands;
    }
    EXPECT_GT(commands, 0) << path;
  }
}

}  // namespace
}  // namespace vicinal
