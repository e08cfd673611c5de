// Applies what the API server tells about one kind of object to the store.
#ifndef VICINAL_SERVER_STATE_RESOURCE_EVENT_HANDLER_H_
#define VICINAL_SERVER_STATE_RESOURCE_EVENT_HANDLER_H_

#include <glog/logging.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/index/cluster_state.h"
#include "core/model/api_resources.h"
#include "core/model/decode.h"
#include "core/model/decode_protobuf.h"
#include "core/model/json.h"
#include "server/kubernetes/change_time.h"
#include "server/kubernetes/encoding.h"
#include "server/kubernetes/raw_object.h"
#include "server/kubernetes/resource_handler.h"
#include "server/metrics/metrics.h"
#include "server/state/cluster_store.h"
#include "server/state/freshness.h"
#include "server/state/read_object_key.h"

namespace vicinal {

// `Kind` is one of the alternatives of Object; `resource` its name in the API,
// such as "pods". An object that cannot be read is logged, counted and left
// out; the last state that was readable stays.
template <typename Kind>
class ResourceEventHandler : public ResourceHandler {
 public:
  using Clock = std::chrono::steady_clock;

  // The store, the freshness and the metrics must outlive the sink.
  ResourceEventHandler(std::string resource, ClusterStore& store,
                       Freshness& freshness, Metrics& metrics)
      : resource_(std::move(resource)),
        store_(store),
        freshness_(freshness),
        metrics_(metrics.ForResource(resource_)) {}

  bool TakesProtobuf() const override { return true; }

  void OnListStart() override {
    listed_.clear();
    // What a list finds may be gone when it breaks off and another begins.
    fills_ = !has_listed_ && store_.Read([](const ClusterState& cluster) {
      return cluster.Keys<Kind>().empty();
    });
    has_listed_ = true;
    listed_at_ = Clock::now();
  }

  void OnListed(const RawObject& raw) override {
    Kind object;
    if (Read(raw, object)) {
      if (!fills_) listed_.insert(KeyOf(object.meta));
      Upsert(std::move(object));
    } else if (!fills_) {
      std::string uid;
      if (std::optional<ObjectKey> key = ReadObjectKey(reader_, raw, &uid)) {
        listed_.insert(*std::move(key));
      }
    }
  }

  void OnListEnd(std::string_view resource_version) override {
    if (!fills_) KeepListed(listed_);
    listed_.clear();
    metrics_.lists.Increment();
    OnResourceVersion(resource_version);
    freshness_.OnListed(resource_);
    // As old as its first page, until the watch begins.
    freshness_.OnConnected(resource_);
    freshness_.OnDisconnected(resource_, listed_at_);
  }

  void OnWatchStart() override {
    metrics_.watch_starts.Increment();
    freshness_.OnConnected(resource_);
  }

  void OnChanged(const RawObject& raw) override {
    const Clock::time_point arrival = Arrival();
    Kind object;
    if (!Read(raw, object)) return;
    Upsert(std::move(object));
    metrics_.event_apply_duration.Observe(SecondsSince(arrival));
    if (const auto change =
            ChangeTime(raw, ApiResourceOf<Kind>().kind, change_time_parser_)) {
      // Clocks differ: not before it happened.
      metrics_.event_lag.Observe(std::max(
          0.0, Epoch(std::chrono::system_clock::now()) - Epoch(*change)));
    }
  }

  void OnDeleted(const RawObject& raw) override {
    const Clock::time_point arrival = Arrival();
    std::string uid;
    const std::optional<ObjectKey> key = ReadObjectKey(reader_, raw, &uid);
    if (!key) {
      metrics_.decode_errors.Increment();
      LOG(ERROR) << resource_ << ": an object was deleted that has no name";
      return;
    }
    listed_.erase(*key);
    Remove(*key, uid);
    metrics_.event_apply_duration.Observe(SecondsSince(arrival));
  }

  void OnResourceVersion(std::string_view resource_version) override {
    // Opaque by contract, but in practice etcd's revision; the gauge is only
    // for people and tests.
    double revision = 0;
    std::from_chars(resource_version.data(),
                    resource_version.data() + resource_version.size(),
                    revision);
    metrics_.resource_version.Set(revision);
  }

  void OnBatchEnd() override { batch_arrival_.reset(); }

  void OnDisconnected(const absl::Status& why,
                      Clock::time_point since) override {
    if (!why.ok()) metrics_.disconnects.Increment();
    freshness_.OnDisconnected(resource_, since);
  }

 protected:
  // How the state changes. By default the store does what is told.
  virtual void Upsert(Kind object) {
    store_.Write([&object](ClusterState& cluster) {
      cluster.Upsert(std::move(object));
    });
  }
  // An empty uid could not be read.
  virtual void Remove(const ObjectKey& key, const std::string& /*uid*/) {
    store_.Write([&key](ClusterState& cluster) { cluster.Remove<Kind>(key); });
  }
  // Removes what is not in `listed`.
  virtual void KeepListed(const std::set<ObjectKey>& listed) {
    store_.Write([&listed](ClusterState& cluster) {
      for (const ObjectKey& key : cluster.Keys<Kind>()) {
        if (!listed.contains(key)) cluster.Remove<Kind>(key);
      }
    });
  }

 private:
  // When the batch under way has arrived: its first event is told at once.
  Clock::time_point Arrival() {
    if (!batch_arrival_) batch_arrival_ = Clock::now();
    return *batch_arrival_;
  }

  static double SecondsSince(Clock::time_point time) {
    return std::chrono::duration<double>(Clock::now() - time).count();
  }

  // Seconds since 1970.
  template <typename Duration>
  static double Epoch(std::chrono::sys_time<Duration> time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
  }

  bool Read(const RawObject& raw, Kind& object) {
    absl::StatusOr<Kind> read = raw.encoding == Encoding::kProtobuf
                                    ? DecodeProtobuf<Kind>(raw.bytes)
                                    : reader_.Read<Kind>(raw.bytes);
    if (!read.ok()) {
      metrics_.decode_errors.Increment();
      LOG(ERROR) << resource_ << ": an object of the API server cannot be read "
                 << "and is left out: " << read.status().message();
      return false;
    }
    object = *std::move(read);
    return true;
  }

  const std::string resource_;
  ClusterStore& store_;
  Freshness& freshness_;
  const Metrics::Resource metrics_;
  JsonReader reader_;
  simdjson::ondemand::parser change_time_parser_;
  std::optional<Clock::time_point> batch_arrival_;
  bool has_listed_ = false;
  // The list that is under way is the first, and began with nothing: there is
  // nothing that it may turn out not to have.
  bool fills_ = false;
  std::set<ObjectKey> listed_;   // By the list that is under way, if not,
  Clock::time_point listed_at_;  // and when it began.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_STATE_RESOURCE_EVENT_HANDLER_H_
