#include "server/decisions/decision_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::uint64_t> Numbers(const DecisionRing::Decisions& decisions) {
  std::vector<std::uint64_t> numbers;
  for (const auto& decision : decisions) numbers.push_back(decision->number);
  return numbers;
}

DecisionRecord OfPod(const std::string& name) {
  DecisionRecord decision;
  decision.name = name;
  return decision;
}

TEST(DecisionRingTest, KeepsTheLastDecisionsAndForgetsTheOldest) {
  DecisionRing ring(3);
  EXPECT_THAT(ring.All(), IsEmpty());
  for (const char* name : {"a", "b"}) ring.Add(OfPod(name));
  EXPECT_THAT(Numbers(ring.All()), ElementsAre(1, 2));
  for (const char* name : {"c", "d", "e"}) ring.Add(OfPod(name));
  EXPECT_THAT(Numbers(ring.All()), ElementsAre(3, 4, 5));
  EXPECT_EQ(ring.All().back()->name, "e");
}

TEST(DecisionRingTest, KeepsBothDecisionsAboutAPodThatWasAskedTwice) {
  DecisionRing ring(3);
  ring.Add(OfPod("a"));
  ring.Add(OfPod("a"));
  EXPECT_THAT(Numbers(ring.All()), ElementsAre(1, 2));
}

TEST(DecisionRingTest, TellsWhatIsNewAndByNumbersWhatIsForgotten) {
  DecisionRing ring(3);
  EXPECT_THAT(ring.After(0), IsEmpty());
  ring.Add(OfPod("a"));
  ring.Add(OfPod("b"));
  EXPECT_THAT(Numbers(ring.After(0)), ElementsAre(1, 2));
  EXPECT_THAT(Numbers(ring.After(1)), ElementsAre(2));
  EXPECT_THAT(ring.After(2), IsEmpty());
  for (int i = 0; i < 4; ++i) ring.Add(OfPod("c"));
  EXPECT_THAT(Numbers(ring.After(2)), ElementsAre(4, 5, 6));
}

TEST(DecisionRingTest, TextsAreCut) {
  DecisionRing ring(1);
  DecisionRecord decision;
  decision.namespace_name = std::string(1 << 20, 'n');
  decision.name = std::string(253, 'p');
  decision.reason = std::string(1 << 20, 'r');
  ring.Add(decision);
  const auto kept = ring.All().front();
  EXPECT_EQ(kept->namespace_name, std::string(253, 'n'));
  EXPECT_LT(kept->namespace_name.capacity(), 1024u);
  EXPECT_EQ(kept->name, decision.name);
  EXPECT_EQ(kept->reason, std::string(4096, 'r'));
}

TEST(DecisionRingTest, ManyThreadsAddWhileOthersRead) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  DecisionRing ring(16);
  std::atomic<bool> done = false;
  std::thread reader([&] {
    std::uint64_t last = 0;
    while (!done) {
      for (const auto& decision : ring.After(last)) {
        EXPECT_GT(decision->number, last);
        last = decision->number;
      }
      EXPECT_LE(ring.All().size(), 16u);
    }
  });
  std::vector<std::thread> writers;
  for (int i = 0; i < kThreads; ++i) {
    writers.emplace_back([&ring] {
      for (int each = 0; each < kEach; ++each) ring.Add(OfPod("p"));
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  reader.join();
  const DecisionRing::Decisions all = ring.All();
  ASSERT_EQ(all.size(), 16u);
  EXPECT_EQ(all.front()->number, kThreads * kEach - 15u);
  EXPECT_EQ(all.back()->number, static_cast<unsigned>(kThreads * kEach));
}

}  // namespace
}  // namespace vicinal
