// A picture of a cluster as one self-contained HTML page: the topology as
// nested boxes, the pods in them, and what closes which domain. Several views
// stand side by side: before and after, say.
//
//   Page page;
//   page.title = "…";
//   page.views.push_back(ViewOf(cluster, page));
//   …                                             // The cluster changes.
//   page.views.push_back(ViewOf(cluster, page));
//   MarkChanges(page.views[0], page.views[1]);
//   out << RenderPage(page);
#ifndef VICINAL_SERVER_COMMANDS_PAGE_PAGE_H_
#define VICINAL_SERVER_COMMANDS_PAGE_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/simulate/simulation_report.h"

namespace vicinal {

struct PagePod {
  std::size_t workload = 0;  // In Page::workloads.
  std::string name;          // namespace/name
  bool blocking = false;     // In the way of the pod that is explained.
  bool is_new = false;       // Not there in the view before.
  bool is_leaving = false;   // Not there in the view after.
};

// A pod without a node.
struct PagePendingPod {
  PagePod pod;
  std::string reason;  // In the scheduler's words; may be empty.
};

struct PageNode {
  std::string name;
  std::string region;  // Empty: none.
  std::string zone;
  std::vector<std::string> notes;     // Taints, cordon; new or leaving.
  std::optional<bool> fits;           // Absent: nobody asks.
  std::optional<std::int64_t> score;  // Of a node that fits.
  std::vector<std::size_t> causes;    // In PageView::causes.
  std::size_t pod_count = 0;
  std::vector<PagePod> pods;
};

// Why nodes are closed: what they have in common.
struct PageReason {
  std::string title;                // The plugin and its reason.
  std::string text;                 // What the pod wants, and by which rule.
  std::vector<std::size_t> causes;  // In PageView::causes.
  std::size_t nodes = 0;            // That have any of these.
};

struct PageView {
  std::string title;
  std::string caption;              // What the marks are about; may be empty.
  std::vector<PageNode> nodes;      // By name.
  std::vector<std::string> causes;  // Sentences.
  std::vector<PageReason> reasons;  // Most nodes first.
  std::vector<SpreadState> spreads;
  std::vector<PagePendingPod> pending;
};

struct PageStep {
  std::string name;
  std::optional<bool> passed;  // Absent: nothing was expected of it.
};

struct Page {
  std::string title;
  std::string message;
  std::vector<PageStep> steps;
  std::vector<std::string> hints;
  std::vector<std::string> notes;
  std::vector<SpreadReport> spreads;   // Before and after.
  std::vector<std::string> workloads;  // namespace/name
  std::vector<PageView> views;
};

// A page has bounds, so that it stays small in a cluster of any size: it has
// the names of all nodes, and of the rest no more than this.
//
// Of more pods in a view only those that come, go or are in the way are drawn,
// and of these so many; the others are counted.
inline constexpr std::size_t kMaxDrawnPods = 5000;
// Causes in their own words, in a view; of others the reason is told.
inline constexpr std::size_t kMaxCauses = 1000;
// Comparisons of before and after.
inline constexpr std::size_t kMaxComparisons = 100;

// The nodes of a cluster and the pods on them, coloured by workload: a
// Deployment's ReplicaSets are one. Adds workloads to the page.
// Cost: O(nodes + pods).
PageView ViewOf(const ClusterState& cluster, Page& page);

// Marks pods and nodes that are in only one of two views.
void MarkChanges(PageView& before, PageView& after);

// The number of a workload, which is added if the page does not have it.
// Cost: O(workloads).
std::size_t WorkloadIndex(const std::string& name, Page& page);

// Marks in a view of the same cluster what an explanation says.
void AddExplanation(const Explanation& explanation, PageView& view);

// The page; it loads nothing, and names and messages in it are never taken for
// HTML.
std::string RenderPage(const Page& page);

// Writes the page into a file. The error names it.
absl::Status WritePage(const Page& page, const std::string& path);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_PAGE_PAGE_H_
