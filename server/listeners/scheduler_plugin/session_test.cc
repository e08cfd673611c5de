#include "server/listeners/scheduler_plugin/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/listeners/scheduler_plugin/testing/messages.h"

namespace vicinal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr char kRequiredAffinityReason[] =
    "node(s) didn't match pod affinity rules";
constexpr char kExistingAntiAffinityReason[] =
    "node(s) didn't satisfy existing pods anti-affinity rules";

std::string NodeYaml(const std::string& name, const std::string& zone) {
  return "{metadata: {name: " + name +
         ", labels: {kubernetes.io/hostname: " + name + ", zone: " + zone +
         "}}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}}";
}

std::string PodYaml(const std::string& uid, const std::string& app,
                    const std::string& spec = "{}") {
  return "{metadata: {name: p, namespace: default, uid: " + uid +
         ", labels: {app: " + app + "}}, spec: " + spec + "}";
}

// A spec of a pod that keeps away from pods of the app in its zone.
std::string AwayFrom(const std::string& app) {
  return "{affinity: {podAntiAffinity: {"
         "requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
         "labelSelector: {matchLabels: {app: " +
         app + "}}}]}}}";
}

class SessionTest : public ::testing::Test {
 protected:
  // Nodes 0 and 1 in zone a, 2 in zone b.
  void Start() {
    Send(MakeHello());
    Tell(NodeChange(0, NodeYaml("n0", "a")));
    Tell(NodeChange(1, NodeYaml("n1", "a")));
    Tell(NodeChange(2, NodeYaml("n2", "b")));
  }
  void StartSynced() {
    Start();
    Send(SyncedMessage());
  }

  absl::StatusOr<std::optional<v1::VicinalMessage>> TrySend(
      v1::SchedulerMessage message) {
    message.set_position(++position_);
    return session_.Handle(message);
  }
  std::optional<v1::VicinalMessage> Send(v1::SchedulerMessage message) {
    const auto answer = TrySend(std::move(message));
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.ok() ? *answer : std::nullopt;
  }
  void Tell(v1::Change change) {
    EXPECT_FALSE(Send(MessageWith(std::move(change))).has_value());
  }
  std::string ErrorOf(v1::SchedulerMessage message) {
    const auto answer = TrySend(std::move(message));
    return answer.ok() ? "no error" : std::string(answer.status().message());
  }
  std::string ErrorOf(v1::Change change) {
    return ErrorOf(MessageWith(std::move(change)));
  }

  v1::Answer Ask(const v1::SchedulerMessage& message) {
    const auto answer = Send(message);
    EXPECT_TRUE(answer && answer->has_answer());
    EXPECT_EQ(answer->answer().position(), position_);
    return answer->answer();
  }
  static v1::SchedulerMessage Question(const std::string& uid) {
    v1::SchedulerMessage message;
    message.mutable_question()->set_uid(uid);
    return message;
  }
  v1::VerdictsAnswer Verdicts(const std::string& uid) {
    v1::SchedulerMessage message = Question(uid);
    message.mutable_question()->mutable_verdicts();
    return Ask(message).verdicts();
  }
  v1::BestNodesAnswer Best(const std::string& uid, std::uint32_t limit = 10) {
    v1::SchedulerMessage message = Question(uid);
    message.mutable_question()->mutable_best()->set_limit(limit);
    return Ask(message).best();
  }
  v1::SchedulerMessage ScoresQuestion(const std::string& uid,
                                      std::vector<std::uint32_t> nodes) {
    v1::SchedulerMessage message = Question(uid);
    auto& scores = *message.mutable_question()->mutable_scores();
    for (const std::uint32_t node : nodes) scores.add_nodes(node);
    return message;
  }

  static std::vector<int> Bytes(const std::string& bytes) {
    return {bytes.begin(), bytes.end()};
  }
  // What a verdict says of a node.
  static std::string ReasonOf(const v1::PluginVerdicts& verdicts, int node) {
    const int byte = Bytes(verdicts.by_node()).at(node);
    return byte == 0 ? "" : verdicts.statuses(byte - 1).reasons(0);
  }

  const SchedulerConfig config_ = MakeSchedulerConfig();
  Session session_{config_, 1};
  std::uint64_t position_ = 0;
};

TEST_F(SessionTest, HelloIsAnsweredReady) {
  const auto answer = Send(MakeHello());
  ASSERT_TRUE(answer && answer->has_ready());
  EXPECT_THAT(answer->ready().best_nodes_declined(), IsEmpty());
}

TEST_F(SessionTest, VerdictsAreByNumber) {
  StartSynced();
  Tell(PodChange(2, PodYaml("u1", "web", AwayFrom("web"))));
  Tell(WaitingPodChange(PodYaml("u2", "web")));
  const v1::VerdictsAnswer verdicts = Verdicts("u2");
  EXPECT_EQ(verdicts.pod_topology_spread().pre_filter().code(), 5);
  EXPECT_FALSE(verdicts.inter_pod_affinity().has_pre_filter());
  EXPECT_EQ(ReasonOf(verdicts.inter_pod_affinity(), 0), "");
  EXPECT_EQ(ReasonOf(verdicts.inter_pod_affinity(), 1), "");
  EXPECT_EQ(ReasonOf(verdicts.inter_pod_affinity(), 2),
            kExistingAntiAffinityReason);
}

TEST_F(SessionTest, NumbersAreUsedAgain) {
  StartSynced();
  v1::SchedulerMessage message;
  message.add_changes()->set_node_removed(0);
  *message.add_changes() = NodeChange(0, NodeYaml("n9", "b"));
  Send(message);
  Tell(PodChange(2, PodYaml("u1", "web", AwayFrom("web"))));
  Tell(WaitingPodChange(PodYaml("u2", "web")));
  EXPECT_EQ(ReasonOf(Verdicts("u2").inter_pod_affinity(), 0),
            kExistingAntiAffinityReason);
}

TEST_F(SessionTest, APodThatIsPlacedCountsAndOneThatIsUnplacedDoesNot) {
  StartSynced();
  Tell(WaitingPodChange(PodYaml("u1", "web", AwayFrom("web"))));
  Tell(WaitingPodChange(PodYaml("u2", "web", AwayFrom("web"))));
  EXPECT_THAT(Bytes(Verdicts("u2").inter_pod_affinity().by_node()),
              ElementsAre(0, 0, 0));

  v1::Change placed;
  placed.mutable_pod_placed()->set_uid("u1");
  placed.mutable_pod_placed()->set_node(0);
  Tell(placed);
  EXPECT_THAT(Best("u2").nodes(), ElementsAre(2));

  v1::Change unplaced;
  unplaced.set_pod_unplaced("u1");
  Tell(unplaced);
  EXPECT_THAT(Bytes(Verdicts("u2").inter_pod_affinity().by_node()),
              ElementsAre(0, 0, 0));
  EXPECT_THAT(Best("u1").nodes(), UnorderedElementsAre(0, 1, 2));
}

TEST_F(SessionTest, TwoPodsOfOneNameCountByTheirUids) {
  StartSynced();
  Tell(PodChange(0, PodYaml("u1", "web", AwayFrom("web"))));
  Tell(PodChange(2, PodYaml("u2", "web", AwayFrom("web"))));
  Tell(WaitingPodChange(PodYaml("u3", "web")));
  EXPECT_THAT(Best("u3").nodes(), IsEmpty());
  v1::Change removed;
  removed.set_pod_removed("u1");
  Tell(removed);
  EXPECT_THAT(Best("u3").nodes(), UnorderedElementsAre(0, 1));
}

TEST_F(SessionTest, APodThatIsToldAgainMoves) {
  StartSynced();
  Tell(PodChange(0, PodYaml("u1", "web", AwayFrom("web"))));
  Tell(PodChange(2, PodYaml("u1", "web", AwayFrom("web"))));
  Tell(WaitingPodChange(PodYaml("u2", "web")));
  EXPECT_THAT(Best("u2").nodes(), UnorderedElementsAre(0, 1));
  Tell(WaitingPodChange(PodYaml("u1", "web")));
  EXPECT_THAT(Best("u2").nodes(), UnorderedElementsAre(0, 1, 2));
  EXPECT_EQ(session_.cluster().placed_pods(), 0u);
}

TEST_F(SessionTest, NominatedPodsDoNotCount) {
  StartSynced();
  Tell(WaitingPodChange(
      "{metadata: {name: p, namespace: default, uid: u1, labels: {app: web}}, "
      "spec: " +
      AwayFrom("web") + ", status: {nominatedNodeName: n2}}"));
  Tell(WaitingPodChange(PodYaml("u2", "web")));
  EXPECT_EQ(Verdicts("u2").inter_pod_affinity().pre_filter().code(), 5);
}

TEST_F(SessionTest, OtherObjectsCount) {
  StartSynced();
  Tell(ObjectChange(
      "{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: "
      "{team: x}}}"));
  Tell(PodChange(
      0,
      "{metadata: {name: p, namespace: other, uid: u1, labels: {app: db}}}"));
  Tell(WaitingPodChange(PodYaml("u2", "web", R"({affinity: {podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone,
        namespaceSelector: {matchLabels: {team: x}},
        labelSelector: {matchLabels: {app: db}}}]}}})")));
  EXPECT_EQ(ReasonOf(Verdicts("u2").inter_pod_affinity(), 2),
            kRequiredAffinityReason);
  EXPECT_EQ(ReasonOf(Verdicts("u2").inter_pod_affinity(), 1), "");

  v1::Change removed;
  removed.mutable_object_removed()->set_kind("Namespace");
  removed.mutable_object_removed()->set_name("other");
  Tell(removed);
  EXPECT_EQ(ReasonOf(Verdicts("u2").inter_pod_affinity(), 1),
            kRequiredAffinityReason);
}

TEST_F(SessionTest, ScoresAreOfTheNodesInTheirOrder) {
  StartSynced();
  Tell(PodChange(1, PodYaml("u1", "web")));
  Tell(WaitingPodChange(PodYaml("u2", "web", R"({
      topologySpreadConstraints: [{maxSkew: 1,
        topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway,
        labelSelector: {matchLabels: {app: web}}}]})")));
  const v1::ScoresAnswer scores = Ask(ScoresQuestion("u2", {2, 1})).scores();
  EXPECT_THAT(Bytes(scores.pod_topology_spread().normalized()),
              ElementsAre(100, 0));
  EXPECT_FALSE(scores.pod_topology_spread().has_pre_score());
  EXPECT_EQ(scores.inter_pod_affinity().pre_score().code(), 5);
}

TEST_F(SessionTest, BestNodesAreOfThoseThatAreNamed) {
  StartSynced();
  Tell(WaitingPodChange(PodYaml("u1", "web")));
  v1::SchedulerMessage message = Question("u1");
  message.mutable_question()->mutable_best()->set_limit(5);
  message.mutable_question()->mutable_best()->set_nodes("\x05");
  EXPECT_THAT(Ask(message).best().nodes(), UnorderedElementsAre(0, 2));
}

TEST_F(SessionTest, EqualNodesComeInRandomOrder) {
  StartSynced();
  Tell(WaitingPodChange(PodYaml("u1", "web")));
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(Best("u1", 1).nodes(0));
  EXPECT_THAT(seen, UnorderedElementsAre(0, 1, 2));
}

TEST_F(SessionTest, AnErrorOfAPluginIsDeclined) {
  StartSynced();
  Tell(WaitingPodChange(PodYaml("u1", "web", R"({topologySpreadConstraints: [{
      maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule,
      labelSelector: {matchExpressions: [{key: a, operator: Odd}]}}]})")));
  EXPECT_NE(Best("u1").declined(), "");
  EXPECT_EQ(Verdicts("u1").pod_topology_spread().pre_filter().code(), 1);
}

TEST_F(SessionTest, SeveralAreAnsweredAtOnce) {
  StartSynced();
  Tell(WaitingPodChange(PodYaml("u1", "web")));
  v1::SchedulerMessage message = ScoresQuestion("u1", {0});
  message.mutable_question()->mutable_best()->set_limit(1);
  message.mutable_question()->mutable_verdicts();
  const v1::Answer answer = Ask(message);
  EXPECT_TRUE(answer.has_best() && answer.has_verdicts() &&
              answer.has_scores());
}

TEST_F(SessionTest, MessagesHaveNoGaps) {
  Send(MakeHello());
  position_ = 2;
  EXPECT_EQ(ErrorOf(SyncedMessage()), "position 3: position: 3: must be 2");
}

TEST_F(SessionTest, TheFirstMessageIsHelloAlone) {
  EXPECT_EQ(ErrorOf(SyncedMessage()), "position 1: hello: required");
  Session other(config_, 1);
  v1::SchedulerMessage message = MakeHello();
  message.set_synced(true);
  EXPECT_EQ(other.Handle(message).status().message(),
            "position 1: synced: the first message has hello alone");
}

TEST_F(SessionTest, HelloAndSyncedComeOnce) {
  StartSynced();
  EXPECT_EQ(ErrorOf(SyncedMessage()), "position 6: synced: told twice");
  EXPECT_EQ(ErrorOf(MakeHello()),
            "position 7: hello: comes in the first message only");
}

TEST_F(SessionTest, QuestionsComeAfterTheWholeCluster) {
  Start();
  Tell(WaitingPodChange(PodYaml("u1", "web")));
  EXPECT_EQ(ErrorOf(Question("u1")),
            "position 6: question: comes before synced");
}

TEST_F(SessionTest, QuestionsThatCannotBeAnsweredAreErrors) {
  StartSynced();
  Tell(PodChange(0, PodYaml("placed", "web")));
  Tell(WaitingPodChange(PodYaml("u1", "web")));
  Tell(WaitingPodChange(PodYaml("other", "web", "{schedulerName: other}")));
  EXPECT_EQ(ErrorOf(Question("x")),
            "position 9: question.uid: \"x\": no such pod");
  EXPECT_EQ(ErrorOf(Question("placed")),
            "position 10: question.uid: \"placed\": the pod is on a node");
  EXPECT_EQ(ErrorOf(Question("other")),
            "position 11: question.uid: \"other\": no profile has the pod's "
            "spec.schedulerName \"other\"");
  EXPECT_EQ(ErrorOf(Question("u1")), "position 12: question: asks nothing");
  EXPECT_EQ(ErrorOf(ScoresQuestion("u1", {0, 7})),
            "position 13: question.scores.nodes[1]: 7: no node has this "
            "number");
  EXPECT_EQ(ErrorOf(ScoresQuestion("u1", {0, 0})),
            "position 14: question.scores.nodes[1]: 0: named twice");
  v1::SchedulerMessage message = Question("u1");
  message.mutable_question()->mutable_best();
  EXPECT_EQ(ErrorOf(message),
            "position 15: question.best.limit: 0: must be positive");
  message.mutable_question()->mutable_best()->set_limit(1);
  message.mutable_question()->mutable_best()->set_nodes(std::string(1, '\0') +
                                                        "\x02");
  EXPECT_EQ(ErrorOf(message),
            "position 16: question.best.nodes: 9: no node has this number");
}

TEST_F(SessionTest, NodesThatCannotBeAreErrors) {
  Start();
  EXPECT_EQ(ErrorOf(NodeChange(0, NodeYaml("n3", "a"))),
            "position 5: changes[0].node.number: 0: is node \"n0\", not "
            "\"n3\"");
  EXPECT_EQ(ErrorOf(NodeChange(3, NodeYaml("n0", "a"))),
            "position 6: changes[0].node.number: 3: node \"n0\" is number 0");
  EXPECT_EQ(ErrorOf(NodeChange(4'000'000'000, NodeYaml("n3", "a"))),
            "position 7: changes[0].node.number: 4000000000: must be below "
            "1000000");
  EXPECT_EQ(ErrorOf(NodeChange(3, "{metadata: {labels: {a: b}}}")),
            "position 8: changes[0].node.json: metadata.name: required");
  EXPECT_EQ(ErrorOf(NodeChange(3, "{metadata: {name: n3, labels: 5}}")),
            "position 9: changes[0].node.json: metadata.labels: must be an "
            "object, got 5");
  v1::Change removed;
  removed.set_node_removed(7);
  EXPECT_EQ(ErrorOf(removed),
            "position 10: changes[0].node_removed: 7: no node has this "
            "number");
  Tell(PodChange(0, PodYaml("u1", "web")));
  removed.set_node_removed(0);
  EXPECT_EQ(ErrorOf(removed),
            "position 12: changes[0].node_removed: 0: there are pods on node "
            "\"n0\": 1");
}

TEST_F(SessionTest, PodsThatCannotBeAreErrors) {
  Start();
  Tell(PodChange(0, PodYaml("placed", "web")));
  Tell(WaitingPodChange(PodYaml("waiting", "web")));
  EXPECT_EQ(ErrorOf(PodChange(9, PodYaml("u1", "web"))),
            "position 7: changes[0].pod.node: 9: no node has this number");
  EXPECT_EQ(ErrorOf(WaitingPodChange("{metadata: {namespace: default}}")),
            "position 8: changes[0].pod.json: metadata.uid: required");
  EXPECT_EQ(ErrorOf(WaitingPodChange("{metadata: {uid: u}}")),
            "position 9: changes[0].pod.json: metadata.namespace: required");
  for (const std::string uid : {"placed", "waiting"}) {
    const std::string position = std::to_string(position_ + 1);
    EXPECT_EQ(
        ErrorOf(WaitingPodChange("{metadata: {namespace: other, uid: " + uid +
                                 "}}")),
        "position " + position +
            ": changes[0].pod.json: metadata.namespace: \"other\": pod \"" +
            uid + "\" is in \"default\"");
  }
  v1::Change change;
  change.mutable_pod()->set_json("{\"metadata\":");
  EXPECT_THAT(ErrorOf(change),
              StartsWith("position 12: changes[0].pod.json: "));
  change.mutable_pod_placed()->set_uid("placed");
  EXPECT_EQ(ErrorOf(change),
            "position 13: changes[0].pod_placed.uid: \"placed\": the pod is on "
            "a node already");
  change.mutable_pod_placed()->set_uid("waiting");
  change.mutable_pod_placed()->set_node(9);
  EXPECT_EQ(ErrorOf(change),
            "position 14: changes[0].pod_placed.node: 9: no node has this "
            "number");
  change.set_pod_unplaced("waiting");
  EXPECT_EQ(ErrorOf(change),
            "position 15: changes[0].pod_unplaced: \"waiting\": the pod waits "
            "already");
  change.set_pod_removed("x");
  EXPECT_EQ(ErrorOf(change),
            "position 16: changes[0].pod_removed: \"x\": no such pod");
}

TEST_F(SessionTest, OtherObjectsThatCannotBeAreErrors) {
  Start();
  EXPECT_EQ(ErrorOf(ObjectChange("{apiVersion: v1, kind: Pod, metadata: {name: "
                                 "p}}")),
            "position 5: changes[0].object: kind: must be Namespace, Service, "
            "ReplicationController, ReplicaSet, StatefulSet or "
            "PodDisruptionBudget");
  v1::Change change;
  change.mutable_object_removed()->set_kind("Job");
  EXPECT_EQ(ErrorOf(change),
            "position 6: changes[0].object_removed.kind: \"Job\": must be "
            "Namespace, Service, ReplicationController, ReplicaSet, "
            "StatefulSet or PodDisruptionBudget");
  EXPECT_EQ(ErrorOf(v1::Change()),
            "position 7: changes[0]: tells none of the changes that are "
            "known");
}

}  // namespace
}  // namespace vicinal
