// One answer of the API server to a list: a page of objects, or an error.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/model/node.h"
#include "server/kubernetes/api_response.h"
#include "server/kubernetes/encoding.h"
#include "server/kubernetes/list_page.h"
#include "server/kubernetes/raw_object.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "server/state/resource_event_handler.h"
#include "simdjson.h"

namespace vicinal {
namespace {

void List(std::string body) {
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  ApiResponse response;
  response.status = 500;
  response.body = body;
  response.body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  static_cast<void>(ToStatus(response));
  ClusterStore store;
  Metrics metrics;
  Freshness freshness({"nodes"}, std::chrono::seconds(0));
  ResourceEventHandler<Node> sink("nodes", store, freshness, metrics);
  sink.OnListStart();
  const auto page = ReadListPage(Encoding::kJson, body);
  if (!page.ok()) return;
  for (const RawObject& item : page->items) {
    sink.OnListed(item);
  }
  sink.OnListEnd(page->resource_version);
}

}  // namespace
}  // namespace vicinal

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  vicinal::List({reinterpret_cast<const char*>(data), size});
  return 0;
}
