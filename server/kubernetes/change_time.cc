#include "server/kubernetes/change_time.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "core/model/decode_protobuf.h"
#include "core/model/wire_reader.h"
#include "server/kubernetes/encoding.h"

namespace vicinal {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::SUCCESS;
using MaybeTime = std::optional<std::chrono::sys_seconds>;

// "2026-11-21T19:07:25Z", the only form in which metav1.Time is written.
MaybeTime ParseTime(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !is_digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [text](std::size_t begin, std::size_t length) {
    int value = 0;
    std::from_chars(text.data() + begin, text.data() + begin + length, value);
    return value;
  };
  const std::chrono::year_month_day day{
      std::chrono::year(number(0, 4)),
      std::chrono::month(static_cast<unsigned>(number(5, 2))),
      std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!day.ok()) return std::nullopt;
  return std::chrono::sys_days(day) + std::chrono::hours(number(11, 2)) +
         std::chrono::minutes(number(14, 2)) +
         std::chrono::seconds(number(17, 2));
}

MaybeTime ReadTime(ondemand::value value) {
  std::string_view text;
  if (value.get_string().get(text) != SUCCESS) return std::nullopt;
  return ParseTime(text);
}

// The latest time that is the field `name` of an element of the array.
MaybeTime LatestIn(ondemand::value value, std::string_view name) {
  MaybeTime latest;
  ondemand::array array;
  if (value.get_array().get(array) != SUCCESS) return std::nullopt;
  for (auto element : array) {
    ondemand::object object;
    if (element.get_object().get(object) != SUCCESS) return latest;
    ondemand::value time;
    if (object[name].get(time) == SUCCESS) {
      latest = std::max(latest, ReadTime(time));
    }
  }
  return latest;
}

// Calls visit(key, value) for each field, as far as they can be read.
template <typename Visit>
void ForEachField(ondemand::object object, Visit&& visit) {
  for (auto field : object) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key) != SUCCESS) return;
    if (field.value().get(value) != SUCCESS) return;
    visit(key, value);
  }
}

// Beyond a year something is wrong, and sums might overflow.
std::int64_t GracePeriod(std::int64_t seconds) {
  return seconds >= 0 && seconds < 366 * 86400 ? seconds : 0;
}

MaybeTime ReadMetadata(ondemand::object metadata) {
  MaybeTime latest;
  MaybeTime deletion;
  std::int64_t grace_period = 0;
  ForEachField(metadata, [&](std::string_view key, ondemand::value value) {
    if (key == "creationTimestamp") {
      latest = std::max(latest, ReadTime(value));
    } else if (key == "managedFields") {
      latest = std::max(latest, LatestIn(value, "time"));
    } else if (key == "deletionTimestamp") {
      deletion = ReadTime(value);
    } else if (key == "deletionGracePeriodSeconds") {
      std::int64_t seconds = 0;
      if (value.get_int64().get(seconds) == SUCCESS) {
        grace_period = GracePeriod(seconds);
      }
    }
  });
  if (deletion) *deletion -= std::chrono::seconds(grace_period);
  return std::max(latest, deletion);
}

MaybeTime ReadStatus(ondemand::object status) {
  MaybeTime latest;
  ForEachField(status, [&latest](std::string_view key, ondemand::value value) {
    if (key == "conditions") latest = LatestIn(value, "lastTransitionTime");
  });
  return latest;
}

MaybeTime FromJson(simdjson::padded_string_view object,
                   ondemand::parser& parser) {
  ondemand::document document;
  ondemand::object fields;
  if (parser.iterate(object).get(document) != SUCCESS ||
      document.get_object().get(fields) != SUCCESS) {
    return std::nullopt;
  }
  MaybeTime latest;
  ForEachField(fields, [&latest](std::string_view key, ondemand::value value) {
    if (key != "metadata" && key != "status") return;
    ondemand::object part;
    if (value.get_object().get(part) != SUCCESS) return;
    latest = std::max(
        latest, key == "metadata" ? ReadMetadata(part) : ReadStatus(part));
  });
  return latest;
}

MaybeTime ReadTime(const WireField& value) {
  std::optional<std::int64_t> seconds;
  if (!Decode(value, {}, &seconds).ok() || !seconds) return std::nullopt;
  return std::chrono::sys_seconds(std::chrono::seconds(*seconds));
}

// The latest time in the field `number` of a message.
MaybeTime LatestIn(const WireField& message, std::uint32_t number) {
  MaybeTime latest;
  WireReader reader(message.bytes);
  WireField field;
  while (reader.Next(field)) {
    if (field.number == number) latest = std::max(latest, ReadTime(field));
  }
  return latest;
}

// Of metav1.ObjectMeta.
MaybeTime ReadMetadata(const WireField& message) {
  MaybeTime latest;
  MaybeTime deletion;
  std::int64_t grace_period = 0;
  WireReader metadata(message.bytes);
  WireField field;
  while (metadata.Next(field)) {
    switch (field.number) {
      case 8:  // creationTimestamp
        latest = std::max(latest, ReadTime(field));
        break;
      case 9:  // deletionTimestamp
        deletion = ReadTime(field);
        break;
      case 10:  // deletionGracePeriodSeconds
        grace_period = GracePeriod(static_cast<std::int64_t>(field.varint));
        break;
      case 17:  // managedFields, {time = 4}
        latest = std::max(latest, LatestIn(field, 4));
        break;
      default:
        break;
    }
  }
  if (deletion) *deletion -= std::chrono::seconds(grace_period);
  return std::max(latest, deletion);
}

// The numbers of status.conditions and of lastTransitionTime in them.
// Source: k8s.io/api/{core,apps,policy}/v1/generated.proto.
struct ConditionNumbers {
  std::string_view kind;
  std::uint32_t conditions;
  std::uint32_t last_transition_time;
};
constexpr ConditionNumbers kConditions[] = {
    {"Pod", 2, 4},
    {"Node", 4, 4},
    {"Namespace", 2, 4},
    {"Service", 2, 4},
    {"ReplicationController", 6, 3},
    {"ReplicaSet", 6, 3},
    {"StatefulSet", 10, 3},
    {"PodDisruptionBudget", 7, 4},
};

MaybeTime ReadStatus(const WireField& message, std::string_view kind) {
  MaybeTime latest;
  for (const ConditionNumbers& numbers : kConditions) {
    if (numbers.kind != kind) continue;
    WireReader status(message.bytes);
    WireField field;
    while (status.Next(field)) {
      if (field.number != numbers.conditions) continue;
      latest = std::max(latest, LatestIn(field, numbers.last_transition_time));
    }
  }
  return latest;
}

// Every kind is {metadata = 1, spec = 2, status = 3}.
MaybeTime FromProtobuf(std::string_view object, std::string_view kind) {
  MaybeTime latest;
  WireReader reader(object);
  WireField field;
  while (reader.Next(field)) {
    if (field.type != WireType::kBytes) continue;
    if (field.number == 1) latest = std::max(latest, ReadMetadata(field));
    if (field.number == 3) latest = std::max(latest, ReadStatus(field, kind));
  }
  return latest;
}

}  // namespace

MaybeTime ChangeTime(const RawObject& object, std::string_view kind,
                     ondemand::parser& parser) {
  return object.encoding == Encoding::kProtobuf
             ? FromProtobuf(object.bytes, kind)
             : FromJson(object.bytes, parser);
}

}  // namespace vicinal
