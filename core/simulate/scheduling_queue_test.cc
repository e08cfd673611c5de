#include "core/simulate/scheduling_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace vicinal {
namespace {

std::shared_ptr<const PodInfo> MakePod(const std::string& name,
                                       int priority = 0) {
  Pod pod;
  pod.meta.name = name;
  pod.spec.priority = priority;
  return std::make_shared<const PodInfo>(std::move(pod));
}

std::string Next(SchedulingQueue& queue) {
  const auto pod = queue.Pop();
  return pod == nullptr ? "" : pod->pod.meta.name;
}

TEST(SchedulingQueueTest, ThePriorityComesFirstThenWhoWaitsLongest) {
  SchedulingQueue queue;
  queue.Add(MakePod("a"));
  queue.Add(MakePod("b", 5));
  queue.Add(MakePod("c"));
  queue.Add(MakePod("d", 5));
  std::string order;
  for (int i = 0; i < 4; ++i) order += Next(queue);
  EXPECT_EQ(order, "bdac");
  EXPECT_EQ(queue.Pop(), nullptr);
}

TEST(SchedulingQueueTest, ParkedPodsWaitUntilTheyAreToBeRetried) {
  SchedulingQueue queue;
  queue.Park(MakePod("a"));
  queue.Park(MakePod("b"));
  EXPECT_EQ(queue.Pop(), nullptr);
  queue.RetryIf([](const PodInfo& pod) { return pod.pod.meta.name == "b"; });
  EXPECT_EQ(Next(queue), "b");
  EXPECT_EQ(queue.Pop(), nullptr);
  queue.RetryAll();
  EXPECT_EQ(Next(queue), "a");
}

TEST(SchedulingQueueTest, ARemovedPodIsInNeither) {
  SchedulingQueue queue;
  queue.Add(MakePod("a"));
  queue.Park(MakePod("b"));
  queue.Remove({"", "a"});
  queue.Remove({"", "b"});
  queue.Remove({"", "c"});
  queue.RetryAll();
  EXPECT_EQ(queue.Pop(), nullptr);
  EXPECT_EQ(queue.active_size() + queue.parked_size(), 0u);
}

}  // namespace
}  // namespace vicinal
