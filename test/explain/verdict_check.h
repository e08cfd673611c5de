// That causes agree with the verdict they are given for.
#ifndef VICINAL_TEST_EXPLAIN_VERDICT_CHECK_H_
#define VICINAL_TEST_EXPLAIN_VERDICT_CHECK_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/explain/explanation.h"

namespace vicinal {

// A node that fits has no cause. One that is refused has causes, all of them
// known, and the first is about what the scheduler says.
inline void CheckVerdict(const Explanation& explanation,
                         const NodeExplanation& node) {
  ASSERT_EQ(node.status.ok(), node.causes.empty()) << node.status.Message();
  if (node.status.ok()) return;
  for (const std::size_t index : node.causes) {
    const Cause& cause = explanation.causes.at(index);
    EXPECT_NE(cause.kind, Cause::Kind::kOther) << cause.reason;
    EXPECT_NE(cause.wants, "") << cause.reason;
  }
  const Cause& first = explanation.causes.at(node.causes.front());
  if (first.kind == Cause::Kind::kQuestion) return;
  if (node.status.plugin().empty() ||
      node.status.Message().find("satisfy plugin") != std::string::npos) {
    // Of a PreFilter that left only some node names.
    EXPECT_NE(node.status.Message().find(first.plugin), std::string::npos)
        << node.status.Message() << " / " << first.plugin;
    return;
  }
  EXPECT_EQ(first.plugin, node.status.plugin());
  if (node.status.Message() == "pod affinity terms conflict") return;
  const auto reasons = node.status.Reasons();
  EXPECT_NE(std::find(reasons.begin(), reasons.end(), first.reason),
            reasons.end())
      << node.status.Message() << " / " << first.reason;
}

}  // namespace vicinal

#endif  // VICINAL_TEST_EXPLAIN_VERDICT_CHECK_H_
