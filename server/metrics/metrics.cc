#include "server/metrics/metrics.h"

#include <prometheus/text_serializer.h>

#include <iterator>
#include <vector>

#include "server/metrics/process_metrics.h"
#include "server/versions.h"

namespace vicinal {
namespace {

// From 50 µs to 5 s, where the scheduler gives up.
const prometheus::Histogram::BucketBoundaries& DurationBuckets() {
  static const auto& buckets = *new prometheus::Histogram::BucketBoundaries{
      0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
      0.025,   0.05,   0.1,     0.25,   0.5,   1,      2.5,   5};
  return buckets;
}

// Change times have whole seconds: less is not told apart.
const prometheus::Histogram::BucketBoundaries& LagBuckets() {
  static const auto& buckets = *new prometheus::Histogram::BucketBoundaries{
      1, 2, 3, 5, 10, 20, 30, 60, 120, 300};
  return buckets;
}

prometheus::Family<prometheus::Counter>& Counters(
    prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Histogram>& Histograms(
    prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& registry,
                                              const char* name,
                                              const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

}  // namespace

Metrics::Metrics()
    : requests_(Counters(registry_, "vicinal_requests_total",
                         "Extender requests answered, by verb and HTTP "
                         "status code.")),
      request_durations_(
          Histograms(registry_, "vicinal_request_duration_seconds",
                     "Time from a request's last byte to its answer, by "
                     "verb.")),
      listener_refusals_(
          Counters(registry_, "vicinal_listener_refusals_total",
                   "Connections closed and answers withheld because there "
                   "were too many, by listener and limit.")),
      grpc_requests_(Counters(registry_, "vicinal_grpc_requests_total",
                              "gRPC calls answered, by method and status "
                              "code.")),
      grpc_request_durations_(
          Histograms(registry_, "vicinal_grpc_request_duration_seconds",
                     "Time from a call's request to its answer, by method.")),
      resource_versions_(
          Gauges(registry_, "vicinal_watch_resource_version",
                 "The newest resourceVersion that has been applied.")),
      lists_(Counters(registry_, "vicinal_watch_lists_total",
                      "Full lists completed.")),
      watch_starts_(Counters(registry_, "vicinal_watch_starts_total",
                             "Watches started, the first one included.")),
      disconnects_(Counters(registry_, "vicinal_watch_disconnects_total",
                            "Lists and watches that broke.")),
      decode_errors_(Counters(registry_, "vicinal_decode_errors_total",
                              "Objects from the API server that could not "
                              "be read and were left out.")),
      bindings_(Counters(registry_, "vicinal_bindings_total",
                         "Bindings asked for, by outcome.")),
      event_lags_(Histograms(
          registry_, "vicinal_event_lag_seconds",
          "Time from an object's change, by its own newest timestamp (whole "
          "seconds, rounded down), to its being in the index.")),
      event_apply_durations_(
          Histograms(registry_, "vicinal_event_apply_duration_seconds",
                     "Time from a watch event's arrival to its being in the "
                     "index.")),
      watch_outages_(Gauges(registry_, "vicinal_watch_outage_seconds",
                            "How long the watch has been broken; 0 if it is "
                            "not.")),
      client_certificate_expirations_(
          Gauges(registry_, "vicinal_client_certificate_expiration_seconds",
                 "When the certificate ends that vicinal shows to the API "
                 "server, in seconds since 1970.")),
      kubernetes_releases_(
          Gauges(registry_, "vicinal_kubernetes_release_info",
                 "Always 1: the release whose scheduler's answers are given, "
                 "and the version of the API server at the start.")),
      index_objects_(Gauges(registry_, "vicinal_index_objects",
                            "Objects in the index, by resource.")),
      index_entries_(Gauges(registry_, "vicinal_index_entries",
                            "Entries of the topology index, by table.")),
      swallowed_errors_(
          Counters(registry_, "vicinal_swallowed_errors_total",
                   "Refused prioritize requests: the scheduler goes on "
                   "without the scores and reports nothing.")
              .Add({})),
      ready_(Gauges(registry_, "vicinal_ready",
                    "1 while questions are answered, 0 while they are refused "
                    "because the state is not fresh.")
                 .Add({})),
      index_nodes_(
          Gauges(registry_, "vicinal_index_nodes", "Nodes in the index.")
              .Add({})),
      index_pods_(Gauges(registry_, "vicinal_index_pods", "Pods in the index.")
                      .Add({})),
      in_flight_pods_(Gauges(registry_, "vicinal_in_flight_pods",
                             "Pods that were asked about and are not known "
                             "to be bound or rejected yet.")
                          .Add({})),
      in_flight_wait_seconds_(
          Histograms(registry_, "vicinal_in_flight_wait_seconds",
                     "Time that questions waited for pods in flight; those "
                     "that did not wait are not counted.")
              .Add({}, DurationBuckets())),
      in_flight_wait_timeouts_(
          Counters(registry_, "vicinal_in_flight_wait_timeouts_total",
                   "Questions that waited for a pod in flight in vain and "
                   "ended in an error.")
              .Add({})),
      in_flight_expirations_(
          Counters(registry_, "vicinal_in_flight_expirations_total",
                   "Pods whose outcome was not known at the deadline.")
              .Add({})),
      refusals_(Counters(registry_, "vicinal_refusals_total",
                         "Questions of filter that no node was answered to.")
                    .Add({})),
      refused_pods_(
          Counters(registry_, "vicinal_refused_pods_total",
                   "Pods with such a question, each once in a minute.")
              .Add({})),
      oversized_pods_(
          Counters(registry_, "vicinal_oversized_pods_total",
                   "Questions that ended in an error because the pod has more "
                   "affinity terms, spread constraints, requirements and "
                   "values than are answered for.")
              .Add({})),
      bindings_in_flight_(
          Gauges(registry_, "vicinal_bindings_in_flight",
                 "Bindings that are being written, or wait to be.")
              .Add({})),
      binding_queue_seconds_(
          Gauges(registry_, "vicinal_binding_queue_seconds",
                 "For how long the oldest binding that waits for a connection "
                 "to the API server has waited; over 1, filter is held back.")
              .Add({})),
      held_back_(
          Counters(registry_, "vicinal_filter_held_back_total",
                   "Filter requests that waited because bindings queued.")
              .Add({})),
      retries_requested_(
          Counters(registry_, "vicinal_retries_requested_total",
                   "Refused pods that fit now: an annotation has the scheduler "
                   "try them again.")
              .Add({})),
      rescues_started_(
          Counters(registry_, "vicinal_rescues_started_total",
                   "Pods that fit no node offered, but another one.")
              .Add({})),
      rescues_succeeded_(Counters(registry_, "vicinal_rescues_succeeded_total",
                                  "Such pods that were bound.")
                             .Add({})),
      rescues_abandoned_(Counters(registry_, "vicinal_rescues_abandoned_total",
                                  "Such pods that were given up.")
                             .Add({})) {
  Gauges(registry_, "vicinal_build_info", "Always 1: the version of vicinal.")
      .Add({{"version", kVersion}})
      .Set(1);
}

void Metrics::CountBinding(const std::string& outcome) {
  bindings_.Add({{"outcome", outcome}}).Increment();
}

void Metrics::CountRequest(const std::string& verb, unsigned code,
                           double seconds) {
  requests_.Add({{"verb", verb}, {"code", std::to_string(code)}}).Increment();
  request_durations_.Add({{"verb", verb}}, DurationBuckets()).Observe(seconds);
  if (verb == "prioritize" && code != 200) swallowed_errors_.Increment();
}

void Metrics::CountGrpcRequest(const std::string& method,
                               const std::string& code, double seconds) {
  grpc_requests_.Add({{"method", method}, {"code", code}}).Increment();
  grpc_request_durations_.Add({{"method", method}}, DurationBuckets())
      .Observe(seconds);
}

void Metrics::CountListenerRefusal(const std::string& listener,
                                   const std::string& limit) {
  listener_refusals_.Add({{"listener", listener}, {"limit", limit}})
      .Increment();
}

Metrics::Resource Metrics::ForResource(const std::string& resource) {
  const prometheus::Labels labels = {{"resource", resource}};
  return {resource_versions_.Add(labels),
          lists_.Add(labels),
          watch_starts_.Add(labels),
          disconnects_.Add(labels),
          decode_errors_.Add(labels),
          event_lags_.Add(labels, LagBuckets()),
          event_apply_durations_.Add(labels, DurationBuckets())};
}

void Metrics::SetWatchOutage(const std::string& resource, double seconds) {
  watch_outages_.Add({{"resource", resource}}).Set(seconds);
}

void Metrics::SetClientCertificateExpiration(double seconds) {
  client_certificate_expirations_.Add({}).Set(seconds);
}

void Metrics::SetKubernetesRelease(const std::string& release,
                                   const std::string& api_server) {
  kubernetes_releases_.Add({{"release", release}, {"api_server", api_server}})
      .Set(1);
}

void Metrics::SetIndexObjects(const std::string& resource, std::size_t count) {
  index_objects_.Add({{"resource", resource}}).Set(static_cast<double>(count));
}

void Metrics::SetIndexEntries(const std::string& table, std::size_t count) {
  index_entries_.Add({{"table", table}}).Set(static_cast<double>(count));
}

std::string Metrics::Render() const {
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  std::vector<prometheus::MetricFamily> process = ProcessMetrics();
  std::move(process.begin(), process.end(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace vicinal
