// Which object a text of the API server is about, whatever is wrong with the
// rest.
#ifndef VICINAL_SERVER_STATE_READ_OBJECT_KEY_H_
#define VICINAL_SERVER_STATE_READ_OBJECT_KEY_H_

#include <simdjson.h>

#include <optional>
#include <string>

#include "core/index/cluster_state.h"
#include "core/model/json.h"

namespace vicinal {

// Nothing if the object has no name that can be read. Sets the uid if that can
// be read. Cost: O(text) at most, up to the end of metadata.
std::optional<ObjectKey> ReadObjectKey(JsonReader& reader,
                                       simdjson::padded_string_view json,
                                       std::string* uid);

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_READ_OBJECT_KEY_H_
