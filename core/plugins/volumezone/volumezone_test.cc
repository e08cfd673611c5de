#include "core/plugins/volumezone/volumezone.h"

#include <gtest/gtest.h>

#include <string>

#include "core/model/labels.h"
#include "core/model/storage.h"

namespace vicinal {
namespace {

constexpr char kZone[] = "topology.kubernetes.io/zone";
constexpr char kBetaZone[] = "failure-domain.beta.kubernetes.io/zone";

Labels One(const std::string& key, const std::string& value) {
  Labels labels;
  labels.Set(key, value);
  return labels;
}

PersistentVolume With(const Labels& labels) {
  PersistentVolume volume;
  volume.labels = labels;
  return volume;
}

TEST(ZoneLabelAgainstTest, OneZoneIsAgainstTheOthers) {
  const PersistentVolume volume = With(One(kZone, "a"));
  EXPECT_EQ(ZoneLabelAgainst(volume, One(kZone, "a")), "");
  EXPECT_EQ(ZoneLabelAgainst(volume, One(kZone, "b")), kZone);
  EXPECT_EQ(ZoneLabelAgainst(volume, Labels()), kZone);
}

TEST(ZoneLabelAgainstTest, SeveralZonesAreAgainstNoneOfThem) {
  const PersistentVolume volume = With(One(kZone, "a__b"));
  EXPECT_EQ(ZoneLabelAgainst(volume, One(kZone, "b")), "");
  EXPECT_EQ(ZoneLabelAgainst(volume, One(kZone, "c")), kZone);
}

TEST(ZoneLabelAgainstTest, TheOldLabelMeetsTheNewOne) {
  const PersistentVolume volume = With(One(kBetaZone, "a"));
  EXPECT_EQ(ZoneLabelAgainst(volume, One(kZone, "a")), "");
  EXPECT_EQ(ZoneLabelAgainst(volume, One(kZone, "b")), kBetaZone);
}

}  // namespace
}  // namespace vicinal
