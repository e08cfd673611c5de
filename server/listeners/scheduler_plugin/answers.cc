#include "server/listeners/scheduler_plugin/answers.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/engine/rank_nodes.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/node_statuses.h"
#include "server/listeners/grpc/node_bits.h"

namespace vicinal {

std::int32_t NumberOf(Code code) {
  switch (code) {
    case Code::kSuccess:
      return 0;
    case Code::kError:
      return 1;
    case Code::kUnschedulable:
      return 2;
    case Code::kUnschedulableAndUnresolvable:
      return 3;
    case Code::kSkip:
      return 5;
  }
  LOG(FATAL) << "code " << static_cast<int>(code);
}

namespace {

void Encode(const Status& status, v1::PluginStatus* out) {
  out->set_code(NumberOf(status.code()));
  for (const std::string_view reason : status.Reasons()) {
    out->add_reasons(std::string(reason));
  }
}

// Nodes of a question.
struct NamedNodes {
  std::vector<const NodeInfo*> nodes;
  std::vector<NodeId> ids;

  CandidateNodes candidates() const { return {nodes, ids}; }
};

absl::Status AddNode(std::uint32_t number, const JsonPath& path,
                     const ToldCluster& cluster, NamedNodes& named) {
  const NodeId id = cluster.numbers().IdOf(number);
  if (id == kNoNode) {
    return FieldError(path, absl::StrCat(number, ": no node has this number"));
  }
  named.ids.push_back(id);
  named.nodes.push_back(&cluster.state().NodeById(id));
  return absl::OkStatus();
}

absl::Status ReadBits(const std::string& bits, const JsonPath& path,
                      const ToldCluster& cluster, NamedNodes& named) {
  absl::Status status;
  ForEachBit(bits, [&](std::size_t number) {
    if (!status.ok()) return;
    status =
        number < NodeNumbers::kLimit
            ? AddNode(static_cast<std::uint32_t>(number), path, cluster, named)
            : FieldError(path,
                         absl::StrCat(number, ": no node has this number"));
  });
  return status;
}

void Judge(const FilterPlugin& plugin, const ToldCluster& cluster,
           const PodInfo& pod, v1::PluginVerdicts* out) {
  const PreFilterResult prepared = plugin.PreFilter(cluster.state(), pod);
  if (!prepared.status.ok()) {
    Encode(prepared.status, out->mutable_pre_filter());
    return;
  }
  const CandidateNodes nodes = AllNodes(cluster.state());
  NodeStatuses statuses(nodes.size());
  prepared.filter->FilterNodes(nodes, statuses);
  // Success is not in the list, and so an id is one more than an index.
  CHECK_LE(statuses.distinct().size(),
           std::numeric_limits<unsigned char>::max() + 1U);
  for (std::size_t i = 1; i < statuses.distinct().size(); ++i) {
    Encode(statuses.distinct()[i], out->add_statuses());
  }
  std::string& by_node = *out->mutable_by_node();
  by_node.assign(cluster.numbers().limit(), 0);
  const std::span<const NodeId> ids = nodes.ids();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    by_node[cluster.numbers().Of(ids[i])] = static_cast<char>(statuses.id(i));
  }
}

void Score(const ScorePlugin& plugin, const ToldCluster& cluster,
           const PodInfo& pod, const CandidateNodes& nodes,
           v1::PluginScores* out) {
  const PreScoreResult prepared = plugin.PreScore(cluster.state(), pod, nodes);
  if (!prepared.status.ok()) {
    Encode(prepared.status, out->mutable_pre_score());
    return;
  }
  std::vector<std::int64_t> scores(nodes.size());
  prepared.score->ScoreNodes(nodes, scores);
  prepared.score->Normalize(nodes, scores);
  std::string& normalized = *out->mutable_normalized();
  for (const std::int64_t score : scores) {
    if (score < 0 || score > kMaxNodeScore) {
      // The scheduler would refuse it, too.
      normalized.clear();
      Encode(Status::Error(
                 absl::StrCat("invalid score ", score, " after normalizing")),
             out->mutable_pre_score());
      return;
    }
    normalized.push_back(static_cast<char>(score));
  }
}

}  // namespace

absl::Status AnswerBest(const v1::Question::BestNodes& question,
                        const JsonPath& path, const AttachedProfile& profile,
                        TemplateRanking& ranking, const ToldCluster& cluster,
                        const PodInfo& pod, std::mt19937_64& random,
                        v1::BestNodesAnswer* answer, std::size_t& passed) {
  passed = 0;
  if (question.limit() == 0) {
    return FieldError(path.Field("limit"), "0: must be positive");
  }
  NamedNodes named;
  if (absl::Status status =
          ReadBits(question.nodes(), path.Field("nodes"), cluster, named);
      !status.ok()) {
    return status;
  }
  if (!profile.declined.empty()) {
    answer->set_declined(profile.declined);
    return absl::OkStatus();
  }
  TemplateRanking::Ranked ranked;
  if (question.nodes().empty()) {
    ranked = ranking.Rank(pod, question.limit(), random);
  } else {
    RankedNodes among = RankNodes(profile.all, cluster.state(), pod,
                                  named.candidates(), question.limit(), random);
    ranked.status = std::move(among.status);
    ranked.passed = among.passed;
    for (const std::size_t position : among.best) {
      ranked.best.push_back(named.ids[position]);
    }
  }
  passed = ranked.passed;
  if (!ranked.status.ok()) answer->set_declined(ranked.status.Message());
  for (const NodeId id : ranked.best) {
    answer->add_nodes(cluster.numbers().Of(id));
  }
  return absl::OkStatus();
}

void AnswerVerdicts(const AttachedProfile& profile, const ToldCluster& cluster,
                    const PodInfo& pod, v1::VerdictsAnswer* answer) {
  Judge(*profile.pod_topology_spread, cluster, pod,
        answer->mutable_pod_topology_spread());
  Judge(*profile.inter_pod_affinity, cluster, pod,
        answer->mutable_inter_pod_affinity());
}

absl::Status AnswerScores(const v1::Question::Scores& question,
                          const JsonPath& path, const AttachedProfile& profile,
                          const ToldCluster& cluster, const PodInfo& pod,
                          v1::ScoresAnswer* answer) {
  const JsonPath list = path.Field("nodes");
  NamedNodes named;
  std::vector<bool> is_named(cluster.numbers().limit(), false);
  for (int i = 0; i < question.nodes_size(); ++i) {
    const std::uint32_t number = question.nodes(i);
    const JsonPath place = list.Index(static_cast<std::size_t>(i));
    if (absl::Status status = AddNode(number, place, cluster, named);
        !status.ok()) {
      return status;
    }
    if (is_named[number]) {
      return FieldError(place, absl::StrCat(number, ": named twice"));
    }
    is_named[number] = true;
  }
  const CandidateNodes nodes = named.candidates();
  Score(*profile.pod_topology_spread, cluster, pod, nodes,
        answer->mutable_pod_topology_spread());
  Score(*profile.inter_pod_affinity, cluster, pod, nodes,
        answer->mutable_inter_pod_affinity());
  return absl::OkStatus();
}

}  // namespace vicinal
