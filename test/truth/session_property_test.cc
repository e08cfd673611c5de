// Random histories told to a session of the scheduler's plugin: after every
// message its verdicts and scores are what the naive plugins find by walking
// all pods of a cluster that is made anew from what was told.
//
// A failing history prints its seed; VICINAL_SEED=<seed> runs it alone, and
// VICINAL_HISTORIES=<n> runs more of them.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/plugins/candidate_nodes.h"
#include "core/plugins/framework.h"
#include "core/simulate/append_json.h"
#include "core/testing/dice.h"
#include "server/listeners/scheduler_plugin/session.h"
#include "server/listeners/scheduler_plugin/testing/messages.h"
#include "test/truth/interpodaffinity.h"
#include "test/truth/object_dice.h"
#include "test/truth/podtopologyspread.h"

namespace vicinal {
namespace {

constexpr int kMessagesPerHistory = 30;

TopologySpreadConstraint Default(const char* key, int max_skew) {
  TopologySpreadConstraint constraint;
  constraint.topology_key = key;
  constraint.when_unsatisfiable = kScheduleAnyway;
  constraint.max_skew = max_skew;
  return constraint;
}

template <typename Kind>
std::string ToJson(const Kind& object) {
  std::string json;
  AppendJson(object, json);
  return json;
}

struct ToldPod {
  Pod pod;
  std::optional<std::uint32_t> node;
};

class History {
 public:
  explicit History(std::uint64_t seed) : dice_(seed) {
    Send(MakeHello());
    Send(SyncedMessage());
  }

  void Happen() {
    v1::SchedulerMessage message;
    for (int i = dice_.Below(3); i >= 0; --i) Change(message);
    Send(message);
  }

  void CheckOne() {
    std::vector<std::string> waiting;
    for (const auto& [uid, told] : pods_) {
      if (!told.node) waiting.push_back(uid);
    }
    if (waiting.empty()) return;
    const std::string uid = waiting[dice_.Number() % waiting.size()];
    ClusterState cluster;
    Build(cluster);
    const PodInfo pod(pods_.at(uid).pod);
    v1::SchedulerMessage message;
    v1::Question& question = *message.mutable_question();
    question.set_uid(uid);
    question.mutable_verdicts();
    std::vector<const NodeInfo*> scored;
    for (const auto& [number, node] : nodes_) {
      if (dice_.Chance(30)) continue;
      question.mutable_scores()->add_nodes(number);
      scored.push_back(cluster.FindNode(node.meta.name));
    }
    const v1::Answer answer = Send(message);
    CheckVerdicts(spread_, cluster, pod,
                  answer.verdicts().pod_topology_spread());
    CheckVerdicts(affinity_, cluster, pod,
                  answer.verdicts().inter_pod_affinity());
    if (scored.empty()) return;
    CheckScores(spread_, cluster, pod, scored,
                answer.scores().pod_topology_spread());
    CheckScores(affinity_, cluster, pod, scored,
                answer.scores().inter_pod_affinity());
  }

 private:
  v1::Answer Send(v1::SchedulerMessage message) {
    message.set_position(++position_);
    const auto answer = session_.Handle(message);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() && *answer ? (*answer)->answer() : v1::Answer();
  }

  std::optional<std::uint32_t> SomeNode() {
    if (nodes_.empty()) return std::nullopt;
    auto it = nodes_.begin();
    std::advance(it, dice_.Below(static_cast<int>(nodes_.size())));
    return it->first;
  }

  void Change(v1::SchedulerMessage& message) {
    switch (dice_.Below(9)) {
      case 0:
      case 1:
        return PutNode(message);
      case 2:
        return RemoveNode(message);
      case 3:
        return RemovePod(message);
      case 4:
        return MovePod(message);
      case 5:
        return PutNamespace(message);
      default:
        return PutPod(message);
    }
  }

  void PutNode(v1::SchedulerMessage& message) {
    const Node node = dice_.MakeNode();
    std::uint32_t number = 0;
    while (nodes_.contains(number) &&
           nodes_.at(number).meta.name != node.meta.name) {
      ++number;
    }
    for (const auto& [known, other] : nodes_) {
      if (other.meta.name == node.meta.name) number = known;
    }
    nodes_[number] = node;
    message.add_changes()->mutable_node()->set_number(number);
    message.mutable_changes()->rbegin()->mutable_node()->set_json(ToJson(node));
  }

  void RemoveNode(v1::SchedulerMessage& message) {
    const auto number = SomeNode();
    if (!number) return;
    for (auto it = pods_.begin(); it != pods_.end();) {
      if (it->second.node == number) {
        message.add_changes()->set_pod_removed(it->first);
        it = pods_.erase(it);
      } else {
        ++it;
      }
    }
    message.add_changes()->set_node_removed(*number);
    nodes_.erase(*number);
  }

  void PutPod(v1::SchedulerMessage& message) {
    ToldPod told;
    told.pod = dice_.MakePod();
    // Known ones again, too.
    told.pod.meta.uid = "u" + std::to_string(dice_.Below(16));
    const auto known = pods_.find(told.pod.meta.uid);
    if (known != pods_.end()) {
      told.pod.meta.namespace_name = known->second.pod.meta.namespace_name;
    }
    if (dice_.Chance(60)) told.node = SomeNode();
    v1::PodUpsert& upsert = *message.add_changes()->mutable_pod();
    upsert.set_json(ToJson(told.pod));
    if (told.node) upsert.set_node(*told.node);
    pods_[told.pod.meta.uid] = told;
  }

  void RemovePod(v1::SchedulerMessage& message) {
    const std::string uid = "u" + std::to_string(dice_.Below(16));
    if (pods_.erase(uid) > 0) message.add_changes()->set_pod_removed(uid);
  }

  void MovePod(v1::SchedulerMessage& message) {
    const std::string uid = "u" + std::to_string(dice_.Below(16));
    const auto it = pods_.find(uid);
    if (it == pods_.end()) return;
    if (it->second.node) {
      message.add_changes()->set_pod_unplaced(uid);
      it->second.node.reset();
    } else if (const auto node = SomeNode()) {
      v1::PodPlacement& placed = *message.add_changes()->mutable_pod_placed();
      placed.set_uid(uid);
      placed.set_node(*node);
      it->second.node = node;
    }
  }

  void PutNamespace(v1::SchedulerMessage& message) {
    Namespace object;
    object.meta.name = dice_.NamespaceName();
    object.meta.labels.Set("env", dice_.Of({"prod", "test"}));
    namespaces_[object.meta.name] = object;
    message.add_changes()->set_object(ToJson(object));
  }

  void Build(ClusterState& cluster) const {
    for (const auto& [name, object] : namespaces_) cluster.Upsert(object);
    for (const auto& [number, node] : nodes_) cluster.Upsert(node);
    for (const auto& [uid, told] : pods_) {
      if (!told.node) continue;
      Pod pod = told.pod;
      pod.meta.name = uid;
      pod.spec.node_name = nodes_.at(*told.node).meta.name;
      cluster.Upsert(std::move(pod));
    }
  }

  // "" for success.
  static std::string Text(int code, const std::string& reasons) {
    return code == 0 ? "" : std::to_string(code) + " " + reasons;
  }
  static std::string Text(const v1::PluginStatus& status) {
    std::string reasons;
    for (const std::string& reason : status.reasons()) {
      if (!reasons.empty()) reasons += ", ";
      reasons += reason;
    }
    return Text(status.code(), reasons);
  }
  static std::string Text(const Status& status) {
    static const std::map<Code, int> codes = {
        {Code::kSuccess, 0},
        {Code::kError, 1},
        {Code::kUnschedulable, 2},
        {Code::kUnschedulableAndUnresolvable, 3},
        {Code::kSkip, 5}};
    return Text(codes.at(status.code()), status.Message());
  }

  void CheckVerdicts(const FilterPlugin& truth, const ClusterState& cluster,
                     const PodInfo& pod, const v1::PluginVerdicts& verdicts) {
    const PreFilterResult expected = truth.PreFilter(cluster, pod);
    const bool is_refused = !expected.status.ok() && !expected.status.IsSkip();
    for (const auto& [number, node] : nodes_) {
      std::string want = Text(expected.status);
      if (!is_refused) {
        want = expected.status.IsSkip()
                   ? ""
                   : Text(expected.filter->Filter(
                         *cluster.FindNode(node.meta.name)));
      }
      std::string got;
      if (verdicts.has_pre_filter()) {
        // Code kSkip: the plugin passes every node.
        got = verdicts.pre_filter().code() == 5 ? ""
                                                : Text(verdicts.pre_filter());
      } else {
        const int id = static_cast<unsigned char>(verdicts.by_node()[number]);
        if (id > 0) got = Text(verdicts.statuses(id - 1));
      }
      EXPECT_EQ(got, want) << truth.Name() << " on " << node.meta.name;
    }
  }

  static void CheckScores(const ScorePlugin& truth, const ClusterState& cluster,
                          const PodInfo& pod,
                          const std::vector<const NodeInfo*>& nodes,
                          const v1::PluginScores& scores) {
    const PreScoreResult expected = truth.PreScore(cluster, pod, nodes);
    if (expected.status.code() == Code::kError) {
      EXPECT_EQ(Text(scores.pre_score()), Text(expected.status));
      return;
    }
    std::vector<std::int64_t> want(nodes.size(), 0);
    if (expected.status.ok()) {
      expected.score->ScoreNodes(nodes, want);
      expected.score->Normalize(nodes, want);
    }
    std::vector<std::int64_t> got(scores.normalized().begin(),
                                  scores.normalized().end());
    if (scores.pre_score().code() == 5) got.assign(nodes.size(), 0);
    EXPECT_EQ(got, want) << truth.Name();
  }

  ObjectDice dice_;
  const SchedulerConfig config_ = MakeSchedulerConfig();
  Session session_{config_, 1};
  std::uint64_t position_ = 0;
  const truth::PodTopologySpread spread_{
      {Default(kHostnameLabel, 3), Default(kZoneLabel, 5)}, true};
  const truth::InterPodAffinity affinity_{InterPodAffinityArgs()};
  std::map<std::uint32_t, Node> nodes_;
  std::map<std::string, ToldPod> pods_;
  std::map<std::string, Namespace> namespaces_;
};

TEST(SessionPropertyTest, AnswersAsTheNaivePluginsDoAfterEveryMessage) {
  Seeds seeds = Seeds::FromEnvironment();
  if (!seeds.is_replay) seeds.count /= 5;
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count;
       ++seed) {
    History history(seed);
    for (int i = 0; i < kMessagesPerHistory; ++i) {
      history.Happen();
      history.CheckOne();
      ASSERT_FALSE(::testing::Test::HasFailure())
          << "VICINAL_SEED=" << seed << ", after message " << i;
    }
  }
}

}  // namespace
}  // namespace vicinal
