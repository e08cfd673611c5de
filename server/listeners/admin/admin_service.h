// The admin listener: health, readiness, metrics, the last decisions and a
// page.
#ifndef VICINAL_SERVER_LISTENERS_ADMIN_ADMIN_SERVICE_H_
#define VICINAL_SERVER_LISTENERS_ADMIN_ADMIN_SERVICE_H_

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "server/decisions/decision_ring.h"
#include "server/decisions/decision_writer.h"
#include "server/listeners/http/http_server.h"
#include "server/live_page/live_page.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "server/state/lead_check.h"

namespace vicinal {

// Thread-safe.
class AdminService {
 public:
  // Of the client's common name; null: who may read the metrics.
  using MayReadDecisions = std::function<absl::Status(std::string_view)>;

  // All must outlive the service. `protect_metrics`: these, the decisions and
  // the page only for clients with a certificate; the kubelet, which asks for
  // the health, has none. Without `decisions` there are none, without `writer`
  // they are not written to a file, without `page` there is no page.
  AdminService(const ClusterStore& store, const Freshness& freshness,
               LeadCheck& lead_check, Metrics& metrics,
               bool protect_metrics = false,
               const DecisionRing* decisions = nullptr,
               const DecisionWriter* writer = nullptr,
               MayReadDecisions may_read_decisions = nullptr,
               LivePage* page = nullptr)
      : store_(store),
        freshness_(freshness),
        lead_check_(lead_check),
        metrics_(metrics),
        protect_metrics_(protect_metrics),
        decisions_(decisions),
        writer_(writer),
        may_read_decisions_(std::move(may_read_decisions)),
        page_(page) {}

  // GET /healthz, /readyz (503 with the reason while questions would be
  // refused), /leadz (the same once they have been for a while), /metrics,
  // /decisions (those that are kept, the oldest first), and what LivePage
  // answers, for those who may read the decisions.
  HttpResponse Handle(const HttpRequest& request) const;

  // /readyz answers 503 from now on.
  void StopReady() { ready_ = false; }

 private:
  absl::Status CheckReady() const;
  std::string RenderMetrics() const;

  const ClusterStore& store_;
  const Freshness& freshness_;
  LeadCheck& lead_check_;
  Metrics& metrics_;
  const bool protect_metrics_;
  const DecisionRing* const decisions_;
  const DecisionWriter* const writer_;
  const MayReadDecisions may_read_decisions_;
  LivePage* const page_;
  std::atomic<bool> ready_ = true;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_LISTENERS_ADMIN_ADMIN_SERVICE_H_
