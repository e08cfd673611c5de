// What the page of the running server shows of its cluster.
#ifndef VICINAL_SERVER_LIVE_PAGE_PICTURE_H_
#define VICINAL_SERVER_LIVE_PAGE_PICTURE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/deschedule/rule_report.h"
#include "core/index/cluster_state.h"
#include "server/scheduler_config/scheduler_profiles.h"

namespace vicinal {

// A node, or in a large cluster some nodes of a zone that follow each other in
// natural order.
struct PictureCell {
  std::string first;  // Names.
  std::string last;
  std::size_t nodes = 0;
  std::size_t cordoned = 0;  // Of these.
  std::size_t pods = 0;
};

struct PictureZone {
  std::string region;  // Empty: none.
  std::string zone;
  std::size_t folded = 0;  // The zones that are in this one; 0: it is one.
  std::size_t nodes = 0;
  std::size_t pods = 0;
  std::vector<PictureCell> cells;  // Numbered through all zones.
};

struct PictureWorkload {
  std::string name;  // See WorkloadName.
  std::size_t pods = 0;
  std::size_t pending = 0;
  std::size_t broken = 0;  // Pods that are part of what breaks a hard rule.
  // The number of a cell, and its pods of the workload.
  std::vector<std::pair<std::size_t, std::size_t>> cells;
};

// Pods of a workload that have no node.
struct PicturePending {
  struct Reason {
    std::string title;  // The plugin and what the scheduler says.
    std::string text;   // What the pod wants, and by which rule.
    std::size_t nodes = 0;
  };

  std::string workload;
  std::size_t pods = 0;
  std::vector<std::string> names;  // namespace/name of the first ones.
  // Whether the first of them was looked at; else the rest is empty.
  bool explained = false;
  std::string message;          // As in its PodScheduled condition.
  std::vector<Reason> reasons;  // Most nodes first.
  std::size_t more_reasons = 0;
  std::vector<std::string> hints;
};

struct Picture {
  std::size_t nodes = 0;
  std::size_t pods = 0;  // With those that are pending.
  std::size_t pending_pods = 0;
  std::vector<PictureZone> zones;
  // Those with broken rules first, then with pending pods, then by pods.
  std::vector<PictureWorkload> workloads;
  std::size_t workload_count = 0;       // Also those that are left out.
  std::vector<PicturePending> pending;  // Most pods first.
  std::size_t pending_count = 0;        // Also those that are left out.
  RuleReport rules;
};

// The bounds of a picture, whatever the size of the cluster.
inline constexpr std::size_t kMaxPictureCells = 600;  // And one for each zone.
inline constexpr std::size_t kMaxPictureZones = 100;
inline constexpr std::size_t kMaxPictureWorkloads = 200;
inline constexpr std::size_t kMaxPicturePending = 50;
inline constexpr std::size_t kMaxExplained = 8;  // Workloads with pending pods.
inline constexpr std::size_t kMaxPictureSpreads = 100;

// Null: no profile of the scheduler has this name.
using ProfileOf = std::function<const SchedulerProfile*(const std::string&)>;

// Cost: O(nodes × log nodes + pods), that of ReportRules, and kMaxExplained
// times that of Explain.
Picture DrawPicture(const ClusterState& cluster, const ProfileOf& profile_of);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LIVE_PAGE_PICTURE_H_
