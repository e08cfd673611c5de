#include "core/testing/run_plugin.h"

namespace vicinal {

std::string Described(const Status& status) {
  switch (status.code()) {
    case Code::kSuccess:
      return "ok";
    case Code::kSkip:
      return "skip";
    case Code::kError:
      return "Error: " + status.Message();
    case Code::kUnschedulable:
      return "Unschedulable: " + status.Message();
    case Code::kUnschedulableAndUnresolvable:
      return "UnschedulableAndUnresolvable: " + status.Message();
  }
  return "";
}

std::map<std::string, std::string> RunFilter(const FilterPlugin& plugin,
                                             const ClusterState& cluster,
                                             const PodInfo& pod) {
  const PreFilterResult prepared = plugin.PreFilter(cluster, pod);
  if (!prepared.status.ok()) return {{"*", Described(prepared.status)}};
  std::map<std::string, std::string> outcome;
  for (const NodeInfo* node : cluster.Nodes()) {
    outcome[node->Name()] = Described(prepared.filter->Filter(*node));
  }
  return outcome;
}

Scores RunScore(const ScorePlugin& plugin, const ClusterState& cluster,
                const PodInfo& pod) {
  std::vector<std::string> names;
  for (const NodeInfo* node : cluster.Nodes()) names.push_back(node->Name());
  return RunScore(plugin, cluster, pod, names);
}

Scores RunScore(const ScorePlugin& plugin, const ClusterState& cluster,
                const PodInfo& pod, const std::vector<std::string>& names) {
  std::vector<const NodeInfo*> nodes;
  for (const std::string& name : names) nodes.push_back(cluster.FindNode(name));
  const PreScoreResult prepared =
      plugin.PreScore(cluster, pod, CandidateNodes(nodes));
  Scores scores;
  scores.status = Described(prepared.status);
  if (!prepared.status.ok()) return scores;
  std::vector<std::int64_t> values;
  for (const NodeInfo* node : nodes) {
    values.push_back(prepared.score->Score(*node));
    scores.raw[node->Name()] = values.back();
  }
  prepared.score->Normalize(CandidateNodes(nodes), values);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    scores.normalized[nodes[i]->Name()] = values[i];
  }
  return scores;
}

}  // namespace vicinal
