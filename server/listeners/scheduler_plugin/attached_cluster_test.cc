#include "server/listeners/scheduler_plugin/attached_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/listeners/scheduler_plugin/testing/messages.h"

namespace vicinal {
namespace {

class AttachedClusterTest : public ::testing::Test {
 protected:
  void Send(v1::SchedulerMessage message) {
    message.set_position(++position_);
    const auto answer = attached_.Handle(message);
    EXPECT_TRUE(answer.ok()) << answer.status();
  }
  void Tell(v1::Change change) { Send(MessageWith(std::move(change))); }
  static std::string PodNamed(const std::string& name) {
    return absl::StrCat("{metadata: {name: ", name, ", namespace: d, uid: uid-",
                        name, "}}");
  }
  void TellNode(std::uint32_t number) {
    Tell(NodeChange(number, absl::StrCat("{metadata: {name: n", number,
                                         "}, status: {allocatable: {pods: "
                                         "1000}}}")));
  }

  const SchedulerConfig config_ = MakeSchedulerConfig();
  Session session_{config_, 1};
  AttachedCluster attached_;
  std::uint64_t position_ = 0;
};

TEST_F(AttachedClusterTest, NothingIsCopiedUntilTheWholeClusterIsTold) {
  EXPECT_EQ(attached_.Copy(), nullptr);
  attached_.Open(session_);
  Send(MakeHello());
  TellNode(0);
  EXPECT_EQ(attached_.Copy(), nullptr);
  Send(SyncedMessage());
  EXPECT_NE(attached_.Copy(), nullptr);
  attached_.Close();
  EXPECT_EQ(attached_.Copy(), nullptr);
}

TEST_F(AttachedClusterTest, ACopyHasAllThatIsToldHoweverMany) {
  attached_.Open(session_);
  Send(MakeHello());
  for (std::uint32_t i = 0; i < 70; ++i) {
    if (i != 3) TellNode(i);
    Tell(
        ObjectChange(absl::StrCat("{apiVersion: v1, kind: Service, metadata: "
                                  "{namespace: d, name: s",
                                  i, "}}")));
  }
  // Of one node more than a part has.
  for (int i = 0; i < 100; ++i) {
    Tell(PodChange(5, PodNamed(absl::StrCat("p", i))));
  }
  Tell(PodChange(69, PodNamed("last")));
  Tell(WaitingPodChange(PodNamed("waits")));
  Send(SyncedMessage());
  const auto copy = attached_.Copy();
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->Nodes().size(), 69u);
  EXPECT_EQ(copy->pod_count(), 102u);
  EXPECT_EQ(copy->All<Service>().size(), 70u);
  EXPECT_EQ(copy->FindNode("n5")->pods.size(), 100u);
  EXPECT_NE(copy->FindPod({"d", "uid-last"}), nullptr);
  const StoredPod* const waits = copy->FindPod({"d", "waits"});
  ASSERT_NE(waits, nullptr);
  EXPECT_EQ(waits->node(), nullptr);
}

TEST_F(AttachedClusterTest, TheGenerationGrowsWithEachMessageOfChanges) {
  attached_.Open(session_);
  Send(MakeHello());
  EXPECT_EQ(attached_.generation(), 0u);
  TellNode(0);
  EXPECT_EQ(attached_.generation(), 1u);
  Send(SyncedMessage());
  EXPECT_EQ(attached_.generation(), 1u);
}

TEST_F(AttachedClusterTest, TheStreamGoesOnWhileCopiesAreMade) {
  attached_.Open(session_);
  Send(MakeHello());
  for (std::uint32_t i = 0; i < 10; ++i) TellNode(i);
  Send(SyncedMessage());
  std::atomic<bool> done = false;
  std::atomic<int> copies = 0;
  std::thread reader([&] {
    while (!done) {
      const auto copy = attached_.Copy();
      if (copy == nullptr) continue;
      EXPECT_EQ(copy->Nodes().size(), 10u);
      ++copies;
    }
  });
  for (int i = 0; i < 2000 || copies < 3; ++i) {
    Tell(PodChange(static_cast<std::uint32_t>(i % 10),
                   PodNamed(absl::StrCat("p", i % 500))));
  }
  // Whoever copies sees that the session has gone.
  attached_.Close();
  done = true;
  reader.join();
}

}  // namespace
}  // namespace vicinal
