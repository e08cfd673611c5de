#include "core/model/pod_admission.h"

#include <gtest/gtest.h>

#include <vector>

namespace vicinal {
namespace {

using Expressions = std::vector<LabelSelectorRequirement>;

Pod WithMatchLabelKeys() {
  PodAffinityTerm term;
  term.topology_key = "zone";
  term.label_selector.emplace();
  term.match_label_keys = {"hash"};
  Pod pod;
  pod.meta.labels = {{"hash", "1a2b"}};
  pod.spec.affinity.emplace();
  pod.spec.affinity->pod_affinity.emplace().required = {term};
  pod.spec.affinity->pod_anti_affinity.emplace().preferred = {{1, term}};
  return pod;
}

const Expressions kMerged = {{"hash", "In", {"1a2b"}}};

TEST(AdmitPodTest, MergesLabelKeysOfAffinityAndAntiAffinity) {
  Pod pod = WithMatchLabelKeys();
  AdmitPod(pod);
  const Affinity& affinity = *pod.spec.affinity;
  EXPECT_EQ(
      affinity.pod_affinity->required[0].label_selector->match_expressions,
      kMerged);
  EXPECT_EQ(affinity.pod_anti_affinity->preferred[0]
                .term.label_selector->match_expressions,
            kMerged);
}

TEST(AdmitPodTest, PutsAPodWithoutNamespaceIntoTheDefaultOne) {
  Pod pod;
  AdmitPod(pod);
  EXPECT_EQ(pod.meta.namespace_name, "default");
  pod.meta.namespace_name = "shop";
  AdmitPod(pod);
  EXPECT_EQ(pod.meta.namespace_name, "shop");
}

TEST(AdmitPodTest, LeavesAPodWithUidAlone) {
  Pod pod = WithMatchLabelKeys();
  pod.meta.uid = "u";
  const Pod before = pod;
  AdmitPod(pod);
  EXPECT_EQ(pod, before);
}

}  // namespace
}  // namespace vicinal
