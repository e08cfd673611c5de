// Kubernetes objects for tests, written as JSON.
#ifndef VICINAL_CORE_PLUGINS_TESTING_PARSED_H_
#define VICINAL_CORE_PLUGINS_TESTING_PARSED_H_

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "core/model/decode.h"
#include "core/model/json.h"

namespace vicinal {

// Ends the test program if the text is not a T.
template <typename T>
T Parsed(std::string_view json) {
  absl::StatusOr<T> parsed = JsonReader().ReadCopy<T>(json);
  if (!parsed.ok()) {
    std::cerr << parsed.status() << " in " << json << std::endl;
    std::abort();
  }
  return *std::move(parsed);
}

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_TESTING_PARSED_H_
