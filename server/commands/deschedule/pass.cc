#include "server/commands/deschedule/pass.h"

#include <glog/logging.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/deschedule/rule_tallies.h"

namespace vicinal {
namespace {

using Outcome = EvictResult::Outcome;

std::string NameOf(const ObjectKey& key) {
  return absl::StrCat(key.namespace_name, "/", key.name);
}

}  // namespace

// Counts the placed pods of each owner, and forgets the owners whose evicted
// pods are gone and replaced. Pods that were evicted here and still terminate
// leave the tallies: they are no reason to evict others.
void DescheduleLoop::LookAtOwners(ClusterState& cluster) {
  placed_.clear();
  std::set<std::string> evicted;
  for (const auto& [owner, unsettled] : unsettled_) {
    evicted.insert(unsettled.evicted.begin(), unsettled.evicted.end());
  }
  std::vector<ObjectKey> leaving;
  cluster.ForEachPod([&](const StoredPod& pod) {
    if (pod.terminating()) {
      if (evicted.contains(std::string(pod.uid()))) {
        leaving.push_back({pod.namespace_name(), std::string(pod.name())});
      }
      return;
    }
    if (pod.node() != nullptr) ++placed_[OwnerKeyOf(pod.common().meta)];
  });
  for (const ObjectKey& key : leaving) cluster.Remove<Pod>(key);
  const Clock::time_point now = Clock::now();
  std::erase_if(unsettled_, [&](const auto& entry) {
    const auto placed = placed_.find(entry.first);
    return now >= entry.second.until ||
           (placed != placed_.end() && placed->second >= entry.second.placed);
  });
}

absl::Status DescheduleLoop::MakePlanNow(const PassResult& result, Plan& plan) {
  const Clock::time_point begin = Clock::now();
  DescheduleCluster cluster(options_.release);
  absl::Status status = read_(result.evicted, cluster);
  if (!status.ok()) return status;
  LookAtOwners(cluster.state);
  PlanOptions options;
  options.policy = options_.policy;
  options.now = std::chrono::duration_cast<std::chrono::seconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count();
  options.done = result.evicted;
  options.finished = std::move(cluster.finished);
  std::erase_if(options.finished, [&result](const Pod& pod) {
    return std::ranges::count(result.evicted, pod.meta.uid,
                              &PlannedEviction::uid) > 0;
  });
  for (const KeptPod& pod : result.not_evicted) {
    options.excluded_pods[pod.pod] = pod.reason;
  }
  for (const auto& [owner, unsettled] : unsettled_) {
    options.excluded_owners[owner] =
        "the replacement of another pod of its owner is not on a node yet";
  }
  plan = MakePlan(profile_, options, cluster.facts, cluster.state);
  metrics_.CountPlan(
      plan, std::chrono::duration<double>(Clock::now() - begin).count());
  return absl::OkStatus();
}

absl::Status DescheduleLoop::DryRun(PassResult& result) {
  absl::Status status = MakePlanNow(result, result.plan);
  return absl::IsCancelled(status) ? absl::OkStatus() : status;
}

absl::Status DescheduleLoop::Run(PassResult& result) {
  std::optional<Clock::time_point> last_eviction;
  for (int plans = 0; plans < kMaxPlans; ++plans) {
    const Clock::time_point begin = Clock::now();
    Plan plan;
    if (absl::Status status = MakePlanNow(result, plan); !status.ok()) {
      return absl::IsCancelled(status) ? absl::OkStatus() : status;
    }
    if (plans == 0) result.plan = plan;
    const Clock::time_point planned = Clock::now();
    const Clock::time_point old =
        planned +
        std::max<Clock::duration>(options_.max_plan_age, 2 * (planned - begin));
    bool is_done = true;
    for (const PlannedEviction& eviction : plan.evictions) {
      if (last_eviction) {
        const auto wait =
            *last_eviction + options_.eviction_interval - Clock::now();
        if (wait > Clock::duration::zero()) stop_.WaitFor(wait);
      }
      if (stop_.IsSet() || !may_evict_()) return absl::OkStatus();
      if (Clock::now() >= old) {
        is_done = false;
        break;
      }
      last_eviction = Clock::now();
      const EvictResult evicted = evictor_.Evict(eviction);
      metrics_.CountEviction(eviction, evicted.outcome);
      if (evicted.outcome == Outcome::kEvicted) {
        LOG(INFO) << "evicted pod " << NameOf(eviction.pod) << " from "
                  << eviction.node << ": " << eviction.reason;
        if (!eviction.owner.empty() && !eviction.IsOfFinishedPod()) {
          const auto [it, is_new] = unsettled_.try_emplace(eviction.owner);
          if (is_new) it->second.placed = placed_[eviction.owner];
          it->second.evicted.insert(eviction.uid);
          it->second.until = Clock::now() + options_.settle_timeout;
        }
        result.evicted.push_back(eviction);
        evictor_.Record(eviction, evicted.owner);
        continue;
      }
      LOG(INFO) << "pod " << NameOf(eviction.pod) << " is not evicted ("
                << NameOf(evicted.outcome) << "): " << evicted.message;
      result.not_evicted.push_back(
          {eviction.pod, eviction.node, eviction.strategy,
           absl::StrCat(NameOf(evicted.outcome), ": ", evicted.message)});
      if (evicted.outcome == Outcome::kUnreachable) {
        return absl::UnavailableError(evicted.message);
      }
      is_done = false;
      break;
    }
    if (is_done) break;
  }
  return absl::OkStatus();
}

}  // namespace vicinal
