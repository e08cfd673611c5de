#include "server/decisions/decision_ring.h"

#include <glog/logging.h>

#include <algorithm>
#include <string>
#include <utility>

#include "server/decisions/decision_json.h"

namespace vicinal {
namespace {

// A new string where the text is too long: the old one would keep its memory.
void Cut(std::string& text, std::size_t most) {
  if (text.size() > most) text = text.substr(0, most);
}

void CutTexts(DecisionRecord& decision) {
  for (std::string* const name :
       {&decision.namespace_name, &decision.name, &decision.uid,
        &decision.scheduler, &decision.node, &decision.runner_up}) {
    Cut(*name, DecisionRecord::kMaxNameBytes);
  }
  Cut(decision.reason, DecisionRecord::kMaxReasonBytes);
}

}  // namespace

DecisionRing::DecisionRing(std::size_t capacity) : places_(capacity) {
  CHECK_GT(capacity, 0u);
}

void DecisionRing::Add(DecisionRecord decision) {
  CutTexts(decision);
  decision.number = last_.fetch_add(1) + 1;
  VLOG(2) << "decision " << ToJsonLine(decision);
  Place& place = places_[decision.number % places_.size()];
  auto kept = std::make_shared<const DecisionRecord>(std::move(decision));
  {
    const MutexLock lock(place.mutex);
    // A thread that was slow must not replace what came later.
    if (place.decision == nullptr || place.decision->number < kept->number) {
      place.decision.swap(kept);
    }
  }
  // The older one goes here, outside the lock.
}

std::shared_ptr<const DecisionRecord> DecisionRing::At(
    std::uint64_t number) const {
  const Place& place = places_[number % places_.size()];
  const MutexLock lock(place.mutex);
  return place.decision;
}

DecisionRing::Decisions DecisionRing::All() const {
  Decisions all;
  for (std::uint64_t i = 0; i < places_.size(); ++i) {
    if (auto decision = At(i)) all.push_back(std::move(decision));
  }
  std::ranges::sort(all, {}, [](const auto& one) { return one->number; });
  return all;
}

std::string DecisionRing::ToJsonLines() const {
  std::string lines;
  for (const auto& decision : All()) lines += ToJsonLine(*decision);
  return lines;
}

DecisionRing::Decisions DecisionRing::After(std::uint64_t number) const {
  Decisions found;
  const std::uint64_t last = last_;
  const std::uint64_t first =
      std::max(number, last - std::min<std::uint64_t>(last, places_.size())) +
      1;
  for (std::uint64_t next = first; next <= last; ++next) {
    auto decision = At(next);
    if (decision == nullptr || decision->number < next) break;
    // Forgotten meanwhile.
    if (decision->number > next) continue;
    found.push_back(std::move(decision));
  }
  return found;
}

}  // namespace vicinal
