#include "server/commands/deschedule/lease.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/kubernetes/api_request.h"
#include "server/kubernetes/api_response.h"

namespace vicinal {
namespace {

using Clock = std::chrono::steady_clock;

// metav1.MicroTime.
std::string MicroTimeNow() {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::Now(),
                          absl::UTCTimeZone());
}

std::string LeasesPath(const LeaseOptions& options) {
  return absl::StrCat("/apis/coordination.k8s.io/v1/namespaces/",
                      options.namespace_name, "/leases");
}

std::string StringAt(const nlohmann::json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

std::int64_t IntegerAt(const nlohmann::json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number_integer() ? it->get<std::int64_t>()
                                                       : 0;
}

}  // namespace

LeaderElection::LeaderElection(BlockingApiClient& client, LeaseOptions options)
    : client_(client),
      options_(std::move(options)),
      thread_([this] { Run(); }) {}

LeaderElection::~LeaderElection() {
  stop_.Set();
  thread_.join();
}

bool LeaderElection::IsLeader() const {
  const MutexLock lock(mutex_);
  return renewed_ && Clock::now() - *renewed_ < options_.renew_deadline;
}

void LeaderElection::Run() {
  bool was_leader = false;
  do {
    const Clock::time_point begin = Clock::now();
    const absl::StatusOr<bool> ours = TryAcquireOrRenew();
    LOG_IF(WARNING, !ours.ok())
        << "lease " << options_.namespace_name << "/" << options_.name << ": "
        << std::string(ours.status().message());
    if (ours.ok()) {
      const MutexLock lock(mutex_);
      if (*ours) {
        renewed_ = begin;
      } else {
        renewed_.reset();
      }
    }
    if (IsLeader() != was_leader) {
      was_leader = !was_leader;
      LOG(INFO) << options_.identity
                << (was_leader ? " leads" : " does not lead any more");
    }
  } while (!stop_.WaitFor(options_.retry_period));
  if (!IsLeader() || !seen_) return;
  {
    const MutexLock lock(mutex_);
    renewed_.reset();
  }
  const absl::Status status = Write(*seen_, "");
  LOG_IF(WARNING, !status.ok())
      << "the lease is not given back: " << std::string(status.message());
}

absl::StatusOr<bool> LeaderElection::TryAcquireOrRenew() {
  const absl::StatusOr<ApiResponse> response =
      client_.Send({.target = LeasesPath(options_) + "/" + options_.name});
  if (!response.ok()) return response.status();
  if (response->status == 404) {
    Record none;
    none.acquire_time = MicroTimeNow();
    const absl::Status created = Write(none, options_.identity);
    if (created.code() == absl::StatusCode::kAborted) return false;
    if (!created.ok()) return created;
    return true;
  }
  if (absl::Status status = ToStatus(*response); !status.ok()) return status;
  nlohmann::json lease = nlohmann::json::parse(response->body, nullptr, false);
  if (!lease.is_object() || !lease.contains("metadata") ||
      !lease["metadata"].is_object()) {
    return absl::InternalError("the answer is no Lease");
  }
  const nlohmann::json spec =
      lease.contains("spec") && lease["spec"].is_object()
          ? lease["spec"]
          : nlohmann::json::object();
  Record record;
  record.holder = StringAt(spec, "holderIdentity");
  record.renew_time = StringAt(spec, "renewTime");
  record.acquire_time = StringAt(spec, "acquireTime");
  record.duration =
      std::chrono::seconds(IntegerAt(spec, "leaseDurationSeconds"));
  record.transitions = IntegerAt(spec, "leaseTransitions");
  record.lease = std::move(lease);
  if (!seen_ || seen_->holder != record.holder ||
      seen_->renew_time != record.renew_time) {
    seen_since_ = Clock::now();
  }
  seen_ = record;
  const bool is_ours = record.holder == options_.identity;
  if (!is_ours && !record.holder.empty() &&
      Clock::now() - seen_since_ < record.duration) {
    return false;
  }
  if (!is_ours) {
    record.acquire_time = MicroTimeNow();
    ++record.transitions;
  }
  const absl::Status written = Write(record, options_.identity);
  // Somebody else was faster.
  if (written.code() == absl::StatusCode::kAborted) return false;
  if (!written.ok()) return written;
  return true;
}

absl::Status LeaderElection::Write(const Record& current,
                                   const std::string& holder) {
  const bool exists = !current.lease.is_null();
  nlohmann::json lease = current.lease;
  if (!exists) {
    lease = {
        {"apiVersion", "coordination.k8s.io/v1"},
        {"kind", "Lease"},
        {"metadata",
         {{"name", options_.name}, {"namespace", options_.namespace_name}}}};
  }
  nlohmann::json& spec = lease["spec"];
  if (!spec.is_object()) spec = nlohmann::json::object();
  const std::string now = MicroTimeNow();
  const std::int64_t seconds = std::max<std::int64_t>(
      1,
      std::chrono::ceil<std::chrono::seconds>(options_.lease_duration).count());
  spec["holderIdentity"] = holder;
  // A lease that is given back is free at once.
  spec["leaseDurationSeconds"] = holder.empty() ? 1 : seconds;
  spec["acquireTime"] =
      current.acquire_time.empty() ? now : current.acquire_time;
  spec["renewTime"] = now;
  spec["leaseTransitions"] = current.transitions;
  ApiRequest request;
  request.method = exists ? "PUT" : "POST";
  request.target = LeasesPath(options_);
  if (exists) request.target += "/" + options_.name;
  request.body = lease.dump();
  const absl::StatusOr<ApiResponse> response = client_.Send(std::move(request));
  if (!response.ok()) return response.status();
  absl::Status status = ToStatus(*response);
  if (!status.ok()) return status;
  nlohmann::json written =
      nlohmann::json::parse(response->body, nullptr, false);
  if (written.is_object() && written.contains("metadata")) {
    Record record = current;
    record.lease = std::move(written);
    record.holder = holder;
    record.renew_time = now;
    seen_ = std::move(record);
    seen_since_ = Clock::now();
  }
  return absl::OkStatus();
}

}  // namespace vicinal
