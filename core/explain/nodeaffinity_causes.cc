#include "core/explain/nodeaffinity_causes.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/plugins/nodeaffinity/nodeaffinity.h"

namespace vicinal {
namespace {

constexpr char kRequiredPath[] =
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
    "nodeSelectorTerms";

// A requirement that a node does not meet.
struct Unmet {
  std::string path;
  std::string wants;
  std::string found;
  std::string topology_key;           // The label asked for,
  std::optional<std::string> domain;  // and what the node has.
};

Unmet UnmetLabel(std::string path, std::string wants, const std::string& key,
                 const NodeInfo& node) {
  Unmet unmet{std::move(path), std::move(wants), "", key, std::nullopt};
  if (const std::string* value = node.labels().Find(key)) {
    unmet.domain = *value;
    unmet.found = key + "=" + *value;
  } else {
    unmet.found = "no label " + key;
  }
  return unmet;
}

// The requirements of a term that the node does not meet, each taken by itself.
std::vector<Unmet> UnmetOf(const NodeSelectorTerm& term,
                           const std::string& path, const NodeInfo& node) {
  if (IsEmpty(term)) {
    return {{path, "an empty term, which selects no node", "", "", {}}};
  }
  if (const auto parsed = ParsedNodeSelectorTerm::Parse(term, path);
      !parsed.ok()) {
    return {{path,
             "a term that cannot be read, which selects no node",
             std::string(parsed.status().message()),
             "",
             {}}};
  }
  std::vector<Unmet> unmet;
  const auto matches = [&node](const NodeSelectorTerm& one) {
    const auto parsed = ParsedNodeSelectorTerm::Parse(one, "");
    return parsed.ok() && parsed->Matches(node.labels(), node.Name());
  };
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const NodeSelectorRequirement& requirement = term.match_expressions[i];
    if (matches({{requirement}, {}})) continue;
    unmet.push_back(UnmetLabel(absl::StrCat(path, ".matchExpressions[", i, "]"),
                               "wants nodes with " + Describe(requirement),
                               requirement.key, node));
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    const NodeSelectorRequirement& requirement = term.match_fields[i];
    if (matches({{}, {requirement}})) continue;
    unmet.push_back({absl::StrCat(path, ".matchFields[", i, "]"),
                     "wants nodes with " + Describe(requirement),
                     "another node name", "", std::nullopt});
  }
  return unmet;
}

Cause MakeCause(Unmet unmet, std::string_view reason) {
  Cause cause;
  cause.kind = Cause::Kind::kNodeAffinity;
  cause.plugin = NodeAffinityPlugin::kName;
  cause.reason = reason;
  cause.rule = std::move(unmet.path);
  cause.wants = std::move(unmet.wants);
  cause.found = std::move(unmet.found);
  cause.topology_key = std::move(unmet.topology_key);
  cause.domain = std::move(unmet.domain);
  return cause;
}

std::size_t Add(Unmet unmet, std::string_view reason, CauseList& causes) {
  return causes.FindOrAdd(
      absl::StrCat("NodeAffinity/", unmet.path, "/", unmet.found),
      [&] { return MakeCause(std::move(unmet), reason); });
}

}  // namespace

void NodeAffinityCauses::FindInTerms(const NodeSelector& terms,
                                     std::string_view path,
                                     std::string_view reason,
                                     const NodeInfo& node, CauseList& causes,
                                     std::vector<std::size_t>& found) {
  const std::string list(path);
  if (LenientNodeSelector(terms).Matches(node.labels(), node.Name())) return;
  if (terms.empty()) {
    found.push_back(Add({list, "an empty list of terms, which selects no node",
                         "", "", std::nullopt},
                        reason, causes));
    return;
  }
  if (terms.size() == 1) {
    for (Unmet& unmet : UnmetOf(terms[0], list + "[0]", node)) {
      found.push_back(Add(std::move(unmet), reason, causes));
    }
    return;
  }
  // One of the terms would do: what the node lacks for each of them.
  Unmet all{list, "wants nodes with one of", "", "", std::nullopt};
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::vector<Unmet> unmet =
        UnmetOf(terms[i], absl::StrCat(list, "[", i, "]"), node);
    std::vector<std::string> wants;
    for (const NodeSelectorRequirement& one : terms[i].match_expressions) {
      wants.push_back(Describe(one));
    }
    for (const NodeSelectorRequirement& one : terms[i].match_fields) {
      wants.push_back(Describe(one));
    }
    absl::StrAppend(&all.wants, i == 0 ? " (" : " or (", Listed(wants, 10),
                    ")");
    if (unmet.empty()) continue;
    absl::StrAppend(&all.found, all.found.empty() ? "" : ", ",
                    unmet.front().found);
  }
  found.push_back(Add(std::move(all), reason, causes));
}

std::vector<std::size_t> NodeAffinityCauses::Find(const Refusal& refusal,
                                                  CauseList& causes) {
  std::vector<std::size_t> found;
  if (args_.added_affinity && args_.added_affinity->required) {
    FindInTerms(*args_.added_affinity->required,
                "(scheduler's addedAffinity).nodeSelectorTerms",
                NodeAffinityPlugin::kReasonEnforced, refusal.node, causes,
                found);
  }
  const PodSpec& spec = pod_.pod.spec;
  if (spec.node_selector) {
    for (const auto& [key, value] : *spec.node_selector) {
      const std::string* has = refusal.node.labels().Find(key);
      if (has != nullptr && *has == value) continue;
      found.push_back(Add(UnmetLabel("spec.nodeSelector[" + key + "]",
                                     "wants nodes with " + key + "=" + value,
                                     key, refusal.node),
                          NodeAffinityPlugin::kReasonPod, causes));
    }
  }
  if (spec.affinity && spec.affinity->node_affinity &&
      spec.affinity->node_affinity->required) {
    FindInTerms(*spec.affinity->node_affinity->required, kRequiredPath,
                NodeAffinityPlugin::kReasonPod, refusal.node, causes, found);
  }
  return found;
}

}  // namespace vicinal
