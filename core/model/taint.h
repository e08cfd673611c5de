// Taints of nodes and tolerations of pods.
// Source: k8s.io/api/core/v1/toleration.go and
// k8s.io/component-helpers/scheduling/corev1/helpers.go.
#ifndef VICINAL_CORE_MODEL_TAINT_H_
#define VICINAL_CORE_MODEL_TAINT_H_

#include <string>
#include <vector>

namespace vicinal {

inline constexpr char kNoSchedule[] = "NoSchedule";
inline constexpr char kPreferNoSchedule[] = "PreferNoSchedule";
inline constexpr char kNoExecute[] = "NoExecute";

struct Taint {
  std::string key;
  std::string value;
  std::string effect;

  friend bool operator==(const Taint&, const Taint&) = default;
  friend auto operator<=>(const Taint&, const Taint&) = default;
};

struct Toleration {
  std::string key;  // Empty: every key.
  std::string op;   // "" and "Equal" compare the value; "Exists" does not.
                    // "Lt" and "Gt" compare whole numbers if
                    // KubernetesRelease::taint_comparisons says so; else they
                    // tolerate nothing.
  std::string value;
  std::string effect;  // Empty: every effect.

  // `taint_comparisons`: KubernetesRelease::taint_comparisons of the scheduler
  // whose answer this is. Cost: O(1).
  bool Tolerates(const Taint& taint, bool taint_comparisons) const;

  friend bool operator==(const Toleration&, const Toleration&) = default;
  friend auto operator<=>(const Toleration&, const Toleration&) = default;
};

// Whether any of the tolerations tolerates the taint.
// Cost: O(tolerations).
bool Tolerate(const std::vector<Toleration>& tolerations, const Taint& taint,
              bool taint_comparisons);

// The first taint of effect NoSchedule or NoExecute that is not tolerated, or
// null. Cost: O(taints × tolerations).
const Taint* FindUntoleratedDoNotScheduleTaint(
    const std::vector<Taint>& taints,
    const std::vector<Toleration>& tolerations, bool taint_comparisons);

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_TAINT_H_
