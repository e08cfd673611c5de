// Reads the requests of the service Extender. Errors are those of from_proto.h.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_DECODE_REQUESTS_H_
#define VICINAL_SERVER_LISTENERS_GRPC_DECODE_REQUESTS_H_

#include <variant>

#include "absl/status/status.h"
#include "core/index/cluster_state.h"
#include "core/model/pod.h"
#include "server/listeners/extender/binding_args.h"
#include "server/listeners/extender/extender_args.h"
#include "server/listeners/extender/preemption_args.h"
#include "vicinal/v1/extender.pb.h"

namespace vicinal {

// Of a request about all nodes there are no names; the others refer to the
// message.
absl::Status Decode(const v1::FilterRequest& message, ExtenderArgs* out);
absl::Status Decode(const v1::PrioritizeRequest& message, ExtenderArgs* out);

// The candidates come by node name: a map has no order. What is required in the
// JSON form is required here, and so are rules about names.
absl::Status Decode(const v1::PreemptRequest& message,
                    ExtenderPreemptionArgs* out);
absl::Status Decode(const v1::BindRequest& message, BindingArgs* out);

// A pod, or the name of one.
absl::Status Decode(const v1::ExplainRequest& message,
                    std::variant<Pod, ObjectKey>* out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_DECODE_REQUESTS_H_
