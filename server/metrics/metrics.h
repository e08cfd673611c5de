// The metrics of the process, in Prometheus' conventions.
#ifndef VICINAL_SERVER_METRICS_METRICS_H_
#define VICINAL_SERVER_METRICS_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

namespace vicinal {

// Thread-safe.
class Metrics {
 public:
  Metrics();

  // One answered request of the extender.
  void CountRequest(const std::string& verb, unsigned code, double seconds);

  // One answered call of a gRPC method, such as "Extender/Filter"; `code` is
  // the name of its status.
  void CountGrpcRequest(const std::string& method, const std::string& code,
                        double seconds);

  // Of one watched resource, such as "pods".
  struct Resource {
    prometheus::Gauge& resource_version;
    prometheus::Counter& lists;
    prometheus::Counter& watch_starts;
    prometheus::Counter& disconnects;
    prometheus::Counter& decode_errors;
  };
  Resource ForResource(const std::string& resource);

  prometheus::Gauge& index_nodes() { return index_nodes_; }
  prometheus::Gauge& index_pods() { return index_pods_; }

  // Pods between a question and the news of where they went.
  prometheus::Gauge& in_flight_pods() { return in_flight_pods_; }
  // Of the questions that waited for such pods.
  prometheus::Histogram& in_flight_wait_seconds() {
    return in_flight_wait_seconds_;
  }
  prometheus::Counter& in_flight_wait_timeouts() {
    return in_flight_wait_timeouts_;
  }
  prometheus::Counter& in_flight_expirations() {
    return in_flight_expirations_;
  }

  // A binding that was asked for, and its outcome, such as "written".
  void CountBinding(const std::string& outcome);

  // Pods that were found to fit a node which the scheduler did not offer, and
  // what became of them.
  prometheus::Counter& rescues_started() { return rescues_started_; }
  prometheus::Counter& rescues_succeeded() { return rescues_succeeded_; }
  prometheus::Counter& rescues_abandoned() { return rescues_abandoned_; }

  // All of them in the text exposition format.
  std::string Render() const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Histogram>& request_durations_;
  prometheus::Family<prometheus::Counter>& grpc_requests_;
  prometheus::Family<prometheus::Histogram>& grpc_request_durations_;
  prometheus::Family<prometheus::Gauge>& resource_versions_;
  prometheus::Family<prometheus::Counter>& lists_;
  prometheus::Family<prometheus::Counter>& watch_starts_;
  prometheus::Family<prometheus::Counter>& disconnects_;
  prometheus::Family<prometheus::Counter>& decode_errors_;
  prometheus::Family<prometheus::Counter>& bindings_;
  prometheus::Gauge& index_nodes_;
  prometheus::Gauge& index_pods_;
  prometheus::Gauge& in_flight_pods_;
  prometheus::Histogram& in_flight_wait_seconds_;
  prometheus::Counter& in_flight_wait_timeouts_;
  prometheus::Counter& in_flight_expirations_;
  prometheus::Counter& rescues_started_;
  prometheus::Counter& rescues_succeeded_;
  prometheus::Counter& rescues_abandoned_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_METRICS_METRICS_H_
