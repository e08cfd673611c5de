#include "server/state/freshness.h"

#include "absl/strings/str_cat.h"

namespace vicinal {

Freshness::Freshness(const std::vector<std::string>& resources,
                     std::chrono::seconds max_outage)
    : max_outage_(max_outage) {
  for (const std::string& resource : resources) resources_[resource];
}

void Freshness::OnListed(const std::string& resource) {
  const MutexLock lock(mutex_);
  resources_.at(resource).listed = true;
}

void Freshness::OnConnected(const std::string& resource) {
  const MutexLock lock(mutex_);
  resources_.at(resource).disconnected_since.reset();
}

void Freshness::OnDisconnected(const std::string& resource,
                               Clock::time_point since) {
  const MutexLock lock(mutex_);
  auto& first = resources_.at(resource).disconnected_since;
  if (!first) first = since;
}

std::map<std::string, Freshness::Clock::duration> Freshness::Outages(
    Clock::time_point now) const {
  std::map<std::string, Clock::duration> outages;
  const MutexLock lock(mutex_);
  for (const auto& [name, resource] : resources_) {
    outages[name] = resource.disconnected_since
                        ? now - *resource.disconnected_since
                        : Clock::duration(0);
  }
  return outages;
}

absl::Status Freshness::Check(Clock::time_point now) const {
  std::string problems;
  const auto add = [&problems](const std::string& problem) {
    absl::StrAppend(&problems, problems.empty() ? "" : "; ", problem);
  };
  const MutexLock lock(mutex_);
  for (const auto& [name, resource] : resources_) {
    if (!resource.listed) {
      add(name + ": not listed yet");
    } else if (resource.disconnected_since &&
               now - *resource.disconnected_since > max_outage_) {
      const auto outage = std::chrono::duration_cast<std::chrono::seconds>(
          now - *resource.disconnected_since);
      add(absl::StrCat(name, ": disconnected for ", outage.count(), " s"));
    }
  }
  if (problems.empty()) return absl::OkStatus();
  return absl::UnavailableError(problems);
}

}  // namespace vicinal
