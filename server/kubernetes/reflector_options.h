#ifndef VICINAL_SERVER_KUBERNETES_REFLECTOR_OPTIONS_H_
#define VICINAL_SERVER_KUBERNETES_REFLECTOR_OPTIONS_H_

#include <chrono>

#include "server/kubernetes/encoding.h"

namespace vicinal {

struct ReflectorOptions {
  // What the server is asked for, if the handler takes it.
  Encoding encoding = Encoding::kProtobuf;
  // Lists come as events of the watch that follows, if the server can do that.
  bool stream_lists = true;
  // Objects in one page of a list; memory is bounded by one page.
  int page_size = 500;
  // A watch is asked to last between this and twice this.
  std::chrono::seconds watch_timeout{300};
  std::chrono::milliseconds initial_backoff{100};
  std::chrono::milliseconds max_backoff{5'000};
  // The most after an attempt to watch that was not answered at all.
  std::chrono::milliseconds unanswered_max_backoff{500};
  // A watch is asked for a second time, over a second connection, when the
  // first has not been answered for second_attempt_after, and both are given up
  // after attempt_timeout.
  std::chrono::milliseconds second_attempt_after{4'000};
  std::chrono::milliseconds attempt_timeout{8'000};
  // A watch that no byte has come on for silent_after is renewed, and is broken
  // when that does not succeed within renewal_timeout.
  std::chrono::milliseconds silent_after{10'000};
  std::chrono::milliseconds renewal_timeout{10'000};
  // A watch that has lasted this long resets the backoff.
  std::chrono::milliseconds healthy_after{10'000};
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_KUBERNETES_REFLECTOR_OPTIONS_H_
