// The metrics of the process, in Prometheus' conventions.
#ifndef VICINAL_SERVER_METRICS_METRICS_H_
#define VICINAL_SERVER_METRICS_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <string>

namespace vicinal {

// Thread-safe.
class Metrics {
 public:
  Metrics();

  // One answered request of the extender. Refusals of `prioritize` are also
  // counted as errors that the scheduler does not report.
  void CountRequest(const std::string& verb, unsigned code, double seconds);

  // One answered call of a gRPC method, such as "Extender/Filter"; `code` is
  // the name of its status.
  void CountGrpcRequest(const std::string& method, const std::string& code,
                        double seconds);

  // A listener, such as "extender", has refused something because of a limit,
  // such as "connections".
  void CountListenerRefusal(const std::string& listener,
                            const std::string& limit);

  // Of one watched resource, such as "pods".
  struct Resource {
    prometheus::Gauge& resource_version;
    prometheus::Counter& lists;
    prometheus::Counter& watch_starts;
    prometheus::Counter& disconnects;
    prometheus::Counter& decode_errors;
    // From an object's change, by its own account, to its being in the index.
    prometheus::Histogram& event_lag;
    // From an event's arrival here to its being in the index.
    prometheus::Histogram& event_apply_duration;
  };
  Resource ForResource(const std::string& resource);

  // How long the watch of a resource has been broken; 0 if it is not.
  void SetWatchOutage(const std::string& resource, double seconds);
  // When the certificate ends that vicinal shows to the API server, in seconds
  // since 1970.
  void SetClientCertificateExpiration(double seconds);
  // Whether questions are answered.
  // `api_server` is its version, such as "v1.36.3", or "".
  void SetKubernetesRelease(const std::string& release,
                            const std::string& api_server);
  void SetReady(bool ready) { ready_.Set(ready ? 1 : 0); }

  // Of a kind as the API names it, such as "replicasets".
  void SetIndexObjects(const std::string& resource, std::size_t count);
  // Of a part of the topology index, such as "domains".
  void SetIndexEntries(const std::string& table, std::size_t count);
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

  // Questions of filter that no node was answered to, and pods with such a
  // question, each once in a minute; see RefusedPods.
  prometheus::Counter& refusals() { return refusals_; }
  prometheus::Counter& refused_pods() { return refused_pods_; }

  // Questions about pods with more rules than are answered for.
  prometheus::Counter& oversized_pods() { return oversized_pods_; }

  // A binding that was asked for, and its outcome, such as "written".
  void CountBinding(const std::string& outcome);
  prometheus::Gauge& bindings_in_flight() { return bindings_in_flight_; }
  prometheus::Gauge& binding_queue_seconds() { return binding_queue_seconds_; }
  // Filter questions that waited because bindings queued.
  prometheus::Counter& held_back() { return held_back_; }
  // Refused pods that the scheduler was had try again.
  prometheus::Counter& retries_requested() { return retries_requested_; }

  // Pods that were found to fit a node which the scheduler did not offer, and
  // what became of them.
  prometheus::Counter& rescues_started() { return rescues_started_; }
  prometheus::Counter& rescues_succeeded() { return rescues_succeeded_; }
  prometheus::Counter& rescues_abandoned() { return rescues_abandoned_; }

  // All of them, and those of the process, in the text exposition format.
  std::string Render() const;

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Histogram>& request_durations_;
  prometheus::Family<prometheus::Counter>& listener_refusals_;
  prometheus::Family<prometheus::Counter>& grpc_requests_;
  prometheus::Family<prometheus::Histogram>& grpc_request_durations_;
  prometheus::Family<prometheus::Gauge>& resource_versions_;
  prometheus::Family<prometheus::Counter>& lists_;
  prometheus::Family<prometheus::Counter>& watch_starts_;
  prometheus::Family<prometheus::Counter>& disconnects_;
  prometheus::Family<prometheus::Counter>& decode_errors_;
  prometheus::Family<prometheus::Counter>& bindings_;
  prometheus::Family<prometheus::Histogram>& event_lags_;
  prometheus::Family<prometheus::Histogram>& event_apply_durations_;
  prometheus::Family<prometheus::Gauge>& watch_outages_;
  // Without a metric as long as there is no certificate.
  prometheus::Family<prometheus::Gauge>& client_certificate_expirations_;
  prometheus::Family<prometheus::Gauge>& kubernetes_releases_;
  prometheus::Family<prometheus::Gauge>& index_objects_;
  prometheus::Family<prometheus::Gauge>& index_entries_;
  prometheus::Counter& swallowed_errors_;
  prometheus::Gauge& ready_;
  prometheus::Gauge& index_nodes_;
  prometheus::Gauge& index_pods_;
  prometheus::Gauge& in_flight_pods_;
  prometheus::Histogram& in_flight_wait_seconds_;
  prometheus::Counter& in_flight_wait_timeouts_;
  prometheus::Counter& in_flight_expirations_;
  prometheus::Counter& refusals_;
  prometheus::Counter& refused_pods_;
  prometheus::Counter& oversized_pods_;
  prometheus::Gauge& bindings_in_flight_;
  prometheus::Gauge& binding_queue_seconds_;
  prometheus::Counter& held_back_;
  prometheus::Counter& retries_requested_;
  prometheus::Counter& rescues_started_;
  prometheus::Counter& rescues_succeeded_;
  prometheus::Counter& rescues_abandoned_;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_METRICS_METRICS_H_
