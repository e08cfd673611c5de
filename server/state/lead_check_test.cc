#include "server/state/lead_check.h"

#include <gtest/gtest.h>

#include <string>

namespace vicinal {
namespace {

using std::chrono::seconds;

class LeadCheckTest : public ::testing::Test {
 protected:
  bool MayLead() { return check_.Check(now_).ok(); }
  std::string Why() { return std::string(check_.Check(now_).message()); }

  LeadCheck::Clock::time_point now_{};
  Freshness freshness_{{"pods"}, seconds(30)};
  LeadCheck check_{freshness_, {}};
};

TEST_F(LeadCheckTest, ABoundedTimeWithoutAnswersEndsIt) {
  freshness_.OnListed("pods");
  EXPECT_TRUE(MayLead());
  freshness_.OnDisconnected("pods", now_);
  now_ += seconds(31);
  EXPECT_TRUE(MayLead());
  now_ += seconds(9);
  EXPECT_TRUE(MayLead());
  now_ += seconds(1);
  EXPECT_EQ(Why().substr(0, 23), "no answers for 10 s: po");
  freshness_.OnConnected("pods");
  EXPECT_TRUE(MayLead());
}

TEST_F(LeadCheckTest, AShortInterruptionDoesNot) {
  freshness_.OnListed("pods");
  freshness_.OnDisconnected("pods", now_);
  for (int i = 0; i < 20; ++i) {
    now_ += seconds(1);
    EXPECT_TRUE(MayLead());
  }
  freshness_.OnConnected("pods");
  now_ += seconds(60);
  EXPECT_TRUE(MayLead());
}

TEST_F(LeadCheckTest, TheFirstListsMayTakeLonger) {
  EXPECT_TRUE(MayLead());
  now_ += seconds(299);
  EXPECT_TRUE(MayLead());
  now_ += seconds(1);
  EXPECT_FALSE(MayLead());
}

TEST_F(LeadCheckTest, BindingsThatAreForbiddenEndItForAWhile) {
  freshness_.OnListed("pods");
  check_.OnBinding(true, now_);
  now_ += seconds(10);
  check_.OnBinding(true, now_);
  EXPECT_EQ(Why(), "bindings have been forbidden for 10 s");
  check_.OnBinding(false, now_);
  EXPECT_TRUE(MayLead());
  check_.OnBinding(true, now_);
  now_ += seconds(30);
  EXPECT_FALSE(MayLead());
  now_ += seconds(30);
  EXPECT_TRUE(MayLead());
}

}  // namespace
}  // namespace vicinal
