// Reads the objects of a cluster one by one for a receiver.
//
//   ClusterObjectReader reader(receiver, "left out: ");
//   ForEachObject(text, std::ref(reader));
#ifndef VICINAL_CORE_SIMULATE_CLUSTER_OBJECT_READER_H_
#define VICINAL_CORE_SIMULATE_CLUSTER_OBJECT_READER_H_

#include <simdjson.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "core/model/json.h"
#include "core/model/object_list.h"
#include "core/simulate/cluster_receiver.h"

namespace vicinal {

// Not thread-safe. Calls are those of an OnObject (core/model/object_list.h).
class ClusterObjectReader {
 public:
  // The receiver must outlive this. `left_out` precedes each note.
  ClusterObjectReader(const ClusterReceiver& receiver, std::string left_out)
      : receiver_(receiver), left_out_(std::move(left_out)) {}

  // Reads what the receiver wants of the object, and gives it to it. Kinds that
  // it does not want are skipped. Errors name the field below `path`; a
  // workload that cannot be simulated is none. Cost: O(text).
  absl::Status operator()(const TypeMeta& type, JsonValue value,
                          const JsonPath& path,
                          simdjson::padded_string_view json);

  // The same for an object whose type is not in its text.
  absl::Status Read(const TypeMeta& type, simdjson::padded_string_view json);

 private:
  void ReadWorkload(const TypeMeta& type, const JsonPath& path,
                    simdjson::padded_string_view json);

  const ClusterReceiver& receiver_;
  const std::string left_out_;
  JsonReader object_reader_;
  JsonReader reader_;  // For what is read of the same text once more.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_CLUSTER_OBJECT_READER_H_
