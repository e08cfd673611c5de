#include "server/state/cluster_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string PathOf(std::string_view name) {
  return ::testing::TempDir() + "/" + std::string(name);
}

std::string Written(std::string_view name, std::string_view text) {
  std::string path = PathOf(name);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  EXPECT_TRUE(file) << path;
  return path;
}

// The names of a file's objects.
std::vector<std::string> Names(const std::string& path) {
  const absl::StatusOr<std::vector<Object>> objects = ReadClusterFile(path);
  EXPECT_TRUE(objects.ok()) << objects.status();
  std::vector<std::string> names;
  if (!objects.ok()) return names;
  for (const Object& object : *objects) names.push_back(MetaOf(object).name);
  return names;
}

std::string ErrorOf(const std::string& path) {
  const absl::StatusOr<std::vector<Object>> objects = ReadClusterFile(path);
  return objects.ok() ? "no error" : std::string(objects.status().message());
}

TEST(ClusterFileTest, ReadsAJsonListAsKubectlWritesIt) {
  const std::string path = Written("list.json", R"({
    "apiVersion": "v1",
    "items": [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}},
        {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": "p1", "namespace": "a"},
         "spec": {"nodeName": "n1"}},
        {"apiVersion": "apps/v1", "kind": "ReplicaSet",
         "metadata": {"name": "r1", "namespace": "a"}}
    ],
    "kind": "List",
    "metadata": {"resourceVersion": ""}
})");
  EXPECT_THAT(Names(path), ElementsAre("n1", "p1", "r1"));
  const absl::StatusOr<std::vector<Object>> objects = ReadClusterFile(path);
  const Pod& pod = std::get<Pod>(objects->at(1));
  EXPECT_EQ(pod.spec.node_name, "n1");
}

TEST(ClusterFileTest, ReadsYamlDocuments) {
  EXPECT_THAT(Names(Written("documents.yaml",
                            "# a cluster\n"
                            "{apiVersion: v1, kind: Node, metadata: {name: "
                            "n1}}\n"
                            "---\n"
                            "apiVersion: v1\nkind: List\nitems:\n"
                            "- {apiVersion: v1, kind: Namespace, metadata: "
                            "{name: a}}\n")),
              ElementsAre("n1", "a"));
}

TEST(ClusterFileTest, KindsThatAreNotKnownAreSkipped) {
  EXPECT_THAT(
      Names(Written("unknown.yaml",
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
                    "---\n"
                    "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n")),
      ElementsAre("n1"));
}

TEST(ClusterFileTest, AnEmptyListIsAnEmptyCluster) {
  EXPECT_THAT(Names(Written("empty.json",
                            R"({"apiVersion":"v1","kind":"List","items":[]})")),
              IsEmpty());
}

TEST(ClusterFileTest, LargeFilesAreReadWhole) {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  for (int i = 0; i < 20000; ++i) {
    if (i > 0) text += ",\n";
    text += R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)" +
            std::to_string(i) + "\"}}";
  }
  text += "]}";
  ASSERT_GT(text.size(), 1u << 20);
  const std::vector<std::string> names = Names(Written("large.json", text));
  ASSERT_EQ(names.size(), 20000u);
  EXPECT_EQ(names.back(), "n19999");
}

TEST(ClusterFileTest, ReadsAPipe) {
  // As in --cluster-file=<(kubectl get … -o json).
  const std::string path = PathOf("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer(
      [&path] {
        std::ofstream(path)
            << R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}})";
      });
  EXPECT_THAT(Names(path), ElementsAre("n1"));
  writer.join();
}

TEST(ClusterFileTest, AFileThatCannotBeReadIsAnErrorWithItsName) {
  EXPECT_EQ(ErrorOf("/no/such/file"),
            "/no/such/file: No such file or directory");
  EXPECT_EQ(ReadClusterFile("/no/such/file").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorOf(::testing::TempDir()),
            ::testing::TempDir() + ": Is a directory");
}

TEST(ClusterFileTest, ErrorsNameFileItemAndField) {
  const std::string path =
      Written("bad.json", R"({"apiVersion":"v1","kind":"List","items":[
        {"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}},
        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
         "spec":{"nodeName":5}}]})");
  EXPECT_EQ(ErrorOf(path),
            path + ": items[1].spec.nodeName: must be a string, got 5");
  EXPECT_EQ(ReadClusterFile(path).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ClusterFileTest, TextThatIsNoClusterIsAnErrorWithTheName) {
  for (const char* text : {"{", "{}", "5", "nonsense", "[", "\xff\xfe",
                           "{\"apiVersion\":\"v1\"}"}) {
    const std::string path = Written("nonsense", text);
    EXPECT_THAT(ErrorOf(path), StartsWith(path + ": ")) << text;
  }
}

}  // namespace
}  // namespace vicinal
