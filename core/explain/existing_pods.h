// What explanations look at of the pods that are there: the one place that
// knows how the cluster state holds them.
#ifndef VICINAL_CORE_EXPLAIN_EXISTING_PODS_H_
#define VICINAL_CORE_EXPLAIN_EXISTING_PODS_H_

#include <string>
#include <vector>

#include "core/explain/explanation.h"
#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/labels.h"
#include "core/model/selector.h"

namespace vicinal {

// A pod of NodeInfo::pods.
using ExistingPod = PodInfo;

PodReference ReferenceTo(const ExistingPod& pod, const NodeInfo& node);
PodReference ReferenceToNominated(const PodInfo& pod, const NodeInfo& node);

const std::string& NamespaceOf(const ExistingPod& pod);
const Labels& LabelsOf(const ExistingPod& pod);
bool IsTerminatingPod(const ExistingPod& pod);

// Whether a term, its namespaces merged (WithNamespacesMerged), is about a pod.
bool IsAbout(const AffinityTerm& merged, const std::string& namespace_name,
             const Labels& labels);

// The required anti-affinity terms that the pod carries.
std::vector<AffinityTerm> AntiAffinityTermsOf(const ExistingPod& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_EXISTING_PODS_H_
