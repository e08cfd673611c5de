#include "server/listeners/grpc/to_proto.h"

#include <google/protobuf/map.h>
#include <google/protobuf/repeated_ptr_field.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vicinal {
// Static, not in the unnamed namespace, where argument-dependent lookup from
// the templates would not see what comes after them.

using StringMap = google::protobuf::Map<std::string, std::string>;
template <typename Message>
using Repeated = google::protobuf::RepeatedPtrField<Message>;

static Quantity TenTimes(const Quantity& quantity) {
  Quantity sum;
  for (int i = 0; i < 10; ++i) sum += quantity;
  return sum;
}

// In the largest of units, thousandths and billionths that is exact; a quantity
// has nothing finer.
static std::string ToText(const Quantity& quantity) {
  if (Quantity::FromValue(quantity.Value()) == quantity) {
    return std::to_string(quantity.Value());
  }
  if (Quantity::FromMilliValue(quantity.MilliValue()) == quantity) {
    return std::to_string(quantity.MilliValue()) + "m";
  }
  Quantity nanos = quantity;
  for (int i = 0; i < 9; ++i) nanos = TenTimes(nanos);
  if (Quantity::FromValue(nanos.Value()) == nanos) {
    return std::to_string(nanos.Value()) + "n";
  }
  using Limits = std::numeric_limits<std::int64_t>;
  return std::to_string(quantity < Quantity() ? Limits::min() : Limits::max());
}

static void Put(const ResourceList& quantities, StringMap* out) {
  for (const auto& [name, quantity] : quantities) {
    (*out)[name] = ToText(quantity);
  }
}

static void Put(const Labels& labels, StringMap* out) {
  for (const auto& [key, value] : labels) (*out)[key] = value;
}

static void Put(const std::vector<std::string>& strings,
                Repeated<std::string>* out) {
  out->Assign(strings.begin(), strings.end());
}

// What may be absent is put where `mutable_field()` says, if it is there.
template <typename T, typename Mutable>
static void PutOptional(const std::optional<T>& value, Mutable mutable_field) {
  if (value) Put(*value, mutable_field());
}

template <typename T, typename Message>
static void PutEach(const std::vector<T>& values, Repeated<Message>* out) {
  out->Reserve(static_cast<int>(values.size()));
  for (const T& value : values) Put(value, out->Add());
}

static void Put(const LabelSelectorRequirement& requirement,
                v1::LabelSelectorRequirement* out) {
  out->set_key(requirement.key);
  out->set_operator_(requirement.op);
  Put(requirement.values, out->mutable_values());
}

static void Put(const LabelSelector& selector, v1::LabelSelector* out) {
  Put(selector.match_labels, out->mutable_match_labels());
  for (const LabelSelectorRequirement& requirement :
       selector.match_expressions) {
    Put(requirement, out->add_match_expressions());
  }
}

static void Put(const ObjectMeta& meta, v1::ObjectMeta* out) {
  out->set_name(meta.name);
  out->set_namespace_(meta.namespace_name);
  out->set_uid(meta.uid);
  Put(meta.labels, out->mutable_labels());
  for (const OwnerReference& owner : meta.owner_references) {
    v1::OwnerReference* const reference = out->add_owner_references();
    reference->set_api_version(owner.api_version);
    reference->set_kind(owner.kind);
    reference->set_name(owner.name);
    reference->set_controller(owner.controller);
  }
  if (meta.deletion_timestamp) {
    out->set_deletion_timestamp(*meta.deletion_timestamp);
  }
}

static void Put(const NodeSelectorRequirement& requirement,
                v1::NodeSelectorRequirement* out) {
  out->set_key(requirement.key);
  out->set_operator_(requirement.op);
  Put(requirement.values, out->mutable_values());
}

static void Put(const NodeSelectorTerm& term, v1::NodeSelectorTerm* out) {
  PutEach(term.match_expressions, out->mutable_match_expressions());
  PutEach(term.match_fields, out->mutable_match_fields());
}

static void Put(const PreferredSchedulingTerm& term,
                v1::PreferredSchedulingTerm* out) {
  out->set_weight(term.weight);
  Put(term.preference, out->mutable_preference());
}

static void Put(const NodeAffinity& affinity, v1::NodeAffinity* out) {
  if (affinity.required) {
    PutEach(*affinity.required,
            out->mutable_required_during_scheduling_ignored_during_execution()
                ->mutable_node_selector_terms());
  }
  if (affinity.preferred) {
    PutEach(
        *affinity.preferred,
        out->mutable_preferred_during_scheduling_ignored_during_execution());
  }
}

static void Put(const PodAffinityTerm& term, v1::PodAffinityTerm* out) {
  PutOptional(term.label_selector,
              [out] { return out->mutable_label_selector(); });
  Put(term.namespaces, out->mutable_namespaces());
  PutOptional(term.namespace_selector,
              [out] { return out->mutable_namespace_selector(); });
  out->set_topology_key(term.topology_key);
  Put(term.match_label_keys, out->mutable_match_label_keys());
  Put(term.mismatch_label_keys, out->mutable_mismatch_label_keys());
}

static void Put(const WeightedPodAffinityTerm& term,
                v1::WeightedPodAffinityTerm* out) {
  out->set_weight(term.weight);
  Put(term.term, out->mutable_pod_affinity_term());
}

// `Message`: PodAffinity or PodAntiAffinity.
template <typename Message>
static void Put(const PodAffinity& affinity, Message* out) {
  PutEach(affinity.required,
          out->mutable_required_during_scheduling_ignored_during_execution());
  PutEach(affinity.preferred,
          out->mutable_preferred_during_scheduling_ignored_during_execution());
}

static void Put(const Affinity& affinity, v1::Affinity* out) {
  PutOptional(affinity.node_affinity,
              [out] { return out->mutable_node_affinity(); });
  PutOptional(affinity.pod_affinity,
              [out] { return out->mutable_pod_affinity(); });
  PutOptional(affinity.pod_anti_affinity,
              [out] { return out->mutable_pod_anti_affinity(); });
}

static void Put(const TopologySpreadConstraint& constraint,
                v1::TopologySpreadConstraint* out) {
  out->set_max_skew(constraint.max_skew);
  out->set_topology_key(constraint.topology_key);
  out->set_when_unsatisfiable(constraint.when_unsatisfiable);
  PutOptional(constraint.label_selector,
              [out] { return out->mutable_label_selector(); });
  if (constraint.min_domains) out->set_min_domains(*constraint.min_domains);
  if (constraint.node_affinity_policy) {
    out->set_node_affinity_policy(*constraint.node_affinity_policy);
  }
  if (constraint.node_taints_policy) {
    out->set_node_taints_policy(*constraint.node_taints_policy);
  }
  Put(constraint.match_label_keys, out->mutable_match_label_keys());
}

static void Put(const Toleration& toleration, v1::Toleration* out) {
  out->set_key(toleration.key);
  out->set_operator_(toleration.op);
  out->set_value(toleration.value);
  out->set_effect(toleration.effect);
}

static void Put(const Taint& taint, v1::Taint* out) {
  out->set_key(taint.key);
  out->set_value(taint.value);
  out->set_effect(taint.effect);
}

static void Put(const Container& container, v1::Container* out) {
  out->set_name(container.name);
  out->set_image(container.image);
  if (!container.requests.empty()) {
    Put(container.requests, out->mutable_resources()->mutable_requests());
  }
  out->set_restart_policy(container.restart_policy);
}

static void Put(const ResourceRequirements& resources,
                v1::ResourceRequirements* out) {
  PutOptional(resources.requests, [out] { return out->mutable_requests(); });
}

static void Put(const ContainerStatus& status, v1::ContainerStatus* out) {
  out->set_name(status.name);
  PutOptional(status.allocated_resources,
              [out] { return out->mutable_allocated_resources(); });
  PutOptional(status.resources, [out] { return out->mutable_resources(); });
}

static void Put(const PodSpec& spec, v1::PodSpec* out) {
  out->set_node_name(spec.node_name);
  out->set_scheduler_name(spec.scheduler_name);
  if (spec.priority) out->set_priority(*spec.priority);
  PutOptional(spec.node_selector,
              [out] { return out->mutable_node_selector(); });
  PutOptional(spec.affinity, [out] { return out->mutable_affinity(); });
  PutEach(spec.tolerations, out->mutable_tolerations());
  PutEach(spec.topology_spread_constraints,
          out->mutable_topology_spread_constraints());
  PutEach(spec.containers, out->mutable_containers());
  PutEach(spec.init_containers, out->mutable_init_containers());
  Put(spec.overhead, out->mutable_overhead());
  PutOptional(spec.requests,
              [out] { return out->mutable_resources()->mutable_requests(); });
  for (const std::string& image : spec.image_volumes) {
    out->add_volumes()->mutable_image()->set_reference(image);
  }
}

static void Put(const PodStatus& status, v1::PodStatus* out) {
  out->set_phase(status.phase);
  out->set_nominated_node_name(status.nominated_node_name);
  if (status.start_time) {
    out->mutable_start_time()->set_seconds(*status.start_time);
  }
  PutEach(status.container_statuses, out->mutable_container_statuses());
  PutOptional(status.allocated_resources,
              [out] { return out->mutable_allocated_resources(); });
  PutOptional(status.resources, [out] { return out->mutable_resources(); });
  if (status.resize_infeasible) {
    v1::PodCondition* const condition = out->add_conditions();
    condition->set_type("PodResizePending");
    condition->set_reason("Infeasible");
  }
}

static void PutKind(const Node& node, v1::Object* object) {
  v1::Node* const out = object->mutable_node();
  Put(node.meta, out->mutable_metadata());
  out->mutable_spec()->set_unschedulable(node.unschedulable);
  PutEach(node.taints, out->mutable_spec()->mutable_taints());
  Put(node.allocatable, out->mutable_status()->mutable_allocatable());
  for (const ContainerImage& image : node.images) {
    v1::ContainerImage* const added = out->mutable_status()->add_images();
    Put(image.names, added->mutable_names());
    added->set_size_bytes(image.size_bytes);
  }
}

static void PutKind(const Pod& pod, v1::Object* object) {
  v1::Pod* const out = object->mutable_pod();
  Put(pod.meta, out->mutable_metadata());
  Put(pod.spec, out->mutable_spec());
  Put(pod.status, out->mutable_status());
}

static void PutKind(const Namespace& ns, v1::Object* object) {
  Put(ns.meta, object->mutable_namespace_()->mutable_metadata());
}

// `T` has metadata and a spec.selector that may be absent.
template <typename T, typename Message>
static void PutSelecting(const T& value, Message* out) {
  Put(value.meta, out->mutable_metadata());
  PutOptional(value.selector,
              [out] { return out->mutable_spec()->mutable_selector(); });
}

static void PutKind(const Service& service, v1::Object* object) {
  v1::Service* const out = object->mutable_service();
  Put(service.meta, out->mutable_metadata());
  if (service.selector && !service.selector->empty()) {
    Put(*service.selector, out->mutable_spec()->mutable_selector());
  }
}

static void PutKind(const ReplicationController& controller,
                    v1::Object* object) {
  v1::ReplicationController* const out =
      object->mutable_replication_controller();
  Put(controller.meta, out->mutable_metadata());
  Put(controller.selector, out->mutable_spec()->mutable_selector());
}

static void PutKind(const ReplicaSet& set, v1::Object* object) {
  PutSelecting(set, object->mutable_replica_set());
}

static void PutKind(const StatefulSet& set, v1::Object* object) {
  PutSelecting(set, object->mutable_stateful_set());
}

static void PutKind(const PodDisruptionBudget& budget, v1::Object* object) {
  v1::PodDisruptionBudget* const out = object->mutable_pod_disruption_budget();
  PutSelecting(budget, out);
  out->mutable_status()->set_disruptions_allowed(budget.disruptions_allowed);
  Put(budget.disrupted_pods, out->mutable_status()->mutable_disrupted_pods());
}

v1::Object Encode(const Object& object) {
  v1::Object out;
  std::visit([&out](const auto& known) { PutKind(known, &out); }, object);
  return out;
}

}  // namespace vicinal
