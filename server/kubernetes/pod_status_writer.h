// Writes into the status of pods through the API.
#ifndef VICINAL_SERVER_KUBERNETES_POD_STATUS_WRITER_H_
#define VICINAL_SERVER_KUBERNETES_POD_STATUS_WRITER_H_

#include <string>

#include "absl/status/status.h"
#include "core/model/object_meta.h"
#include "server/kubernetes/blocking_api_client.h"

namespace vicinal {

// Thread-safe.
class PodStatusWriter {
 public:
  // The client must outlive the writer.
  explicit PodStatusWriter(BlockingApiClient& client) : client_(client) {}

  // Sets status.nominatedNodeName of the pod of that namespace, name and uid;
  // an empty node clears it. NotFound: there is no pod of that name;
  // Aborted: it has another uid. Blocks for as
  // long as the client does.
  absl::Status SetNominatedNodeName(const ObjectMeta& pod,
                                    const std::string& node);

 private:
  BlockingApiClient& client_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_POD_STATUS_WRITER_H_
