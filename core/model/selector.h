// A parsed label selector, as the scheduler matches it.
// Source: k8s.io/apimachinery/pkg/labels/selector.go.
#ifndef VICINAL_CORE_MODEL_SELECTOR_H_
#define VICINAL_CORE_MODEL_SELECTOR_H_

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/labels.h"

namespace vicinal {

// One condition on one label.
class Requirement {
 public:
  enum class Operator {
    kIn,
    kNotIn,
    kExists,
    kDoesNotExist,
    kGreaterThan,
    kLessThan,
  };

  // Validates as labels.NewRequirement does: a well-formed key, values as many
  // and as well-formed as the operator wants them. `path` precedes the field
  // names in the error ("" for a label selector, "nodeSelectorTerms[0]…" for
  // node selectors). The error's message is upstream's text.
  static absl::StatusOr<Requirement> Create(std::string key, Operator op,
                                            std::vector<std::string> values,
                                            std::string_view path = "");

  // The same with the errors one by one, appended to `errors`; then absent.
  static std::optional<Requirement> Create(std::string key, Operator op,
                                           std::vector<std::string> values,
                                           std::string_view path,
                                           std::vector<std::string>& errors);

  // A requirement that the label equals the value, without validation, as
  // labels.SelectorFromSet makes them.
  static Requirement Equals(std::string key, std::string value);

  // Cost: O(log labels + values).
  bool Matches(const Labels& labels) const {
    return MatchesValue(labels.Find(key_));
  }
  // Of the label's value; null if there is no such label.
  bool MatchesValue(const std::string* value) const;

  const std::string& key() const { return key_; }
  Operator op() const { return op_; }
  const std::vector<std::string>& values() const { return values_; }

  friend bool operator==(const Requirement&, const Requirement&) = default;

 private:
  Requirement(std::string key, Operator op, std::vector<std::string> values)
      : key_(std::move(key)), op_(op), values_(std::move(values)) {}

  std::string key_;
  Operator op_;
  std::vector<std::string> values_;
};

// A conjunction of requirements; or "nothing", which matches no object.
// A selector without requirements matches every object.
class Selector {
 public:
  static Selector Nothing() { return Selector(true, {}); }
  static Selector Everything() { return Selector(false, {}); }
  explicit Selector(std::vector<Requirement> requirements)
      : Selector(false, std::move(requirements)) {}
  // labels.SelectorFromSet: every label must be there with that value.
  static Selector FromSet(const Labels& set);

  // Cost: O(requirements × (log labels + values)).
  bool Matches(const Labels& labels) const {
    return MatchesWith(
        [&labels](const std::string& key) { return labels.Find(key); });
  }
  // The same for labels kept in another form: `find` does what Labels::Find
  // does.
  template <typename Find>
  bool MatchesWith(Find&& find) const {
    return !nothing_ && std::all_of(requirements_.begin(), requirements_.end(),
                                    [&](const Requirement& requirement) {
                                      return requirement.MatchesValue(
                                          find(requirement.key()));
                                    });
  }

  // True for a selector that restricts nothing. "Nothing" is not empty.
  bool Empty() const { return !nothing_ && requirements_.empty(); }
  bool IsNothing() const { return nothing_; }

  // Adds requirements; "nothing" stays nothing.
  void Add(const std::vector<Requirement>& requirements);

  const std::vector<Requirement>& requirements() const { return requirements_; }

  friend bool operator==(const Selector&, const Selector&) = default;

 private:
  Selector(bool nothing, std::vector<Requirement> requirements)
      : nothing_(nothing), requirements_(std::move(requirements)) {}

  bool nothing_;
  std::vector<Requirement> requirements_;  // Empty if nothing_.
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_SELECTOR_H_
