#ifndef VICINAL_SERVER_KUBERNETES_LIST_ALL_H_
#define VICINAL_SERVER_KUBERNETES_LIST_ALL_H_

#include <simdjson.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Lists one kind of object once, in pages, and calls `item` for each with its
// raw JSON, padded for simdjson and valid during the call. Its inside has not
// been checked. `path` is "/api/v1/pods"; `field_selector` is "" or
// "status.phase!=Failed", not encoded. Runs on the calling thread, which it
// blocks. A page that does not come whole is asked for again some times.
//
// Errors: those of the connection and of the API server, with `path`, and what
// `item` returns; items may have been given before.
absl::Status ListAll(
    const ClientConfig& config, const std::string& path,
    const std::string& field_selector,
    const std::function<absl::Status(simdjson::padded_string_view)>& item,
    const ApiClientOptions& options = {});

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_LIST_ALL_H_
