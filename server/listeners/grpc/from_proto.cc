#include "server/listeners/grpc/from_proto.h"

#include <google/protobuf/map.h>
#include <google/protobuf/repeated_ptr_field.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/api_resources.h"
#include "core/model/field_error.h"
#include "core/model/pod_admission.h"

namespace vicinal {
namespace {

using StringMap = google::protobuf::Map<std::string, std::string>;
template <typename Message>
using Repeated = google::protobuf::RepeatedPtrField<Message>;

absl::Status Required(const JsonPath& path, std::string_view field,
                      const std::string& value) {
  if (!value.empty()) return absl::OkStatus();
  return FieldError(path.Field(field), "required");
}

std::vector<std::string> Strings(const Repeated<std::string>& messages) {
  return {messages.begin(), messages.end()};
}

Labels ToLabels(const StringMap& messages) {
  return Labels(std::vector<Labels::Entry>(messages.begin(), messages.end()));
}

// Calls `decode(message, path, T*)` for each message.
template <typename Message, typename T, typename Decoder>
absl::Status DecodeEach(const Repeated<Message>& messages, const JsonPath& path,
                        std::vector<T>* out, Decoder decode) {
  out->reserve(out->size() + static_cast<std::size_t>(messages.size()));
  for (int i = 0; i < messages.size(); ++i) {
    absl::Status status =
        decode(messages[i], path.Index(static_cast<std::size_t>(i)),
               &out->emplace_back());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// The same for what cannot be wrong: `convert(message) -> T`.
template <typename Message, typename T>
std::vector<T> ConvertEach(const Repeated<Message>& messages,
                           T (*convert)(const Message&)) {
  std::vector<T> out;
  out.reserve(static_cast<std::size_t>(messages.size()));
  for (const Message& message : messages) out.push_back(convert(message));
  return out;
}

absl::Status DecodeQuantities(const StringMap& messages, const JsonPath& path,
                              ResourceList* out) {
  for (const auto& [name, text] : messages) {
    const absl::StatusOr<Quantity> quantity = Quantity::Parse(text);
    if (!quantity.ok()) {
      return FieldError(
          path.Field(name),
          std::string(quantity.status().message()) + ", got " + Quoted(text));
    }
    (*out)[name] = *quantity;
  }
  return absl::OkStatus();
}

// Kubernetes' own encoding does not tell an empty map from an absent one.
absl::Status DecodeQuantities(const StringMap& messages, const JsonPath& path,
                              std::optional<ResourceList>* out) {
  if (messages.empty()) return absl::OkStatus();
  return DecodeQuantities(messages, path, &out->emplace());
}

LabelSelector ToLabelSelector(const v1::LabelSelector& message) {
  LabelSelector selector;
  selector.match_labels = ToLabels(message.match_labels());
  for (const auto& requirement : message.match_expressions()) {
    selector.match_expressions.push_back({requirement.key(),
                                          requirement.operator_(),
                                          Strings(requirement.values())});
  }
  return selector;
}

// `message` has a field `name` that is a LabelSelector.
template <typename Message>
std::optional<LabelSelector> OptionalSelector(
    const Message& message, bool (Message::*has)() const,
    const v1::LabelSelector& (Message::*get)() const) {
  if (!(message.*has)()) return std::nullopt;
  return ToLabelSelector((message.*get)());
}

OwnerReference ToOwnerReference(const v1::OwnerReference& message) {
  return {message.api_version(), message.kind(), message.name(),
          message.controller()};
}

ObjectMeta ToObjectMeta(const v1::ObjectMeta& message) {
  ObjectMeta meta;
  meta.name = message.name();
  meta.namespace_name = message.namespace_();
  meta.uid = message.uid();
  meta.labels = ToLabels(message.labels());
  meta.owner_references =
      ConvertEach(message.owner_references(), &ToOwnerReference);
  if (message.has_deletion_timestamp()) {
    meta.deletion_timestamp = message.deletion_timestamp();
  }
  return meta;
}

NodeSelectorRequirement ToNodeRequirement(
    const v1::NodeSelectorRequirement& message) {
  return {message.key(), message.operator_(), Strings(message.values())};
}

NodeSelectorTerm ToNodeSelectorTerm(const v1::NodeSelectorTerm& message) {
  return {ConvertEach(message.match_expressions(), &ToNodeRequirement),
          ConvertEach(message.match_fields(), &ToNodeRequirement)};
}

PreferredSchedulingTerm ToPreferredTerm(
    const v1::PreferredSchedulingTerm& message) {
  return {message.weight(), ToNodeSelectorTerm(message.preference())};
}

NodeAffinity ToNodeAffinity(const v1::NodeAffinity& message) {
  NodeAffinity affinity;
  if (message.has_required_during_scheduling_ignored_during_execution()) {
    affinity.required = ConvertEach(
        message.required_during_scheduling_ignored_during_execution()
            .node_selector_terms(),
        &ToNodeSelectorTerm);
  }
  const auto& preferred =
      message.preferred_during_scheduling_ignored_during_execution();
  if (!preferred.empty()) {
    affinity.preferred = ConvertEach(preferred, &ToPreferredTerm);
  }
  return affinity;
}

absl::Status DecodeTerm(const v1::PodAffinityTerm& message,
                        const JsonPath& path, PodAffinityTerm* out) {
  out->label_selector =
      OptionalSelector(message, &v1::PodAffinityTerm::has_label_selector,
                       &v1::PodAffinityTerm::label_selector);
  out->namespaces = Strings(message.namespaces());
  out->namespace_selector =
      OptionalSelector(message, &v1::PodAffinityTerm::has_namespace_selector,
                       &v1::PodAffinityTerm::namespace_selector);
  out->topology_key = message.topology_key();
  out->match_label_keys = Strings(message.match_label_keys());
  out->mismatch_label_keys = Strings(message.mismatch_label_keys());
  return Required(path, "topologyKey", out->topology_key);
}

absl::Status DecodeWeightedTerm(const v1::WeightedPodAffinityTerm& message,
                                const JsonPath& path,
                                WeightedPodAffinityTerm* out) {
  out->weight = message.weight();
  // A term that is absent is left empty, as from JSON.
  if (!message.has_pod_affinity_term()) return absl::OkStatus();
  return DecodeTerm(message.pod_affinity_term(), path.Field("podAffinityTerm"),
                    &out->term);
}

// PodAffinity or PodAntiAffinity.
template <typename Message>
absl::Status DecodePodAffinity(const Message& message, const JsonPath& path,
                               PodAffinity* out) {
  absl::Status status =
      DecodeEach(message.required_during_scheduling_ignored_during_execution(),
                 path.Field("requiredDuringSchedulingIgnoredDuringExecution"),
                 &out->required, DecodeTerm);
  if (!status.ok()) return status;
  return DecodeEach(
      message.preferred_during_scheduling_ignored_during_execution(),
      path.Field("preferredDuringSchedulingIgnoredDuringExecution"),
      &out->preferred, DecodeWeightedTerm);
}

absl::Status DecodeAffinity(const v1::Affinity& message, const JsonPath& path,
                            Affinity* out) {
  if (message.has_node_affinity()) {
    out->node_affinity = ToNodeAffinity(message.node_affinity());
  }
  if (message.has_pod_affinity()) {
    absl::Status status =
        DecodePodAffinity(message.pod_affinity(), path.Field("podAffinity"),
                          &out->pod_affinity.emplace());
    if (!status.ok()) return status;
  }
  if (!message.has_pod_anti_affinity()) return absl::OkStatus();
  return DecodePodAffinity(message.pod_anti_affinity(),
                           path.Field("podAntiAffinity"),
                           &out->pod_anti_affinity.emplace());
}

absl::Status DecodeSpread(const v1::TopologySpreadConstraint& message,
                          const JsonPath& path, TopologySpreadConstraint* out) {
  out->max_skew = message.max_skew();
  out->topology_key = message.topology_key();
  out->when_unsatisfiable = message.when_unsatisfiable();
  out->label_selector = OptionalSelector(
      message, &v1::TopologySpreadConstraint::has_label_selector,
      &v1::TopologySpreadConstraint::label_selector);
  if (message.has_min_domains()) out->min_domains = message.min_domains();
  if (message.has_node_affinity_policy()) {
    out->node_affinity_policy = message.node_affinity_policy();
  }
  if (message.has_node_taints_policy()) {
    out->node_taints_policy = message.node_taints_policy();
  }
  out->match_label_keys = Strings(message.match_label_keys());
  absl::Status status = Required(path, "topologyKey", out->topology_key);
  if (!status.ok()) return status;
  return Required(path, "whenUnsatisfiable", out->when_unsatisfiable);
}

Toleration ToToleration(const v1::Toleration& message) {
  return {message.key(), message.operator_(), message.value(),
          message.effect()};
}

Taint ToTaint(const v1::Taint& message) {
  return {message.key(), message.value(), message.effect()};
}

absl::Status DecodeContainer(const v1::Container& message, const JsonPath& path,
                             Container* out) {
  out->name = message.name();
  out->image = message.image();
  out->restart_policy = message.restart_policy();
  return DecodeQuantities(message.resources().requests(),
                          path.Field("resources").Field("requests"),
                          &out->requests);
}

absl::Status DecodeContainerStatus(const v1::ContainerStatus& message,
                                   const JsonPath& path, ContainerStatus* out) {
  out->name = message.name();
  absl::Status status = DecodeQuantities(message.allocated_resources(),
                                         path.Field("allocatedResources"),
                                         &out->allocated_resources);
  if (!status.ok() || !message.has_resources()) return status;
  return DecodeQuantities(message.resources().requests(),
                          path.Field("resources").Field("requests"),
                          &out->resources.emplace().requests);
}

absl::Status DecodeSpec(const v1::PodSpec& message, const JsonPath& path,
                        PodSpec* out) {
  out->node_name = message.node_name();
  out->scheduler_name = message.scheduler_name();
  if (message.has_priority()) out->priority = message.priority();
  if (!message.node_selector().empty()) {
    out->node_selector = ToLabels(message.node_selector());
  }
  out->tolerations = ConvertEach(message.tolerations(), &ToToleration);
  for (const v1::Volume& volume : message.volumes()) {
    if (volume.has_image()) {
      out->image_volumes.push_back(volume.image().reference());
    }
  }
  absl::Status status;
  if (message.has_affinity()) {
    status = DecodeAffinity(message.affinity(), path.Field("affinity"),
                            &out->affinity.emplace());
  }
  if (status.ok()) {
    status = DecodeEach(message.topology_spread_constraints(),
                        path.Field("topologySpreadConstraints"),
                        &out->topology_spread_constraints, DecodeSpread);
  }
  if (status.ok()) {
    status = DecodeEach(message.containers(), path.Field("containers"),
                        &out->containers, DecodeContainer);
  }
  if (status.ok()) {
    status = DecodeEach(message.init_containers(), path.Field("initContainers"),
                        &out->init_containers, DecodeContainer);
  }
  if (status.ok()) {
    status = DecodeQuantities(message.overhead(), path.Field("overhead"),
                              &out->overhead);
  }
  if (status.ok()) {
    status = DecodeQuantities(message.resources().requests(),
                              path.Field("resources").Field("requests"),
                              &out->requests);
  }
  return status;
}

absl::Status DecodeStatus(const v1::PodStatus& message, const JsonPath& path,
                          PodStatus* out) {
  out->phase = message.phase();
  out->nominated_node_name = message.nominated_node_name();
  if (message.has_start_time()) {
    out->start_time = message.start_time().seconds();
  }
  for (const v1::PodCondition& condition : message.conditions()) {
    if (condition.type() != "PodResizePending") continue;
    out->resize_infeasible = condition.reason() == "Infeasible";
    break;
  }
  absl::Status status =
      DecodeEach(message.container_statuses(), path.Field("containerStatuses"),
                 &out->container_statuses, DecodeContainerStatus);
  if (status.ok()) {
    status = DecodeEach(message.init_container_statuses(),
                        path.Field("initContainerStatuses"),
                        &out->container_statuses, DecodeContainerStatus);
  }
  if (status.ok()) {
    status = DecodeQuantities(message.allocated_resources(),
                              path.Field("allocatedResources"),
                              &out->allocated_resources);
  }
  if (status.ok() && message.has_resources()) {
    status = DecodeQuantities(message.resources().requests(),
                              path.Field("resources").Field("requests"),
                              &out->resources.emplace().requests);
  }
  return status;
}

absl::Status DecodeKind(const v1::Pod& message, const JsonPath& path,
                        Pod* out) {
  return Decode(message, path, out);
}

absl::Status DecodeKind(const v1::Node& message, const JsonPath& path,
                        Node* out) {
  out->meta = ToObjectMeta(message.metadata());
  out->meta.namespace_name.clear();
  out->unschedulable = message.spec().unschedulable();
  out->taints = ConvertEach(message.spec().taints(), &ToTaint);
  for (const v1::ContainerImage& image : message.status().images()) {
    out->images.push_back({Strings(image.names()), image.size_bytes()});
  }
  return DecodeQuantities(message.status().allocatable(),
                          path.Field("status").Field("allocatable"),
                          &out->allocatable);
}

absl::Status DecodeKind(const v1::Namespace& message, const JsonPath&,
                        Namespace* out) {
  out->meta = ToObjectMeta(message.metadata());
  out->meta.namespace_name.clear();
  return absl::OkStatus();
}

// The kinds below have namespaces, and nothing in them can be wrong.
template <typename Message>
ObjectMeta NamespacedMeta(const Message& message) {
  ObjectMeta meta = ToObjectMeta(message.metadata());
  if (meta.namespace_name.empty()) meta.namespace_name = "default";
  return meta;
}

absl::Status DecodeKind(const v1::Service& message, const JsonPath&,
                        Service* out) {
  out->meta = NamespacedMeta(message);
  if (!message.spec().selector().empty()) {
    out->selector = ToLabels(message.spec().selector());
  }
  return absl::OkStatus();
}

absl::Status DecodeKind(const v1::ReplicationController& message,
                        const JsonPath&, ReplicationController* out) {
  out->meta = NamespacedMeta(message);
  out->selector = ToLabels(message.spec().selector());
  return absl::OkStatus();
}

absl::Status DecodeKind(const v1::ReplicaSet& message, const JsonPath&,
                        ReplicaSet* out) {
  out->meta = NamespacedMeta(message);
  out->selector =
      OptionalSelector(message.spec(), &v1::ReplicaSetSpec::has_selector,
                       &v1::ReplicaSetSpec::selector);
  return absl::OkStatus();
}

absl::Status DecodeKind(const v1::StatefulSet& message, const JsonPath&,
                        StatefulSet* out) {
  out->meta = NamespacedMeta(message);
  out->selector =
      OptionalSelector(message.spec(), &v1::StatefulSetSpec::has_selector,
                       &v1::StatefulSetSpec::selector);
  return absl::OkStatus();
}

absl::Status DecodeKind(const v1::PodDisruptionBudget& message, const JsonPath&,
                        PodDisruptionBudget* out) {
  out->meta = NamespacedMeta(message);
  out->selector = OptionalSelector(message.spec(),
                                   &v1::PodDisruptionBudgetSpec::has_selector,
                                   &v1::PodDisruptionBudgetSpec::selector);
  out->disruptions_allowed = message.status().disruptions_allowed();
  out->disrupted_pods = ToLabels(message.status().disrupted_pods());
  return absl::OkStatus();
}

template <typename Kind, typename Message>
absl::Status DecodeNamed(const Message& message, const JsonPath& path,
                         Object* out) {
  Kind kind;
  absl::Status status = DecodeKind(message, path, &kind);
  if (status.ok()) {
    status = Required(path.Field("metadata"), "name", kind.meta.name);
  }
  *out = std::move(kind);
  return status;
}

}  // namespace

absl::Status Decode(const v1::Pod& message, const JsonPath& path, Pod* out) {
  out->meta = NamespacedMeta(message);
  absl::Status status =
      DecodeSpec(message.spec(), path.Field("spec"), &out->spec);
  if (!status.ok()) return status;
  status = DecodeStatus(message.status(), path.Field("status"), &out->status);
  if (status.ok()) AdmitPod(*out);
  return status;
}

absl::Status Decode(const v1::Object& message, const JsonPath& path,
                    Object* out) {
  switch (message.kind_case()) {
    case v1::Object::kNode:
      return DecodeNamed<Node>(message.node(), path.Field("node"), out);
    case v1::Object::kPod:
      return DecodeNamed<Pod>(message.pod(), path.Field("pod"), out);
    case v1::Object::kNamespace:
      return DecodeNamed<Namespace>(message.namespace_(),
                                    path.Field("namespace"), out);
    case v1::Object::kService:
      return DecodeNamed<Service>(message.service(), path.Field("service"),
                                  out);
    case v1::Object::kReplicationController:
      return DecodeNamed<ReplicationController>(
          message.replication_controller(), path.Field("replicationController"),
          out);
    case v1::Object::kReplicaSet:
      return DecodeNamed<ReplicaSet>(message.replica_set(),
                                     path.Field("replicaSet"), out);
    case v1::Object::kStatefulSet:
      return DecodeNamed<StatefulSet>(message.stateful_set(),
                                      path.Field("statefulSet"), out);
    case v1::Object::kPodDisruptionBudget:
      return DecodeNamed<PodDisruptionBudget>(message.pod_disruption_budget(),
                                              path.Field("podDisruptionBudget"),
                                              out);
    case v1::Object::KIND_NOT_SET:
      break;
  }
  return FieldError(path, "must have an object of a kind that vicinal knows");
}

absl::Status Decode(const v1::ObjectReference& message, const JsonPath& path,
                    ObjectReference* out) {
  if (absl::Status status = Required(path, "name", message.name());
      !status.ok()) {
    return status;
  }
  const auto* const resource =
      std::ranges::find(kApiResources, message.kind(), &ApiResource::kind);
  if (resource == kApiResources.end()) {
    return FieldError(path.Field("kind"), "must be " + KindNames() + ", got " +
                                              Quoted(message.kind()));
  }
  out->kind = static_cast<std::size_t>(resource - kApiResources.begin());
  out->key = {message.namespace_().empty() ? "default" : message.namespace_(),
              message.name()};
  if (!resource->namespaced) out->key.namespace_name.clear();
  return absl::OkStatus();
}

}  // namespace vicinal
