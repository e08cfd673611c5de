#include "core/model/taint.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace vicinal {
namespace {

// IsDecimalInteger and ParseInt of upstream: no plus sign, no leading zeros.
std::optional<std::int64_t> WholeNumber(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.starts_with('0') && text != "0") return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

// compareNumericValues.
bool Compares(const Toleration& toleration, const Taint& taint) {
  const std::optional<std::int64_t> bound = WholeNumber(toleration.value);
  const std::optional<std::int64_t> value = WholeNumber(taint.value);
  if (!bound || !value) return false;
  return toleration.op == "Lt" ? *value < *bound : *value > *bound;
}

}  // namespace

bool Toleration::Tolerates(const Taint& taint, bool taint_comparisons) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op.empty() || op == "Equal") return value == taint.value;
  if (op == "Lt" || op == "Gt") {
    return taint_comparisons && Compares(*this, taint);
  }
  return op == "Exists";
}

bool Tolerate(const std::vector<Toleration>& tolerations, const Taint& taint,
              bool taint_comparisons) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& t) {
                       return t.Tolerates(taint, taint_comparisons);
                     });
}

const Taint* FindUntoleratedDoNotScheduleTaint(
    const std::vector<Taint>& taints,
    const std::vector<Toleration>& tolerations, bool taint_comparisons) {
  for (const Taint& taint : taints) {
    if (taint.effect != kNoSchedule && taint.effect != kNoExecute) continue;
    if (!Tolerate(tolerations, taint, taint_comparisons)) return &taint;
  }
  return nullptr;
}

}  // namespace vicinal
