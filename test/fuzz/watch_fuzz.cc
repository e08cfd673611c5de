// The stream of a watch: its lines, the events in them, the objects in those.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/model/pod.h"
#include "server/kubernetes/watch_event.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "server/state/resource_event_handler.h"
#include "simdjson.h"

namespace vicinal {
namespace {

void Handle(simdjson::padded_string_view line,
            ResourceEventHandler<Pod>& sink) {
  simdjson::ondemand::parser parser;
  const auto event = ParseWatchEvent(line, parser);
  if (!event.ok()) return;
  switch (event->type) {
    case WatchEvent::Type::kAdded:
    case WatchEvent::Type::kModified:
      sink.OnChanged(event->object);
      break;
    case WatchEvent::Type::kDeleted:
      sink.OnDeleted(event->object);
      break;
    default:
      break;
  }
  sink.OnResourceVersion(event->resource_version);
}

void Watch(const simdjson::padded_string& stream) {
  ClusterStore store;
  Metrics metrics;
  Freshness freshness({"pods"}, std::chrono::seconds(0));
  ResourceEventHandler<Pod> sink("pods", store, freshness, metrics);
  const std::string_view text(stream);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t capacity =
        text.size() + simdjson::SIMDJSON_PADDING - begin;
    Handle(simdjson::padded_string_view(text.data() + begin, end - begin,
                                        capacity),
           sink);
    begin = end + 1;
  }
  sink.OnBatchEnd();
}

}  // namespace
}  // namespace vicinal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  vicinal::Watch(
      simdjson::padded_string(reinterpret_cast<const char*>(data), size));
  return 0;
}
