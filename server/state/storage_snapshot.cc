#include "server/state/storage_snapshot.h"

#include "absl/strings/str_cat.h"
#include "core/model/api_resources.h"
#include "core/model/decode_extras.h"
#include "core/model/json.h"
#include "server/kubernetes/list_all.h"

namespace vicinal {

absl::Status ReadStorageFromApi(const ClientConfig& config, StorageObjects& out,
                                std::vector<std::string>& notes) {
  JsonReader reader;
  for (const ApiResource& resource : StorageResources()) {
    const absl::Status status = ListAll(
        config, resource.Path(), resource.field_selector,
        [&](simdjson::padded_string_view json) {
          return reader.ReadWith(json, [&](JsonValue value) {
            return DecodeStorage(value, JsonPath(), resource.kind, &out);
          });
        });
    if (status.ok()) {
      out.known.emplace(resource.kind);
    } else if (absl::IsPermissionDenied(status) || absl::IsNotFound(status)) {
      out.known.erase(std::string(resource.kind));
      notes.push_back(absl::StrCat("not known, since it cannot be listed: ",
                                   status.message()));
    } else {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace vicinal
