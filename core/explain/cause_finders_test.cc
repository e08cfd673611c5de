#include "core/explain/cause_finders.h"

#include <gtest/gtest.h>

#include "core/plugins/registry.h"
#include "core/testing/objects.h"

namespace vicinal {
namespace {

TEST(CauseFindersTest, EachPluginThatFiltersHasOne) {
  const ClusterState cluster;
  const PluginConfig config;
  const PodInfo pod = MakePod("{metadata: {name: p}}");
  for (const PluginRow& row : Plugins()) {
    EXPECT_EQ(MakeCauseFinder(row.name, cluster, config, pod) != nullptr,
              row.filter != nullptr)
        << row.name;
  }
}

}  // namespace
}  // namespace vicinal
