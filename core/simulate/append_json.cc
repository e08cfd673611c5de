#include "core/simulate/append_json.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "core/model/fields.h"
#include "core/model/json_writer.h"

namespace vicinal {
namespace {

// Writes one JSON object field by field.
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
static void Append(std::int64_t number, std::string& out) {
  AppendJsonNumber(number, out);
}
static void Append(bool value, std::string& out) {
  out += value ? "true" : "false";
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

// Whether a field reads as the same if JSON has no such field.
static bool IsAbsent(std::int32_t) { return false; }
static bool IsAbsent(std::int64_t) { return false; }
template <typename T>
static bool IsAbsent(const T& value) {
  return value == T();
}
template <typename F>
static bool IsAbsent(const Nested<F>& nested) {
  bool all = true;
  VisitFields(nested, [&all](std::string_view, int, const auto& member) {
    all = all && IsAbsent(member);
  });
  return all;
}
template <typename Terms>
static bool IsAbsent(const NodeSelectorField<Terms>& field) {
  return !field.terms;
}
template <typename Seconds>
static bool IsAbsent(const TimeField<Seconds>& field) {
  return !field.seconds;
}

template <typename Text>
static bool IsAbsent(const TimeTextField<Text>& field) {
  return !field.text;
}
template <typename Texts>
static bool IsAbsent(const TimeTextsField<Texts>& field) {
  return IsAbsent(field.texts);
}

template <typename T>
static void Append(const std::optional<T>& value, std::string& out) {
  Append(*value, out);
}

template <typename T>
static void Append(const std::vector<T>& values, std::string& out) {
  out += '[';
  bool first = true;
  for (const T& value : values) {
    if (!first) out += ',';
    first = false;
    Append(value, out);
  }
  out += ']';
}

template <typename Terms>
static void Append(const NodeSelectorField<Terms>& field, std::string& out) {
  Fields fields(out);
  Append(*field.terms, fields.Key("nodeSelectorTerms"));
}

template <typename Seconds>
static void Append(const TimeField<Seconds>& field, std::string& out) {
  AppendJsonString(
      absl::FormatTime(absl::RFC3339_sec, absl::FromUnixSeconds(*field.seconds),
                       absl::UTCTimeZone()),
      out);
}

template <typename Text>
static void Append(const TimeTextField<Text>& field, std::string& out) {
  AppendJsonString(*field.text, out);
}

template <typename Texts>
static void Append(const TimeTextsField<Texts>& field, std::string& out) {
  Append(field.texts, out);
}

// Of these some fields are not the members.
static void AppendOthers(const auto&, Fields&) {}
static void AppendOthers(const PodSpec& spec, Fields& fields) {
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
static void AppendOthers(const PodStatus& status, Fields& fields) {
  if (status.resize_infeasible) {
    fields.Key("conditions") +=
        R"([{"type":"PodResizePending","reason":"Infeasible"}])";
  }
}

static void AppendFields(const auto& object, Fields& fields) {
  VisitFields(object,
              [&fields](std::string_view name, int, const auto& member) {
                if (!IsAbsent(member)) Append(member, fields.Key(name));
              });
  AppendOthers(object, fields);
}

template <HasFields T>
static void Append(const T& object, std::string& out) {
  Fields fields(out);
  AppendFields(object, fields);
}

static void AppendObject(std::string_view kind, std::string_view api_version,
                         const auto& object, std::string& out) {
  Fields fields(out);
  AppendJsonString(api_version, fields.Key("apiVersion"));
  AppendJsonString(kind, fields.Key("kind"));
  AppendFields(object, fields);
}

void AppendJson(const Pod& pod, std::string& out) {
  AppendObject("Pod", "v1", pod, out);
}

void AppendJson(const Node& node, std::string& out) {
  AppendObject("Node", "v1", node, out);
}

void AppendJson(const Namespace& object, std::string& out) {
  AppendObject("Namespace", "v1", object, out);
}

void AppendJson(const Service& service, std::string& out) {
  AppendObject("Service", "v1", service, out);
}

void AppendJson(const ReplicationController& controller, std::string& out) {
  AppendObject("ReplicationController", "v1", controller, out);
}

void AppendJson(const ReplicaSet& set, std::string& out) {
  AppendObject("ReplicaSet", "apps/v1", set, out);
}

void AppendJson(const StatefulSet& set, std::string& out) {
  AppendObject("StatefulSet", "apps/v1", set, out);
}

void AppendJson(const PodDisruptionBudget& budget, std::string& out) {
  AppendObject("PodDisruptionBudget", "policy/v1", budget, out);
}

}  // namespace vicinal
