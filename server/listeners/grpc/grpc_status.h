// Errors as gRPC's canonical codes, which Abseil's are.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_GRPC_STATUS_H_
#define VICINAL_SERVER_LISTENERS_GRPC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"

namespace vicinal {

grpc::Status ToGrpcStatus(const absl::Status& status);

// The name of a code in the protocol's documents: "OK", "INVALID_ARGUMENT".
std::string NameOf(grpc::StatusCode code);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_GRPC_STATUS_H_
