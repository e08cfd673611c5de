// A cluster as a file, made by kubectl.
#ifndef VICINAL_SERVER_STATE_CLUSTER_FILE_H_
#define VICINAL_SERVER_STATE_CLUSTER_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/model/object.h"
#include "core/simulate/cluster_receiver.h"

namespace vicinal {

// Reads the objects of a file: JSON or YAML, a List, one object or several
// documents; kinds that vicinal does not know are skipped. Errors name the
// file, the item and the field. Cost: O(file).
//
// The receiver is called for each object as it is read, on this thread. Objects
// may have been given before an error is found, and an object may be given
// twice.
//
// A List as kubectl prints it is read in pieces: memory is that of the objects.
// Of anything else, such as what comes through a pipe, the whole file is in
// memory once.
absl::Status ReadClusterFile(const std::string& path,
                             const ClusterReceiver& receiver);

// All objects of a file.
absl::StatusOr<std::vector<Object>> ReadClusterFile(const std::string& path);

// The error for a file that has no nodes: it says how a cluster file is made.
absl::Status NoNodesInFile(const std::string& path);

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_CLUSTER_FILE_H_
