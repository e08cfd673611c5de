// Reads the requests of the service Extender that are about other than
// candidate nodes. Errors are those of decode.h.
#ifndef VICINAL_SERVER_GRPC_DECODE_REQUESTS_H_
#define VICINAL_SERVER_GRPC_DECODE_REQUESTS_H_

#include "absl/status/status.h"
#include "server/extender/binding_args.h"
#include "server/extender/preemption_args.h"
#include "vicinal/v1/extender.pb.h"

namespace vicinal {

// The candidates come by node name: a map has no order. What is required in the
// JSON form is required here, and so are rules about names.
absl::Status Decode(const v1::PreemptRequest& message,
                    ExtenderPreemptionArgs* out);
absl::Status Decode(const v1::BindRequest& message, BindingArgs* out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_GRPC_DECODE_REQUESTS_H_
