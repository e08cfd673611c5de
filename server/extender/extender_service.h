// The scheduler extender: filter and prioritize over HTTP.
#ifndef VICINAL_SERVER_EXTENDER_EXTENDER_SERVICE_H_
#define VICINAL_SERVER_EXTENDER_EXTENDER_SERVICE_H_

#include "core/engine/profile.h"
#include "server/extender/extender_args.h"
#include "server/http/http_server.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"

namespace vicinal {

enum class ScoreScale {
  // 0 … 400: 2 × PodTopologySpread + 2 × InterPodAffinity. With extender weight
  // 1 and the weights of the in-tree plugins ×10 the scheduler's sums are ten
  // times the in-tree ones.
  kExact,
  // 0 … 10, extender/v1's MaxExtenderPriority.
  kExtender,
};

// Thread-safe.
class ExtenderService {
 public:
  // All but the profile must outlive the service.
  ExtenderService(const ClusterStore& store, const Freshness& freshness,
                  Metrics& metrics, Profile profile, ScoreScale score_scale);

  // POST /filter and /prioritize. 400 for a body that cannot be read, 404 and
  // 405 for what is neither, 503 while the state is not fresh.
  HttpResponse Handle(const HttpRequest& request) const;

 private:
  HttpResponse Route(const HttpRequest& request, std::string_view verb) const;
  HttpResponse Filter(const ExtenderArgs& args) const;
  HttpResponse Prioritize(const ExtenderArgs& args) const;

  const ClusterStore& store_;
  const Freshness& freshness_;
  Metrics& metrics_;
  const Profile profile_;
  const ScoreScale score_scale_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_EXTENDER_EXTENDER_SERVICE_H_
