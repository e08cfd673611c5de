#include "core/simulate/expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/simulate/testing/simulation.h"

namespace vicinal {
namespace {

using testing::HasSubstr;

// web on w1, w1 and w3, db on w3, and a web that is pending.
class ExpectationTest : public testing::Test {
 protected:
  ExpectationTest() : simulation_(kThreeNodes) {
    for (const char* pod :
         {"web-1 web w1", "web-2 web w1", "web-3 web w3", "db-1 db w3"}) {
      const std::string text(pod);
      simulation_.Apply(
          "---\n{kind: Pod, metadata: {name: " + text.substr(0, 5) +
          ", labels: {app: '" + App(text) +
          "'}}, spec: {nodeName: " + text.substr(text.size() - 2) + "}}");
    }
    simulation_.Apply(
        "---\n{kind: Pod, metadata: {name: web-4, labels: {app: web}}, spec: "
        "{nodeSelector: {disk: ssd}}}");
    web_.pods = {"default", {{"app", "web"}}};
    web_.running = 3;
    web_.pending = 1;
  }

  static std::string App(const std::string& text) {
    return text.starts_with("db") ? "db" : "web";
  }

  std::string Problems() {
    return Problem(web_, simulation_.simulated(), before_);
  }

  Simulation simulation_;
  Expectation web_;
  Placements before_;
};

TEST_F(ExpectationTest, NothingDiffersWhereAllHolds) {
  web_.where = {{"zone", {1, 2}, {}, {}},
                {"zone", {}, {{{"z2", 3}}, {{"z1", 2}, {"z3", 1}}}, {}}};
  web_.reasons =
      "0/3 nodes are available: 3 node(s) didn't match Pod's node "
      "affinity/selector.";
  EXPECT_EQ(Problems(), "");
}

TEST_F(ExpectationTest, DifferencesShowBothSides) {
  web_.running = 4;
  web_.where = {{"zone", {2, 2}, {}, {}},
                {"zone", {}, {{{"z1", 4}}}, {}},
                {"zone", {}, {}, PodSet{"default", {{"app", "db"}}}}};
  web_.reasons = "other";
  EXPECT_EQ(Problems(),
            "pods with app=web in namespace default\n"
            "  pods\n"
            "    expected: 4 running, 1 pending\n"
            "    got:      3 running, 1 pending\n"
            "  running pods by zone\n"
            "    expected: [2, 2] in any order\n"
            "    got:      {z1: 2, z3: 1}\n"
            "  running pods by zone\n"
            "    expected: {z1: 4}\n"
            "    got:      {z1: 2, z3: 1}\n"
            "  running pods by zone\n"
            "    expected: only beside app=db, which is in {z3: 1}\n"
            "    got:      {z1: 2, z3: 1}\n"
            "  why pod web-4 is pending\n"
            "    expected: other\n"
            "    got:      0/3 nodes are available: 3 node(s) didn't match "
            "Pod's node affinity/selector.\n");
}

TEST_F(ExpectationTest, ANodeWithoutTheKeyIsNoDomain) {
  web_.where = {{"rack", {}, {{{"w1", 2}, {"w3", 1}}}, {}}};
  EXPECT_THAT(Problems(), HasSubstr("{[w1]: 2, [w3]: 1}"));
}

TEST_F(ExpectationTest, WhatMovedIsNamed) {
  web_.unmoved = true;
  before_ = {{{"default", "web-1"}, "w1"}, {{"default", "web-2"}, "w2"}};
  const std::string problem = Problems();
  EXPECT_THAT(problem, HasSubstr("pod web-2\n    expected: on w2\n    got:"
                                 "      on w1\n"));
  EXPECT_THAT(problem, HasSubstr("pod web-3\n    expected: no pod of this "
                                 "name, since nothing moves\n"));
  EXPECT_THAT(problem, testing::Not(HasSubstr("pod web-1\n")));
}

TEST_F(ExpectationTest, WhyAPodIsPendingThatShouldNotBeIsSaid) {
  web_.pending = 0;
  EXPECT_THAT(Problems(), HasSubstr("why pod web-4 is pending\n    expected: "
                                    "it is not\n    got:      0/3 nodes"));
}

}  // namespace
}  // namespace vicinal
