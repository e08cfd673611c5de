// Where `vicinal explain --decision` finds what a server has decided.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_DECISION_SOURCE_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_DECISION_SOURCE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/decisions/decision_record.h"

namespace vicinal {

// A file that `serve --decision-log` writes, or else the admin listener.
struct DecisionSource {
  std::string file;  // "-": the standard input.
  std::string server = "http://127.0.0.1:8891";
  // Files in PEM. Without the first the machine's authorities are trusted.
  std::string certificate_authority;
  std::string client_certificate;  // These two: both or neither.
  std::string client_key;
};

struct NamedPod {
  std::string namespace_name;
  std::string name;
};

struct FoundDecisions {
  std::vector<DecisionRecord> of_pod;  // The oldest first.
  std::size_t read = 0;                // Of all pods.
  std::size_t unreadable = 0;          // Lines that are no decisions.
  std::string similar;  // A pod that was perhaps meant; "": none.
};

// Reads all decisions, of a file also those of <file>.1, and keeps those about
// the pod. Blocks. Errors, with the file or the URL: what cannot be read, no
// connection, an answer other than 200.
absl::StatusOr<FoundDecisions> FindDecisions(const DecisionSource& source,
                                             const NamedPod& pod);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_DECISION_SOURCE_H_
