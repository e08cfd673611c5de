// The body of a filter or prioritize request, and what a question makes of it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/index/pod_info.h"
#include "core/model/json.h"
#include "server/listeners/extender/extender_args.h"
#include "simdjson.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const simdjson::padded_string body(reinterpret_cast<const char*>(data), size);
  vicinal::JsonReader reader;
  const auto args = vicinal::ReadExtenderArgs(std::string_view(body), reader);
  if (args.ok()) static_cast<void>(vicinal::PodInfo(args->pod));
  return 0;
}
