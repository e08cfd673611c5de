#include "core/plugins/imagelocality/imagelocality.h"

#include <cstdint>
#include <string>
#include <vector>

#include "core/plugins/testing/parsed.h"
#include "gtest/gtest.h"

namespace vicinal {
namespace {

constexpr std::int64_t kMegabyte = 1024 * 1024;

TEST(NormalizedImageNameTest, NamesWithoutTagGetLatest) {
  EXPECT_EQ(NormalizedImageName("root"), "root:latest");
  EXPECT_EQ(NormalizedImageName("root:tag"), "root:tag");
  EXPECT_EQ(NormalizedImageName("host:5000/root"), "host:5000/root:latest");
  EXPECT_EQ(NormalizedImageName("host:5000/root:tag"), "host:5000/root:tag");
  EXPECT_EQ(NormalizedImageName("root@sha256:0"), "root@sha256:0");
  EXPECT_EQ(NormalizedImageName("host:5000/root@sha256:0"),
            "host:5000/root@sha256:0");
  EXPECT_EQ(NormalizedImageName(""), ":latest");
  EXPECT_EQ(NormalizedImageName("/"), "/:latest");
}

class ImageLocalityTest : public testing::Test {
 protected:
  void AddNode(const char* name, std::vector<ContainerImage> images) {
    Node node;
    node.meta.name = name;
    node.images = std::move(images);
    cluster_.Upsert(node);
  }

  // The scores of all nodes, by name.
  std::vector<std::int64_t> Scores(const std::string& spec) {
    const PodInfo pod(Parsed<Pod>(R"({"spec":)" + spec + "}"));
    const std::vector<const NodeInfo*> nodes = cluster_.Nodes();
    const PreScoreResult result =
        ImageLocality().PreScore(cluster_, pod, CandidateNodes(nodes));
    EXPECT_TRUE(result.status.ok());
    std::vector<std::int64_t> scores;
    for (const NodeInfo* node : nodes) {
      scores.push_back(result.score->Score(*node));
    }
    return scores;
  }

  ClusterState cluster_;
};

using ImageScores = std::vector<std::int64_t>;

TEST_F(ImageLocalityTest, SizeIsScaledBetweenTheThresholds) {
  AddNode("a", {{{"min:1"}, 23 * kMegabyte},
                {{"mid:latest"}, 250 * kMegabyte},
                {{"max:1"}, 1000 * kMegabyte},
                {{"huge:1"}, 9000 * kMegabyte}});
  const auto score = [&](const std::string& image) {
    return Scores(R"({"containers":[{"name":"c","image":")" + image +
                  R"("}]})");
  };
  EXPECT_EQ(score("absent"), ImageScores{0});
  EXPECT_EQ(score("min:1"), ImageScores{0});
  EXPECT_EQ(score("mid"), ImageScores{23});  // 227 / 977
  EXPECT_EQ(score("max:1"), ImageScores{100});
  EXPECT_EQ(score("huge:1"), ImageScores{100});
}

TEST_F(ImageLocalityTest, SpreadScalesTheSize) {
  AddNode("a", {{{"x:1"}, 800 * kMegabyte}});
  AddNode("b", {{{"x:1"}, 800 * kMegabyte}});
  AddNode("c", {});
  // 800 MB on two nodes of three: 533.3 MB.
  EXPECT_EQ(Scores(R"({"containers":[{"name":"c","image":"x:1"}]})"),
            (ImageScores{52, 52, 0}));
}

TEST_F(ImageLocalityTest, AllImagesOfThePodCount) {
  AddNode("a", {{{"x:1"}, 1000 * kMegabyte}, {{"y:1"}, 500 * kMegabyte}});
  // The upper threshold grows with the number of images.
  EXPECT_EQ(Scores(R"({"containers":[{"image":"x:1"},{"image":"z"}]})"),
            ImageScores{49});  // 977 / 1977
  EXPECT_EQ(Scores(R"({"containers":[{"image":"x:1"},{"image":"x:1"}]})"),
            ImageScores{100});
  EXPECT_EQ(Scores(R"({"containers":[{"image":"z"}],)"
                   R"("initContainers":[{"image":"x:1"}]})"),
            ImageScores{49});
  EXPECT_EQ(Scores(R"({"containers":[{"image":"z"}],)"
                   R"("volumes":[{"name":"v","image":{"reference":"x:1"}},)"
                   R"({"name":"e","emptyDir":{}}]})"),
            ImageScores{49});
  EXPECT_EQ(Scores(R"({"containers":[{"image":"x:1"},{"image":"y:1"}]})"),
            ImageScores{74});  // 1477 / 1977
}

TEST_F(ImageLocalityTest, APodWithoutImagesScoresZero) {
  AddNode("a", {});
  EXPECT_EQ(Scores("{}"), ImageScores{0});
}

TEST_F(ImageLocalityTest, TheFirstNodesSizeCountsForAll) {
  AddNode("b", {{{"x:1"}, 1000 * kMegabyte}});
  AddNode("a", {{{"x:1"}, 1}});
  EXPECT_EQ(Scores(R"({"containers":[{"image":"x:1"}]})"),
            (ImageScores{100, 100}));
}

}  // namespace
}  // namespace vicinal
