// The admin listener: health, readiness and metrics.
#ifndef VICINAL_SERVER_ADMIN_ADMIN_SERVICE_H_
#define VICINAL_SERVER_ADMIN_ADMIN_SERVICE_H_

#include "server/http/http_server.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"

namespace vicinal {

// Thread-safe.
class AdminService {
 public:
  // All must outlive the service.
  AdminService(const ClusterStore& store, const Freshness& freshness,
               Metrics& metrics)
      : store_(store), freshness_(freshness), metrics_(metrics) {}

  // GET /healthz, /readyz (503 with the reason while questions would be
  // refused) and /metrics.
  HttpResponse Handle(const HttpRequest& request) const;

 private:
  HttpResponse RenderMetrics() const;

  const ClusterStore& store_;
  const Freshness& freshness_;
  Metrics& metrics_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_ADMIN_ADMIN_SERVICE_H_
