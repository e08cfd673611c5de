// Which object the API server tells about, whatever is wrong with the
// rest.
#ifndef VICINAL_SERVER_STATE_READ_OBJECT_KEY_H_
#define VICINAL_SERVER_STATE_READ_OBJECT_KEY_H_

#include <optional>
#include <string>

#include "core/index/cluster_state.h"
#include "core/model/json.h"
#include "server/kubernetes/raw_object.h"

namespace vicinal {

// Nothing if the object has no name that can be read. Sets the uid if that can
// be read. Cost: O(text) at most, up to the end of metadata;
// O(fields) of protobuf.
std::optional<ObjectKey> ReadObjectKey(JsonReader& reader,
                                       const RawObject& object,
                                       std::string* uid);

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_READ_OBJECT_KEY_H_
