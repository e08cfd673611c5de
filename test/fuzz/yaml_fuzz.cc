// YAML: what comes out must be JSON.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/model/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const auto documents =
      vicinal::YamlToJson({reinterpret_cast<const char*>(data), size});
  if (!documents.ok()) return 0;
  for (const std::string& document : *documents) {
    CHECK(nlohmann::json::accept(document)) << document;
  }
  return 0;
}
