// A picture of a cluster as one self-contained HTML page: the topology as
// nested boxes, the pods in them, and what closes which domain. Several views
// stand side by side: before and after, say.
//
//   Page page;
//   page.title = "…";
//   page.views.push_back(ViewOf(cluster, page));
//   out << RenderPage(page);
#ifndef VICINAL_SERVER_PAGE_PAGE_H_
#define VICINAL_SERVER_PAGE_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"

namespace vicinal {

struct PagePod {
  std::size_t workload = 0;  // In Page::workloads.
  std::string name;          // namespace/name
  bool blocking = false;     // In the way of the pod that is explained.
  bool is_new = false;       // Not there in the view before.
};

struct PageNode {
  std::string name;
  std::string region;  // Empty: none.
  std::string zone;
  std::vector<std::string> notes;     // Taints, cordon.
  std::optional<bool> fits;           // Absent: nobody asks.
  std::optional<std::int64_t> score;  // Of a node that fits.
  std::vector<std::size_t> causes;    // In PageView::causes.
  std::size_t pod_count = 0;
  std::vector<PagePod> pods;  // Empty if the cluster has too many to draw.
};

struct PageView {
  std::string title;
  std::vector<PageNode> nodes;      // By name.
  std::vector<std::string> causes;  // Sentences.
  std::vector<SpreadState> spreads;
};

struct Page {
  std::string title;
  std::string message;
  std::vector<std::string> hints;
  std::vector<std::string> workloads;  // namespace/name
  std::vector<PageView> views;
};

// More pods than these are not drawn one by one, only counted.
inline constexpr std::size_t kMaxDrawnPods = 5000;

// The nodes of a cluster and the pods on them, coloured by workload: a
// Deployment's ReplicaSets are one. Adds workloads to the page.
// Cost: O(nodes + pods).
PageView ViewOf(const ClusterState& cluster, Page& page);

// Marks in a view of the same cluster what an explanation says.
void AddExplanation(const Explanation& explanation, PageView& view);

// The page; it loads nothing, and names and messages in it are never taken for
// HTML.
std::string RenderPage(const Page& page);

}  // namespace vicinal

#endif  // VICINAL_SERVER_PAGE_PAGE_H_
