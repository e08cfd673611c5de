// An entry of a list pluginConfig, in the scheduler's configuration or in the
// descheduler's policy.
#ifndef VICINAL_CORE_PLUGINS_PLUGIN_ENTRY_H_
#define VICINAL_CORE_PLUGINS_PLUGIN_ENTRY_H_

#include <string>

#include "absl/status/status.h"
#include "core/model/json.h"

namespace vicinal {

// The args are kept as text, because the name that says how to read them may
// come after them.
struct PluginEntry {
  std::string name;
  std::string args = "{}";  // A JSON object.
};

// Error: InvalidArgument, with the path of a field that is not one of an entry,
// or not of its type. Thread-safe. Cost: O(the entry).
absl::Status Decode(JsonValue value, const JsonPath& path, PluginEntry* out);

}  // namespace vicinal

#endif  // VICINAL_CORE_PLUGINS_PLUGIN_ENTRY_H_
