#include "core/model/kubernetes_release.h"

#include <array>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/model/kubernetes_version.h"

namespace vicinal {
namespace {

// Each release is the next one with what is new in that one taken away.
constexpr KubernetesRelease k1_37;

constexpr KubernetesRelease k1_36 = [] {
  KubernetesRelease release = k1_37;
  release.name = "1.36";
  release.namespace_selectors_select_unlabelled = true;
  release.image_volumes = ImageVolumes::kScored;
  release.resized_by_container = true;
  release.node_name_narrows = false;
  release.violated_budget_ends_search = false;
  return release;
}();

constexpr KubernetesRelease k1_35 = [] {
  KubernetesRelease release = k1_36;
  release.name = "1.35";
  release.image_volumes = ImageVolumes::kIgnored;
  release.balance_is_compared = false;
  release.pod_level_resizes = false;
  release.ratio_only_with_its_type = false;
  return release;
}();

constexpr KubernetesRelease k1_34 = [] {
  KubernetesRelease release = k1_35;
  release.name = "1.34";
  return release;
}();

constexpr std::array kReleases = {k1_34, k1_35, k1_36, k1_37};

}  // namespace

std::span<const KubernetesRelease> KubernetesReleases() { return kReleases; }

absl::StatusOr<KubernetesRelease> KubernetesReleaseOf(
    std::string_view version) {
  const std::optional<int> minor = KubernetesMinorOf(version);
  std::string known;
  for (const KubernetesRelease& release : kReleases) {
    if (minor && minor == KubernetesMinorOf(release.name)) return release;
    absl::StrAppend(&known, known.empty() ? "" : ", ",
                    std::string(release.name));
  }
  return absl::NotFoundError(absl::StrCat(
      "Kubernetes release \"", std::string(version), "\" is none of ", known));
}

}  // namespace vicinal
