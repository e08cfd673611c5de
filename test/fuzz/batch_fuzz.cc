// The lines of `vicinal explain --batch`: objects, plugin arguments, and all
// plugins on them.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "server/commands/explain/batch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::istringstream cases(
      std::string(reinterpret_cast<const char*>(data), size));
  std::ostringstream answers;
  static_cast<void>(vicinal::ExplainBatch({}, cases, answers));
  return 0;
}
