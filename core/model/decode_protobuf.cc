#include "core/model/decode_protobuf.h"

#include <simdjson.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "core/model/decode_rules.h"
#include "core/model/fields.h"

namespace vicinal {
namespace {

bool IsAscii(std::string_view text) {
  std::uint64_t bits = 0;
  while (text.size() >= sizeof bits) {
    std::memcpy(&bits, text.data(), sizeof bits);
    if ((bits & 0x8080808080808080U) != 0) return false;
    text.remove_prefix(sizeof bits);
  }
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

// How many bytes of UTF-8 the text begins with; 0: the first byte is none.
std::size_t Utf8Length(std::string_view text) {
  for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    if (simdjson::validate_utf8(text.data(), length)) return length;
  }
  return 0;
}

// Go writes U+FFFD into JSON for each byte that is not UTF-8.
std::string WithReplacements(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    out +=
        length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

absl::Status WrongType(const JsonPath& path, std::string_view wanted,
                       const WireField& value) {
  return FieldError(
      path, absl::StrCat("must be ", std::string(wanted), ", got wire type ",
                         static_cast<int>(value.type)));
}

absl::Status DecodeNumber(const WireField& value, const JsonPath& path,
                          std::int64_t* out) {
  if (value.type != WireType::kVarint) {
    return WrongType(path, "an integer", value);
  }
  *out = static_cast<std::int64_t>(value.varint);
  return absl::OkStatus();
}

// What RFC 3339 can tell.
constexpr std::int64_t kFirstSecond = -62'135'596'800;  // Of the year 1.
constexpr std::int64_t kLastSecond = 253'402'300'799;   // Of the year 9999.

}  // namespace

absl::Status Decode(const WireField& value, const JsonPath& path,
                    std::optional<std::int64_t>* seconds) {
  if (value.type == WireType::kBytes && value.bytes.empty()) {
    return absl::OkStatus();
  }
  std::int64_t since_1970 = 0;
  absl::Status status =
      ForEachWireField(value, path, [&](const WireField& field) {
        return field.number == 1
                   ? DecodeNumber(field, path.Field("seconds"), &since_1970)
                   : absl::OkStatus();
      });
  if (!status.ok()) return status;
  if (since_1970 < kFirstSecond || since_1970 > kLastSecond) {
    return FieldError(
        path, absl::StrCat("must be a time in the years 1 to 9999, got ",
                           since_1970, " seconds since 1970"));
  }
  *seconds = since_1970;
  return absl::OkStatus();
}

// Those below are not in the unnamed namespace, where argument-dependent lookup
// from the templates would not see them.

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           std::string* out) {
  if (value.type != WireType::kBytes) {
    return WrongType(path, "a string", value);
  }
  if (IsAscii(value.bytes) ||
      simdjson::validate_utf8(value.bytes.data(), value.bytes.size())) {
    out->assign(value.bytes);
  } else {
    *out = WithReplacements(value.bytes);
  }
  return absl::OkStatus();
}

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           bool* out) {
  if (value.type != WireType::kVarint) {
    return WrongType(path, "true or false", value);
  }
  *out = value.varint != 0;
  return absl::OkStatus();
}

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           std::int64_t* out) {
  return DecodeNumber(value, path, out);
}

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           std::int32_t* out) {
  std::int64_t wide = 0;
  absl::Status status = DecodeNumber(value, path, &wide);
  // Negative ones are written with 64 bits, of which Go reads the low 32.
  *out = static_cast<std::int32_t>(wide);
  return status;
}

// resource.Quantity
static absl::Status Decode(const WireField& value, const JsonPath& path,
                           Quantity* out) {
  return ForEachWireField(value, path, [&](const WireField& field) {
    if (field.number != 1) return absl::OkStatus();
    if (field.type != WireType::kBytes) {
      return WrongType(path, "a quantity", field);
    }
    absl::StatusOr<Quantity> quantity = Quantity::Parse(field.bytes);
    if (!quantity.ok()) {
      return FieldError(path, std::string(quantity.status().message()));
    }
    *out = *quantity;
    return absl::OkStatus();
  });
}

// One entry of a map {key = 1, value = 2}; either may be missing. Calls
// `on_value(std::string key, const WireField& value, const JsonPath&)` with an
// empty message if there is no value.
template <typename OnValue>
static absl::Status DecodeEntry(const WireField& entry, const JsonPath& path,
                                OnValue&& on_value) {
  std::string key;
  WireField value;
  value.type = WireType::kBytes;
  absl::Status status =
      ForEachWireField(entry, path, [&](const WireField& field) {
        if (field.number == 1) return Decode(field, path, &key);
        if (field.number == 2) value = field;
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return on_value(key, value, path.Field(key));
}

// The API server writes entries by ascending key, and so each is the last.
static absl::Status Decode(const WireField& value, const JsonPath& path,
                           Labels* out) {
  return DecodeEntry(value, path,
                     [out](const std::string& key, const WireField& text,
                           const JsonPath& where) {
                       std::string decoded;
                       absl::Status status = Decode(text, where, &decoded);
                       out->Set(key, decoded);
                       return status;
                     });
}

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           ResourceList* out) {
  return DecodeEntry(value, path,
                     [out](const std::string& key, const WireField& amount,
                           const JsonPath& where) {
                       return Decode(amount, where, &(*out)[key]);
                     });
}

// A list comes one element at a time, and a map one entry.
template <typename T>
static absl::Status Decode(const WireField& value, const JsonPath& path,
                           std::vector<T>* out) {
  const JsonPath where = path.Index(out->size());
  return Decode(value, where, &out->emplace_back());
}

template <typename T>
static absl::Status Decode(const WireField& value, const JsonPath& path,
                           std::optional<T>* out) {
  if (!*out) out->emplace();
  return Decode(value, path, &**out);
}

// Reads a field if it is one of those that the object has.
template <HasFields T>
static absl::Status DecodeField(const WireField& value, const JsonPath& path,
                                T& object) {
  absl::Status status;
  VisitFields(object,
              [&](std::string_view name, std::uint32_t number, auto&& member) {
                if (number == value.number) {
                  status = Decode(value, path.Field(name), &member);
                }
              });
  return status;
}

template <HasFields T>
static absl::Status Decode(const WireField& value, const JsonPath& path,
                           T* out) {
  return ForEachWireField(value, path, [&](const WireField& field) {
    return DecodeField(field, path, *out);
  });
}

template <typename Terms>
static absl::Status Decode(const WireField& value, const JsonPath& path,
                           NodeSelectorField<Terms>* out) {
  if (!out->terms) out->terms.emplace();
  return ForEachWireField(value, path, [&](const WireField& field) {
    if (field.number != 1) return absl::OkStatus();
    return Decode(field, path.Field("nodeSelectorTerms"), &*out->terms);
  });
}

template <typename Seconds>
static absl::Status Decode(const WireField& value, const JsonPath& path,
                           TimeField<Seconds>* out) {
  return Decode(value, path, &out->seconds);
}

// By hand: a pod has a time in each of its conditions, and absl::FormatTime
// showed in profiles of a start.
static std::string TimeText(std::int64_t seconds) {
  constexpr std::int64_t kYear10000 = 253'402'300'800;
  if (seconds < 0 || seconds >= kYear10000) {
    return absl::FormatTime("%E4Y-%m-%dT%H:%M:%SZ",
                            absl::FromUnixSeconds(seconds),
                            absl::UTCTimeZone());
  }
  const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text = "0000-00-00T00:00:00Z";
  const auto put = [&text](std::size_t end, std::int64_t number) {
    for (; number > 0; number /= 10) {
      text[--end] = static_cast<char>('0' + number % 10);
    }
  };
  put(4, static_cast<int>(date.year()));
  put(7, static_cast<unsigned>(date.month()));
  put(10, static_cast<unsigned>(date.day()));
  put(13, clock.hours().count());
  put(16, clock.minutes().count());
  put(19, clock.seconds().count());
  return text;
}

template <typename Text>
static absl::Status Decode(const WireField& value, const JsonPath& path,
                           TimeTextField<Text>* out) {
  std::optional<std::int64_t> seconds;
  absl::Status status = Decode(value, path, &seconds);
  if (seconds) out->text = TimeText(*seconds);
  return status;
}

template <typename Texts>
static absl::Status Decode(const WireField& value, const JsonPath& path,
                           TimeTextsField<Texts>* out) {
  return DecodeEntry(value, path,
                     [out](const std::string& key, const WireField& time,
                           const JsonPath& where) {
                       std::optional<std::int64_t> seconds;
                       absl::Status status = Decode(time, where, &seconds);
                       out->texts.Set(key, seconds ? TimeText(*seconds) : "");
                       return status;
                     });
}

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           PodAffinityTerm* out) {
  absl::Status status = ForEachWireField(
      value, path,
      [&](const WireField& field) { return DecodeField(field, path, *out); });
  if (!status.ok()) return status;
  return Required(path, "topologyKey", out->topology_key);
}

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           TopologySpreadConstraint* out) {
  absl::Status status = ForEachWireField(
      value, path,
      [&](const WireField& field) { return DecodeField(field, path, *out); });
  if (!status.ok()) return status;
  status = Required(path, "topologyKey", out->topology_key);
  if (!status.ok()) return status;
  return Required(path, "whenUnsatisfiable", out->when_unsatisfiable);
}

// Of a v1.Volume {volumeSource = 2 {image = 30 {reference = 1}}} only the image
// it is made from matters.
static absl::Status DecodeImageVolume(const WireField& value,
                                      const JsonPath& path,
                                      std::vector<std::string>* out) {
  return ForEachWireField(value, path, [&](const WireField& source) {
    if (source.number != 2) return absl::OkStatus();
    return ForEachWireField(source, path, [&](const WireField& image) {
      if (image.number != 30) return absl::OkStatus();
      std::string& reference = out->emplace_back();
      const JsonPath where = path.Field("image");
      return ForEachWireField(image, where, [&](const WireField& field) {
        if (field.number != 1) return absl::OkStatus();
        return Decode(field, where.Field("reference"), &reference);
      });
    });
  });
}

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           PodSpec* out) {
  std::size_t volumes = 0;
  return ForEachWireField(value, path, [&](const WireField& field) {
    if (field.number != 1) return DecodeField(field, path, *out);
    const JsonPath list = path.Field("volumes");
    return DecodeImageVolume(field, list.Index(volumes++), &out->image_volumes);
  });
}

static absl::Status DecodeConditionTime(const WireField& value,
                                        const JsonPath& path,
                                        std::string* out) {
  std::optional<std::string> text;
  TimeTextField field{text};
  absl::Status status = Decode(value, path, &field);
  *out = text.value_or("");
  return status;
}

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           PodCondition* out) {
  return ForEachWireField(value, path, [&](const WireField& field) {
    switch (field.number) {
      case 1:
        return Decode(field, path.Field("type"), &out->type);
      case 2:
        return Decode(field, path.Field("status"), &out->status);
      case 3:
        return DecodeConditionTime(field, path.Field("lastProbeTime"),
                                   &out->last_probe_time);
      case 4:
        return DecodeConditionTime(field, path.Field("lastTransitionTime"),
                                   &out->last_transition_time);
      case 5:
        return Decode(field, path.Field("reason"), &out->reason);
      case 6:
        return Decode(field, path.Field("message"), &out->message);
      default:
        return absl::OkStatus();
    }
  });
}

static absl::Status Decode(const WireField& value, const JsonPath& path,
                           PodStatus* out) {
  std::vector<ContainerStatus> init_container_statuses;
  ConditionsReader conditions(*out);
  std::size_t count = 0;
  absl::Status status =
      ForEachWireField(value, path, [&](const WireField& field) {
        if (field.number == 10) {
          return Decode(field, path.Field("initContainerStatuses"),
                        &init_container_statuses);
        }
        if (field.number != 2) return DecodeField(field, path, *out);
        PodCondition condition;
        const JsonPath list = path.Field("conditions");
        absl::Status decoded = Decode(field, list.Index(count++), &condition);
        conditions.Add(condition);
        return decoded;
      });
  AppendInitContainers(std::move(init_container_statuses), *out);
  return status;
}

// The metadata of a pod, whose version matters.
static absl::Status DecodePodMeta(const WireField& value, const JsonPath& path,
                                  Pod* out) {
  return ForEachWireField(value, path, [&](const WireField& field) {
    if (field.number != 6) return DecodeField(field, path, out->meta);
    std::string version;
    absl::Status status =
        Decode(field, path.Field("resourceVersion"), &version);
    out->resource_version = ResourceVersionNumber(version);
    return status;
  });
}

static absl::Status DecodeRoot(const WireField& value, Pod& pod) {
  const JsonPath path;
  return ForEachWireField(value, path, [&](const WireField& field) {
    return field.number == 1
               ? DecodePodMeta(field, path.Field("metadata"), &pod)
               : DecodeField(field, path, pod);
  });
}

static absl::Status DecodeRoot(const WireField& value, auto& object) {
  const JsonPath path;
  absl::Status status = Decode(value, path, &object);
  if (!status.ok()) return status;
  return Required(path.Field("metadata"), "name", object.meta.name);
}

template <typename Kind>
absl::StatusOr<Kind> DecodeProtobuf(std::string_view message) {
  WireField value;
  value.type = WireType::kBytes;
  value.bytes = message;
  Kind object;
  absl::Status status = DecodeRoot(value, object);
  if (!status.ok()) return status;
  return object;
}

template absl::StatusOr<Node> DecodeProtobuf(std::string_view);
template absl::StatusOr<Pod> DecodeProtobuf(std::string_view);
template absl::StatusOr<Namespace> DecodeProtobuf(std::string_view);
template absl::StatusOr<Service> DecodeProtobuf(std::string_view);
template absl::StatusOr<ReplicationController> DecodeProtobuf(std::string_view);
template absl::StatusOr<ReplicaSet> DecodeProtobuf(std::string_view);
template absl::StatusOr<StatefulSet> DecodeProtobuf(std::string_view);
template absl::StatusOr<PodDisruptionBudget> DecodeProtobuf(std::string_view);

}  // namespace vicinal
