#include "server/live_page/picture.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/index/stored_pod.h"
#include "core/index/workload_name.h"
#include "core/model/natural_order.h"
#include "core/model/node.h"
#include "server/live_page/pending_causes.h"

namespace vicinal {
namespace {

constexpr std::size_t kMostNames = 20;  // Of the pending pods of a workload.

std::string LabelOr(const NodeInfo& node, const char* key) {
  const std::string* const value = node.labels().Find(key);
  return value == nullptr ? "" : *value;
}

// One cluster's picture in the making.
class Painter {
 public:
  explicit Painter(const ClusterState& cluster) : cluster_(cluster) {}

  Picture Paint(const ProfileOf& profile_of) {
    AddZones();
    cluster_.ForEachPod([this](const StoredPod& pod) { AddPod(pod); });
    picture_.pods = cluster_.pod_count();
    AddPending(profile_of);
    picture_.rules = ReportRules(cluster_, kMaxPictureSpreads);
    for (const BrokenRule& rule : picture_.rules.broken) {
      WorkloadNamed(rule.workload).seen.broken += rule.pods;
    }
    AddWorkloads();
    return std::move(picture_);
  }

 private:
  struct Workload {
    PictureWorkload seen;
    absl::flat_hash_map<std::size_t, std::size_t> cells;
    std::vector<const StoredPod*> pending;
  };

  void AddZones() {
    // By region and zone.
    std::map<std::pair<std::string, std::string>, std::vector<const NodeInfo*>>
        zones;
    for (const NodeInfo* node : cluster_.Nodes()) {
      zones[{LabelOr(*node, kRegionLabel), LabelOr(*node, kZoneLabel)}]
          .push_back(node);
    }
    picture_.nodes = cluster_.Nodes().size();
    const std::size_t per_cell =
        (picture_.nodes + kMaxPictureCells - 1) / kMaxPictureCells;
    std::vector<const NodeInfo*> rest;
    std::size_t folded = 0;
    for (auto& [names, nodes] : zones) {
      if (picture_.zones.size() + 1 == kMaxPictureZones &&
          zones.size() > kMaxPictureZones) {
        rest.insert(rest.end(), nodes.begin(), nodes.end());
        ++folded;
        continue;
      }
      PictureZone& zone = picture_.zones.emplace_back();
      std::tie(zone.region, zone.zone) = names;
      AddCells(nodes, per_cell, zone);
    }
    if (folded == 0) return;
    PictureZone& zone = picture_.zones.emplace_back();
    zone.folded = folded;
    AddCells(rest, per_cell, zone);
  }

  void AddCells(std::vector<const NodeInfo*>& nodes, std::size_t per_cell,
                PictureZone& zone) {
    std::ranges::sort(
        nodes, NaturalLess,
        [](const NodeInfo* node) -> std::string_view { return node->Name(); });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeInfo& node = *nodes[i];
      if (i % per_cell == 0) {
        zone.cells.emplace_back().first = node.Name();
        ++cell_count_;
      }
      PictureCell& cell = zone.cells.back();
      cell.last = node.Name();
      ++cell.nodes;
      cell.cordoned += node.node->unschedulable ? 1 : 0;
      cell.pods += node.pods.size();
      zone.pods += node.pods.size();
      cell_of_[node.id] = cell_count_ - 1;
    }
    zone.nodes = nodes.size();
  }

  void AddPod(const StoredPod& pod) {
    Workload& workload = WorkloadOf(pod);
    ++workload.seen.pods;
    if (pod.node() == nullptr) {
      // What is being deleted waits for nothing.
      if (!pod.terminating()) workload.pending.push_back(&pod);
      return;
    }
    const auto cell = cell_of_.find(pod.node()->id);
    if (cell != cell_of_.end()) ++workload.cells[cell->second];
  }

  Workload& WorkloadOf(const StoredPod& pod) {
    // Pods of one controller have this in common.
    if (ControllerOf(pod.common().meta) == nullptr) {
      return WorkloadNamed(WorkloadName(cluster_, pod));
    }
    Workload*& known = by_template_[&pod.common()];
    if (known == nullptr) known = &WorkloadNamed(WorkloadName(cluster_, pod));
    return *known;
  }

  Workload& WorkloadNamed(const std::string& name) { return workloads_[name]; }

  void AddPending(const ProfileOf& profile_of) {
    std::vector<std::pair<const std::string, Workload>*> waiting;
    for (auto& one : workloads_) {
      Workload& workload = one.second;
      if (workload.pending.empty()) continue;
      workload.seen.pending = workload.pending.size();
      picture_.pending_pods += workload.pending.size();
      waiting.push_back(&one);
    }
    picture_.pending_count = waiting.size();
    std::ranges::stable_sort(waiting, std::greater<>(), [](const auto* one) {
      return one->second.pending.size();
    });
    if (waiting.size() > kMaxPicturePending) {
      waiting.resize(kMaxPicturePending);
    }
    for (auto* const one : waiting) {
      PicturePending& pending = picture_.pending.emplace_back();
      pending.workload = one->first;
      std::vector<const StoredPod*>& pods = one->second.pending;
      pending.pods = pods.size();
      const auto end = pods.begin() + std::min(pods.size(), kMostNames);
      std::ranges::partial_sort(
          pods, end, NaturalLess,
          [](const StoredPod* pod) { return pod->name(); });
      for (auto it = pods.begin(); it != end; ++it) {
        pending.names.push_back(absl::StrCat((*it)->namespace_name(), "/",
                                             std::string((*it)->name())));
      }
      if (picture_.pending.size() <= kMaxExplained) {
        AddCauses(cluster_, profile_of, pods.front()->ToPod(), pending);
      }
    }
  }

  void AddWorkloads() {
    std::vector<std::pair<const std::string, Workload>*> order;
    for (auto& one : workloads_) order.push_back(&one);
    picture_.workload_count = order.size();
    std::ranges::stable_sort(order, std::greater<>(), [](const auto* one) {
      const PictureWorkload& seen = one->second.seen;
      return std::tuple(seen.broken, seen.pending, seen.pods);
    });
    if (order.size() > kMaxPictureWorkloads) {
      order.resize(kMaxPictureWorkloads);
    }
    for (auto* const one : order) {
      PictureWorkload& workload =
          picture_.workloads.emplace_back(std::move(one->second.seen));
      workload.name = one->first;
      workload.cells.assign(one->second.cells.begin(), one->second.cells.end());
      std::ranges::sort(workload.cells);
    }
  }

  const ClusterState& cluster_;
  Picture picture_;
  std::size_t cell_count_ = 0;
  absl::flat_hash_map<NodeId, std::size_t> cell_of_;
  std::map<std::string, Workload> workloads_;  // Which stay where they are.
  absl::flat_hash_map<const Pod*, Workload*> by_template_;
};

}  // namespace

Picture DrawPicture(const ClusterState& cluster, const ProfileOf& profile_of) {
  return Painter(cluster).Paint(profile_of);
}

}  // namespace vicinal
