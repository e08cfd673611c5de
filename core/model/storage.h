// Claims, volumes and what else the volume plugins of the scheduler look at.
// Only `vicinal explain` reads these: the index does not keep them.
#ifndef VICINAL_CORE_MODEL_STORAGE_H_
#define VICINAL_CORE_MODEL_STORAGE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/label_selector.h"
#include "core/model/labels.h"
#include "core/model/node_selector.h"
#include "core/model/quantity.h"

namespace vicinal {

// v1.PersistentVolumeClaim.
struct PersistentVolumeClaim {
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::optional<std::string> controller_uid;  // Of the owner that controls it.
  bool is_deleted = false;                    // Has a deletionTimestamp.
  bool is_bound = false;  // Annotation pv.kubernetes.io/bind-completed.
  // Annotation volume.kubernetes.io/selected-node.
  std::optional<std::string> selected_node;
  // spec.storageClassName, or the beta annotation. Absent: not said.
  std::optional<std::string> class_name;
  std::string volume_name;
  std::optional<LabelSelector> selector;
  std::optional<Quantity> request;  // spec.resources.requests.storage
  std::vector<std::string> access_modes;
  std::string volume_mode = "Filesystem";
  std::string attributes_class;
  std::string phase;
};

// v1.PersistentVolume.
struct PersistentVolume {
  struct ClaimRef {
    std::string namespace_name;
    std::string name;
    std::string uid;
  };

  std::string name;
  Labels labels;
  bool is_deleted = false;
  std::string class_name;
  std::optional<ClaimRef> claim_ref;
  std::optional<Quantity> capacity;           // spec.capacity.storage
  std::optional<NodeSelector> node_affinity;  // spec.nodeAffinity.required
  std::vector<std::string> access_modes;
  std::string volume_mode = "Filesystem";
  std::string attributes_class;
  std::string phase;
  std::string driver;  // spec.csi
  std::string handle;
  // The source, if it is one of a cloud that a CSI driver serves today:
  // "awsElasticBlockStore".
  std::string in_tree;
};

// storage.k8s.io/v1 StorageClass.
struct StorageClass {
  struct TopologyRequirement {
    std::string key;
    std::vector<std::string> values;
  };

  std::string name;
  bool is_default = false;  // storageclass.kubernetes.io/is-default-class
  std::string provisioner;
  std::optional<std::string> binding_mode;
  // Terms ORed, the requirements of a term ANDed.
  std::vector<std::vector<TopologyRequirement>> allowed_topologies;
};

// storage.k8s.io/v1 CSINode.
struct CsiNode {
  struct Driver {
    std::string name;
    std::optional<std::int32_t> count;  // allocatable.count
  };

  std::string name;
  std::vector<Driver> drivers;
};

// storage.k8s.io/v1 CSIDriver.
struct CsiDriver {
  std::string name;
  bool storage_capacity = false;
  bool prevent_pod_scheduling_if_missing = false;
};

// storage.k8s.io/v1 CSIStorageCapacity.
struct CsiStorageCapacity {
  std::string name;  // With its namespace: one of a kind.
  std::string class_name;
  std::optional<LabelSelector> node_topology;
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;
};

// storage.k8s.io/v1 VolumeAttachment.
struct VolumeAttachment {
  std::string name;
  std::string attacher;
  std::string node;
  std::string volume;  // spec.source.persistentVolumeName
};

// What is known of all these.
struct StorageObjects {
  std::map<std::pair<std::string, std::string>, PersistentVolumeClaim>
      claims;  // By namespace and name.
  std::map<std::string, PersistentVolume> volumes;
  std::map<std::string, StorageClass> classes;
  std::map<std::string, CsiNode> csi_nodes;
  std::map<std::string, CsiDriver> drivers;
  std::map<std::string, CsiStorageCapacity> capacities;
  std::map<std::string, VolumeAttachment> attachments;
  // The kinds that are known: read from an API server, or at least one is here.
  std::set<std::string, std::less<>> known;

  bool Knows(std::string_view kind) const { return known.contains(kind); }
};

inline constexpr char kClaimKind[] = "PersistentVolumeClaim";
inline constexpr char kVolumeKind[] = "PersistentVolume";
inline constexpr char kStorageClassKind[] = "StorageClass";
inline constexpr char kCsiNodeKind[] = "CSINode";
inline constexpr char kCsiDriverKind[] = "CSIDriver";
inline constexpr char kCapacityKind[] = "CSIStorageCapacity";
inline constexpr char kAttachmentKind[] = "VolumeAttachment";

inline constexpr char kWaitForFirstConsumer[] = "WaitForFirstConsumer";

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_STORAGE_H_
