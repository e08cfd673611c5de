// What a server says today about a pod that was decided about.
#ifndef VICINAL_SERVER_COMMANDS_REPLAY_COMPARE_H_
#define VICINAL_SERVER_COMMANDS_REPLAY_COMPARE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "server/decisions/decision_record.h"
#include "vicinal/v1/extender.pb.h"

namespace vicinal {

struct Comparison {
  bool equal = false;
  // Of those with the highest total the node of the record if it is one, else
  // the first by name; "": no node fits.
  std::string node;
  std::int64_t total = 0;
  // Of the record's node; absent if it does not fit.
  std::optional<std::int64_t> recorded_total;
  // Why another node, or none, is taken. Empty if they are equal.
  std::string why;
};

// A choice is equal if the node of the record is among those with the highest
// total, of which one is drawn; that no node fits, if none fits. The outcome of
// the record must be one of the two. Cost: O(nodes).
Comparison Compare(const DecisionRecord& recorded,
                   const v1::Explanation& explanation);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_REPLAY_COMPARE_H_
