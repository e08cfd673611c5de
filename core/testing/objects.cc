#include "core/testing/objects.h"

#include <cstdlib>
#include <iostream>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/pod_admission.h"
#include "core/model/read_objects.h"
#include "core/model/yaml.h"

namespace vicinal {
namespace {

template <typename T>
T ValueOrDie(absl::StatusOr<T> value, std::string_view yaml) {
  if (!value.ok()) {
    std::cerr << value.status() << " in\n" << yaml << "\n";
    std::abort();
  }
  return *std::move(value);
}

}  // namespace

Pod ParsePod(std::string_view yaml) {
  const std::vector<std::string> documents = ValueOrDie(YamlToJson(yaml), yaml);
  JsonReader reader;
  Pod pod = ValueOrDie(
      reader.ReadCopy<Pod>(documents.empty() ? "{}" : documents.front()), yaml);
  AdmitPod(pod);
  return pod;
}

PodInfo MakePod(std::string_view yaml) { return PodInfo(ParsePod(yaml)); }

Node MakeNode(std::string name, Labels labels) {
  Node node;
  node.meta.name = std::move(name);
  node.meta.labels = std::move(labels);
  return node;
}

void AddNode(ClusterState& cluster, std::string name, Labels labels) {
  cluster.Upsert(MakeNode(std::move(name), std::move(labels)));
}

void AddPod(ClusterState& cluster, std::string node, std::string_view yaml) {
  Pod pod = ParsePod(yaml);
  pod.spec.node_name = std::move(node);
  cluster.Upsert(std::move(pod));
}

void AddObjects(ClusterState& cluster, std::string_view yaml) {
  for (Object& object : ValueOrDie(ReadObjects(yaml), yaml)) {
    cluster.Upsert(std::move(object));
  }
}

}  // namespace vicinal
