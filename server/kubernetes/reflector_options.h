#ifndef VICINAL_SERVER_KUBERNETES_REFLECTOR_OPTIONS_H_
#define VICINAL_SERVER_KUBERNETES_REFLECTOR_OPTIONS_H_

#include <chrono>

namespace vicinal {

struct ReflectorOptions {
  // Objects in one page of a list; memory is bounded by one page.
  int page_size = 500;
  // A watch is asked to last between this and twice this.
  std::chrono::seconds watch_timeout{300};
  std::chrono::milliseconds initial_backoff{100};
  std::chrono::milliseconds max_backoff{5'000};
  // A watch that has lasted this long resets the backoff.
  std::chrono::milliseconds healthy_after{10'000};
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_REFLECTOR_OPTIONS_H_
