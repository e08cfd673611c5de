#include "core/simulate/action.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace vicinal {
namespace {

constexpr std::array<std::pair<std::string_view, Verb>, 15> kVerbs = {{
    {"apply", Verb::kApply},
    {"scale", Verb::kScale},
    {"delete", Verb::kDelete},
    {"cordon", Verb::kCordon},
    {"uncordon", Verb::kUncordon},
    {"drain", Verb::kDrain},
    {"label", Verb::kLabelNode},
    {"taint", Verb::kTaintNode},
    {"add-node", Verb::kAddNode},
    {"remove-node", Verb::kRemoveNode},
    {"add-nodes", Verb::kAddNodes},
    {"fill", Verb::kFill},
    {"rollout", Verb::kRollout},
    {"reschedule", Verb::kReschedule},
    {"deschedule", Verb::kDeschedule},
}};

absl::Status Invalid(std::string message) {
  return absl::InvalidArgumentError(std::move(message));
}

std::string Quoted(std::string_view text) {
  return absl::StrCat("\"", std::string(text), "\"");
}

// A number of pods or nodes.
absl::StatusOr<std::int64_t> ParseCount(std::string_view text) {
  std::int64_t count = 0;
  constexpr std::int64_t kMost = 1'000'000;
  if (!absl::SimpleAtoi(std::string(text), &count) || count < 0 ||
      count > kMost) {
    return Invalid("must be a number from 0 to 1000000, got " + Quoted(text));
  }
  return count;
}

absl::StatusOr<LabelChange> ParseLabelChange(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals != std::string_view::npos && equals > 0) {
    return LabelChange{std::string(word.substr(0, equals)),
                       std::string(word.substr(equals + 1))};
  }
  if (equals == std::string_view::npos && word.size() > 1 &&
      word.ends_with('-')) {
    return LabelChange{std::string(word.substr(0, word.size() - 1)), {}};
  }
  return Invalid("a label must be KEY=VALUE or KEY-, got " + Quoted(word));
}

bool IsEffect(std::string_view effect) {
  return effect == kNoSchedule || effect == kPreferNoSchedule ||
         effect == kNoExecute;
}

absl::StatusOr<TaintChange> ParseTaintChange(std::string_view word) {
  TaintChange change;
  std::string_view rest = word;
  change.remove = rest.ends_with('-');
  if (change.remove) rest.remove_suffix(1);
  const std::size_t colon = rest.rfind(':');
  if (colon != std::string_view::npos) {
    change.taint.effect = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  const std::size_t equals = rest.find('=');
  if (equals != std::string_view::npos) {
    change.taint.value = rest.substr(equals + 1);
    rest = rest.substr(0, equals);
  }
  change.taint.key = rest;
  const bool effect_is_right = IsEffect(change.taint.effect) ||
                               (change.remove && change.taint.effect.empty());
  if (change.taint.key.empty() || !effect_is_right) {
    return Invalid(
        "a taint must be KEY[=VALUE]:EFFECT or KEY[:EFFECT]-, the effect "
        "NoSchedule, PreferNoSchedule or NoExecute, got " +
        Quoted(word));
  }
  return change;
}

absl::StatusOr<Labels> ParseLabels(std::string_view text) {
  Labels labels;
  for (const std::string& part :
       std::vector<std::string>(absl::StrSplit(std::string(text), ','))) {
    absl::StatusOr<LabelChange> label = ParseLabelChange(part);
    if (!label.ok() || !label->value) {
      return Invalid("-l must be KEY=VALUE[,KEY=VALUE…], got " + Quoted(text));
    }
    labels.Set(label->key, *label->value);
  }
  return labels;
}

// Takes the words of one action, front to back.
class Parser {
 public:
  Parser(std::span<const std::string> words, std::string_view namespace_name)
      : words_(words) {
    action_.target.namespace_name = namespace_name;
  }

  absl::StatusOr<Action> Parse() {
    const std::string& word = words_[used_++];
    const std::optional<Verb> verb = VerbFromWord(word);
    if (!verb) {
      return Invalid("must be an action or a script ending in .yaml, got " +
                     Quoted(word));
    }
    action_.verb = *verb;
    absl::Status status = ParseArguments();
    const std::string outer = action_.target.namespace_name;
    if (status.ok()) status = ParseNamespace();
    action_.text = absl::StrJoin(words_.begin(), words_.begin() + used_, " ");
    // Said of all actions, and not of this one.
    if (status.ok() && IsInANamespace() && outer != "default" &&
        action_.target.namespace_name == outer &&
        !absl::StrContains(action_.text, " -n ")) {
      absl::StrAppend(&action_.text, " -n ", outer);
    }
    if (!status.ok()) {
      return Invalid(absl::StrCat(action_.text, ": ", status.message()));
    }
    return std::move(action_);
  }

  std::size_t used() const { return used_; }

 private:
  bool AtEnd() const { return used_ == words_.size(); }

  bool IsInANamespace() const {
    return action_.verb == Verb::kApply || !action_.target.kind.empty();
  }

  absl::StatusOr<std::string> Next(std::string_view what) {
    if (AtEnd()) return Invalid(absl::StrCat(std::string(what), " is missing"));
    return words_[used_++];
  }

  absl::Status ParseArguments() {
    switch (action_.verb) {
      case Verb::kApply:
        return Take("FILE", action_.files);
      case Verb::kCordon:
      case Verb::kUncordon:
      case Verb::kDrain:
      case Verb::kRemoveNode:
        return ParseNodes();
      case Verb::kAddNodes:
        return ParseAddNodes();
      case Verb::kFill:
        return ParseFill();
      case Verb::kScale:
        return ParseScale();
      case Verb::kDelete:
      case Verb::kRollout:
      case Verb::kReschedule:
        return ParseTarget();
      case Verb::kAddNode:
        return ParseAddNode();
      case Verb::kDeschedule:
        // Whatever follows and is no action.
        if (AtEnd() || words_[used_] == "-n" || VerbFromWord(words_[used_])) {
          return absl::OkStatus();
        }
        return Take("the policy", action_.files);
      case Verb::kLabelNode:
      case Verb::kTaintNode:
        return ParseChanges();
    }
    return absl::OkStatus();
  }

  absl::Status Take(std::string_view what, std::vector<std::string>& out) {
    absl::StatusOr<std::string> word = Next(what);
    if (!word.ok()) return word.status();
    out.push_back(*std::move(word));
    return absl::OkStatus();
  }

  // `NODE` or `-l KEY=VALUE`.
  absl::Status ParseNodes() {
    if (AtEnd() || words_[used_] != "-l") {
      return Take("the node's name", action_.nodes);
    }
    ++used_;
    absl::StatusOr<std::string> selector = Next("KEY=VALUE");
    if (!selector.ok()) return selector.status();
    absl::StatusOr<Labels> labels = ParseLabels(*selector);
    if (!labels.ok()) return labels.status();
    action_.node_labels = *std::move(labels);
    return absl::OkStatus();
  }

  // `N --like NODE`, N may be `as-needed`.
  absl::Status ParseAddNodes() {
    absl::StatusOr<std::string> word = Next("the number of nodes");
    if (!word.ok()) return word.status();
    action_.count = std::nullopt;
    if (*word != "as-needed") {
      absl::StatusOr<std::int64_t> count = ParseCount(*word);
      if (!count.ok()) return count.status();
      action_.count = *count;
    }
    if (AtEnd() || words_[used_] != "--like") {
      return Invalid("--like NODE is missing");
    }
    ++used_;
    return Take("the node's name behind --like", action_.nodes);
  }

  absl::Status ParseFill() {
    absl::StatusOr<std::string> word = Next("KIND/NAME");
    if (!word.ok()) return word.status();
    if (word->find('/') == std::string::npos) {
      return Invalid("must be KIND/NAME, got " + Quoted(*word));
    }
    return SetTarget(*word);
  }

  absl::Status ParseScale() {
    absl::StatusOr<std::string> word = Next("KIND/NAME=N");
    if (!word.ok()) return word.status();
    const std::size_t equals = word->rfind('=');
    const std::size_t slash = word->find('/');
    if (equals == std::string::npos || slash == std::string::npos ||
        slash > equals) {
      return Invalid("must be KIND/NAME=N, got " + Quoted(*word));
    }
    absl::StatusOr<std::int64_t> count = ParseCount(word->substr(equals + 1));
    if (!count.ok()) return count.status();
    action_.count = *count;
    return SetTarget(word->substr(0, equals));
  }

  absl::Status SetTarget(const std::string& word) {
    const std::size_t slash = word.find('/');
    action_.target.kind = word.substr(0, slash);
    if (slash == std::string::npos) return absl::OkStatus();
    action_.target.name = word.substr(slash + 1);
    if (action_.target.kind.empty() || action_.target.name.empty()) {
      return Invalid("must be KIND/NAME, got " + Quoted(word));
    }
    return absl::OkStatus();
  }

  absl::Status ParseTarget() {
    absl::StatusOr<std::string> word = Next("KIND/NAME");
    if (!word.ok()) return word.status();
    // As in `kubectl rollout restart deployment/web`.
    if (action_.verb == Verb::kRollout && *word == "restart") {
      word = Next("KIND/NAME");
      if (!word.ok()) return word.status();
    }
    absl::Status status = SetTarget(*word);
    if (!status.ok() || !action_.target.name.empty()) return status;
    if (action_.verb == Verb::kReschedule && *word == "all") return status;
    if (!AtEnd() && words_[used_] == "-l") {
      ++used_;
      absl::StatusOr<std::string> selector = Next("KEY=VALUE");
      if (!selector.ok()) return selector.status();
      absl::StatusOr<Labels> labels = ParseLabels(*selector);
      if (!labels.ok()) return labels.status();
      action_.target.labels = *std::move(labels);
      if (AtEnd() || words_[used_] != "on") return absl::OkStatus();
      ++used_;
      absl::StatusOr<std::string> node = Next("the node's name behind on");
      if (!node.ok()) return node.status();
      action_.target.node = *std::move(node);
      return absl::OkStatus();
    }
    return Invalid("must be KIND/NAME or `pods -l KEY=VALUE`, got " +
                   Quoted(*word));
  }

  absl::Status ParseAddNode() {
    absl::StatusOr<std::string> word = Next("FILE or COPY=N");
    if (!word.ok()) return word.status();
    const std::size_t equals = word->rfind('=');
    if (equals == std::string::npos) {
      action_.files.push_back(*std::move(word));
      return absl::OkStatus();
    }
    absl::StatusOr<std::int64_t> count = ParseCount(word->substr(equals + 1));
    if (!count.ok()) return count.status();
    action_.count = *count;
    action_.nodes.push_back(word->substr(0, equals));
    return absl::OkStatus();
  }

  // `node NAME change…`, up to the next verb.
  absl::Status ParseChanges() {
    if (!AtEnd() && (words_[used_] == "node" || words_[used_] == "nodes")) {
      ++used_;
    }
    absl::Status status = Take("the node's name", action_.nodes);
    if (!status.ok()) return status;
    const char mark = action_.verb == Verb::kLabelNode ? '=' : ':';
    while (!AtEnd() && (words_[used_].find(mark) != std::string::npos ||
                        words_[used_].ends_with('-'))) {
      const std::string& word = words_[used_++];
      if (action_.verb == Verb::kLabelNode) {
        absl::StatusOr<LabelChange> change = ParseLabelChange(word);
        if (!change.ok()) return change.status();
        action_.labels.push_back(*std::move(change));
      } else {
        absl::StatusOr<TaintChange> change = ParseTaintChange(word);
        if (!change.ok()) return change.status();
        action_.taints.push_back(*std::move(change));
      }
    }
    if (action_.labels.empty() && action_.taints.empty()) {
      return Invalid(action_.verb == Verb::kLabelNode
                         ? "KEY=VALUE or KEY- is missing"
                         : "KEY[=VALUE]:EFFECT is missing");
    }
    return absl::OkStatus();
  }

  absl::Status ParseNamespace() {
    if (AtEnd() || words_[used_] != "-n") return absl::OkStatus();
    ++used_;
    absl::StatusOr<std::string> name = Next("the namespace behind -n");
    if (!name.ok()) return name.status();
    action_.target.namespace_name = *std::move(name);
    return absl::OkStatus();
  }

  std::span<const std::string> words_;
  std::size_t used_ = 0;
  Action action_;
};

}  // namespace

std::string_view ActionSyntax() {
  return R"(  apply FILE                      create or change what the manifest says
  scale KIND/NAME=N               deployment, replicaset, statefulset, …
  delete KIND/NAME                pod, node, namespace, service or a workload
  delete pods -l KEY=VALUE [on NODE]
                                  all pods with these labels
  fill KIND/NAME                  scale up until no more pod fits, and say how
                                  many did and what stops the next
  cordon NODE   uncordon NODE     spec.unschedulable
  drain NODE                      cordon, and evict all but DaemonSet and static
                                  pods, as PodDisruptionBudgets of the cluster
                                  allow while successors are placed
  label node NODE KEY=VALUE|KEY-  set or remove labels
  taint node NODE KEY=VALUE:EFFECT|KEY:EFFECT-
                                  set or remove taints; NoExecute evicts
  add-node FILE|NODE=N            nodes of a manifest, or N copies of a node,
                                  with its DaemonSet pods
  add-nodes N --like NODE         N copies of a node; as-needed instead of N: one
                                  after the other until no pod is pending
  remove-node NODE                the node and its pods are gone
                                  Instead of NODE, cordon, uncordon, drain and
                                  remove-node take -l KEY=VALUE: all such nodes,
                                  at once, as in a zone outage
  rollout KIND/NAME               restart: new pods by the update strategy
  reschedule KIND/NAME|all        delete the pods and let them be placed anew
  deschedule [POLICY]             evict what vicinal deschedule --policy POLICY
                                  --evict would, in one pass
  FILE.yaml                       a script of steps (test/scenarios/README.md)
`-n NAMESPACE` may stand behind an action.)";
}

std::optional<Verb> VerbFromWord(std::string_view word) {
  const auto it =
      std::find_if(kVerbs.begin(), kVerbs.end(),
                   [word](const auto& verb) { return verb.first == word; });
  return it == kVerbs.end() ? std::nullopt : std::optional(it->second);
}

absl::StatusOr<Action> ParseAction(std::span<const std::string> words,
                                   std::string_view namespace_name,
                                   std::size_t* used) {
  Parser parser(words, namespace_name);
  absl::StatusOr<Action> action = parser.Parse();
  *used = parser.used();
  return action;
}

}  // namespace vicinal
