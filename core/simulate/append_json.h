// Writes objects as JSON: the fields that vicinal knows, such that reading the
// text gives the object again.
#ifndef VICINAL_CORE_SIMULATE_APPEND_JSON_H_
#define VICINAL_CORE_SIMULATE_APPEND_JSON_H_

#include <string>

#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/pod_disruption_budget.h"
#include "core/model/workload.h"

namespace vicinal {

// Each appends one object with its kind and apiVersion. Amounts of resources
// are rounded up to thousandths. Equal objects have equal texts. Cost: O(text).
void AppendJson(const Pod& pod, std::string& out);
void AppendJson(const Node& node, std::string& out);
void AppendJson(const Namespace& object, std::string& out);
void AppendJson(const Service& service, std::string& out);
void AppendJson(const ReplicationController& controller, std::string& out);
void AppendJson(const ReplicaSet& set, std::string& out);
void AppendJson(const StatefulSet& set, std::string& out);
void AppendJson(const PodDisruptionBudget& budget, std::string& out);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_APPEND_JSON_H_
