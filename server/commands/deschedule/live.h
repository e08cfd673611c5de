// `vicinal deschedule` on a live cluster: one pass, or a loop.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_LIVE_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_LIVE_H_

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "server/commands/deschedule/deschedule.h"
#include "server/listeners/tls/listener_security.h"

namespace vicinal {

struct LiveOptions {
  bool evict = false;  // Otherwise each pass only plans.
  // Between the starts of two passes; absent: one pass.
  std::optional<std::chrono::milliseconds> interval;
  std::chrono::milliseconds eviction_interval{1000};
  bool leader_elect = false;
  std::string lease_namespace = "kube-system";
  std::string lease_name = "vicinal-deschedule";
  // <IP>:<port> of /healthz and /metrics; empty: none.
  std::string admin_listen_address;
  ListenerSecurity security;  // Of that listener.
};

// InvalidArgument, naming the flag: an address that cannot be listened on
// safely. Reads no file.
absl::Status Validate(const LiveOptions& live);

// Makes passes and prints what each has done: the evictions, and the pods that
// stay. Ends on SIGTERM and SIGINT, which are blocked in the calling thread for
// good; an eviction that is under way is finished. Sets `all_evicted` to
// whether everything planned was carried out. Errors: those of Validate, files
// and addresses that
// cannot be used, and in a single pass those of the API server; a loop logs
// them and goes on.
absl::Status RunLive(const DescheduleOptions& options, const LiveOptions& live,
                     std::ostream& out, bool* all_evicted);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_LIVE_H_
