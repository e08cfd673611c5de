// `vicinal explain --batch`: many small questions, each with its own cluster.
//
// One line is one case, one answer follows per line, in the same order. The
// format is test/conformance/README.md's:
//   {"id":…,"objects":[…],"pod":{…},"pluginConfig":[…]}
//   {"id":…,"nodes":{"n1":{"code":…,"plugin":…,"reason":…},…},"scores":{…},
//    "totals":{…},"message":…}
// or, for a line that is no case, {"id":…,"error":"line N: …"}.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_BATCH_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_BATCH_H_

#include <iosfwd>

#include "absl/status/status.h"
#include "core/model/kubernetes_release.h"

namespace vicinal {

// Answers `cases` as the scheduler of `release` does, until they end. Each
// answer is flushed when no further line waits, so that a program can hold a
// dialogue. Error: `answers` cannot be written.
absl::Status ExplainBatch(const KubernetesRelease& release, std::istream& cases,
                          std::ostream& answers);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_BATCH_H_
