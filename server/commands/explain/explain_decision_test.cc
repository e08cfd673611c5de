#include "server/commands/explain/explain_decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "server/decisions/decision_json.h"
#include "server/listeners/http/http_server.h"

namespace vicinal {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = DecisionRecord::Outcome;

constexpr char kTwoNodes[] =
    R"(2023-11-14T22:13:20.001Z: node n1
  Asked about 5 nodes, of which 2 fit. It has the highest total; the runner-up is n2.
  PLUGIN              WEIGHT   n1    n2
  PodTopologySpread   2        100   50
  weight x score               200   100
  Answered in 12.5ms, of which 12ms went by waiting for other pods. Knew 7 changes of the cluster.
  Pod uid u1, scheduler default-scheduler.
)";

DecisionRecord About(const std::string& namespace_name,
                     const std::string& name) {
  static std::int64_t milliseconds = 1'700'000'000'000;
  DecisionRecord decision;
  decision.number = 1;
  decision.time = std::chrono::sys_time<std::chrono::milliseconds>(
      std::chrono::milliseconds(++milliseconds));
  decision.namespace_name = namespace_name;
  decision.name = name;
  decision.uid = "u1";
  decision.scheduler = "default-scheduler";
  decision.outcome = Outcome::kNone;
  decision.candidates = 5;
  return decision;
}

class ExplainDecisionTest : public ::testing::Test {
 protected:
  ExplainDecisionTest()
      : path_(testing::TempDir() + "/" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(path_);
    std::filesystem::remove_all(path_ + ".1");
    options_.pod = "shop/web-1";
    options_.source.file = path_;
  }

  static void Write(const std::string& path,
                    const std::vector<DecisionRecord>& decisions,
                    const std::string& more = "") {
    std::ofstream out(path);
    for (const DecisionRecord& one : decisions) out << ToJsonLine(one);
    out << more;
  }

  absl::Status Run() {
    std::ostringstream out;
    std::ostringstream err;
    absl::Status status = ExplainDecision(options_, out, err);
    out_ = out.str();
    err_ = err.str();
    return status;
  }
  std::string Error() { return std::string(Run().message()); }

  const std::string path_;
  ExplainDecisionOptions options_;
  std::string out_;
  std::string err_;
};

TEST_F(ExplainDecisionTest, AllDecisionsAboutThePodAreTold) {
  DecisionRecord two = About("shop", "web-1");
  two.outcome = Outcome::kNode;
  two.fitting = 2;
  two.best = 1;
  two.node = "n1";
  two.runner_up = "n2";
  two.node_total = 200;
  two.runner_up_total = 100;
  two.scores = {{"PodTopologySpread", 2, 100, 50}};
  two.waited = std::chrono::microseconds(12'000);
  two.took = std::chrono::microseconds(12'500);
  two.generation = 7;
  DecisionRecord none = About("shop", "web-1");
  none.number = 2;
  none.reason = "0/5 nodes are available: 5 node(s) x.";
  Write(path_, {two, About("shop", "web-2"), none, About("other", "web-1")});
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(out_, testing::StartsWith(
                        "shop/web-1: 2 decisions, the oldest first\n\n"));
  const std::string first = std::string(kTwoNodes).substr(24);
  EXPECT_THAT(out_, HasSubstr(first));
  EXPECT_THAT(out_, HasSubstr("Z: no node fits\n  Asked about 5 nodes, of "
                              "which 0 fit.\n  0/5 nodes are available: 5 "
                              "node(s) x.\n"));
  EXPECT_EQ(err_, "");

  options_.output = "json";
  ASSERT_TRUE(Run().ok());
  const nlohmann::json json = nlohmann::json::parse(out_);
  EXPECT_EQ(json["pod"], "shop/web-1");
  ASSERT_EQ(json["decisions"].size(), 2u);
  EXPECT_EQ(json["decisions"][0]["runnerUp"], "n2");
  options_.output = "yaml";
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(out_, HasSubstr("\n  runnerUp: \"n2\"\n"));
}

TEST_F(ExplainDecisionTest, OfAPluginTheQuestionIsTold) {
  DecisionRecord best = About("shop", "web-1");
  best.question = "best";
  best.position = 12;
  best.outcome = Outcome::kNode;
  best.fitting = 3;
  best.node = "n1";
  best.runner_up = "n2";
  DecisionRecord declined = About("shop", "web-1");
  declined.position = 13;
  declined.outcome = Outcome::kDeclined;
  declined.reason = "vicinal does not have the filter plugin X";
  Write(path_, {best, declined});
  ASSERT_TRUE(Run().ok());
  for (const char* text :
       {": node n1\n", "the next is n2.",
        "Message 12 of the scheduler's plugin asked for best.",
        ": no best node; the scheduler asks about each\n",
        "does not have the filter plugin X"}) {
    EXPECT_THAT(out_, HasSubstr(text));
  }
}

TEST_F(ExplainDecisionTest, TheOlderFileCountsToo) {
  const DecisionRecord first = About("shop", "web-1");
  const DecisionRecord second = About("shop", "web-1");
  Write(path_ + ".1", {first, second});
  // As if it had been renamed meanwhile.
  Write(path_, {second, About("shop", "web-1")});
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(out_, HasSubstr("shop/web-1: 3 decisions"));
}

TEST_F(ExplainDecisionTest, LinesThatAreNoDecisionsArePassedOver) {
  Write(path_, {About("shop", "web-1")}, "{\"number\":2,\"ti");
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(
      err_,
      "vicinal: warning: lines that are no decisions are passed over: 1\n");
}

TEST_F(ExplainDecisionTest, APodWithoutADecisionIsAnErrorWithWhatWasMeant) {
  Write(path_, {About("shop", "web-11"), About("other", "x")});
  EXPECT_EQ(Error(),
            "shop/web-1: none of 2 decisions is about it; did you mean "
            "shop/web-11?");
  options_.pod = "web-1";
  EXPECT_EQ(Error(), "default/web-1: none of 2 decisions is about it");
  options_.namespace_name = "shop";
  EXPECT_THAT(Error(), HasSubstr("shop/web-11"));
  options_.source.file = path_ + "-none";
  EXPECT_EQ(Error(), path_ + "-none: cannot be read");
}

TEST_F(ExplainDecisionTest, OddNamesAreFoundAndDoNoHarmToTheTerminal) {
  Write(path_, {About("a b%2F", "c/d\x1b[31m\"")});
  options_.pod = "a b%2F/c/d\x1b[31m\"";
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(out_, HasSubstr("a b%2F/c/d?[31m\": 1 decision\n"));
  EXPECT_THAT(out_, Not(HasSubstr("\x1b")));
}

TEST_F(ExplainDecisionTest, AServerIsAskedOverHttp) {
  const std::string line = ToJsonLine(About("shop", "web-1"));
  HttpServer::Options options;
  options.address = "127.0.0.1:0";
  auto server = HttpServer::Start(options, [&line](const HttpRequest& request) {
    if (request.path != "/decisions") {
      return ErrorResponse(401, "a client certificate is required");
    }
    return HttpResponse{200, "application/jsonl", line};
  });
  ASSERT_TRUE(server.ok()) << server.status();
  options_.source.file.clear();
  options_.source.server = "http://" + (*server)->address();
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(out_, HasSubstr("shop/web-1: 1 decision\n"));
  options_.source.server += "/elsewhere";
  EXPECT_THAT(Error(), testing::StartsWith(options_.source.server + ": 401: "));
  EXPECT_THAT(Error(), HasSubstr("a client certificate is required"));
  options_.source.server = "127.0.0.1:1";
  EXPECT_THAT(Error(), testing::StartsWith("--server 127.0.0.1:1: "));
  options_.source.server = "https://127.0.0.1:1";
  options_.source.certificate_authority = "/proc/no/such";
  EXPECT_THAT(Error(),
              testing::StartsWith("--certificate-authority /proc/no/such: "));
}

}  // namespace
}  // namespace vicinal
