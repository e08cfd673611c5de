// A cluster as a file, made by kubectl.
#ifndef VICINAL_SERVER_STATE_CLUSTER_FILE_H_
#define VICINAL_SERVER_STATE_CLUSTER_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/object.h"

namespace vicinal {

// Reads the objects of a file: JSON or YAML, a List, one object or several
// documents; kinds that vicinal does not know are skipped. Errors name the
// file, the item and the field. Cost: O(file); the file is in memory once.
absl::StatusOr<std::vector<Object>> ReadClusterFile(const std::string& path);

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_CLUSTER_FILE_H_
