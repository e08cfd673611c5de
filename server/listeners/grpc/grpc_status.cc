#include "server/listeners/grpc/grpc_status.h"

namespace vicinal {

grpc::Status ToGrpcStatus(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()),
          std::string(status.message())};
}

std::string NameOf(grpc::StatusCode code) {
  return absl::StatusCodeToString(static_cast<absl::StatusCode>(code));
}

}  // namespace vicinal
