#include "server/listeners/scheduler_plugin/record_answer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/plugins/interpodaffinity/interpodaffinity.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"
#include "core/plugins/status.h"
#include "server/listeners/grpc/node_bits.h"
#include "server/listeners/scheduler_plugin/answers.h"

namespace vicinal {
namespace {

using Outcome = DecisionRecord::Outcome;

std::string NameOf(std::uint32_t number, const ToldCluster& cluster) {
  const NodeId id = cluster.numbers().IdOf(number);
  return id == kNoNode ? std::string() : cluster.state().NodeById(id).name;
}

void RecordBest(const v1::Question::BestNodes& question,
                const v1::BestNodesAnswer& answer, const Session& session,
                DecisionRecord& record) {
  const ToldCluster& cluster = session.cluster();
  record.candidates = question.nodes().empty() ? cluster.state().Nodes().size()
                                               : CountBits(question.nodes());
  record.fitting = session.passed();
  if (!answer.declined().empty()) {
    record.outcome = Outcome::kDeclined;
    record.reason = answer.declined();
    return;
  }
  if (answer.nodes_size() == 0) {
    record.outcome = Outcome::kNone;
    record.reason =
        "no node passes the filters; which one refuses which node is in the "
        "verdicts, which are asked for next";
    return;
  }
  record.outcome = Outcome::kNode;
  record.node = NameOf(answer.nodes(0), cluster);
  if (answer.nodes_size() > 1) {
    record.runner_up = NameOf(answer.nodes(1), cluster);
  }
}

std::string ReasonsOf(const v1::PluginStatus& status) {
  std::string reasons;
  for (const std::string& reason : status.reasons()) {
    absl::StrAppend(&reasons, reasons.empty() ? "" : ", ", reason);
  }
  return reasons;
}

// One plugin's verdicts, counted.
class Tally {
 public:
  Tally(std::string_view plugin, const v1::PluginVerdicts& verdicts)
      : plugin_(plugin),
        verdicts_(verdicts),
        counts_(static_cast<std::size_t>(verdicts.statuses_size()), 0) {}

  bool IsError() const {
    return verdicts_.has_pre_filter() &&
           verdicts_.pre_filter().code() == NumberOf(Code::kError);
  }

  // Whether the node passes; else it counts.
  bool Add(std::size_t number) {
    if (verdicts_.has_pre_filter()) {
      if (verdicts_.pre_filter().code() == NumberOf(Code::kSkip)) return true;
      ++of_pre_filter_;
      return false;
    }
    const auto status = static_cast<unsigned char>(verdicts_.by_node()[number]);
    if (status == 0) return true;
    ++counts_[status - 1U];
    return false;
  }

  void Describe(std::string& out) const {
    const auto add = [&](std::size_t nodes, const v1::PluginStatus& status) {
      if (nodes == 0) return;
      absl::StrAppend(&out, out.empty() ? "" : "; ", std::string(plugin_), ": ",
                      nodes, " ", ReasonsOf(status));
    };
    add(of_pre_filter_, verdicts_.pre_filter());
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      add(counts_[i], verdicts_.statuses(static_cast<int>(i)));
    }
  }

 private:
  const std::string_view plugin_;
  const v1::PluginVerdicts& verdicts_;
  std::vector<std::size_t> counts_;  // By status.
  std::size_t of_pre_filter_ = 0;
};

void RecordVerdicts(const v1::VerdictsAnswer& answer,
                    const ToldCluster& cluster, DecisionRecord& record) {
  Tally spread(PodTopologySpread::kName, answer.pod_topology_spread());
  Tally affinity(InterPodAffinity::kName, answer.inter_pod_affinity());
  std::size_t fitting = 0;
  for (const NodeId id : cluster.state().NodeIds()) {
    const std::size_t number = cluster.numbers().Of(id);
    const bool passes_spread = spread.Add(number);
    const bool passes_affinity = affinity.Add(number);
    if (passes_spread && passes_affinity) ++fitting;
  }
  record.candidates = cluster.state().Nodes().size();
  record.fitting = fitting;
  record.outcome = spread.IsError() || affinity.IsError() ? Outcome::kError
                   : fitting > 0                          ? Outcome::kSeveral
                                                          : Outcome::kNone;
  spread.Describe(record.reason);
  affinity.Describe(record.reason);
}

std::int64_t WeightOf(std::string_view plugin, const AttachedProfile* profile) {
  if (profile == nullptr) return 1;
  for (const auto& scored : profile->all.scores) {
    if (scored.plugin->Name() == plugin) return scored.weight;
  }
  return 1;
}

// The scheduler chooses by these and by its own scores; here only those that
// were computed for it are looked at.
void RecordScores(const v1::Question::Scores& question,
                  const v1::ScoresAnswer& answer,
                  const AttachedProfile* profile, const ToldCluster& cluster,
                  DecisionRecord& record) {
  struct Scores {
    std::string_view plugin;
    std::int64_t weight;
    const std::string& normalized;

    std::int64_t Of(std::size_t i) const {
      // Empty: the plugin is skipped.
      return i < normalized.size() ? static_cast<unsigned char>(normalized[i])
                                   : 0;
    }
  };
  const std::array<Scores, 2> plugins = {
      {{PodTopologySpread::kName, WeightOf(PodTopologySpread::kName, profile),
        answer.pod_topology_spread().normalized()},
       {InterPodAffinity::kName, WeightOf(InterPodAffinity::kName, profile),
        answer.inter_pod_affinity().normalized()}}};
  const auto total = [&plugins](std::size_t i) {
    std::int64_t sum = 0;
    for (const Scores& scores : plugins) sum += scores.weight * scores.Of(i);
    return sum;
  };
  const auto count = static_cast<std::size_t>(question.nodes_size());
  record.candidates = record.fitting = count;
  record.outcome = count > 0 ? Outcome::kSeveral : Outcome::kNone;
  std::optional<std::size_t> first;
  std::optional<std::size_t> second;
  for (std::size_t i = 0; i < count; ++i) {
    if (!first || total(i) > total(*first)) {
      second = std::exchange(first, i);
    } else if (!second || total(i) > total(*second)) {
      second = i;
    }
  }
  if (!second) return;
  record.node = NameOf(question.nodes(static_cast<int>(*first)), cluster);
  record.runner_up = NameOf(question.nodes(static_cast<int>(*second)), cluster);
  record.node_total = total(*first);
  record.runner_up_total = total(*second);
  for (std::size_t i = 0; i < count; ++i) {
    if (total(i) == record.node_total) ++record.best;
  }
  for (const Scores& scores : plugins) {
    record.scores.push_back({std::string(scores.plugin), scores.weight,
                             scores.Of(*first), scores.Of(*second)});
  }
}

}  // namespace

std::string KindOfQuestion(const v1::Question& question) {
  std::string kind;
  for (const auto& [is_asked, name] :
       {std::pair(question.has_best(), "best"),
        std::pair(question.has_verdicts(), "verdicts"),
        std::pair(question.has_scores(), "scores")}) {
    if (!is_asked) continue;
    if (!kind.empty()) kind += '+';
    kind += name;
  }
  return kind;
}

DecisionRecord RecordAnswer(const v1::Question& question,
                            const v1::Answer& answer, const Session& session) {
  const ToldCluster& cluster = session.cluster();
  DecisionRecord record;
  record.uid = question.uid();
  record.question = KindOfQuestion(question);
  record.position = answer.position();
  const PodInfo* const pod = cluster.FindWaiting(question.uid());
  if (pod != nullptr) {
    record.namespace_name = pod->pod.meta.namespace_name;
    record.name = pod->pod.meta.name;
    record.scheduler = pod->pod.spec.scheduler_name;
  }
  // A scheduler asks for one at a time.
  if (question.has_best()) {
    RecordBest(question.best(), answer.best(), session, record);
  } else if (question.has_verdicts()) {
    RecordVerdicts(answer.verdicts(), cluster, record);
  } else if (question.has_scores()) {
    RecordScores(question.scores(), answer.scores(),
                 pod == nullptr ? nullptr : session.FindProfile(pod->pod),
                 cluster, record);
  }
  return record;
}

}  // namespace vicinal
