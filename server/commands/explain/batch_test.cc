// The expected answers are those of test/conformance/oracle, except where it
// says that only the presence of an error counts.
#include "server/commands/explain/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <ext/stdio_filebuf.h>
#include <fstream>
#include <future>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace vicinal {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::StartsWith;

// The lines that answer the lines of `cases`.
std::vector<std::string> Answers(const std::string& cases) {
  std::istringstream in(cases);
  std::ostringstream out;
  const absl::Status status = ExplainBatch({}, in, out);
  EXPECT_TRUE(status.ok()) << status;
  std::vector<std::string> lines;
  std::istringstream answers(out.str());
  for (std::string line; std::getline(answers, line);) lines.push_back(line);
  return lines;
}

// The answer to one case, which may be written on several lines.
std::string AnswerTo(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::vector<std::string> answers = Answers(text + "\n");
  EXPECT_EQ(answers.size(), 1u);
  return answers.empty() ? "" : answers[0];
}

void ExpectAnswer(const std::string& text, const std::string& expected) {
  EXPECT_EQ(json::parse(AnswerTo(text)), json::parse(expected));
}

constexpr char kTrivial[] = R"({"id":1,"objects":[],"pod":{}})";
constexpr char kTrivialAnswer[] =
    R"({"id":1,"nodes":{},"scores":{},"totals":{},)"
    R"("message":"no nodes available to schedule pods"})";

TEST(BatchTest, NamesThePluginThatRefusesANodeAndCountsTheReasons) {
  ExpectAnswer(R"({"id":"filters","objects":[
      {"kind":"Node","metadata":{"name":"n1","labels":{"zone":"z1"}},
       "spec":{"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]},
       "status":{"allocatable":{"cpu":8,"memory":"16Gi","pods":20}}},
      {"kind":"Node","metadata":{"name":"n2","labels":{"zone":"z2"}},
       "spec":{"unschedulable":true},
       "status":{"allocatable":{"cpu":8,"memory":"16Gi","pods":20}}},
      {"kind":"Node","metadata":{"name":"n3","labels":{"zone":"z3"}},
       "status":{"allocatable":{"cpu":"100m","memory":"16Gi","pods":1}}},
      {"kind":"Node","metadata":{"name":"n4","labels":{"zone":"z4"}},
       "status":{"allocatable":{"cpu":8,"memory":"16Gi","pods":20}}},
      {"kind":"Node","metadata":{"name":"n5"},
       "status":{"allocatable":{"cpu":8,"memory":"16Gi","pods":20}}},
      {"kind":"Pod","metadata":{"name":"p3","namespace":"default"},
       "spec":{"nodeName":"n3"}},
      {"kind":"Pod","metadata":{"name":"p4","namespace":"default",
                                "labels":{"app":"a"}},
       "spec":{"nodeName":"n4"}}],
    "pod":{"metadata":{"name":"p","namespace":"default","labels":{"app":"a"}},
      "spec":{
        "containers":[{"name":"c","resources":{"requests":{"cpu":1}}}],
        "affinity":{"podAntiAffinity":{
          "requiredDuringSchedulingIgnoredDuringExecution":[
            {"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"a"}}}
          ]}},
        "topologySpreadConstraints":[{"maxSkew":5,"topologyKey":"zone",
          "whenUnsatisfiable":"DoNotSchedule",
          "labelSelector":{"matchLabels":{"app":"a"}}}]}}})",
               R"({"id":"filters","nodes":{
      "n1":{"code":"UnschedulableAndUnresolvable","plugin":"TaintToleration",
            "reason":"node(s) had untolerated taint\u0028s\u0029"},
      "n2":{"code":"UnschedulableAndUnresolvable","plugin":"NodeUnschedulable",
            "reason":"node(s) were unschedulable"},
      "n3":{"code":"UnschedulableAndUnresolvable","plugin":"NodeResourcesFit",
            "reason":"Too many pods, Insufficient cpu"},
      "n4":{"code":"Unschedulable","plugin":"InterPodAffinity",
            "reason":"node(s) didn't match pod anti-affinity rules"},
      "n5":{"code":"UnschedulableAndUnresolvable","plugin":"PodTopologySpread",
            "reason":"node(s) didn't match pod topology spread constraints )"
               R"(\u0028missing required label\u0029"}},
    "scores":{},"totals":{},
    "message":"0/5 nodes are available: 1 Insufficient cpu, )"
               R"(1 Too many pods, 1 node(s) didn't match pod )"
               R"(anti-affinity rules, 1 node(s) didn't match pod topology )"
               R"(spread constraints (missing required label), 1 node(s) )"
               R"(had untolerated taint(s), 1 node(s) were unschedulable."})");
}

TEST(BatchTest, ScoresTheNodesThatFit) {
  ExpectAnswer(R"({"id":"scores","objects":[
      {"kind":"Node","metadata":{"name":"n1","labels":{"zone":"z1"}},
       "status":{"allocatable":{"cpu":8,"memory":"16Gi","pods":20}}},
      {"kind":"Node","metadata":{"name":"n2","labels":{"zone":"z2"}},
       "spec":{"taints":[{"key":"k","effect":"PreferNoSchedule"}]},
       "status":{"allocatable":{"cpu":4,"memory":"16Gi","pods":20}}},
      {"kind":"Pod","metadata":{"name":"p1","namespace":"default",
                                "labels":{"app":"a"}},
       "spec":{"nodeName":"n1"}}],
    "pod":{"metadata":{"name":"p","namespace":"default","labels":{"app":"a"}},
      "spec":{
        "containers":[{"name":"c",
                       "resources":{"requests":{"cpu":1,"memory":"1Gi"}}}],
        "affinity":{"podAffinity":{
          "preferredDuringSchedulingIgnoredDuringExecution":[
            {"weight":10,"podAffinityTerm":{"topologyKey":"zone",
             "labelSelector":{"matchLabels":{"app":"a"}}}}]}},
        "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone",
          "whenUnsatisfiable":"ScheduleAnyway",
          "labelSelector":{"matchLabels":{"app":"a"}}}]}}})",
               R"({"id":"scores","nodes":{
      "n1":{"code":"Success","plugin":"","reason":""},
      "n2":{"code":"Success","plugin":"","reason":""}},
    "scores":{
      "ImageLocality":{"n1":{"raw":0,"normalized":0},
                       "n2":{"raw":0,"normalized":0}},
      "InterPodAffinity":{"n1":{"raw":10,"normalized":100},
                          "n2":{"raw":0,"normalized":0}},
      "NodeResourcesBalancedAllocation":{"n1":{"raw":73,"normalized":73},
                                         "n2":{"raw":70,"normalized":70}},
      "NodeResourcesFit":{"n1":{"raw":90,"normalized":90},
                          "n2":{"raw":84,"normalized":84}},
      "PodTopologySpread":{"n1":{"raw":1,"normalized":0},
                           "n2":{"raw":0,"normalized":100}},
      "TaintToleration":{"n1":{"raw":0,"normalized":100},
                         "n2":{"raw":1,"normalized":0}}},
    "totals":{"n1":663,"n2":354},"message":""})");
}

TEST(BatchTest, NodesThatDoNotFitHaveNoScores) {
  const json answer = json::parse(AnswerTo(R"({"objects":[
      {"kind":"Node","metadata":{"name":"n1"},
       "status":{"allocatable":{"cpu":1,"memory":1000000000,"pods":1}}},
      {"kind":"Node","metadata":{"name":"n2"},
       "status":{"allocatable":{"pods":0}}}],
    "pod":{"metadata":{"name":"p","namespace":"default"}}})"));
  EXPECT_EQ(answer["nodes"]["n2"]["reason"], "Too many pods");
  EXPECT_EQ(answer["scores"]["NodeResourcesFit"],
            json::parse(R"({"n1":{"raw":100,"normalized":100}})"));
  EXPECT_EQ(answer["totals"], json::parse(R"({"n1":400})"));
  EXPECT_EQ(answer["message"], "");
}

TEST(BatchTest, TakesPluginArguments) {
  const json answer = json::parse(AnswerTo(R"({"objects":[
      {"kind":"Node","metadata":{"name":"n1","labels":{"zone":"z1"}},
       "status":{"allocatable":{"pods":20}}},
      {"kind":"Pod","metadata":{"name":"p1","namespace":"default"},
       "spec":{"nodeName":"n1","affinity":{"podAffinity":{
         "requiredDuringSchedulingIgnoredDuringExecution":[
          {"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"b"}}}
         ]}}}}],
    "pod":{"metadata":{"name":"p","namespace":"default",
                       "labels":{"app":"b"}}},
    "pluginConfig":[
      {"name":"InterPodAffinity","args":{"hardPodAffinityWeight":7}}]})"));
  EXPECT_EQ(answer["scores"]["InterPodAffinity"]["n1"]["raw"], 7);
}

TEST(BatchTest, AnErrorOfTheFiltersIsEveryNodesStatus) {
  ExpectAnswer(R"({"id":"error","objects":[
      {"kind":"Node","metadata":{"name":"n1","labels":{"zone":"z1"}},
       "status":{"allocatable":{"pods":20}}},
      {"kind":"Node","metadata":{"name":"n2"},
       "status":{"allocatable":{"pods":20}}}],
    "pod":{"metadata":{"name":"p","namespace":"default"},
      "spec":{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone",
        "whenUnsatisfiable":"DoNotSchedule",
        "labelSelector":{"matchExpressions":[
          {"key":"app","operator":"Near"}]}}]}}})",
               R"({"id":"error","nodes":{
      "n1":{"code":"Error","plugin":"PodTopologySpread",
        "reason":"running PreFilter plugin \"PodTopologySpread\": get )"
               R"(constraints from pod: obtaining pod's hard topology spread )"
               R"(constraints: \"Near\" is not a valid label selector )"
               R"(operator"},
      "n2":{"code":"Error","plugin":"PodTopologySpread",
        "reason":"running PreFilter plugin \"PodTopologySpread\": get )"
               R"(constraints from pod: obtaining pod's hard topology spread )"
               R"(constraints: \"Near\" is not a valid label selector )"
               R"(operator"}},
    "scores":{},"totals":{},"message":""})");
}

TEST(BatchTest, AnErrorOfTheScoresIsEveryNodesStatus) {
  ExpectAnswer(R"({"id":"error","objects":[
      {"kind":"Node","metadata":{"name":"n1","labels":{"zone":"z1"}},
       "status":{"allocatable":{"pods":20}}},
      {"kind":"Node","metadata":{"name":"n2"},
       "status":{"allocatable":{"pods":0}}}],
    "pod":{"metadata":{"name":"p","namespace":"default"},
      "spec":{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone",
        "whenUnsatisfiable":"ScheduleAnyway",
        "labelSelector":{"matchExpressions":[
          {"key":"app","operator":"Near"}]}}]}}})",
               R"({"id":"error","nodes":{
      "n1":{"code":"Error","plugin":"",
        "reason":"running PreScore plugin \"PodTopologySpread\": )"
               R"(calculating preScoreState: obtaining pod's soft topology )"
               R"(spread constraints: \"Near\" is not a valid label selector )"
               R"(operator"},
      "n2":{"code":"Error","plugin":"",
        "reason":"running PreScore plugin \"PodTopologySpread\": )"
               R"(calculating preScoreState: obtaining pod's soft topology )"
               R"(spread constraints: \"Near\" is not a valid label selector )"
               R"(operator"}},
    "scores":{},"totals":{},"message":""})");
}

TEST(BatchTest, AnAnswerIsOneLineWithItsFieldsInOrder) {
  EXPECT_EQ(AnswerTo(R"({"pod":{},"id":"n","objects":[{"kind":"Node",
      "metadata":{"name":"n1"},"status":{"allocatable":{"pods":0}}}]})"),
            R"({"id":"n","nodes":{"n1":{"code":"Unschedulable",)"
            R"("plugin":"NodeResourcesFit","reason":"Too many pods"}},)"
            R"("scores":{},"totals":{},)"
            R"("message":"0/1 nodes are available: 1 Too many pods."})");
}

TEST(BatchTest, WithoutNodesThereIsAMessage) {
  EXPECT_EQ(AnswerTo(kTrivial), kTrivialAnswer);
}

TEST(BatchTest, EverythingButThePodMayBeLeftOut) {
  for (const char* text :
       {R"({"pod":{}})", R"({"id":null,"pod":{}})",
        R"({"objects":null,"pod":{},"pluginConfig":null,"more":[{}]})"}) {
    ExpectAnswer(text, R"({"id":null,"nodes":{},"scores":{},"totals":{},
                    "message":"no nodes available to schedule pods"})");
  }
}

TEST(BatchTest, IdsAreCopied) {
  for (const char* id : {"17", "-1.5", "\"\"", "true", "[1,{\"a\":null}]",
                         R"("é\"\\\n")", "9223372036854775807", "{\"b\":[]}"}) {
    const std::string answer =
        AnswerTo(R"({"id": )" + std::string(id) + R"( ,"pod":{}})");
    EXPECT_THAT(answer,
                StartsWith("{\"id\":" + std::string(id) + ",\"nodes\""));
    const std::string bad =
        AnswerTo(R"({"pod":5,"id": )" + std::string(id) + "}");
    EXPECT_THAT(bad, StartsWith("{\"id\":" + std::string(id) +
                                ",\"error\":\"line 1: pod: "));
  }
}

TEST(BatchTest, ObjectsAreToldApartByTheirKindAndOthersAreSkipped) {
  const json answer = json::parse(AnswerTo(R"({"objects":[
      {"metadata":{"name":"n1"},"kind":"Node"},
      {"apiVersion":"v1","kind":"Node","metadata":{"name":"n2"}},
      {"kind":"ConfigMap","metadata":5}],"pod":{}})"));
  ASSERT_TRUE(answer.contains("nodes")) << answer;
  std::vector<std::string> nodes;
  for (const auto& [name, status] : answer["nodes"].items()) {
    nodes.push_back(name);
  }
  EXPECT_THAT(nodes, ElementsAre("n1", "n2"));
}

TEST(BatchTest, OfTwoObjectsWithOneKeyTheLaterCounts) {
  const json answer = json::parse(AnswerTo(R"({"objects":[
      {"kind":"Node","metadata":{"name":"n1"},
       "status":{"allocatable":{"pods":0}}},
      {"kind":"Node","metadata":{"name":"n1"},
       "status":{"allocatable":{"pods":1}}}],"pod":{}})"));
  EXPECT_EQ(answer["nodes"]["n1"]["code"], "Success");
}

TEST(BatchTest, NominatedPodsCountOnTheirNode) {
  const json answer = json::parse(AnswerTo(R"({"objects":[
      {"kind":"Node","metadata":{"name":"n1"},
       "status":{"allocatable":{"pods":1}}},
      {"kind":"Pod","metadata":{"name":"nom","namespace":"default"},
       "status":{"nominatedNodeName":"n1"}}],
    "pod":{"metadata":{"name":"p","namespace":"default"}}})"));
  EXPECT_EQ(answer["nodes"]["n1"]["reason"], "Too many pods");
}

TEST(BatchTest, LabelKeysOfPodsWithoutUidAreMerged) {
  const auto code = [](const std::string& uid) {
    const json answer = json::parse(AnswerTo(R"({"objects":[
      {"kind":"Node","metadata":{"name":"n1","labels":{"zone":"z1"}},
       "status":{"allocatable":{"pods":20}}},
      {"kind":"Pod","metadata":{"name":"p1","namespace":"default",
                                "labels":{"app":"a","version":"1"}},
       "spec":{"nodeName":"n1"}}],
    "pod":{"metadata":{"name":"p","namespace":"default","uid":")" +
                                             uid +
                                             R"(",
                       "labels":{"app":"a","version":"2"}},
      "spec":{"affinity":{"podAntiAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":[
          {"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"a"}},
           "matchLabelKeys":["version"]}]}}}}})"));
    return answer["nodes"]["n1"]["code"].get<std::string>();
  };
  EXPECT_EQ(code(""), "Success");
  EXPECT_EQ(code("u1"), "Unschedulable");
}

TEST(BatchTest, CasesDoNotSeeEachOther) {
  const std::string node =
      R"({"id":2,"objects":[{"kind":"Node","metadata":{"name":"n1"},)"
      R"("status":{"allocatable":{"pods":0}}}],"pod":{}})";
  const std::vector<std::string> answers = Answers(
      node + "\n" + kTrivial + "\n" + node + "\nbad\n" + kTrivial + "\n");
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[1], kTrivialAnswer);
  EXPECT_EQ(answers[2], answers[0]);
  EXPECT_EQ(answers[4], kTrivialAnswer);
}

TEST(BatchTest, LinesThatAreNoCaseAreAnsweredWithTheirNumber) {
  // The id, and the line.
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"null", ""},
      {"null", "not json"},
      {"null", R"({"id":"unfinished","objects":[)"},
      {"null", "[]"},
      {"null", "null"},
      {"null", "{}"},
      {"\"a\"", R"({"id":"a","objects":[]})"},
      {"\"b\"", R"({"id":"b","pod":null})"},
      {"\"c\"", R"({"id":"c","pod":3})"},
      {"\"d\"", R"({"id":"d","objects":{},"pod":{}})"},
      {"\"e\"", R"({"id":"e","objects":["n1"],"pod":{}})"},
      {"\"f\"", R"({"id":"f","objects":[{"kind":"Node","metadata":)"
                R"({"name":"n1","labels":{"a":1}}}],"pod":{}})"},
      {"\"g\"", R"({"id":"g","objects":[{"kind":"Node","metadata":)"
                R"({"name":"n"},"status":{"allocatable":{"cpu":"1 core"}}}],)"
                R"("pod":{}})"},
      {"\"h\"", R"({"id":"h","objects":[{"kind":5}],"pod":{}})"},
      {"\"i\"", R"({"id":"i","pod":{},"pluginConfig":[{"name":)"
                R"("InterPodAffinity","args":{"hardPodAffinityWeigth":1}}]})"},
      {"\"j\"",
       R"({"id":"j","pod":{},"pluginConfig":[{"name":)"
       R"("InterPodAffinity","args":{"hardPodAffinityWeight":101}}]})"},
      {"null", std::string(R"({"id":"k","pod":{}} {})")},
      {"null", "{\"id\":\"\xff\",\"pod\":{}}"},
  };
  std::string cases;
  for (const auto& [id, line] : lines) cases += line + "\n";
  const std::vector<std::string> answers = Answers(cases + kTrivial + "\n");
  ASSERT_EQ(answers.size(), lines.size() + 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_THAT(answers[i],
                StartsWith("{\"id\":" + lines[i].first + ",\"error\":\"line " +
                           std::to_string(i + 1) + ": "))
        << lines[i].second;
    EXPECT_TRUE(json::accept(answers[i])) << answers[i];
  }
  EXPECT_EQ(answers.back(), kTrivialAnswer);
}

TEST(BatchTest, ErrorsNameTheObjectAndTheField) {
  EXPECT_EQ(
      AnswerTo(R"({"id":1,"pod":{},"objects":[{"kind":"Job"},{"kind":"Pod",
                         "spec":{"nodeName":5}}]})"),
      R"({"id":1,"error":"line 1: objects[1]: spec.nodeName: )"
      R"(must be a string, got 5"})");
  EXPECT_EQ(AnswerTo(R"({"id":1,"objects":[]})"),
            R"({"id":1,"error":"line 1: pod: required"})");
}

TEST(BatchTest, ALineThatIsCutAnywhereIsAnError) {
  const std::string line =
      R"({"id":1,"objects":[{"kind":"Node","metadata":{"name":"n1"}}],)"
      R"("pod":{"metadata":{"name":"p"}},"pluginConfig":[]})";
  ASSERT_EQ(AnswerTo(line).find("error"), std::string::npos);
  for (std::size_t size = 1; size < line.size(); ++size) {
    EXPECT_THAT(AnswerTo(line.substr(0, size)),
                StartsWith("{\"id\":null,\"error\":\"line 1: "));
  }
}

TEST(BatchTest, NoLinesHaveNoAnswers) { EXPECT_TRUE(Answers("").empty()); }

TEST(BatchTest, TheLastLineNeedsNoEndAndBlanksDoNotMatter) {
  EXPECT_THAT(Answers(std::string(kTrivial) + "\r\n  " + kTrivial),
              ElementsAre(kTrivialAnswer, kTrivialAnswer));
}

// The two ends of a pipe as streams.
class Pipe {
 public:
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    out_ = {ends[0], std::ios::in};
    in_ = {ends[1], std::ios::out};
  }

  std::streambuf* out() { return &out_; }
  std::streambuf* in() { return &in_; }
  void CloseIn() { in_.close(); }

  // A line that comes within ten seconds, else "".
  std::string Next() {
    pollfd waiting = {out_.fd(), POLLIN, 0};
    if (out_.in_avail() <= 0 && poll(&waiting, 1, 10000) <= 0) return "";
    std::istream stream(&out_);
    std::string line;
    std::getline(stream, line);
    return line;
  }

 private:
  __gnu_cxx::stdio_filebuf<char> out_;
  __gnu_cxx::stdio_filebuf<char> in_;
};

TEST(BatchTest, AnAnswerComesBeforeTheNextLineIsAsked) {
  Pipe questions;
  Pipe answers;
  std::future<absl::Status> batch = std::async(std::launch::async, [&] {
    std::istream in(questions.out());
    std::ostream out(answers.in());
    return ExplainBatch({}, in, out);
  });
  std::ostream asked(questions.in());
  for (int i = 0; i < 3; ++i) {
    asked << kTrivial << "\n" << std::flush;
    EXPECT_EQ(answers.Next(), kTrivialAnswer);
  }
  // Two at a time.
  asked << kTrivial << "\n" << kTrivial << "\n" << std::flush;
  EXPECT_EQ(answers.Next(), kTrivialAnswer);
  EXPECT_EQ(answers.Next(), kTrivialAnswer);
  questions.CloseIn();
  EXPECT_TRUE(batch.get().ok());
}

TEST(BatchTest, AnswersThatCannotBeWrittenAreAnError) {
  std::istringstream in(std::string(kTrivial) + "\n" + kTrivial + "\n");
  std::ofstream out("/dev/full");
  ASSERT_TRUE(out);
  const absl::Status status = ExplainBatch({}, in, out);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(status.message(), "the answers cannot be written");
}

}  // namespace
}  // namespace vicinal
