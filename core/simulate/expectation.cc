#include "core/simulate/expectation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace vicinal {
namespace {

using Counts = std::map<std::string, std::int64_t>;

struct Found {
  std::vector<ObjectKey> running;
  std::vector<ObjectKey> pending;
};

Found PodsIn(const PodSet& set, const SimulatedCluster& simulated) {
  const Selector selector = Selector::FromSet(set.labels);
  Found found;
  for (auto it = simulated.pods().lower_bound({set.namespace_name, ""});
       it != simulated.pods().end() &&
       it->first.namespace_name == set.namespace_name;
       ++it) {
    if (!selector.Matches(simulated.LabelsOf(it->first))) continue;
    (it->second.node.empty() ? found.pending : found.running)
        .push_back(it->first);
  }
  return found;
}

std::string Text(const Labels& labels) {
  return absl::StrJoin(labels, ", ", [](std::string* out, const auto& label) {
    absl::StrAppend(out, label.first, "=", label.second);
  });
}

std::string Text(const Counts& counts) {
  return absl::StrCat("{",
                      absl::StrJoin(counts, ", ",
                                    [](std::string* out, const auto& count) {
                                      absl::StrAppend(out, count.first, ": ",
                                                      count.second);
                                    }),
                      "}");
}

// A node without the key is a domain of its own in brackets, which is never
// what anyone expects.
Counts PerDomain(const std::vector<ObjectKey>& pods, const std::string& key,
                 const SimulatedCluster& simulated) {
  Counts counts;
  for (const ObjectKey& pod : pods) {
    const std::string& name = simulated.FindPod(pod)->node;
    const NodeInfo* node = simulated.cluster().FindNode(name);
    const std::string* domain =
        node == nullptr ? nullptr : node->labels().Find(key);
    ++counts[domain == nullptr ? "[" + name + "]" : *domain];
  }
  return counts;
}

std::vector<std::int64_t> Sorted(std::vector<std::int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Both sides in two lines.
std::string Difference(std::string_view what, std::string_view expected,
                       std::string_view got) {
  return absl::StrCat("  ", std::string(what),
                      "\n    expected: ", std::string(expected),
                      "\n    got:      ", std::string(got), "\n");
}

std::string WhereProblem(const WhereClaim& claim, const Found& found,
                         const SimulatedCluster& simulated) {
  const Counts got = PerDomain(found.running, claim.topology_key, simulated);
  const std::string what = "running pods by " + claim.topology_key;
  if (claim.beside) {
    const Counts others = PerDomain(PodsIn(*claim.beside, simulated).running,
                                    claim.topology_key, simulated);
    const bool all_beside =
        std::all_of(got.begin(), got.end(), [&others](const auto& domain) {
          return others.contains(domain.first);
        });
    if (all_beside) return "";
    return Difference(what,
                      absl::StrCat("only beside ", Text(claim.beside->labels),
                                   ", which is in ", Text(others)),
                      Text(got));
  }
  if (!claim.counts.empty()) {
    std::vector<std::int64_t> numbers;
    for (const auto& [domain, count] : got) numbers.push_back(count);
    if (Sorted(numbers) == Sorted(claim.counts)) return "";
    return Difference(
        what,
        absl::StrCat("[", absl::StrJoin(claim.counts, ", "), "] in any order"),
        Text(got));
  }
  if (std::find(claim.one_of.begin(), claim.one_of.end(), got) !=
      claim.one_of.end()) {
    return "";
  }
  return Difference(what,
                    absl::StrJoin(claim.one_of, " or ",
                                  [](std::string* out, const Counts& counts) {
                                    absl::StrAppend(out, Text(counts));
                                  }),
                    Text(got));
}

std::string MovedProblem(const Found& found, const SimulatedCluster& simulated,
                         const Placements& before) {
  std::string problem;
  for (const ObjectKey& pod : found.running) {
    const auto it = before.find(pod);
    const std::string& node = simulated.FindPod(pod)->node;
    if (it != before.end() && it->second == node) continue;
    problem += Difference("pod " + pod.name,
                          it == before.end()
                              ? "no pod of this name, since nothing moves"
                              : "on " + it->second,
                          "on " + node);
  }
  return problem;
}

}  // namespace

std::string Problem(const Expectation& expectation,
                    const SimulatedCluster& simulated,
                    const Placements& before) {
  const Found found = PodsIn(expectation.pods, simulated);
  std::string problem;
  const auto running = static_cast<std::int64_t>(found.running.size());
  const auto pending = static_cast<std::int64_t>(found.pending.size());
  if (running != expectation.running || pending != expectation.pending) {
    problem +=
        Difference("pods",
                   absl::StrCat(expectation.running, " running, ",
                                expectation.pending, " pending"),
                   absl::StrCat(running, " running, ", pending, " pending"));
  }
  for (const WhereClaim& claim : expectation.where) {
    problem += WhereProblem(claim, found, simulated);
  }
  for (const ObjectKey& pod : found.pending) {
    const std::string& message = simulated.FindPod(pod)->message;
    // Also why pods are pending that should not be.
    if (expectation.pending == 0 ||
        (expectation.reasons && *expectation.reasons != message)) {
      problem += Difference("why pod " + pod.name + " is pending",
                            expectation.pending == 0
                                ? "it is not"
                                : expectation.reasons.value_or("any"),
                            message);
    }
  }
  if (expectation.unmoved) problem += MovedProblem(found, simulated, before);
  if (problem.empty()) return "";
  return absl::StrCat("pods with ", Text(expectation.pods.labels),
                      " in namespace ", expectation.pods.namespace_name, "\n",
                      problem);
}

}  // namespace vicinal
