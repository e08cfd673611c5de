// The fields of Kubernetes' objects that vicinal knows, with their names in
// JSON and their numbers in protobuf: one list that reading (decode.cc,
// decode_protobuf.cc), writing (append_json.cc) and the check of hand-written
// manifests (manifest_check.cc) share.
//
// VisitFields(object, visit) calls `visit(name, number, member)` for each
// field, in the order in which they are written; `name` is a string literal,
// `member` refers to the member and is const if the object is. What is an
// object of its own in JSON but not in vicinal comes as Nested, which has
// fields itself. Cost: none beyond the calls.
//
// Four fields of pods are not here, since they become something else:
// metadata.resourceVersion, spec.volumes, status.conditions and
// status.initContainerStatuses.
// Source: k8s.io/api/{core,apps,policy}/v1/types.go, and generated.proto there
// and in k8s.io/apimachinery/pkg/apis/meta/v1.
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

// The same, kept as the text that JSON has: "2026-11-21T19:07:25Z".
template <typename Text>
struct TimeTextField {
  Text& text;
};
template <typename Text>
TimeTextField(Text&) -> TimeTextField<Text>;

// A map of such times.
template <typename Texts>
struct TimeTextsField {
  Texts& texts;
};
template <typename Texts>
TimeTextsField(Texts&) -> TimeTextsField<Texts>;

template <typename T, typename Visit>
requires Is<T, LabelSelectorRequirement> || Is<T, NodeSelectorRequirement>
void VisitFields(T& requirement, Visit&& visit) {
  visit("key", 1, requirement.key);
  visit("operator", 2, requirement.op);
  visit("values", 3, requirement.values);
}

template <Is<LabelSelector> T, typename Visit>
void VisitFields(T& selector, Visit&& visit) {
  visit("matchLabels", 1, selector.match_labels);
  visit("matchExpressions", 2, selector.match_expressions);
}

template <Is<NodeSelectorTerm> T, typename Visit>
void VisitFields(T& term, Visit&& visit) {
  visit("matchExpressions", 1, term.match_expressions);
  visit("matchFields", 2, term.match_fields);
}

template <Is<PreferredSchedulingTerm> T, typename Visit>
void VisitFields(T& term, Visit&& visit) {
  visit("weight", 1, term.weight);
  visit("preference", 2, term.preference);
}

template <Is<NodeAffinity> T, typename Visit>
void VisitFields(T& affinity, Visit&& visit) {
  visit("requiredDuringSchedulingIgnoredDuringExecution", 1,
        NodeSelectorField{affinity.required});
  visit("preferredDuringSchedulingIgnoredDuringExecution", 2,
        affinity.preferred);
}

template <Is<PodAffinityTerm> T, typename Visit>
void VisitFields(T& term, Visit&& visit) {
  visit("labelSelector", 1, term.label_selector);
  visit("namespaces", 2, term.namespaces);
  visit("namespaceSelector", 4, term.namespace_selector);
  visit("topologyKey", 3, term.topology_key);
  visit("matchLabelKeys", 5, term.match_label_keys);
  visit("mismatchLabelKeys", 6, term.mismatch_label_keys);
}

template <Is<WeightedPodAffinityTerm> T, typename Visit>
void VisitFields(T& weighted, Visit&& visit) {
  visit("weight", 1, weighted.weight);
  visit("podAffinityTerm", 2, weighted.term);
}

template <Is<PodAffinity> T, typename Visit>
void VisitFields(T& affinity, Visit&& visit) {
  visit("requiredDuringSchedulingIgnoredDuringExecution", 1, affinity.required);
  visit("preferredDuringSchedulingIgnoredDuringExecution", 2,
        affinity.preferred);
}

template <Is<Affinity> T, typename Visit>
void VisitFields(T& affinity, Visit&& visit) {
  visit("nodeAffinity", 1, affinity.node_affinity);
  visit("podAffinity", 2, affinity.pod_affinity);
  visit("podAntiAffinity", 3, affinity.pod_anti_affinity);
}

template <Is<TopologySpreadConstraint> T, typename Visit>
void VisitFields(T& constraint, Visit&& visit) {
  visit("maxSkew", 1, constraint.max_skew);
  visit("topologyKey", 2, constraint.topology_key);
  visit("whenUnsatisfiable", 3, constraint.when_unsatisfiable);
  visit("labelSelector", 4, constraint.label_selector);
  visit("minDomains", 5, constraint.min_domains);
  visit("nodeAffinityPolicy", 6, constraint.node_affinity_policy);
  visit("nodeTaintsPolicy", 7, constraint.node_taints_policy);
  visit("matchLabelKeys", 8, constraint.match_label_keys);
}

template <Is<Toleration> T, typename Visit>
void VisitFields(T& toleration, Visit&& visit) {
  visit("key", 1, toleration.key);
  visit("operator", 2, toleration.op);
  visit("value", 3, toleration.value);
  visit("effect", 4, toleration.effect);
}

template <Is<Taint> T, typename Visit>
void VisitFields(T& taint, Visit&& visit) {
  visit("key", 1, taint.key);
  visit("value", 2, taint.value);
  visit("effect", 3, taint.effect);
}

template <Is<OwnerReference> T, typename Visit>
void VisitFields(T& owner, Visit&& visit) {
  visit("apiVersion", 5, owner.api_version);
  visit("kind", 1, owner.kind);
  visit("name", 3, owner.name);
  visit("controller", 6, owner.controller);
}

template <Is<ObjectMeta> T, typename Visit>
void VisitFields(T& meta, Visit&& visit) {
  visit("name", 1, meta.name);
  visit("namespace", 3, meta.namespace_name);
  visit("uid", 5, meta.uid);
  visit("labels", 11, meta.labels);
  visit("ownerReferences", 13, meta.owner_references);
  visit("deletionTimestamp", 9, TimeTextField{meta.deletion_timestamp});
}

template <Is<ResourceRequirements> T, typename Visit>
void VisitFields(T& resources, Visit&& visit) {
  visit("requests", 2, resources.requests);
}

template <Is<Container> T, typename Visit>
void VisitFields(T& container, Visit&& visit) {
  visit("name", 1, container.name);
  visit("image", 2, container.image);
  visit("resources", 8, Nested{[&container](auto& visit_inner) {
          visit_inner("requests", 2, container.requests);
        }});
  visit("restartPolicy", 24, container.restart_policy);
}

template <Is<ContainerStatus> T, typename Visit>
void VisitFields(T& status, Visit&& visit) {
  visit("name", 1, status.name);
  visit("allocatedResources", 10, status.allocated_resources);
  visit("resources", 11, status.resources);
}

template <Is<PodSpec> T, typename Visit>
void VisitFields(T& spec, Visit&& visit) {
  visit("nodeName", 10, spec.node_name);
  visit("schedulerName", 19, spec.scheduler_name);
  visit("priority", 25, spec.priority);
  visit("nodeSelector", 7, spec.node_selector);
  visit("affinity", 18, spec.affinity);
  visit("tolerations", 22, spec.tolerations);
  visit("topologySpreadConstraints", 33, spec.topology_spread_constraints);
  visit("containers", 2, spec.containers);
  visit("initContainers", 20, spec.init_containers);
  visit("overhead", 32, spec.overhead);
  visit("resources", 40, Nested{[&spec](auto& visit_inner) {
          visit_inner("requests", 2, spec.requests);
        }});
}

template <Is<PodStatus> T, typename Visit>
void VisitFields(T& status, Visit&& visit) {
  visit("phase", 1, status.phase);
  visit("nominatedNodeName", 11, status.nominated_node_name);
  visit("startTime", 7, TimeField{status.start_time});
  visit("containerStatuses", 8, status.container_statuses);
  visit("allocatedResources", 19, status.allocated_resources);
  visit("resources", 20, status.resources);
}

template <Is<Pod> T, typename Visit>
void VisitFields(T& pod, Visit&& visit) {
  visit("metadata", 1, pod.meta);
  visit("spec", 2, pod.spec);
  visit("status", 3, pod.status);
}

template <Is<ContainerImage> T, typename Visit>
void VisitFields(T& image, Visit&& visit) {
  visit("names", 1, image.names);
  visit("sizeBytes", 2, image.size_bytes);
}

template <Is<Node> T, typename Visit>
void VisitFields(T& node, Visit&& visit) {
  visit("metadata", 1, node.meta);
  visit("spec", 2, Nested{[&node](auto& visit_inner) {
          visit_inner("unschedulable", 4, node.unschedulable);
          visit_inner("taints", 5, node.taints);
        }});
  visit("status", 3, Nested{[&node](auto& visit_inner) {
          visit_inner("allocatable", 2, node.allocatable);
          visit_inner("images", 8, node.images);
        }});
}

template <Is<Namespace> T, typename Visit>
void VisitFields(T& object, Visit&& visit) {
  visit("metadata", 1, object.meta);
}

// Of these only the metadata and spec.selector matter.
template <typename T, typename Visit>
requires Is<T, Service> || Is<T, ReplicationController> || Is<T, ReplicaSet> ||
    Is<T, StatefulSet>
void VisitFields(T& object, Visit&& visit) {
  visit("metadata", 1, object.meta);
  visit("spec", 2, Nested{[&object](auto& visit_inner) {
          visit_inner("selector", 2, object.selector);
        }});
}

template <Is<PodDisruptionBudget> T, typename Visit>
void VisitFields(T& budget, Visit&& visit) {
  visit("metadata", 1, budget.meta);
  visit("spec", 2, Nested{[&budget](auto& visit_inner) {
          visit_inner("selector", 2, budget.selector);
        }});
  visit("status", 3, Nested{[&budget](auto& visit_inner) {
          visit_inner("disruptionsAllowed", 3, budget.disruptions_allowed);
          visit_inner("disruptedPods", 2,
                      TimeTextsField{budget.disrupted_pods});
        }});
}

// Whether T has fields that VisitFields visits.
template <typename T>
concept HasFields = requires(T& object) {
  VisitFields(object, [](const char*, int, auto&&) {});
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_FIELDS_H_
