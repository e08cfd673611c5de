#include "server/commands/page/page.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/index/stored_pod.h"
#include "core/index/workload_name.h"
#include "core/model/node.h"

namespace vicinal {
namespace {

std::string LabelOr(const Labels& labels, const char* key) {
  const std::string* value = labels.Find(key);
  return value == nullptr ? "" : *value;
}

std::string NameOf(const StoredPod& pod) {
  return absl::StrCat(pod.namespace_name(), "/", std::string(pod.name()));
}

class Workloads {
 public:
  explicit Workloads(Page& page) : page_(page) {
    for (std::size_t i = 0; i < page.workloads.size(); ++i) {
      indices_[page.workloads[i]] = i;
    }
  }

  std::size_t IndexOf(const std::string& name) {
    const auto [it, is_new] =
        indices_.try_emplace(name, page_.workloads.size());
    if (is_new) page_.workloads.push_back(name);
    return it->second;
  }

 private:
  Page& page_;
  std::map<std::string, std::size_t> indices_;
};

// `Items`: of nodes or of pods.
template <typename Items>
std::set<std::string_view> NamesOf(const Items& items) {
  std::set<std::string_view> names;
  for (const auto& item : items) names.insert(item.name);
  return names;
}

const PageNode* FindNode(const PageView& view, std::string_view name) {
  const auto it = std::lower_bound(
      view.nodes.begin(), view.nodes.end(), name,
      [](const PageNode& node, std::string_view n) { return node.name < n; });
  return it == view.nodes.end() || it->name != name ? nullptr : &*it;
}

}  // namespace

std::size_t WorkloadIndex(const std::string& name, Page& page) {
  return Workloads(page).IndexOf(name);
}

PageView ViewOf(const ClusterState& cluster, Page& page) {
  PageView view;
  Workloads workloads(page);
  for (const NodeInfo* info : cluster.Nodes()) {
    PageNode& node = view.nodes.emplace_back();
    node.name = info->Name();
    node.region = LabelOr(info->labels(), kRegionLabel);
    node.zone = LabelOr(info->labels(), kZoneLabel);
    if (info->node->unschedulable) node.notes.emplace_back("cordoned");
    for (const Taint& taint : info->node->taints) {
      node.notes.push_back("taint " + Describe(taint));
    }
    node.pod_count = info->pods.size();
    for (const StoredPod* pod : info->pods) {
      node.pods.push_back(
          {workloads.IndexOf(WorkloadName(cluster, *pod)), NameOf(*pod)});
    }
    std::sort(
        node.pods.begin(), node.pods.end(),
        [](const PagePod& a, const PagePod& b) { return a.name < b.name; });
  }
  return view;
}

void AddExplanation(const Explanation& explanation, PageView& view) {
  std::set<std::string> blocking;
  for (const Cause& cause : explanation.causes) {
    std::vector<std::string> names;
    for (const PodReference& pod : cause.blocking_pods) {
      names.push_back(pod.key.namespace_name + "/" + pod.key.name);
    }
    blocking.insert(names.begin(), names.end());
    std::string text =
        absl::StrCat(std::string(cause.plugin), ": the pod ", cause.wants);
    if (!cause.found.empty()) absl::StrAppend(&text, "; ", cause.found);
    if (!names.empty()) absl::StrAppend(&text, ": ", Listed(names, 5));
    if (!cause.rule.empty()) {
      absl::StrAppend(&text, " (", cause.rule, ")");
    }
    view.causes.push_back(std::move(text));
  }
  for (const CauseGroup& group : explanation.groups) {
    PageReason& reason = view.reasons.emplace_back();
    reason.title = absl::StrCat(std::string(group.plugin), ", ", group.reason);
    reason.text = "the pod " + group.wants;
    if (!group.rule.empty()) reason.text += " (" + group.rule + ")";
    reason.causes = group.causes;
    reason.nodes = group.nodes;
  }
  std::map<std::string_view, const NodeExplanation*> nodes;
  for (const NodeExplanation& node : explanation.nodes) {
    nodes[node.name] = &node;
  }
  for (PageNode& node : view.nodes) {
    for (PagePod& pod : node.pods) pod.blocking = blocking.contains(pod.name);
    const auto it = nodes.find(node.name);
    if (it == nodes.end()) continue;
    node.fits = it->second->status.ok();
    if (*node.fits) node.score = it->second->total;
    node.causes = it->second->causes;
  }
  view.spreads = explanation.spreads;
}

void MarkChanges(PageView& before, PageView& after) {
  for (PageNode& node : before.nodes) {
    const PageNode* later = FindNode(after, node.name);
    if (later == nullptr) node.notes.emplace_back("is removed");
    const std::set<std::string_view> staying =
        later == nullptr ? std::set<std::string_view>() : NamesOf(later->pods);
    for (PagePod& pod : node.pods) pod.is_leaving = !staying.contains(pod.name);
  }
  for (PageNode& node : after.nodes) {
    const PageNode* earlier = FindNode(before, node.name);
    if (earlier == nullptr) node.notes.emplace_back("is new");
    const std::set<std::string_view> known = earlier == nullptr
                                                 ? std::set<std::string_view>()
                                                 : NamesOf(earlier->pods);
    for (PagePod& pod : node.pods) pod.is_new = !known.contains(pod.name);
  }
}

}  // namespace vicinal
