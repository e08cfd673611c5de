#include "core/model/feature_gates.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/model/feature_gate_table.h"

namespace vicinal {
namespace {

// A gate that the plugins look at.
struct Influence {
  std::string_view gate;
  // Null: vicinal has the answers without the gate only.
  bool KubernetesRelease::*field;
};

constexpr std::array kInfluences = {
    Influence{"MatchLabelKeysInPodTopologySpread",
              &KubernetesRelease::match_label_keys_in_spread},
    Influence{"InPlacePodVerticalScaling", &KubernetesRelease::resizes},
    Influence{"PodLevelResources", &KubernetesRelease::pod_level_resources},
    Influence{"InPlacePodLevelResourcesVerticalScaling",
              &KubernetesRelease::pod_level_resizes},
    Influence{"TaintTolerationComparisonOperators",
              &KubernetesRelease::taint_comparisons},
    Influence{"DRANodeAllocatableResources", nullptr},
    Influence{"InPlacePodVerticalScalingSchedulerPreemption", nullptr},
};

// strconv.ParseBool.
std::optional<bool> ParseBool(std::string_view text) {
  for (const char* yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

using Gates = std::map<std::string, bool, std::less<>>;

absl::StatusOr<Gates> ParseGates(std::string_view text) {
  Gates gates;
  const std::vector<std::string> pairs = absl::StrSplit(std::string(text), ',');
  for (const std::string& pair : pairs) {
    if (pair.empty()) continue;
    std::string gate = pair;
    if (const auto colon = gate.find(':'); colon != gate.npos) {
      if (absl::StripAsciiWhitespace(gate.substr(0, colon)) != "kube") {
        return absl::InvalidArgumentError(absl::StrCat(
            "feature gate \"", pair, "\": only the component kube has gates"));
      }
      gate.erase(0, colon + 1);
    }
    const auto equal = gate.find('=');
    const std::optional<bool> value =
        equal == gate.npos ? std::nullopt
                           : ParseBool(std::string(absl::StripAsciiWhitespace(
                                 gate.substr(equal + 1))));
    if (!value) {
      return absl::InvalidArgumentError(
          absl::StrCat("feature gate \"", pair,
                       "\" is not of the form Name=true or ", "Name=false"));
    }
    gates[std::string(absl::StripAsciiWhitespace(gate.substr(0, equal)))] =
        *value;
  }
  return gates;
}

std::string Written(std::string_view gate, bool value) {
  return absl::StrCat(std::string(gate), "=", value ? "true" : "false");
}

// What the gates say of one, which may be by its stage.
std::optional<bool> ValueOf(const Gates& gates, std::string_view gate,
                            const FeatureGate& spec) {
  const auto of = [&gates](std::string_view name) -> std::optional<bool> {
    const auto found = gates.find(name);
    return found == gates.end() ? std::nullopt : std::optional(found->second);
  };
  if (const std::optional<bool> own = of(gate); own || spec.is_locked) {
    return own;
  }
  if (spec.stage == FeatureStage::kAlpha) return of("AllAlpha");
  if (spec.stage == FeatureStage::kBeta) return of("AllBeta");
  return std::nullopt;
}

}  // namespace

absl::StatusOr<KubernetesRelease> WithFeatureGates(
    const KubernetesRelease& release, std::string_view gates) {
  const absl::StatusOr<Gates> parsed = ParseGates(gates);
  if (!parsed.ok()) return parsed.status();
  const std::string scheduler =
      absl::StrCat("kube-scheduler ", std::string(release.name));
  for (const auto& [gate, value] : *parsed) {
    const std::optional<FeatureGate> spec = FindFeatureGate(release.name, gate);
    if (!spec) {
      return absl::InvalidArgumentError(
          absl::StrCat("feature gate \"", Written(gate, value),
                       "\": ", scheduler, " has no gate of that name"));
    }
    if (spec->is_locked && spec->is_on != value) {
      return absl::InvalidArgumentError(absl::StrCat(
          "feature gate \"", Written(gate, value), "\": it is locked to ",
          spec->is_on ? "true" : "false", " in ", scheduler));
    }
  }
  KubernetesRelease result = release;
  for (const Influence& influence : kInfluences) {
    const std::optional<FeatureGate> spec =
        FindFeatureGate(release.name, influence.gate);
    if (!spec) continue;
    const std::optional<bool> value = ValueOf(*parsed, influence.gate, *spec);
    if (!value) continue;
    if (influence.field != nullptr) {
      result.*influence.field = *value;
    } else if (*value) {
      return absl::InvalidArgumentError(
          absl::StrCat("feature gate \"", Written(influence.gate, true),
                       "\": vicinal does not have the answers that ", scheduler,
                       " gives with it"));
    }
  }
  return result;
}

}  // namespace vicinal
