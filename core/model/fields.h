// The fields of Kubernetes' objects that vicinal knows, with their names in
// JSON: one list that reading (decode.cc), writing (append_json.cc) and the
// check of hand-written manifests (manifest_check.cc) share.
//
// VisitFields(object, visit) calls `visit(name, member)` for each field, in the
// order in which they are written; `name` is a string literal, `member` refers
// to the member and is const if the object is. What is an object of its own in
// JSON but not in vicinal comes as Nested, which has fields itself. Cost: none
// beyond the calls.
//
// Four fields of pods are not here, since they become something else:
// metadata.resourceVersion, spec.volumes, status.conditions and
// status.initContainerStatuses.
// Source: k8s.io/api/{core,apps}/v1/types.go.
#ifndef VICINAL_CORE_MODEL_FIELDS_H_
#define VICINAL_CORE_MODEL_FIELDS_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "core/model/object.h"

namespace vicinal {

// T or const T.
template <typename T, typename Object>
concept Is = std::same_as<std::remove_const_t<T>, Object>;

// An object without a struct: `visit_fields(visit)` visits its fields.
template <typename F>
struct Nested {
  F visit_fields;
};
template <typename F>
Nested(F) -> Nested<F>;

template <typename F, typename Visit>
void VisitFields(const Nested<F>& nested, Visit&& visit) {
  nested.visit_fields(visit);
}

// v1.NodeSelector: an object around a NodeAffinity's terms, which may be
// absent.
template <typename Terms>
struct NodeSelectorField {
  Terms& terms;
};
template <typename Terms>
NodeSelectorField(Terms&) -> NodeSelectorField<Terms>;

// A metav1.Time: text in JSON, seconds since 1970 here. It may be absent.
template <typename Seconds>
struct TimeField {
  Seconds& seconds;
};
template <typename Seconds>
TimeField(Seconds&) -> TimeField<Seconds>;

template <typename T, typename Visit>
requires Is<T, LabelSelectorRequirement> || Is<T, NodeSelectorRequirement>
void VisitFields(T& requirement, Visit&& visit) {
  visit("key", requirement.key);
  visit("operator", requirement.op);
  visit("values", requirement.values);
}

template <Is<LabelSelector> T, typename Visit>
void VisitFields(T& selector, Visit&& visit) {
  visit("matchLabels", selector.match_labels);
  visit("matchExpressions", selector.match_expressions);
}

template <Is<NodeSelectorTerm> T, typename Visit>
void VisitFields(T& term, Visit&& visit) {
  visit("matchExpressions", term.match_expressions);
  visit("matchFields", term.match_fields);
}

template <Is<PreferredSchedulingTerm> T, typename Visit>
void VisitFields(T& term, Visit&& visit) {
  visit("weight", term.weight);
  visit("preference", term.preference);
}

template <Is<NodeAffinity> T, typename Visit>
void VisitFields(T& affinity, Visit&& visit) {
  visit("requiredDuringSchedulingIgnoredDuringExecution",
        NodeSelectorField{affinity.required});
  visit("preferredDuringSchedulingIgnoredDuringExecution", affinity.preferred);
}

template <Is<PodAffinityTerm> T, typename Visit>
void VisitFields(T& term, Visit&& visit) {
  visit("labelSelector", term.label_selector);
  visit("namespaces", term.namespaces);
  visit("namespaceSelector", term.namespace_selector);
  visit("topologyKey", term.topology_key);
  visit("matchLabelKeys", term.match_label_keys);
  visit("mismatchLabelKeys", term.mismatch_label_keys);
}

template <Is<WeightedPodAffinityTerm> T, typename Visit>
void VisitFields(T& weighted, Visit&& visit) {
  visit("weight", weighted.weight);
  visit("podAffinityTerm", weighted.term);
}

template <Is<PodAffinity> T, typename Visit>
void VisitFields(T& affinity, Visit&& visit) {
  visit("requiredDuringSchedulingIgnoredDuringExecution", affinity.required);
  visit("preferredDuringSchedulingIgnoredDuringExecution", affinity.preferred);
}

template <Is<Affinity> T, typename Visit>
void VisitFields(T& affinity, Visit&& visit) {
  visit("nodeAffinity", affinity.node_affinity);
  visit("podAffinity", affinity.pod_affinity);
  visit("podAntiAffinity", affinity.pod_anti_affinity);
}

template <Is<TopologySpreadConstraint> T, typename Visit>
void VisitFields(T& constraint, Visit&& visit) {
  visit("maxSkew", constraint.max_skew);
  visit("topologyKey", constraint.topology_key);
  visit("whenUnsatisfiable", constraint.when_unsatisfiable);
  visit("labelSelector", constraint.label_selector);
  visit("minDomains", constraint.min_domains);
  visit("nodeAffinityPolicy", constraint.node_affinity_policy);
  visit("nodeTaintsPolicy", constraint.node_taints_policy);
  visit("matchLabelKeys", constraint.match_label_keys);
}

template <Is<Toleration> T, typename Visit>
void VisitFields(T& toleration, Visit&& visit) {
  visit("key", toleration.key);
  visit("operator", toleration.op);
  visit("value", toleration.value);
  visit("effect", toleration.effect);
}

template <Is<Taint> T, typename Visit>
void VisitFields(T& taint, Visit&& visit) {
  visit("key", taint.key);
  visit("value", taint.value);
  visit("effect", taint.effect);
}

template <Is<OwnerReference> T, typename Visit>
void VisitFields(T& owner, Visit&& visit) {
  visit("apiVersion", owner.api_version);
  visit("kind", owner.kind);
  visit("name", owner.name);
  visit("controller", owner.controller);
}

template <Is<ObjectMeta> T, typename Visit>
void VisitFields(T& meta, Visit&& visit) {
  visit("name", meta.name);
  visit("namespace", meta.namespace_name);
  visit("uid", meta.uid);
  visit("labels", meta.labels);
  visit("ownerReferences", meta.owner_references);
  visit("deletionTimestamp", meta.deletion_timestamp);
}

template <Is<ResourceRequirements> T, typename Visit>
void VisitFields(T& resources, Visit&& visit) {
  visit("requests", resources.requests);
}

template <Is<Container> T, typename Visit>
void VisitFields(T& container, Visit&& visit) {
  visit("name", container.name);
  visit("image", container.image);
  visit("resources", Nested{[&container](auto& visit_inner) {
          visit_inner("requests", container.requests);
        }});
  visit("restartPolicy", container.restart_policy);
}

template <Is<ContainerStatus> T, typename Visit>
void VisitFields(T& status, Visit&& visit) {
  visit("name", status.name);
  visit("allocatedResources", status.allocated_resources);
  visit("resources", status.resources);
}

template <Is<PodSpec> T, typename Visit>
void VisitFields(T& spec, Visit&& visit) {
  visit("nodeName", spec.node_name);
  visit("schedulerName", spec.scheduler_name);
  visit("priority", spec.priority);
  visit("nodeSelector", spec.node_selector);
  visit("affinity", spec.affinity);
  visit("tolerations", spec.tolerations);
  visit("topologySpreadConstraints", spec.topology_spread_constraints);
  visit("containers", spec.containers);
  visit("initContainers", spec.init_containers);
  visit("overhead", spec.overhead);
  visit("resources", Nested{[&spec](auto& visit_inner) {
          visit_inner("requests", spec.requests);
        }});
}

template <Is<PodStatus> T, typename Visit>
void VisitFields(T& status, Visit&& visit) {
  visit("phase", status.phase);
  visit("nominatedNodeName", status.nominated_node_name);
  visit("startTime", TimeField{status.start_time});
  visit("containerStatuses", status.container_statuses);
  visit("allocatedResources", status.allocated_resources);
  visit("resources", status.resources);
}

template <Is<Pod> T, typename Visit>
void VisitFields(T& pod, Visit&& visit) {
  visit("metadata", pod.meta);
  visit("spec", pod.spec);
  visit("status", pod.status);
}

template <Is<ContainerImage> T, typename Visit>
void VisitFields(T& image, Visit&& visit) {
  visit("names", image.names);
  visit("sizeBytes", image.size_bytes);
}

template <Is<Node> T, typename Visit>
void VisitFields(T& node, Visit&& visit) {
  visit("metadata", node.meta);
  visit("spec", Nested{[&node](auto& visit_inner) {
          visit_inner("unschedulable", node.unschedulable);
          visit_inner("taints", node.taints);
        }});
  visit("status", Nested{[&node](auto& visit_inner) {
          visit_inner("allocatable", node.allocatable);
          visit_inner("images", node.images);
        }});
}

template <Is<Namespace> T, typename Visit>
void VisitFields(T& object, Visit&& visit) {
  visit("metadata", object.meta);
}

// Of these only the metadata and spec.selector matter.
template <typename T, typename Visit>
requires Is<T, Service> || Is<T, ReplicationController> || Is<T, ReplicaSet> ||
    Is<T, StatefulSet>
void VisitFields(T& object, Visit&& visit) {
  visit("metadata", object.meta);
  visit("spec", Nested{[&object](auto& visit_inner) {
          visit_inner("selector", object.selector);
        }});
}

template <Is<PodDisruptionBudget> T, typename Visit>
void VisitFields(T& budget, Visit&& visit) {
  visit("metadata", budget.meta);
  visit("spec", Nested{[&budget](auto& visit_inner) {
          visit_inner("selector", budget.selector);
        }});
  visit("status", Nested{[&budget](auto& visit_inner) {
          visit_inner("disruptionsAllowed", budget.disruptions_allowed);
          visit_inner("disruptedPods", budget.disrupted_pods);
        }});
}

// Whether T has fields that VisitFields visits.
template <typename T>
concept HasFields = requires(T& object) {
  VisitFields(object, [](const char*, auto&&) {});
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_FIELDS_H_
