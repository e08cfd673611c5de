#include "core/plugins/testing/parsed.h"

#include <cstdlib>
#include <iostream>

#include "absl/status/statusor.h"
#include "core/model/decode.h"
#include "core/model/json.h"
#include "core/model/node.h"
#include "core/model/node_selector.h"
#include "core/model/pod.h"
#include "core/model/quantity.h"

namespace vicinal {

template <typename T>
T Parsed(std::string_view json) {
  absl::StatusOr<T> parsed = JsonReader().ReadCopy<T>(json);
  if (!parsed.ok()) {
    std::cerr << parsed.status() << " in " << json << std::endl;
    std::abort();
  }
  return *std::move(parsed);
}

template Node Parsed(std::string_view);
template NodeAffinity Parsed(std::string_view);
template Pod Parsed(std::string_view);
template ResourceList Parsed(std::string_view);

}  // namespace vicinal
