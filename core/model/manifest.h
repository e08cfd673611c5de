// Reads pods as people write them: on their own, or as the templates of
// workloads.
#ifndef VICINAL_CORE_MODEL_MANIFEST_H_
#define VICINAL_CORE_MODEL_MANIFEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/object.h"
#include "core/model/pod.h"
#include "core/model/pod_extras.h"
#include "core/model/storage.h"

namespace vicinal {

// A pod of a manifest.
struct ManifestPod {
  std::string kind;  // "Pod", or that of the workload.
  std::string name;  // Of the object in the manifest.
  // What precedes the pod's paths in the manifest: "" or "spec.template.".
  std::string path_prefix;
  // How many of them the workload wants; 1 for kinds that do not say.
  std::int32_t replicas = 1;
  // The pod as its controller and the API server would make it, but for a name
  // that they make up: then it is empty.
  Pod pod;
  // Its ports, volumes and gates. A StatefulSet's volumeClaimTemplates are
  // volumes whose claims are made for the pod.
  PodExtras extras;
};

struct Manifest {
  std::vector<ManifestPod> pods;
  // What else of the manifest bears on placement: nodes, namespaces, services,
  // and the objects that control the pods.
  std::vector<Object> objects;
  // Claims, volumes and their classes.
  StorageObjects storage;
  // `Kind namespace/name` of objects that do not.
  std::vector<std::string> skipped;
};

// The kinds that have pods: Pod, ReplicationController, ReplicaSet, Deployment,
// StatefulSet, DaemonSet, Job, CronJob and KubeVirt's
// VirtualMachineInstanceReplicaSet; in Lists and in several documents.
//
// What happens to a pod on its way into the cluster is done as far as placement
// depends on it:
//   * the namespace "default"; limits as the requests of containers that have
//     none; matchLabelKeys (see AdmitPod);
//   * Deployment: a ReplicaSet of its own with a pod-template-hash that no pod
//     in the cluster has, as for a first or changed revision;
//   * Job: the labels job-name and batch.kubernetes.io/job-name;
//   * DaemonSet: the tolerations that its controller adds. Its pods keep the
//     template's own node affinity, which the controller checks before it makes
//     a pod for a node, and do not get the one by metadata.name: one pod stands
//     for all of them, and a topology spread constraint of it counts all nodes;
//   * VirtualMachineInstanceReplicaSet: requests are those of
//     spec.domain.resources, or spec.domain.memory.guest, without what
//     virt-launcher takes itself.
//
// Appends what is probably a mistake to `warnings` (see manifest_check.h), also
// if there is an error. Errors name the object, the field and the value: text
// that is neither YAML nor JSON, duplicate keys, a kind that is nearly one that
// has pods, fields of a wrong type. Cost: O(text).
absl::StatusOr<Manifest> ReadManifest(std::string_view text,
                                      std::vector<std::string>& warnings);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_MANIFEST_H_
