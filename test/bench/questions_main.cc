// Loads a cluster, answers a file of questions and says how long each took:
//   questions_bench --cluster=FILE --questions=FILE --answers=FILE
// The files are those of test/bench/cluster (Go), which says what is in them.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/profile.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/json.h"
#include "core/model/json_writer.h"
#include "core/model/object_list.h"
#include "test/bench/bench_question.h"
#include "test/bench/measure.h"

namespace vicinal {
namespace {

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "questions_bench: %s\n", message.c_str());
  std::exit(1);
}

Object ReadLine(JsonReader& reader, std::string_view line) {
  const simdjson::padded_string padded(line);
  absl::StatusOr<std::optional<Object>> object = ReadObject(reader, padded);
  if (!object.ok()) Die(std::string(object.status().message()));
  if (!*object) Die("unknown kind: " + std::string(line.substr(0, 100)));
  return **std::move(object);
}

// The file is a List with one item per line.
void Load(const std::string& path, ClusterState& cluster) {
  std::ifstream file(path);
  JsonReader reader;
  std::string line;
  if (!std::getline(file, line)) Die("cannot read " + path);
  while (std::getline(file, line) && !line.starts_with("]")) {
    if (line.ends_with(',')) line.pop_back();
    cluster.Upsert(ReadLine(reader, line));
  }
}

struct Step {
  enum class Kind { kAdd, kRemove, kAsk } kind;
  std::string question;  // Of kAsk.
  Pod pod;               // Of kAdd and kAsk.
  ObjectKey removed;     // Of kRemove.
};

// `add JSON`, `remove NAMESPACE NAME` and `ask QUESTION JSON`, with tabs.
std::vector<Step> ReadSteps(const std::string& path) {
  std::ifstream file(path);
  JsonReader reader;
  std::vector<Step> steps;
  std::string line;
  while (std::getline(file, line)) {
    std::vector<std::string> fields;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find('\t', begin), line.size());
      fields.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    if (fields.size() == 2 && fields[0] == "add") {
      steps.push_back({Step::Kind::kAdd,
                       "",
                       std::get<Pod>(ReadLine(reader, fields[1])),
                       {}});
    } else if (fields.size() == 3 && fields[0] == "remove") {
      steps.push_back({Step::Kind::kRemove, "", {}, {fields[1], fields[2]}});
    } else if (fields.size() == 3 && fields[0] == "ask") {
      steps.push_back({Step::Kind::kAsk,
                       fields[1],
                       std::get<Pod>(ReadLine(reader, fields[2])),
                       {}});
    } else {
      Die(path + ": cannot read: " + line.substr(0, 100));
    }
  }
  if (steps.empty()) Die("no steps in " + path);
  return steps;
}

std::vector<const NodeInfo*> ReadCandidates(const std::string& path,
                                            const ClusterState& cluster) {
  if (path.empty()) return cluster.Nodes();
  std::vector<const NodeInfo*> nodes;
  std::ifstream file(path);
  std::string name;
  while (std::getline(file, name)) {
    nodes.push_back(cluster.FindNode(name));
    if (nodes.back() == nullptr) Die("no node " + name);
  }
  return nodes;
}

std::string CodeName(Code code) {
  switch (code) {
    case Code::kSuccess:
      return "Success";
    case Code::kError:
      return "Error";
    case Code::kUnschedulable:
      return "Unschedulable";
    case Code::kUnschedulableAndUnresolvable:
      return "UnschedulableAndUnresolvable";
    case Code::kSkip:
      return "Skip";
  }
  return "";
}

template <typename Number>
void AppendNumbers(const std::vector<Number>& numbers, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ',';
    out += std::to_string(numbers[i]);
  }
  out += ']';
}

// One line: what each node was told. Verdicts repeat and are numbered in the
// order in which they first appear.
std::string ToJsonLine(const BenchAnswer& answer) {
  std::map<std::string, std::size_t> numbers;
  std::vector<std::size_t> verdict;
  std::string verdicts;
  for (std::size_t i = 0; i < answer.filter.statuses.size(); ++i) {
    const Status& status = answer.filter.statuses[i];
    const std::string text = CodeName(status.code()) + "|" +
                             std::string(status.plugin()) + "|" +
                             status.Message();
    const auto [entry, is_new] = numbers.emplace(text, numbers.size());
    if (is_new) {
      if (!verdicts.empty()) verdicts += ',';
      AppendJsonString(text, verdicts);
    }
    verdict.push_back(entry->second);
  }
  std::string line = "{\"verdicts\":[" + verdicts + "],\"verdict\":";
  AppendNumbers(verdict, line);
  line += ",\"error\":";
  AppendJsonString(answer.score.status.Message(), line);
  line += ",\"raw\":{";
  for (const PluginScores& scores : answer.score.plugins) {
    if (line.back() != '{') line += ',';
    AppendJsonString(scores.plugin, line);
    line += ':';
    AppendNumbers(scores.raw, line);
  }
  line += "},\"normalized\":{";
  for (const PluginScores& scores : answer.score.plugins) {
    if (line.back() != '{') line += ',';
    AppendJsonString(scores.plugin, line);
    line += ':';
    AppendNumbers(scores.normalized, line);
  }
  line += "},\"totals\":";
  AppendNumbers(answer.score.totals, line);
  return line + "}";
}

int Main(int argc, char** argv) {
  std::string cluster_path, steps_path, answers_path, candidates_path;
  int rounds = 1;
  bool feasible_only = false;
  CLI::App app("Answers questions about a cluster and measures them.");
  app.add_option("--cluster", cluster_path)->required();
  app.add_option("--questions", steps_path)->required();
  app.add_option("--answers", answers_path)->required();
  app.add_option("--candidates", candidates_path,
                 "names of the nodes to ask about; all without");
  app.add_option("--rounds", rounds)->check(CLI::PositiveNumber);
  app.add_flag("--feasible", feasible_only, "score only the nodes that fit");
  CLI11_PARSE(app, argc, argv);

  const std::size_t resident_before = ResidentBytes();
  ClusterState cluster;
  Load(cluster_path, cluster);
  const std::size_t resident = ResidentBytes() - resident_before;

  const std::vector<Step> steps = ReadSteps(steps_path);
  const std::vector<const NodeInfo*> listed =
      ReadCandidates(candidates_path, cluster);
  // With their ids, as a request's nodes are found.
  const CandidateNodes nodes(listed);
  nodes.ids();
  const Profile profile = BenchProfile();
  std::FILE* out = std::fopen(answers_path.c_str(), "w");
  if (out == nullptr) Die("cannot write " + answers_path);
  std::fprintf(out, "{\"resident\":%zu,\"pods\":%zu}\n", resident,
               cluster.pod_count());
  // The steps leave the cluster as it was, so that they can be taken again.
  std::vector<std::string> first_answers;
  std::vector<std::vector<double>> wall, cpu;
  for (int round = 0; round < rounds; ++round) {
    std::size_t asked = 0;
    for (const Step& step : steps) {
      if (step.kind == Step::Kind::kAdd) {
        cluster.Upsert(step.pod);
        continue;
      }
      if (step.kind == Step::Kind::kRemove) {
        cluster.Remove<Pod>(step.removed);
        continue;
      }
      const PodInfo pod(step.pod);
      const Stopwatch stopwatch;
      const BenchAnswer answer =
          AskQuestion(profile, cluster, pod, nodes, feasible_only);
      const Elapsed elapsed = stopwatch.Read();
      std::string line = ToJsonLine(answer);
      if (round == 0) {
        first_answers.push_back(std::move(line));
        wall.emplace_back();
        cpu.emplace_back();
      } else if (line != first_answers[asked]) {
        Die("another answer than before to a question of " + step.question);
      }
      wall[asked].push_back(elapsed.wall);
      cpu[asked].push_back(elapsed.cpu);
      ++asked;
    }
  }
  std::size_t asked = 0;
  for (const Step& step : steps) {
    if (step.kind != Step::Kind::kAsk) continue;
    std::string times = "{\"question\":";
    AppendJsonString(step.question, times);
    times += ",\"wall\":";
    AppendNumbers(wall[asked], times);
    times += ",\"cpu\":";
    AppendNumbers(cpu[asked], times);
    std::fprintf(out, "%s}\n%s\n", times.c_str(), first_answers[asked].c_str());
    ++asked;
  }
  return std::fclose(out) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace vicinal

int main(int argc, char** argv) { return vicinal::Main(argc, argv); }
