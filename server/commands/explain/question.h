// What `vicinal explain` is asked about: pods of a manifest, or a pod of the
// cluster.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_QUESTION_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_QUESTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/model/pod.h"
#include "core/model/pod_extras.h"
#include "core/plugins/cluster_extras.h"

namespace vicinal {

struct Question {
  std::string kind;  // Of the object in the manifest; "Pod" for the cluster's.
  ObjectKey object;
  // Precedes the pod's paths in the manifest: "" or "spec.template.".
  std::string path_prefix;
  Pod pod;  // Is not on a node.
  PodExtras extras;
  std::int32_t replicas = 1;  // That the workload wants.
  // What of the question itself cannot be judged.
  std::vector<NotChecked> not_checked;
};

// Reads the pods of a manifest (see ReadManifest), puts the other objects of it
// into the cluster and its extras as if they were applied, and takes pods of
// the same names out of it: the question is where they could go now. Appends to
// `warnings` what is probably a mistake, also if there is an error: misspelt
// fields, a namespace that the cluster does not have.
absl::StatusOr<std::vector<Question>> QuestionsOf(
    std::string_view manifest, ClusterState& cluster, ClusterExtras& extras,
    std::vector<std::string>& warnings);

// A pod of the cluster by `namespace/name`, or `name` in the namespace default.
// It is taken out of the cluster. Error: there is no such pod; with what was
// probably meant.
absl::StatusOr<Question> QuestionAbout(std::string_view pod,
                                       ClusterState& cluster,
                                       const ClusterExtras& extras,
                                       std::vector<std::string>& warnings);

// Adds objects of a manifest, which count as applied, but for those that are
// there already with all that has become of them.
void PutStorage(StorageObjects from, StorageObjects& into);

// Puts the claims into the extras that would be made for the pod: those of
// ephemeral volumes and of a StatefulSet. Claims that do not name a class get
// the default one.
void MakeClaims(Question& question, ClusterExtras& extras);

// Appends a warning if the cluster does not have the namespace.
void CheckNamespace(const std::string& name, const ClusterState& cluster,
                    std::vector<std::string>& warnings);

// Takes a pod out of the cluster, if it is there, and warns if it is on a node.
void TakeOut(const ObjectKey& key, ClusterState& cluster,
             std::vector<std::string>& warnings);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_QUESTION_H_
