// Writes the values of core/model as messages; from_proto.h reads them.
#ifndef VICINAL_SERVER_LISTENERS_GRPC_TO_PROTO_H_
#define VICINAL_SERVER_LISTENERS_GRPC_TO_PROTO_H_

#include "core/model/object.h"
#include "vicinal/v1/cluster_state.pb.h"

namespace vicinal {

// Decode gives back an equal object, but for three things that the encoding
// does not tell apart: an empty list or map is absent, the statuses of init
// containers are among those of the others, and an amount beyond 64 bits is the
// largest that they hold. A pod without uid is admitted by Decode once more,
// which may repeat requirements. Cost: O(object).
v1::Object Encode(const Object& object);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_GRPC_TO_PROTO_H_
