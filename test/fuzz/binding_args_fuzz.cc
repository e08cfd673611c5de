// The body of a bind request: what is read becomes part of a URL's path.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "server/listeners/extender/binding_args.h"
#include "simdjson.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const simdjson::padded_string body(reinterpret_cast<const char*>(data), size);
  const auto args = vicinal::ReadBindingArgs(std::string_view(body));
  if (!args.ok()) {
    const std::string json =
        vicinal::BindingResultJson(std::string(args.status().message()));
    CHECK(nlohmann::json::accept(json)) << json;
    return 0;
  }
  for (const std::string* name :
       {&args->pod_name, &args->pod_namespace, &args->node}) {
    CHECK(!name->empty());
    CHECK_EQ(name->find_first_of("/?#%\\ \n"), std::string::npos) << *name;
  }
  CHECK(!args->pod_uid.empty());
  return 0;
}
