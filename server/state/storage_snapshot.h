// Lists from an API server what the volume plugins look at.
#ifndef VICINAL_SERVER_STATE_STORAGE_SNAPSHOT_H_
#define VICINAL_SERVER_STATE_STORAGE_SNAPSHOT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/model/storage.h"
#include "server/kubernetes/client_config.h"

namespace vicinal {

// Lists claims, volumes and the like once, into `out`. A kind that may not be
// listed, or that the server does not have, is not known then; `notes` says so.
// Other errors are those of the connection. Blocks.
absl::Status ReadStorageFromApi(const ClientConfig& config, StorageObjects& out,
                                std::vector<std::string>& notes);

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_STORAGE_SNAPSHOT_H_
