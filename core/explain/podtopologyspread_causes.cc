#include "core/explain/podtopologyspread_causes.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/explain/existing_pods.h"
#include "core/index/node_set.h"
#include "core/index/topology_index.h"
#include "core/plugins/podtopologyspread/podtopologyspread.h"

namespace vicinal {
namespace {

// The paths of the constraints with that action, as ParseConstraints takes
// them.
std::vector<std::string> PathsOf(const Pod& pod,
                                 const PodTopologySpreadArgs& args,
                                 std::string_view action) {
  const auto& own = pod.spec.topology_spread_constraints;
  const auto& written = own.empty() ? args.default_constraints : own;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i].when_unsatisfiable != action) continue;
    paths.push_back(
        own.empty() ? absl::StrCat("(scheduler's defaultConstraints)[", i, "]")
                    : absl::StrCat("spec.topologySpreadConstraints[", i, "]"));
  }
  return paths;
}

}  // namespace

PodTopologySpreadCauses::PodTopologySpreadCauses(
    const ClusterState& cluster, const PodInfo& pod,
    const PodTopologySpreadArgs& args)
    : pod_(pod) {
  Add(cluster, args, kDoNotSchedule);
  Add(cluster, args, kScheduleAnyway);
  FindCountedNodes(cluster);
  Count(cluster);
}

void PodTopologySpreadCauses::Add(const ClusterState& cluster,
                                  const PodTopologySpreadArgs& args,
                                  const char* action) {
  absl::StatusOr<std::vector<SpreadConstraint>> constraints =
      ConstraintsFor(cluster, pod_.pod, args.default_constraints, action);
  if (!constraints.ok()) return;
  const std::vector<std::string> paths = PathsOf(pod_.pod, args, action);
  for (std::size_t i = 0; i < constraints->size(); ++i) {
    Spread& spread = spreads_.emplace_back();
    spread.constraint = std::move((*constraints)[i]);
    spread.rule = paths[i];
    spread.hard = action == std::string_view(kDoNotSchedule);
    spread.self_matches =
        spread.constraint.selector.Matches(pod_.pod.meta.labels);
  }
}

// A node counts for the hard constraints if it has the keys of all hard ones,
// and for the soft ones if it has those of all soft ones.
void PodTopologySpreadCauses::FindCountedNodes(const ClusterState& cluster) {
  for (Spread& spread : spreads_) {
    std::vector<std::string> keys;
    for (const Spread& other : spreads_) {
      if (other.hard != spread.hard) continue;
      keys.push_back(other.constraint.topology_key);
    }
    const NodeSet& counted = cluster.topology().Nodes(
        CountedNodes(spread.constraint, pod_.pod, std::move(keys)));
    for (const NodeInfo* node : cluster.Nodes()) {
      if (counted.Has(node->id)) spread.counted.insert(node->id);
    }
  }
}

void PodTopologySpreadCauses::Count(const ClusterState& cluster) {
  const std::string& namespace_name = pod_.pod.meta.namespace_name;
  for (const NodeInfo* node : cluster.Nodes()) {
    for (Spread& spread : spreads_) {
      const SpreadConstraint& constraint = spread.constraint;
      const std::string* value = node->labels().Find(constraint.topology_key);
      if (value == nullptr) continue;
      DomainPods& domain = spread.domains[*value];
      ++domain.nodes;
      if (!spread.counted.contains(node->id)) continue;
      domain.eligible = true;
      if (constraint.selector.Empty()) continue;  // Counts nothing.
      for (const StoredPod* pod : node->pods) {
        if (pod->namespace_name() == namespace_name && !pod->terminating() &&
            Selects(constraint.selector, *pod)) {
          domain.pods.push_back(ReferenceTo(*pod, *node));
        }
      }
    }
  }
}

SkewNumbers PodTopologySpreadCauses::NumbersOf(const Spread& spread) {
  SkewNumbers numbers;
  numbers.self = spread.self_matches ? 1 : 0;
  numbers.max_skew = spread.constraint.max_skew;
  numbers.min_domains = spread.constraint.min_domains;
  std::int64_t minimum = std::numeric_limits<std::int32_t>::max();
  for (const auto& [value, domain] : spread.domains) {
    if (!domain.eligible) continue;
    ++numbers.domains;
    minimum = std::min(minimum, static_cast<std::int64_t>(domain.pods.size()));
  }
  numbers.minimum = numbers.domains < numbers.min_domains ? 0 : minimum;
  return numbers;
}

std::string PodTopologySpreadCauses::Wants(const Spread& spread) const {
  const SpreadConstraint& constraint = spread.constraint;
  std::string text = absl::StrCat(
      spread.hard ? "wants" : "prefers", " at most ", constraint.max_skew,
      " (maxSkew) between the numbers of ",
      constraint.selector.Empty() ? std::string("no pods (empty selector)")
                                  : "pods " + Describe(constraint.selector),
      " per ", constraint.topology_key);
  return text;
}

std::vector<std::size_t> PodTopologySpreadCauses::Find(const Refusal& refusal,
                                                       CauseList& causes) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < spreads_.size(); ++i) {
    if (!spreads_[i].hard) continue;
    const std::string& key = spreads_[i].constraint.topology_key;
    const std::string* value = refusal.node.labels().Find(key);
    const auto make = [&](Cause::Kind kind, std::string_view reason) {
      Cause cause;
      cause.kind = kind;
      cause.plugin = PodTopologySpread::kName;
      cause.reason = reason;
      cause.rule = spreads_[i].rule;
      cause.wants = Wants(spreads_[i]);
      cause.topology_key = key;
      return cause;
    };
    if (value == nullptr) {
      found.push_back(
          causes.FindOrAdd(absl::StrCat("PodTopologySpread/key/", i), [&] {
            Cause cause = make(Cause::Kind::kMissingKey,
                               PodTopologySpread::kReasonMissingLabel);
            cause.found = "no label " + key;
            return cause;
          }));
      continue;
    }
    // With the nominated pods, which count whether they are terminating or not.
    std::vector<PodReference> nominated;
    if (spreads_[i].counted.contains(refusal.node.id)) {
      for (const PodInfo* other : refusal.nominated) {
        const ObjectMeta& meta = other->pod.meta;
        if (meta.namespace_name == pod_.pod.meta.namespace_name &&
            spreads_[i].constraint.selector.Matches(meta.labels)) {
          nominated.push_back(ReferenceToNominated(*other, refusal.node));
        }
      }
    }
    std::vector<PodReference> blocking = spreads_[i].domains[*value].pods;
    SkewNumbers numbers;
    if (nominated.empty()) {
      numbers = NumbersOf(spreads_[i]);
    } else {
      Spread with_nominated = spreads_[i];
      auto& pods = with_nominated.domains[*value].pods;
      pods.insert(pods.end(), nominated.begin(), nominated.end());
      numbers = NumbersOf(with_nominated);
      blocking = pods;
    }
    numbers.match = static_cast<std::int64_t>(blocking.size());
    if (numbers.match + numbers.self - numbers.minimum <= numbers.max_skew) {
      continue;
    }
    const std::string name_of_node =
        nominated.empty() ? "" : refusal.node.Name();
    found.push_back(causes.FindOrAdd(
        absl::StrCat("PodTopologySpread/skew/", i, "/", *value, "\n",
                     name_of_node),
        [&] {
          Cause cause =
              make(Cause::Kind::kSpread, PodTopologySpread::kReasonConstraints);
          cause.domain = *value;
          cause.skew = numbers;
          cause.blocking_pods = blocking;
          std::sort(cause.blocking_pods.begin(), cause.blocking_pods.end());
          const std::int64_t sum = numbers.match + numbers.self;
          cause.found = absl::StrCat(
              Counted(static_cast<std::size_t>(numbers.match), "matching pod"),
              " in ", key, "=", *value,
              numbers.self == 1 ? absl::StrCat(", ", sum, " with this one")
                                : std::string(),
              "; skew ", sum, " - ", numbers.minimum, " > maxSkew ",
              numbers.max_skew);
          if (numbers.domains < numbers.min_domains) {
            absl::StrAppend(
                &cause.found, " (minimum taken as 0: minDomains ",
                numbers.min_domains, ", but ",
                Counted(static_cast<std::size_t>(numbers.domains), "domain"),
                ")");
          }
          return cause;
        }));
  }
  return found;
}

std::vector<SpreadState> PodTopologySpreadCauses::States() const {
  std::vector<SpreadState> states;
  for (const Spread& spread : spreads_) {
    SpreadState& state = states.emplace_back();
    state.rule = spread.rule;
    state.wants = Wants(spread);
    state.topology_key = spread.constraint.topology_key;
    state.hard = spread.hard;
    state.numbers = NumbersOf(spread);
    for (const auto& [value, domain] : spread.domains) {
      const auto pods = static_cast<std::int64_t>(domain.pods.size());
      const bool open = pods + state.numbers.self - state.numbers.minimum <=
                        state.numbers.max_skew;
      state.domains.push_back(
          {value, domain.nodes, pods, domain.eligible, open});
    }
  }
  std::stable_sort(states.begin(), states.end(),
                   [](const SpreadState& a, const SpreadState& b) {
                     return a.rule < b.rule;
                   });
  return states;
}

}  // namespace vicinal
