// The last decisions of the process.
#ifndef VICINAL_SERVER_DECISIONS_DECISION_RING_H_
#define VICINAL_SERVER_DECISIONS_DECISION_RING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "core/sync/mutex.h"
#include "server/decisions/decision_record.h"

namespace vicinal {

// Keeps so many decisions and forgets the oldest.
//
// Thread-safe. Each place has a lock of its own, which is held to exchange a
// pointer: questions do not wait for each other, nor for those who read.
// Memory: the decisions, whose texts are cut (see DecisionRecord): six names
// and a reason at most, and the scores of two nodes.
class DecisionRing {
 public:
  using Decisions = std::vector<std::shared_ptr<const DecisionRecord>>;

  // `capacity` must be positive.
  explicit DecisionRing(std::size_t capacity);

  // Numbers the decision, cuts its texts, and keeps it; logs it at -v 2. Cost:
  // O(1): one allocation, the exchange of a pointer, and the end of the oldest
  // decision.
  void Add(DecisionRecord decision);

  // The number of the last decision; 0: there is none. Cost: O(1).
  std::uint64_t last() const { return last_; }

  // All that are kept, the oldest first. Cost: O(capacity).
  Decisions All() const;

  // The same as lines of ToJsonLine. Cost: O(their size).
  std::string ToJsonLines() const;

  // Those with numbers above `number`, the oldest first, up to the first that
  // is being added right now. Where numbers are missing, decisions were
  // forgotten before. Cost: O(result).
  Decisions After(std::uint64_t number) const;

 private:
  struct Place {
    mutable Mutex mutex;
    std::shared_ptr<const DecisionRecord> decision ABSL_GUARDED_BY(mutex);
  };

  std::shared_ptr<const DecisionRecord> At(std::uint64_t number) const;

  std::vector<Place> places_;  // By number, modulo their count.
  std::atomic<std::uint64_t> last_ = 0;
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_DECISIONS_DECISION_RING_H_
