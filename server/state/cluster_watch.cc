#include "server/state/cluster_watch.h"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>

#include "core/model/api_resources.h"
#include "core/model/object.h"
#include "server/kubernetes/api_client_options.h"
#include "server/kubernetes/reflector_options.h"
#include "server/state/pod_event_handler.h"
#include "server/state/resource_event_handler.h"

namespace vicinal {
namespace {

template <typename Kind>
std::unique_ptr<ResourceHandler> MakeSink(std::string resource,
                                          ClusterStore& store,
                                          InFlightPods& in_flight,
                                          Freshness& freshness,
                                          Metrics& metrics) {
  if constexpr (std::is_same_v<Kind, Pod>) {
    return std::make_unique<PodEventHandler>(std::move(resource), store,
                                             in_flight, freshness, metrics);
  } else {
    return std::make_unique<ResourceEventHandler<Kind>>(
        std::move(resource), store, freshness, metrics);
  }
}

// So that a watch that has fallen silent is broken in time for `max_outage`. It
// is not asked about more than once a second.
ReflectorOptions OptionsFor(std::chrono::seconds max_outage) {
  using std::chrono::milliseconds;
  ReflectorOptions options;
  const milliseconds third = milliseconds(max_outage) / 3;
  options.silent_after =
      std::clamp(third, milliseconds(1'000), options.silent_after);
  options.renewal_timeout =
      std::clamp(third, milliseconds(2'000), options.renewal_timeout);
  return options;
}

}  // namespace

std::vector<std::string> ClusterWatch::Resources() {
  std::vector<std::string> names;
  for (const ApiResource& resource : kApiResources) {
    names.emplace_back(resource.name);
  }
  return names;
}

absl::StatusOr<std::unique_ptr<ClusterWatch>> ClusterWatch::Start(
    const ClientConfig& config, Encoding encoding, ClusterStore& store,
    InFlightPods& in_flight, Freshness& freshness, Metrics& metrics) {
  std::unique_ptr<ClusterWatch> watch(new ClusterWatch);
  std::vector<ReflectedResource> reflected;
  ForEachKind([&]<typename Kind>(Kind*) {
    const ApiResource& resource = ApiResourceOf<Kind>();
    watch->sinks_.push_back(
        MakeSink<Kind>(resource.name, store, in_flight, freshness, metrics));
    reflected.push_back(
        {resource.Path(), resource.field_selector, watch->sinks_.back().get()});
  });
  ApiClientOptions client_options;
  client_options.on_client_certificate =
      [&metrics](std::chrono::sys_seconds end) {
        metrics.SetClientCertificateExpiration(
            static_cast<double>(end.time_since_epoch().count()));
      };
  ReflectorOptions options = OptionsFor(freshness.max_outage());
  options.encoding = encoding;
  absl::StatusOr<std::unique_ptr<ReflectorThread>> thread =
      ReflectorThread::Start(config, reflected, options, client_options);
  if (!thread.ok()) return thread.status();
  watch->thread_ = *std::move(thread);
  return watch;
}

}  // namespace vicinal
