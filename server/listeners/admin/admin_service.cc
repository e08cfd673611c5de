#include "server/listeners/admin/admin_service.h"

#include <chrono>
#include <string>

namespace vicinal {
namespace {

HttpResponse Text(unsigned status, std::string text) {
  return {status, "text/plain; charset=utf-8", text + "\n"};
}

}  // namespace

HttpResponse AdminService::Handle(const HttpRequest& request) const {
  const bool known = request.path == "/healthz" || request.path == "/readyz" ||
                     request.path == "/metrics";
  if (!known) return ErrorResponse(404, "unknown path");
  if (request.method != "GET") {
    HttpResponse response = ErrorResponse(405, "method must be GET");
    response.allow = "GET";
    return response;
  }
  if (request.path == "/healthz") return Text(200, "ok");
  if (request.path == "/metrics") {
    return protect_metrics_ && !request.has_client_certificate
               ? ErrorResponse(401, "a client certificate is required")
               : RenderMetrics();
  }
  if (!ready_) return Text(503, "stopping");
  const absl::Status fresh = freshness_.Check(Freshness::Clock::now());
  if (fresh.ok()) return Text(200, "ok");
  return Text(503, std::string(fresh.message()));
}

HttpResponse AdminService::RenderMetrics() const {
  store_.Read([this](const ClusterState& cluster) {
    metrics_.index_nodes().Set(static_cast<double>(cluster.Nodes().size()));
    metrics_.index_pods().Set(static_cast<double>(cluster.pod_count()));
    const auto count = [&]<typename Kind>(const char* resource) {
      metrics_.SetIndexObjects(resource, cluster.All<Kind>().size());
    };
    count.operator()<Namespace>("namespaces");
    count.operator()<Service>("services");
    count.operator()<ReplicationController>("replicationcontrollers");
    count.operator()<ReplicaSet>("replicasets");
    count.operator()<StatefulSet>("statefulsets");
    const TopologyIndex::Size size = cluster.topology().size();
    metrics_.SetIndexEntries("pod_groups", size.groups);
    metrics_.SetIndexEntries("labels", size.labels);
    metrics_.SetIndexEntries("carried_terms", size.terms);
    metrics_.SetIndexEntries("selectors", size.counters);
    metrics_.SetIndexEntries("topology_keys", size.topology_keys);
    metrics_.SetIndexEntries("domains", size.domains);
    metrics_.SetIndexEntries("node_sets", size.node_sets);
  });
  const Freshness::Clock::time_point now = Freshness::Clock::now();
  metrics_.SetReady(freshness_.Check(now).ok());
  for (const auto& [resource, outage] : freshness_.Outages(now)) {
    metrics_.SetWatchOutage(resource,
                            std::chrono::duration<double>(outage).count());
  }
  return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_.Render()};
}

}  // namespace vicinal
