// Reads the Kubernetes objects of a text, as kubectl writes and reads them.
#ifndef VICINAL_CORE_MODEL_READ_OBJECTS_H_
#define VICINAL_CORE_MODEL_READ_OBJECTS_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/object.h"

namespace vicinal {

// Reads the objects in a text, in their order, and skips kinds that ReadObject
// (object_list.h) does not know. The text is JSON if its first character is
// '{': one object or list; otherwise it is YAML, with any number of documents.
// Lists may be of kind List or typed (PodList), and may stand in lists, 4 deep.
//
// Errors name the place and the value:
//   `items[3].spec.nodeName: must be a string, got 5`, in a YAML stream of
//   several documents `documents[1].items[3].…`.
// Cost: O(text), with JSON one copy of the text and about a byte of working
// memory for each byte of text.
absl::StatusOr<std::vector<Object>> ReadObjects(std::string_view text);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_READ_OBJECTS_H_
