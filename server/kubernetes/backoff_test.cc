#include "server/kubernetes/backoff.h"

#include <chrono>
#include <set>

#include "gtest/gtest.h"

namespace vicinal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(BackoffTest, DoublesUpToTheCap) {
  Backoff backoff(milliseconds(100), seconds(30), 1);
  for (const int bound :
       {100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    const milliseconds wait = backoff.Next();
    EXPECT_GE(wait, milliseconds(bound) / 2);
    EXPECT_LE(wait, milliseconds(bound));
  }
}

TEST(BackoffTest, StartsOverAfterAReset) {
  Backoff backoff(milliseconds(100), seconds(30), 1);
  for (int i = 0; i < 8; ++i) backoff.Next();
  backoff.Reset();
  EXPECT_LE(backoff.Next(), milliseconds(100));
  EXPECT_GE(backoff.Next(), milliseconds(100));
}

TEST(BackoffTest, ClientsDoNotWaitAlike) {
  std::set<milliseconds> waits;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Backoff backoff(seconds(10), seconds(30), seed);
    waits.insert(backoff.Next());
  }
  EXPECT_GT(waits.size(), 40u);
}

}  // namespace
}  // namespace vicinal
