// Gathers what explain needs beside ClusterState, from the same objects.
#ifndef VICINAL_CORE_EXPLAIN_READ_EXTRAS_H_
#define VICINAL_CORE_EXPLAIN_READ_EXTRAS_H_

#include <simdjson.h>

#include "absl/status/status.h"
#include "core/model/json.h"
#include "core/model/object_list.h"
#include "core/plugins/cluster_extras.h"

namespace vicinal {

// Not thread-safe.
class ExtrasReader {
 public:
  // The extras must outlive this.
  explicit ExtrasReader(ClusterExtras& extras) : extras_(extras) {}

  // Reads an object that says its kind, whose text `json` is. Objects of other
  // kinds are skipped; one of the same name takes the place of the earlier one.
  // Errors name the field below `path`. Cost: O(text).
  absl::Status Read(const TypeMeta& type, const JsonPath& path,
                    simdjson::padded_string_view json);

 private:
  absl::Status ReadPod(const JsonPath& path, simdjson::padded_string_view json);

  ClusterExtras& extras_;
  JsonReader reader_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_READ_EXTRAS_H_
