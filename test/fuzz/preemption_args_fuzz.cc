// The body of a preempt request; what is answered to it must be JSON.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/index/pod_info.h"
#include "server/listeners/extender/preemption_args.h"
#include "simdjson.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const simdjson::padded_string body(reinterpret_cast<const char*>(data), size);
  const auto args = vicinal::ReadExtenderPreemptionArgs(std::string_view(body));
  if (!args.ok()) return 0;
  static_cast<void>(vicinal::PodInfo(args->pod));
  for (const vicinal::NodeVictims& node : args->candidates) {
    for (const std::string& uid : node.pod_uids) CHECK(!uid.empty());
  }
  const std::string json = vicinal::ToJson(args->candidates);
  CHECK(nlohmann::json::accept(json)) << json;
  return 0;
}
