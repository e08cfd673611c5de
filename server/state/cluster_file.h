// A cluster as a file, made by kubectl.
#ifndef VICINAL_SERVER_STATE_CLUSTER_FILE_H_
#define VICINAL_SERVER_STATE_CLUSTER_FILE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/object.h"

namespace vicinal {

// Reads the objects of a file: JSON or YAML, a List, one object or several
// documents; kinds that vicinal does not know are skipped. Errors name the
// file, the item and the field. Cost: O(file).
//
// A List as kubectl prints it is read in pieces: memory is that of the objects.
// Of anything else the whole file is in memory once.
absl::StatusOr<std::vector<Object>> ReadClusterFile(const std::string& path);

// The same, with `add` called for each object as it is read, on this thread.
// Objects may have been given before an error is found, and an object may be
// given twice.
absl::Status ReadClusterFile(const std::string& path,
                             const std::function<void(Object)>& add);

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_CLUSTER_FILE_H_
