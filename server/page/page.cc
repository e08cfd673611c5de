#include "server/page/page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/explain/describe.h"
#include "core/index/stored_pod.h"
#include "core/model/node.h"
#include "core/model/object_meta.h"
#include "server/page/page_template.h"

namespace vicinal {
namespace {

using Json = nlohmann::json;

constexpr char kRegionLabel[] = "topology.kubernetes.io/region";

std::string LabelOr(const Labels& labels, const char* key) {
  const std::string* value = labels.Find(key);
  return value == nullptr ? "" : *value;
}

std::string NameOf(const StoredPod& pod) {
  return absl::StrCat(pod.namespace_name(), "/", std::string(pod.name()));
}

// What made the pod: its controller, or that one's.
std::string WorkloadOf(const ClusterState& cluster, const StoredPod& pod) {
  const OwnerReference* owner = ControllerOf(pod.common().meta);
  if (owner == nullptr) return NameOf(pod);
  std::string name = owner->name;
  if (owner->kind == "ReplicaSet") {
    const auto& sets = cluster.All<ReplicaSet>();
    const auto set = sets.find({pod.namespace_name(), owner->name});
    if (set != sets.end()) {
      const OwnerReference* deployment = ControllerOf(set->second.meta);
      if (deployment != nullptr) name = deployment->name;
    }
  }
  return pod.namespace_name() + "/" + name;
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

Json JsonOf(const PageNode& node) {
  Json json = {{"name", node.name},          {"region", node.region},
               {"zone", node.zone},          {"causes", node.causes},
               {"podCount", node.pod_count}, {"pods", Json::array()}};
  if (!node.notes.empty()) json["notes"] = node.notes;
  if (node.fits) json["fits"] = *node.fits;
  if (node.score) json["score"] = *node.score;
  for (const PagePod& pod : node.pods) {
    Json one = {{"workload", pod.workload}, {"name", pod.name}};
    if (pod.blocking) one["blocking"] = true;
    if (pod.is_new) one["new"] = true;
    json["pods"].push_back(std::move(one));
  }
  return json;
}

Json JsonOf(const SpreadState& spread) {
  Json json = {{"rule", spread.rule},
               {"topologyKey", spread.topology_key},
               {"hard", spread.hard},
               {"maxSkew", spread.numbers.max_skew},
               {"minimum", spread.numbers.minimum},
               {"domains", Json::array()}};
  for (const SpreadDomain& domain : spread.domains) {
    json["domains"].push_back({{"value", domain.value},
                               {"pods", domain.pods},
                               {"counts", domain.eligible},
                               {"open", domain.open}});
  }
  return json;
}

}  // namespace

PageView ViewOf(const ClusterState& cluster, Page& page) {
  PageView view;
  Workloads workloads(page);
  const bool draws_pods = cluster.pod_count() <= kMaxDrawnPods;
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
    if (!draws_pods) continue;
    for (const StoredPod* pod : info->pods) {
      node.pods.push_back({workloads.IndexOf(WorkloadOf(cluster, *pod)),
                           NameOf(*pod), false, false});
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

std::string RenderPage(const Page& page) {
  Json json = {{"title", page.title},
               {"message", page.message},
               {"hints", page.hints},
               {"workloads", page.workloads},
               {"views", Json::array()}};
  for (const PageView& view : page.views) {
    Json one = {{"title", view.title},
                {"causes", view.causes},
                {"nodes", Json::array()},
                {"spreads", Json::array()}};
    for (const PageNode& node : view.nodes) {
      one["nodes"].push_back(JsonOf(node));
    }
    for (const SpreadState& spread : view.spreads) {
      one["spreads"].push_back(JsonOf(spread));
    }
    json["views"].push_back(std::move(one));
  }
  std::string data;
  // Nothing in the data may end the script element that it stands in.
  for (const char c :
       json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      data += "\\u003c";
    } else {
      data += c;
    }
  }
  std::string html(PageTemplate());
  return html.replace(html.find(kPageData), kPageData.size(), data);
}

}  // namespace vicinal
