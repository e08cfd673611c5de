// What an API server sends in protobuf: the frames of a watch, a page of a
// list, an error, and the objects of every kind.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/api_resources.h"
#include "core/model/decode_protobuf.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/encoding.h"
#include "server/kubernetes/frame.h"
#include "server/kubernetes/list_page.h"
#include "server/kubernetes/raw_object.h"
#include "server/kubernetes/watch_event.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "server/state/resource_event_handler.h"

namespace vicinal {
namespace {

using namespace std::chrono_literals;

void Handle(const WatchEvent& event, ResourceEventHandler<Pod>& sink) {
  switch (event.type) {
    case WatchEvent::Type::kAdded:
    case WatchEvent::Type::kModified:
      sink.OnChanged(event.object);
      break;
    case WatchEvent::Type::kDeleted:
      sink.OnDeleted(event.object);
      break;
    default:
      break;
  }
  sink.OnResourceVersion(event.resource_version);
}

void Watch(std::string_view frames) {
  ClusterStore store;
  Metrics metrics;
  Freshness freshness({"pods"}, 0s);
  ResourceEventHandler<Pod> sink("pods", store, freshness, metrics);
  while (HasFrame(frames)) {
    const std::size_t length = FrameLength(frames);
    const auto event =
        ParseProtobufWatchEvent(frames.substr(kFrameHeaderBytes, length));
    if (event.ok()) Handle(*event, sink);
    frames.remove_prefix(kFrameHeaderBytes + length);
  }
  sink.OnBatchEnd();
}

void List(const std::string& body) {
  ApiResponse response;
  response.status = 500;
  response.body = body;
  response.encoding = Encoding::kProtobuf;
  static_cast<void>(ToStatus(response));
  const auto page = ReadListPage(Encoding::kProtobuf, body);
  if (!page.ok()) return;
  ClusterStore store;
  Metrics metrics;
  Freshness freshness({"nodes"}, 0s);
  ResourceEventHandler<Node> sink("nodes", store, freshness, metrics);
  sink.OnListStart();
  for (const RawObject& item : page->items) sink.OnListed(item);
  sink.OnListEnd(page->resource_version);
}

}  // namespace
}  // namespace vicinal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  vicinal::Watch(text);
  vicinal::List(text);
  vicinal::ForEachKind([&text]<typename Kind>(Kind*) {
    static_cast<void>(vicinal::DecodeProtobuf<Kind>(text));
  });
  return 0;
}
