#include "core/plugins/nodeaffinity/nodeaffinity_args.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/model/field_error.h"

namespace vicinal {
namespace {

constexpr char kRequired[] =
    "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution";
constexpr char kPreferred[] =
    "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution";

}  // namespace

absl::Status Validate(const NodeAffinityArgs& args) {
  if (!args.added_affinity) return absl::OkStatus();
  std::vector<std::string> errors;
  if (const auto& required = args.added_affinity->required) {
    for (std::size_t i = 0; i < required->size(); ++i) {
      (void)ParsedNodeSelectorTerm::Parse(
          (*required)[i],
          absl::StrCat(kRequired, ".nodeSelectorTerms[", i, "]"), errors);
    }
  }
  if (const auto& preferred = args.added_affinity->preferred) {
    const auto terms = PreferredSchedulingTerms::Parse(*preferred, kPreferred);
    if (!terms.ok()) errors.emplace_back(terms.status().message());
  }
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(AggregateError(errors));
}

}  // namespace vicinal
