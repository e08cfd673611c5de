#include "server/metrics/metrics.h"

#include <prometheus/text_serializer.h>

namespace vicinal {
namespace {

// From 50 µs to 5 s, where the scheduler gives up.
const prometheus::Histogram::BucketBoundaries& DurationBuckets() {
  static const auto& buckets = *new prometheus::Histogram::BucketBoundaries{
      0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
      0.025,   0.05,   0.1,     0.25,   0.5,   1,      2.5,   5};
  return buckets;
}

prometheus::Family<prometheus::Counter>& Counters(
    prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
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
          prometheus::BuildHistogram()
              .Name("vicinal_request_duration_seconds")
              .Help("Time from a request's last byte to its answer, by verb.")
              .Register(registry_)),
      grpc_requests_(Counters(registry_, "vicinal_grpc_requests_total",
                              "gRPC calls answered, by method and status "
                              "code.")),
      grpc_request_durations_(
          prometheus::BuildHistogram()
              .Name("vicinal_grpc_request_duration_seconds")
              .Help("Time from a call's request to its answer, by method.")
              .Register(registry_)),
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
          prometheus::BuildHistogram()
              .Name("vicinal_in_flight_wait_seconds")
              .Help("Time that questions waited for pods in flight; those "
                    "that did not wait are not counted.")
              .Register(registry_)
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
      rescues_started_(
          Counters(registry_, "vicinal_rescues_started_total",
                   "Pods that fit no node offered, but another one.")
              .Add({})),
      rescues_succeeded_(Counters(registry_, "vicinal_rescues_succeeded_total",
                                  "Such pods that were bound.")
                             .Add({})),
      rescues_abandoned_(Counters(registry_, "vicinal_rescues_abandoned_total",
                                  "Such pods that were given up.")
                             .Add({})) {}

void Metrics::CountBinding(const std::string& outcome) {
  bindings_.Add({{"outcome", outcome}}).Increment();
}

void Metrics::CountRequest(const std::string& verb, unsigned code,
                           double seconds) {
  requests_.Add({{"verb", verb}, {"code", std::to_string(code)}}).Increment();
  request_durations_.Add({{"verb", verb}}, DurationBuckets()).Observe(seconds);
}

void Metrics::CountGrpcRequest(const std::string& method,
                               const std::string& code, double seconds) {
  grpc_requests_.Add({{"method", method}, {"code", code}}).Increment();
  grpc_request_durations_.Add({{"method", method}}, DurationBuckets())
      .Observe(seconds);
}

Metrics::Resource Metrics::ForResource(const std::string& resource) {
  const prometheus::Labels labels = {{"resource", resource}};
  return {resource_versions_.Add(labels), lists_.Add(labels),
          watch_starts_.Add(labels), disconnects_.Add(labels),
          decode_errors_.Add(labels)};
}

std::string Metrics::Render() const {
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

}  // namespace vicinal
