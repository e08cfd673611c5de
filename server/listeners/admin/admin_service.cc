#include "server/listeners/admin/admin_service.h"

#include <chrono>
#include <functional>
#include <string>

#include "core/model/api_resources.h"
#include "server/listeners/admin/admin_endpoints.h"

namespace vicinal {

HttpResponse AdminService::Handle(const HttpRequest& request) const {
  std::function<std::string()> decisions;
  if (decisions_ != nullptr) {
    decisions = [this] { return decisions_->ToJsonLines(); };
  }
  std::function<HttpResponse(const HttpRequest&)> page;
  if (page_ != nullptr) {
    page = [this](const HttpRequest& asked) { return page_->Handle(asked); };
  }
  return HandleAdmin(
      {[this] { return CheckReady(); },
       [this] { return lead_check_.Check(LeadCheck::Clock::now()); },
       [this] { return RenderMetrics(); }, decisions, page, may_read_decisions_,
       protect_metrics_},
      request);
}

absl::Status AdminService::CheckReady() const {
  if (!ready_) return absl::UnavailableError("stopping");
  return freshness_.Check(Freshness::Clock::now());
}

std::string AdminService::RenderMetrics() const {
  store_.Read([this](const ClusterState& cluster) {
    metrics_.index_nodes().Set(static_cast<double>(cluster.Nodes().size()));
    metrics_.index_pods().Set(static_cast<double>(cluster.pod_count()));
    ForEachOtherKind([&]<typename Kind>(Kind*) {
      metrics_.SetIndexObjects(ApiResourceOf<Kind>().name,
                               cluster.All<Kind>().size());
    });
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
  return metrics_.Render() +
         (writer_ == nullptr ? "" : writer_->RenderMetrics()) +
         (page_ == nullptr ? "" : *page_->RuleMetrics());
}

}  // namespace vicinal
