// Why the plugins for ports and volumes refuse.
#ifndef VICINAL_CORE_EXPLAIN_EXTRA_CAUSES_H_
#define VICINAL_CORE_EXPLAIN_EXTRA_CAUSES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/explain/cause_finder.h"
#include "core/index/pod_info.h"
#include "core/model/pod_extras.h"
#include "core/plugins/cluster_extras.h"

namespace vicinal {

// Which pods have the ports.
class NodePortsCauses : public CauseFinder {
 public:
  NodePortsCauses(const PodExtras& pod, const ClusterExtras& cluster)
      : pod_(pod), cluster_(cluster) {}
  std::vector<std::size_t> Find(const Refusal& refusal,
                                CauseList& causes) override;

 private:
  const PodExtras& pod_;
  const ClusterExtras& cluster_;
};

// Which claim and volume.
class VolumeCauses : public CauseFinder {
 public:
  VolumeCauses(std::string_view plugin, const PodInfo& info,
               const PodExtras& pod, const ClusterExtras& cluster)
      : plugin_(plugin), info_(info), pod_(pod), cluster_(cluster) {}
  std::vector<std::size_t> Find(const Refusal& refusal,
                                CauseList& causes) override;

 private:
  // What the pod wants of the node, for that reason.
  std::string Wants(const Refusal& refusal, std::string_view reason) const;
  std::string Claims() const;
  std::string BoundElsewhere(const NodeInfo& node) const;

  const std::string_view plugin_;
  const PodInfo& info_;
  const PodExtras& pod_;
  const ClusterExtras& cluster_;
};

bool IsAboutVolumes(std::string_view plugin);

// Null for other plugins.
std::unique_ptr<CauseFinder> MakeExtraCauseFinder(std::string_view plugin,
                                                  const PodInfo& info,
                                                  const PodExtras& pod,
                                                  const ClusterExtras& cluster);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_EXTRA_CAUSES_H_
