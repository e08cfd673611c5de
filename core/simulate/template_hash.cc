#include "core/simulate/template_hash.h"

#include <cstdint>

#include "core/simulate/append_json.h"

namespace vicinal {

std::string TemplateHash(const Workload& workload) {
  std::string text;
  AppendJson(workload.pod_template, text);
  text += std::to_string(workload.restarts);
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  }
  std::string name = std::to_string(hash);
  for (char& c : name) c = kSafeLetters[c % kSafeLetters.size()];
  return name;
}

}  // namespace vicinal
