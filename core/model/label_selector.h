// metav1.LabelSelector as written in an API object.
#ifndef VICINAL_CORE_MODEL_LABEL_SELECTOR_H_
#define VICINAL_CORE_MODEL_LABEL_SELECTOR_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/labels.h"
#include "core/model/selector.h"

namespace vicinal {

struct LabelSelectorRequirement {
  std::string key;
  std::string op;  // "In", "NotIn", "Exists", "DoesNotExist"; others do not
                   // parse. Kept as text, because an invalid one must be
                   // reported when it is used, not when it is read.
  std::vector<std::string> values;

  friend bool operator==(const LabelSelectorRequirement&,
                         const LabelSelectorRequirement&) = default;
};

struct LabelSelector {
  Labels match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

// metav1.LabelSelectorAsSelector: no selector matches nothing, an empty one
// everything. The error's message is upstream's text.
absl::StatusOr<Selector> AsSelector(
    const std::optional<LabelSelector>& selector);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_LABEL_SELECTOR_H_
