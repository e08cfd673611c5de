#include "server/decisions/decision_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "server/decisions/decision_json.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void Await(const std::function<bool()>& holds) {
  while (!holds()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class DecisionWriterTest : public ::testing::Test {
 protected:
  DecisionWriterTest()
      : path_(testing::TempDir() + "/" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(path_);
    options_.path = path_;
    options_.interval = std::chrono::milliseconds(1);
    options_.retry_interval = std::chrono::milliseconds(1);
  }

  void Decide(int count) {
    for (int i = 0; i < count; ++i) ring_.Add(DecisionRecord());
  }

  // The numbers of the decisions in the file.
  std::vector<std::uint64_t> Written() const {
    std::vector<std::uint64_t> numbers;
    std::ifstream in(path_);
    std::string line;
    while (std::getline(in, line)) {
      const auto decision = ReadDecision(line);
      if (!decision.ok()) break;  // It is being written.
      numbers.push_back(decision->number);
    }
    return numbers;
  }

  const std::string path_;
  DecisionRing ring_{4};
  DecisionWriter::Options options_;
};

TEST_F(DecisionWriterTest, WritesWhatIsDecided) {
  DecisionWriter writer(ring_, options_);
  Decide(2);
  Await([this] {
    return std::filesystem::exists(path_) &&
           std::filesystem::file_size(path_) > 0;
  });
  Decide(1);
  Await([this] { return Written().size() == 3; });
  EXPECT_THAT(Written(), ElementsAre(1, 2, 3));
  EXPECT_EQ(writer.lost(), 0);
}

TEST_F(DecisionWriterTest, WritesWhatIsLeftWhenItEnds) {
  options_.interval = std::chrono::hours(1);
  {
    const DecisionWriter writer(ring_, options_);
    Decide(3);
  }
  EXPECT_THAT(Written(), ElementsAre(1, 2, 3));
}

TEST_F(DecisionWriterTest, CountsWhatIsForgottenBeforeItCouldBeWritten) {
  Decide(10);
  DecisionWriter writer(ring_, options_);
  Await([this] {
    return std::filesystem::exists(path_) && Written().size() == 4;
  });
  EXPECT_THAT(Written(), ElementsAre(7, 8, 9, 10));
  EXPECT_EQ(writer.lost(), 6);
  EXPECT_THAT(writer.RenderMetrics(),
              HasSubstr("\nvicinal_decision_log_lost_total 6\n"));
}

TEST_F(DecisionWriterTest, AFullDiskLosesNothingThatIsStillKept) {
  std::filesystem::create_symlink("/dev/full", path_);
  DecisionWriter writer(ring_, options_);
  Decide(3);
  // It has tried, and others still decide.
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  Decide(1);
  std::filesystem::remove(path_);
  Await([this] { return Written().size() == 4; });
  EXPECT_THAT(Written(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(writer.lost(), 0);
}

TEST_F(DecisionWriterTest, APathThatCannotBeWrittenStopsNothing) {
  options_.path = "/proc/no/such";
  {
    const DecisionWriter writer(ring_, options_);
    Decide(100);
    EXPECT_EQ(ring_.All().back()->number, 100u);
  }
  EXPECT_THAT(Written(), IsEmpty());
}

}  // namespace
}  // namespace vicinal
