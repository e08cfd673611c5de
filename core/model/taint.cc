#include "core/model/taint.h"

#include <algorithm>

namespace vicinal {

bool Toleration::Tolerates(const Taint& taint) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op.empty() || op == "Equal") return value == taint.value;
  return op == "Exists";
}

bool Tolerate(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& t) { return t.Tolerates(taint); });
}

const Taint* FindUntoleratedDoNotScheduleTaint(
    const std::vector<Taint>& taints,
    const std::vector<Toleration>& tolerations) {
  for (const Taint& taint : taints) {
    if (taint.effect != kNoSchedule && taint.effect != kNoExecute) continue;
    if (!Tolerate(tolerations, taint)) return &taint;
  }
  return nullptr;
}

}  // namespace vicinal
