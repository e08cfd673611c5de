#include "server/live_page/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/testing/objects.h"
#include "server/scheduler_config/scheduler_profiles.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr char kZone[] = "topology.kubernetes.io/zone";

std::string Owned(const std::string& name, const std::string& owner,
                  const std::string& spec = "{}") {
  return absl::StrCat("{metadata: {name: ", name,
                      ", ownerReferences: [{apiVersion: apps/v1, kind: "
                      "StatefulSet, controller: true, name: ",
                      owner, "}]}, spec: ", spec, "}");
}

class PictureTest : public ::testing::Test {
 protected:
  Picture Draw() {
    return DrawPicture(cluster_, [this](const std::string& name) {
      return profiles_.Find(name);
    });
  }
  void AddPending(const std::string& yaml) { cluster_.Upsert(ParsePod(yaml)); }

  void AddRoomyNode() {
    AddObjects(cluster_,
               "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: "
               "{allocatable: {cpu: 8, memory: 8Gi, pods: 110}}\n");
  }

  const SchedulerProfiles profiles_;
  ClusterState cluster_;
};

TEST_F(PictureTest, ANodeIsACellOfItsZone) {
  AddNode(cluster_, "w10", {{kZone, "a"}});
  AddNode(cluster_, "w2", {{kZone, "a"}});
  AddNode(cluster_, "w1", {{kZone, "b"}});
  AddPod(cluster_, "w2", "{metadata: {name: p}}");
  const Picture picture = Draw();
  ASSERT_THAT(picture.zones, SizeIs(2));
  EXPECT_EQ(picture.zones[0].zone, "a");
  EXPECT_EQ(picture.zones[0].pods, 1u);
  ASSERT_THAT(picture.zones[0].cells, SizeIs(2));
  EXPECT_EQ(picture.zones[0].cells[0].first, "w2");
  EXPECT_EQ(picture.zones[0].cells[0].pods, 1u);
  EXPECT_EQ(picture.zones[0].cells[1].first, "w10");
  EXPECT_EQ(picture.zones[1].cells[0].first, "w1");
}

TEST_F(PictureTest, ManyNodesAndZonesAreFolded) {
  constexpr std::size_t kNodes = 3000;
  for (std::size_t i = 0; i < kNodes; ++i) {
    AddNode(cluster_, absl::StrCat("n", i),
            {{kZone, absl::StrCat("z", i % 300)}});
  }
  const Picture picture = Draw();
  EXPECT_THAT(picture.zones, SizeIs(kMaxPictureZones));
  EXPECT_EQ(picture.zones.back().folded, 300 - (kMaxPictureZones - 1));
  std::size_t nodes = 0;
  std::size_t cells = 0;
  for (const PictureZone& zone : picture.zones) {
    for (const PictureCell& cell : zone.cells) nodes += cell.nodes;
    cells += zone.cells.size();
  }
  EXPECT_EQ(nodes, kNodes);
  EXPECT_LE(cells, kMaxPictureCells + kMaxPictureZones);
}

TEST_F(PictureTest, AWorkloadIsSeenWhereItsPodsAre) {
  AddNode(cluster_, "n1");
  AddNode(cluster_, "n2");
  for (int i = 0; i < 3; ++i) {
    AddPod(cluster_, i == 0 ? "n1" : "n2", Owned(absl::StrCat("db-", i), "db"));
  }
  const Picture picture = Draw();
  ASSERT_THAT(picture.workloads, SizeIs(1));
  EXPECT_EQ(picture.workloads[0].name, "default/db");
  EXPECT_EQ(picture.workloads[0].pods, 3u);
  EXPECT_THAT(picture.workloads[0].cells, ElementsAre(Pair(0, 1), Pair(1, 2)));
}

TEST_F(PictureTest, OfManyWorkloadsThoseInTroubleComeFirst) {
  AddNode(cluster_, "n1");
  for (std::size_t i = 0; i <= kMaxPictureWorkloads; ++i) {
    AddPod(cluster_, "n1", absl::StrCat("{metadata: {name: p", i, "}}"));
  }
  AddPending("{metadata: {name: pending}}");
  AddPod(cluster_, "n1", Owned("picky-0", "picky", "{nodeSelector: {a: b}}"));
  const Picture picture = Draw();
  EXPECT_EQ(picture.workload_count, kMaxPictureWorkloads + 3);
  ASSERT_THAT(picture.workloads, SizeIs(kMaxPictureWorkloads));
  EXPECT_EQ(picture.workloads[0].name, "default/picky");
  EXPECT_EQ(picture.workloads[0].broken, 1u);
  EXPECT_EQ(picture.workloads[1].name, "default/pending");
}

TEST_F(PictureTest, APendingPodHasItsCauses) {
  AddRoomyNode();
  AddPending(Owned("db-10", "db", "{nodeSelector: {disk: ssd}}"));
  AddPending(Owned("db-2", "db", "{nodeSelector: {disk: ssd}}"));
  const Picture picture = Draw();
  EXPECT_EQ(picture.pending_pods, 2u);
  ASSERT_THAT(picture.pending, SizeIs(1));
  const PicturePending& pending = picture.pending[0];
  EXPECT_EQ(pending.workload, "default/db");
  EXPECT_THAT(pending.names, ElementsAre("default/db-2", "default/db-10"));
  EXPECT_TRUE(pending.explained);
  EXPECT_THAT(pending.message, HasSubstr("0/1 nodes are available: 1 node(s) "
                                         "didn't match Pod's node affinity"));
  ASSERT_THAT(pending.reasons, SizeIs(1));
  EXPECT_THAT(pending.reasons[0].title, HasSubstr("NodeAffinity"));
  EXPECT_THAT(pending.reasons[0].text, HasSubstr("spec.nodeSelector"));
}

TEST_F(PictureTest, APendingPodThatFitsWaitsForTheScheduler) {
  AddRoomyNode();
  AddPending("{metadata: {name: p}}");
  const Picture picture = Draw();
  ASSERT_THAT(picture.pending, SizeIs(1));
  EXPECT_EQ(picture.pending[0].message,
            "fits on 1 node now, and waits for the scheduler");
}

TEST_F(PictureTest, APodThatIsDeletedIsNotPending) {
  AddPending(
      "{metadata: {name: p, deletionTimestamp: '2026-01-01T00:00:00Z'}}");
  EXPECT_THAT(Draw().pending, IsEmpty());
}

TEST_F(PictureTest, OnlyTheFirstWorkloadsWithPendingPodsAreLookedAt) {
  AddNode(cluster_, "n1");
  for (std::size_t i = 0; i <= kMaxPicturePending; ++i) {
    AddPending(absl::StrCat("{metadata: {name: p", i, "}}"));
  }
  const Picture picture = Draw();
  EXPECT_EQ(picture.pending_count, kMaxPicturePending + 1);
  ASSERT_THAT(picture.pending, SizeIs(kMaxPicturePending));
  std::size_t explained = 0;
  for (const PicturePending& pending : picture.pending) {
    explained += pending.explained ? 1 : 0;
  }
  EXPECT_EQ(explained, kMaxExplained);
}

TEST_F(PictureTest, AnEmptyClusterHasAPicture) {
  const Picture picture = Draw();
  EXPECT_EQ(picture.nodes, 0u);
  EXPECT_THAT(picture.zones, IsEmpty());
}

}  // namespace
}  // namespace vicinal
