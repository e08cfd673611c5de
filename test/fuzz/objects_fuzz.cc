// A file of objects, JSON or YAML, and what the index makes of them: with all
// of them removed again, nothing must be left in it.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/index/cluster_state.h"
#include "core/model/read_objects.h"

namespace vicinal {
namespace {

template <typename Kind>
void RemoveAll(ClusterState& cluster) {
  for (const ObjectKey& key : cluster.Keys<Kind>()) cluster.Remove<Kind>(key);
  CHECK(cluster.Keys<Kind>().empty());
}

void ReadAndForget(std::string_view text) {
  auto objects = ReadObjects(text);
  if (!objects.ok()) return;
  ClusterState cluster;
  for (Object& object : *objects) cluster.Upsert(std::move(object));
  RemoveAll<Node>(cluster);
  RemoveAll<Pod>(cluster);
  CHECK(cluster.topology().IsEmpty());
}

}  // namespace
}  // namespace vicinal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  vicinal::ReadAndForget({reinterpret_cast<const char*>(data), size});
  return 0;
}
