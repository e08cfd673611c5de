#include "core/model/decode_rules.h"

#include <charconv>
#include <functional>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace vicinal {
namespace {

// Never 0.
std::uint64_t FingerprintOf(const PodCondition& condition) {
  const std::size_t hash = std::hash<std::string>()(absl::StrCat(
      condition.reason, "\n", condition.message, "\n",
      condition.last_probe_time, "\n", condition.last_transition_time));
  return hash == 0 ? 1 : hash;
}

}  // namespace

absl::Status Required(const JsonPath& path, std::string_view field,
                      const std::string& value) {
  if (!value.empty()) return absl::OkStatus();
  return FieldError(path.Field(field), "required");
}

// Kubernetes 1.35 promises decimal numbers.
std::uint64_t ResourceVersionNumber(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::uint64_t number = 0;
  const auto [last, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && last == end ? number : 0;
}

void ConditionsReader::Add(const PodCondition& condition) {
  if (condition.type == "PodResizePending" && !found_resize_) {
    found_resize_ = true;
    status_.resize_infeasible = condition.reason == "Infeasible";
  }
  if (condition.type == "PodScheduled") {
    status_.scheduling_failure =
        condition.status == "False" ? FingerprintOf(condition) : 0;
  }
}

void AppendInitContainers(std::vector<ContainerStatus> init_containers,
                          PodStatus& status) {
  status.container_statuses.insert(
      status.container_statuses.end(),
      std::make_move_iterator(init_containers.begin()),
      std::make_move_iterator(init_containers.end()));
}

}  // namespace vicinal
