// Makes a pod as a controller and the API server make it.
#ifndef VICINAL_CORE_SIMULATE_POD_FROM_TEMPLATE_H_
#define VICINAL_CORE_SIMULATE_POD_FROM_TEMPLATE_H_

#include <string>

#include "core/simulate/simulated_workload.h"

namespace vicinal {

// A pod of the workload's template, owned by it, with what the admission
// plugins add: matchLabelKeys merged, and tolerations of nodes that are not
// ready or not reachable.
Pod PodFromTemplate(const Workload& workload, std::string name);

// What the API server's admission makes of any new pod.
// Source: plugin/pkg/admission/defaulttolerationseconds.
void AdmitNewPod(Pod& pod);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_POD_FROM_TEMPLATE_H_
