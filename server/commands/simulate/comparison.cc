#include "server/commands/simulate/comparison.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/commands/simulate/report_json.h"
#include "server/commands/terminal/print_rows.h"

namespace vicinal {
namespace {

using Json = nlohmann::ordered_json;

std::string NodeText(const std::optional<std::string>& node) {
  if (!node) return "-";
  return node->empty() ? "Pending" : *node;
}

std::string SkewText(const std::optional<std::int64_t>& skew) {
  return skew ? std::to_string(*skew) : "-";
}

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json OutcomeJson(const Outcome& outcome) {
  Json json = {{"schedulerConfig", outcome.configuration}};
  json.update(ReportJson(outcome.report, outcome.steps));
  return json;
}

}  // namespace

std::vector<PodDifference> PodDifferences(const SimulatedCluster& first,
                                          const SimulatedCluster& second) {
  std::vector<PodDifference> differences;
  const auto node_in = [](const SimulatedCluster& simulated,
                          const ObjectKey& key) {
    const SimulatedPod* pod = simulated.FindPod(key);
    return pod == nullptr ? std::nullopt : std::optional(pod->node);
  };
  std::map<ObjectKey, bool> keys;
  for (const auto& [key, pod] : first.pods()) keys[key];
  for (const auto& [key, pod] : second.pods()) keys[key];
  for (const auto& [key, unused] : keys) {
    PodDifference one = {key, node_in(first, key), node_in(second, key)};
    if (one.first != one.second) differences.push_back(std::move(one));
  }
  return differences;
}

std::vector<SkewDifference> SkewDifferences(const Report& first,
                                            const Report& second) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, SkewDifference> all;
  const auto add = [&all](const Report& report,
                          std::optional<std::int64_t> SkewDifference::*skew) {
    for (const SpreadReport& spread : report.spreads) {
      SkewDifference& one =
          all[{spread.namespace_name, spread.workload, spread.topology_key}];
      one.workload = spread.workload;
      one.namespace_name = spread.namespace_name;
      one.topology_key = spread.topology_key;
      one.before = spread.skew_before;
      one.*skew = spread.skew_after;
    }
  };
  add(first, &SkewDifference::first);
  add(second, &SkewDifference::second);
  std::vector<SkewDifference> differences;
  for (auto& [key, one] : all) {
    if (one.first != one.second) differences.push_back(std::move(one));
  }
  return differences;
}

void PrintComparison(const Outcome& first, const Outcome& second,
                     const std::vector<PodDifference>& pods,
                     const Terminal& terminal, std::ostream& out) {
  for (const Outcome* one : {&first, &second}) {
    out << one->configuration << ": " << Headline(one->report) << "\n";
  }
  for (const Outcome* one : {&first, &second}) {
    for (const std::string& note : one->report.notes) {
      out << terminal.Wrapped(
          absl::StrCat("note: ", one->configuration, ": ", note, "\n"));
    }
  }
  out << "\n";
  if (pods.empty()) out << "Every pod is where the other puts it.\n";
  if (!pods.empty()) {
    std::vector<Row> rows = {
        {"NAMESPACE", "NAME", first.configuration, second.configuration}};
    for (const PodDifference& one : pods) {
      rows.push_back({one.pod.namespace_name, one.pod.name, NodeText(one.first),
                      NodeText(one.second)});
    }
    PrintRows(rows, "", out, terminal);
  }
  const std::vector<SkewDifference> skews =
      SkewDifferences(first.report, second.report);
  if (skews.empty()) return;
  std::vector<Row> rows = {
      {"SKEW", "BEFORE", first.configuration, second.configuration}};
  for (const SkewDifference& one : skews) {
    rows.push_back({absl::StrCat(one.workload, " in namespace ",
                                 one.namespace_name, " by ", one.topology_key),
                    std::to_string(one.before), SkewText(one.first),
                    SkewText(one.second)});
  }
  out << "\n";
  PrintRows(rows, "", out, terminal);
}

void PrintComparisonJson(const Outcome& first, const Outcome& second,
                         const std::vector<PodDifference>& pods,
                         std::ostream& out) {
  Json json = {{"configurations", {OutcomeJson(first), OutcomeJson(second)}},
               {"podDifferences", Json::array()},
               {"skewDifferences", Json::array()}};
  for (const PodDifference& one : pods) {
    json["podDifferences"].push_back(
        {{"namespace", one.pod.namespace_name},
         {"name", one.pod.name},
         {"nodes", {OrNull(one.first), OrNull(one.second)}}});
  }
  for (const SkewDifference& one :
       SkewDifferences(first.report, second.report)) {
    json["skewDifferences"].push_back(
        {{"workload", one.workload},
         {"namespace", one.namespace_name},
         {"topologyKey", one.topology_key},
         {"before", one.before},
         {"skews", {OrNull(one.first), OrNull(one.second)}}});
  }
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace vicinal
