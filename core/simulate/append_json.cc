#include "core/simulate/append_json.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/json_writer.h"

namespace vicinal {
namespace {

// Writes one JSON object field by field. Fields that are absent or empty where
// that means the same are left out.
class Fields {
 public:
  explicit Fields(std::string& out) : out_(out) { out_ += '{'; }
  ~Fields() { out_ += '}'; }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  // The place of a field's value.
  std::string& Key(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    AppendJsonString(name, out_);
    out_ += ':';
    return out_;
  }

  void Text(std::string_view name, std::string_view value) {
    if (!value.empty()) AppendJsonString(value, Key(name));
  }
  void Number(std::string_view name, std::int64_t value) {
    AppendJsonNumber(value, Key(name));
  }
  void True(std::string_view name, bool value) {
    if (value) Key(name) += "true";
  }
  void List(std::string_view name, const auto& values);
  void Optional(std::string_view name, const auto& value);

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace

// Static, not in the unnamed namespace, where argument-dependent lookup from
// the templates would not see them.
static void Append(const std::string& text, std::string& out) {
  AppendJsonString(text, out);
}
static void Append(std::int32_t number, std::string& out) {
  AppendJsonNumber(number, out);
}

static void Append(const Labels& labels, std::string& out) {
  Fields fields(out);
  for (const auto& [key, value] : labels) {
    AppendJsonString(value, fields.Key(key));
  }
}

static void Append(const Quantity& quantity, std::string& out) {
  const std::int64_t milli = quantity.MilliValue();
  const bool is_whole = Quantity::FromValue(quantity.Value()) == quantity;
  AppendJsonString(
      is_whole ? std::to_string(quantity.Value()) : std::to_string(milli) + "m",
      out);
}

static void Append(const ResourceList& list, std::string& out) {
  Fields fields(out);
  for (const auto& [name, amount] : list) Append(amount, fields.Key(name));
}

// A LabelSelectorRequirement or a NodeSelectorRequirement.
static void AppendRequirement(const auto& requirement, std::string& out) {
  Fields fields(out);
  fields.Text("key", requirement.key);
  fields.Text("operator", requirement.op);
  fields.List("values", requirement.values);
}
static void Append(const LabelSelectorRequirement& requirement,
                   std::string& out) {
  AppendRequirement(requirement, out);
}
static void Append(const NodeSelectorRequirement& requirement,
                   std::string& out) {
  AppendRequirement(requirement, out);
}

static void Append(const LabelSelector& selector, std::string& out) {
  Fields fields(out);
  if (!selector.match_labels.empty()) {
    Append(selector.match_labels, fields.Key("matchLabels"));
  }
  fields.List("matchExpressions", selector.match_expressions);
}

static void Append(const NodeSelectorTerm& term, std::string& out) {
  Fields fields(out);
  fields.List("matchExpressions", term.match_expressions);
  fields.List("matchFields", term.match_fields);
}

static void Append(const PreferredSchedulingTerm& term, std::string& out) {
  Fields fields(out);
  fields.Number("weight", term.weight);
  Append(term.preference, fields.Key("preference"));
}

// Keeps empty lists, which mean something other than absent ones.
static void AppendElements(const auto& values, std::string& out) {
  out += '[';
  bool first = true;
  for (const auto& value : values) {
    if (!first) out += ',';
    first = false;
    Append(value, out);
  }
  out += ']';
}

static void Append(const NodeAffinity& affinity, std::string& out) {
  Fields fields(out);
  if (affinity.required) {
    Fields required(
        fields.Key("requiredDuringSchedulingIgnoredDuringExecution"));
    AppendElements(*affinity.required, required.Key("nodeSelectorTerms"));
  }
  if (affinity.preferred) {
    AppendElements(
        *affinity.preferred,
        fields.Key("preferredDuringSchedulingIgnoredDuringExecution"));
  }
}

static void Append(const PodAffinityTerm& term, std::string& out) {
  Fields fields(out);
  fields.Optional("labelSelector", term.label_selector);
  fields.List("namespaces", term.namespaces);
  fields.Optional("namespaceSelector", term.namespace_selector);
  fields.Text("topologyKey", term.topology_key);
  fields.List("matchLabelKeys", term.match_label_keys);
  fields.List("mismatchLabelKeys", term.mismatch_label_keys);
}

static void Append(const WeightedPodAffinityTerm& term, std::string& out) {
  Fields fields(out);
  fields.Number("weight", term.weight);
  Append(term.term, fields.Key("podAffinityTerm"));
}

static void Append(const PodAffinity& affinity, std::string& out) {
  Fields fields(out);
  fields.List("requiredDuringSchedulingIgnoredDuringExecution",
              affinity.required);
  fields.List("preferredDuringSchedulingIgnoredDuringExecution",
              affinity.preferred);
}

static void Append(const Affinity& affinity, std::string& out) {
  Fields fields(out);
  fields.Optional("nodeAffinity", affinity.node_affinity);
  fields.Optional("podAffinity", affinity.pod_affinity);
  fields.Optional("podAntiAffinity", affinity.pod_anti_affinity);
}

static void Append(const TopologySpreadConstraint& constraint,
                   std::string& out) {
  Fields fields(out);
  fields.Number("maxSkew", constraint.max_skew);
  fields.Text("topologyKey", constraint.topology_key);
  fields.Text("whenUnsatisfiable", constraint.when_unsatisfiable);
  fields.Optional("labelSelector", constraint.label_selector);
  fields.Optional("minDomains", constraint.min_domains);
  fields.Optional("nodeAffinityPolicy", constraint.node_affinity_policy);
  fields.Optional("nodeTaintsPolicy", constraint.node_taints_policy);
  fields.List("matchLabelKeys", constraint.match_label_keys);
}

static void Append(const Toleration& toleration, std::string& out) {
  Fields fields(out);
  fields.Text("key", toleration.key);
  fields.Text("operator", toleration.op);
  fields.Text("value", toleration.value);
  fields.Text("effect", toleration.effect);
}

static void Append(const Taint& taint, std::string& out) {
  Fields fields(out);
  fields.Text("key", taint.key);
  fields.Text("value", taint.value);
  fields.Text("effect", taint.effect);
}

// v1.ResourceRequirements.
static void AppendRequests(const ResourceList& requests, std::string& out) {
  Fields fields(out);
  Append(requests, fields.Key("requests"));
}

static void AppendResources(
    const std::optional<ResourceRequirements>& resources, Fields& of) {
  if (!resources) return;
  Fields fields(of.Key("resources"));
  fields.Optional("requests", resources->requests);
}

static void Append(const Container& container, std::string& out) {
  Fields fields(out);
  fields.Text("name", container.name);
  fields.Text("image", container.image);
  if (!container.requests.empty()) {
    AppendRequests(container.requests, fields.Key("resources"));
  }
  fields.Text("restartPolicy", container.restart_policy);
}

static void Append(const ContainerStatus& status, std::string& out) {
  Fields fields(out);
  fields.Text("name", status.name);
  fields.Optional("allocatedResources", status.allocated_resources);
  AppendResources(status.resources, fields);
}

static void Append(const OwnerReference& owner, std::string& out) {
  Fields fields(out);
  fields.Text("apiVersion", owner.api_version);
  fields.Text("kind", owner.kind);
  fields.Text("name", owner.name);
  fields.True("controller", owner.controller);
}

static void Append(const ObjectMeta& meta, std::string& out) {
  Fields fields(out);
  fields.Text("name", meta.name);
  fields.Text("namespace", meta.namespace_name);
  fields.Text("uid", meta.uid);
  if (!meta.labels.empty()) Append(meta.labels, fields.Key("labels"));
  fields.List("ownerReferences", meta.owner_references);
  fields.Optional("deletionTimestamp", meta.deletion_timestamp);
}

static void Append(const ContainerImage& image, std::string& out) {
  Fields fields(out);
  fields.List("names", image.names);
  fields.Number("sizeBytes", image.size_bytes);
}

static void Append(const PodSpec& spec, std::string& out) {
  Fields fields(out);
  fields.Text("nodeName", spec.node_name);
  fields.Text("schedulerName", spec.scheduler_name);
  fields.Optional("priority", spec.priority);
  fields.Optional("nodeSelector", spec.node_selector);
  fields.Optional("affinity", spec.affinity);
  fields.List("tolerations", spec.tolerations);
  fields.List("topologySpreadConstraints", spec.topology_spread_constraints);
  fields.List("containers", spec.containers);
  fields.List("initContainers", spec.init_containers);
  if (!spec.overhead.empty()) Append(spec.overhead, fields.Key("overhead"));
  if (spec.requests) AppendRequests(*spec.requests, fields.Key("resources"));
  if (spec.image_volumes.empty()) return;
  std::string& volumes = fields.Key("volumes");
  volumes += '[';
  for (const std::string& reference : spec.image_volumes) {
    if (volumes.back() != '[') volumes += ',';
    Fields volume(volumes);
    Fields image(volume.Key("image"));
    AppendJsonString(reference, image.Key("reference"));
  }
  volumes += ']';
}

static void Append(const PodStatus& status, std::string& out) {
  Fields fields(out);
  fields.Text("phase", status.phase);
  fields.Text("nominatedNodeName", status.nominated_node_name);
  fields.List("containerStatuses", status.container_statuses);
  fields.Optional("allocatedResources", status.allocated_resources);
  AppendResources(status.resources, fields);
  if (status.resize_infeasible) {
    fields.Key("conditions") +=
        R"([{"type":"PodResizePending","reason":"Infeasible"}])";
  }
}

void Fields::List(std::string_view name, const auto& values) {
  if (!values.empty()) AppendElements(values, Key(name));
}

void Fields::Optional(std::string_view name, const auto& value) {
  if (value) Append(*value, Key(name));
}

// Kind, apiVersion and metadata.
static void AppendHead(std::string_view kind, std::string_view api_version,
                       const ObjectMeta& meta, Fields& fields) {
  fields.Text("apiVersion", api_version);
  fields.Text("kind", kind);
  Append(meta, fields.Key("metadata"));
}

// Objects of which only the metadata and spec.selector matter.
static void AppendSelecting(std::string_view kind, std::string_view api_version,
                            const ObjectMeta& meta, const auto& selector,
                            std::string& out) {
  Fields fields(out);
  AppendHead(kind, api_version, meta, fields);
  Fields spec(fields.Key("spec"));
  if (selector) Append(*selector, spec.Key("selector"));
}

void AppendJson(const Pod& pod, std::string& out) {
  Fields fields(out);
  AppendHead("Pod", "v1", pod.meta, fields);
  Append(pod.spec, fields.Key("spec"));
  if (pod.status != PodStatus()) Append(pod.status, fields.Key("status"));
}

void AppendJson(const Node& node, std::string& out) {
  Fields fields(out);
  AppendHead("Node", "v1", node.meta, fields);
  {
    Fields spec(fields.Key("spec"));
    spec.True("unschedulable", node.unschedulable);
    spec.List("taints", node.taints);
  }
  Fields status(fields.Key("status"));
  Append(node.allocatable, status.Key("allocatable"));
  status.List("images", node.images);
}

void AppendJson(const Namespace& object, std::string& out) {
  Fields fields(out);
  AppendHead("Namespace", "v1", object.meta, fields);
}

void AppendJson(const Service& service, std::string& out) {
  AppendSelecting("Service", "v1", service.meta, service.selector, out);
}

void AppendJson(const ReplicationController& controller, std::string& out) {
  AppendSelecting("ReplicationController", "v1", controller.meta,
                  std::optional(controller.selector), out);
}

void AppendJson(const ReplicaSet& set, std::string& out) {
  AppendSelecting("ReplicaSet", "apps/v1", set.meta, set.selector, out);
}

void AppendJson(const StatefulSet& set, std::string& out) {
  AppendSelecting("StatefulSet", "apps/v1", set.meta, set.selector, out);
}

}  // namespace vicinal
