// What of a pod bears on where it may go and the index does not keep: few pods
// have any of it, and only `vicinal explain` asks.
#ifndef VICINAL_CORE_MODEL_POD_EXTRAS_H_
#define VICINAL_CORE_MODEL_POD_EXTRAS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/storage.h"

namespace vicinal {

struct HostPort {
  std::string ip = "0.0.0.0";
  std::string protocol = "TCP";
  std::int32_t port = 0;

  friend bool operator==(const HostPort&, const HostPort&) = default;
};

// A volume that the scheduler looks at.
struct PodVolume {
  std::string name;
  std::optional<std::string> claim;  // persistentVolumeClaim.claimName
  // ephemeral: the claim is made for the pod, from this template.
  std::optional<PersistentVolumeClaim> ephemeral;
  // A source that only the scheduler's own code judges: "rbd".
  std::string in_tree;
};

struct PodExtras {
  std::vector<std::string> gates;  // schedulingGates
  // Of the containers that run as long as the pod does. With hostNetwork each
  // container port is one, as the API server has it.
  std::vector<HostPort> host_ports;
  std::vector<PodVolume> volumes;
  bool resource_claims = false;
  bool scheduling_group = false;
  // Fields for which the node must declare a feature.
  std::vector<std::string> features;

  bool IsEmpty() const {
    return gates.empty() && host_ports.empty() && volumes.empty() &&
           !resource_claims && !scheduling_group && features.empty();
  }
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_POD_EXTRAS_H_
