// Short ways to write Kubernetes objects in tests.
//
//   ClusterState cluster;
//   AddNode(cluster, "n1", {{"zone", "a"}});
//   AddPod(cluster, "n1", "{metadata: {name: p, labels: {app: web}}}");
//   const PodInfo incoming = MakePod("{metadata: {labels: {app: web}}}");
//
// Texts are YAML (in which unquoted y, n, on and off are true or false). A text
// that cannot be read ends the test program.
#ifndef VICINAL_CORE_TESTING_OBJECTS_H_
#define VICINAL_CORE_TESTING_OBJECTS_H_

#include <string>
#include <string_view>

#include "core/index/cluster_state.h"
#include "core/index/pod_info.h"
#include "core/model/labels.h"
#include "core/model/node.h"
#include "core/model/pod.h"

namespace vicinal {

// A pod as it is in a cluster: in the namespace "default" unless the text names
// another, and with its matchLabelKeys merged.
Pod ParsePod(std::string_view yaml);
PodInfo MakePod(std::string_view yaml);

Node MakeNode(std::string name, Labels labels = {});

void AddNode(ClusterState& cluster, std::string name, Labels labels = {});

// Adds a pod that runs on a node, whether the text says so or not.
void AddPod(ClusterState& cluster, std::string node, std::string_view yaml);

// Adds the objects of a text in which each says its apiVersion and kind.
void AddObjects(ClusterState& cluster, std::string_view yaml);

}  // namespace vicinal

#endif  // VICINAL_CORE_TESTING_OBJECTS_H_
