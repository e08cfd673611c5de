// The state of the page as JSON, of bounded size.
#ifndef VICINAL_SERVER_LIVE_PAGE_PAGE_STATE_H_
#define VICINAL_SERVER_LIVE_PAGE_PAGE_STATE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "server/decisions/decision_ring.h"
#include "server/live_page/picture.h"

namespace vicinal {

// Whether the service answers, and why not.
struct PageHealth {
  std::string problem;  // Empty: it is ready.
  // How long each resource has been disconnected; 0: it is connected.
  std::map<std::string, std::chrono::seconds> late;

  friend bool operator==(const PageHealth&, const PageHealth&) = default;
};

// No state is larger, whatever is in the cluster: of one that would be, less is
// told, workloads' places and domains first.
inline constexpr std::size_t kMaxPageStateBytes = 1 << 20;

// What live_page.js reads. Names and messages in it are cut, and bytes that are
// no UTF-8 become U+FFFD. `decisions`: the oldest first. Cost: O(its size).
std::string PageStateJson(const PageHealth& health, const Picture& picture,
                          const DecisionRing::Decisions& decisions,
                          std::size_t max_bytes = kMaxPageStateBytes);

}  // namespace vicinal

#endif  // VICINAL_SERVER_LIVE_PAGE_PAGE_STATE_H_
