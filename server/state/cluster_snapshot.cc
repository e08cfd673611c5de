#include "server/state/cluster_snapshot.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/model/api_resources.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "server/kubernetes/list_all.h"

namespace vicinal {
namespace {

template <typename Kind>
absl::Status List(const ClientConfig& config,
                  const std::function<void(Object)>& add) {
  JsonReader reader;
  const ApiResource& resource = ApiResourceOf<Kind>();
  return ListAll(config, resource.Path(), resource.field_selector,
                 [&](simdjson::padded_string_view json) {
                   absl::StatusOr<Kind> object = reader.Read<Kind>(json);
                   if (!object.ok()) return object.status();
                   add(*std::move(object));
                   return absl::OkStatus();
                 });
}

}  // namespace

absl::Status ReadClusterFromApi(const ClientConfig& config,
                                const std::function<void(Object)>& add) {
  absl::Status status;
  ForEachKind([&]<typename Kind>(Kind*) {
    if (status.ok()) status = List<Kind>(config, add);
  });
  return status;
}

}  // namespace vicinal
