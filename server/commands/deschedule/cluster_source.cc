#include "server/commands/deschedule/cluster_source.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/deschedule/decode_pod_facts.h"
#include "core/model/api_resources.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/object_list.h"
#include "server/kubernetes/list_all.h"

namespace vicinal {
namespace {

void AddFacts(const Pod& pod, const PodFacts& facts, DescheduleCluster& out) {
  if (facts != PodFacts()) out.facts[KeyOf(pod.meta)] = facts;
}

absl::Status Load(simdjson::padded_string_view text, DescheduleCluster& out) {
  JsonReader reader;
  return ForEachObject(
      text, [&](const TypeMeta& type, JsonValue value, const JsonPath& path,
                simdjson::padded_string_view json) {
        PodFacts facts;
        if (type.kind == "Pod") {
          absl::Status read = reader.ReadWith(
              json, [&](JsonValue root) { return Decode(root, path, &facts); });
          if (!read.ok()) return read;
        }
        std::optional<Object> object;
        absl::Status status = DecodeObject(value, path, type, &object);
        if (!status.ok() || !object) return status;
        if (const Pod* pod = std::get_if<Pod>(&*object)) {
          AddFacts(*pod, facts, out);
        }
        out.state.Upsert(*std::move(object));
        return absl::OkStatus();
      });
}

template <typename Kind>
absl::Status List(const ClientConfig& config, DescheduleCluster& out) {
  JsonReader reader;
  const ApiResource& resource = ApiResourceOf<Kind>();
  return ListAll(config, resource.Path(), resource.field_selector,
                 [&](simdjson::padded_string_view json) {
                   absl::StatusOr<Kind> object = reader.Read<Kind>(json);
                   if (!object.ok()) return object.status();
                   if constexpr (std::is_same_v<Kind, Pod>) {
                     const absl::StatusOr<PodFacts> facts =
                         reader.Read<PodFacts>(json);
                     if (!facts.ok()) return facts.status();
                     AddFacts(*object, *facts, out);
                   }
                   out.state.Upsert(Object(*std::move(object)));
                   return absl::OkStatus();
                 });
}

}  // namespace

absl::Status ReadCluster(const std::string& path, DescheduleCluster& out) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(path + ": " + std::strerror(errno));
  }
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (file.bad()) {
    return absl::UnknownError(path + ": " + std::strerror(errno));
  }
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  const absl::Status status = Load(simdjson::padded_string_view(text), out);
  if (!status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat(path, ": ", status.message()));
  }
  if (out.state.Nodes().empty()) {
    return absl::InvalidArgumentError(
        path + ": there are no nodes in it; a cluster file is made with\n  " +
        ClusterFileCommand());
  }
  return absl::OkStatus();
}

absl::Status ReadCluster(const ClientConfig& config, DescheduleCluster& out) {
  absl::Status status;
  ForEachKind([&]<typename Kind>(Kind*) {
    if (status.ok()) status = List<Kind>(config, out);
  });
  return status;
}

}  // namespace vicinal
