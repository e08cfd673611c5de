// What filter has answered about a pod, and why.
#ifndef VICINAL_SERVER_DECISIONS_DECISION_RECORD_H_
#define VICINAL_SERVER_DECISIONS_DECISION_RECORD_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vicinal {

// Of one question: of filter, or of a scheduler's plugin.
struct DecisionRecord {
  enum class Outcome {
    kNode,     // One node.
    kSeveral,  // All nodes that fit: --mode=advise.
    kNone,     // No node fits.
    kError,    // No answer.
    kDeclined  // The best nodes of a profile that vicinal does not have whole.
  };

  // Of the two nodes, 0 … 100.
  struct PluginScore {
    std::string plugin;
    std::int64_t weight = 1;
    std::int64_t node = 0;
    std::int64_t runner_up = 0;

    bool operator==(const PluginScore&) const = default;
  };

  // Texts are cut to so many bytes: a question may say anything.
  static constexpr std::size_t kMaxNameBytes = 253;
  static constexpr std::size_t kMaxReasonBytes = 4096;

  std::uint64_t number = 0;  // 1 for the first of a process.
  std::chrono::sys_time<std::chrono::milliseconds> time;  // Of the answer.
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string scheduler;  // spec.schedulerName
  // What a scheduler's plugin asked for: best, verdicts, scores, or several,
  // joined by "+"; "": the question is one of filter.
  std::string question;
  std::uint64_t position = 0;  // Of its message in the plugin's stream, from 1.
  Outcome outcome = Outcome::kNone;
  std::size_t candidates = 0;  // Nodes that the question names.
  std::size_t fitting = 0;     // Of these.
  // Of those that fit, the nodes with the highest total: one of them is taken
  // at random. 0: scores were not looked at.
  std::size_t best = 0;
  // "" but for kNode, and for the scores that a plugin asked for.
  std::string node;
  // The best of the others that fit; "": there is none, or it is not known.
  std::string runner_up;
  std::int64_t node_total = 0;  // Σ weight × score.
  std::int64_t runner_up_total = 0;
  std::vector<PluginScore> scores;  // Empty without a runner-up.
  std::string reason;               // Why there is no node.
  // In the question: for pods in flight, and while bindings queue.
  std::chrono::microseconds waited{0};
  std::chrono::microseconds took{0};  // The answer, with `waited`.
  // How many changes of the cluster's state it knows of, at least.
  std::uint64_t generation = 0;

  bool operator==(const DecisionRecord&) const = default;
};

// In the order of their answers. Numbers begin anew with each start of a
// server.
inline bool IsEarlier(const DecisionRecord& a, const DecisionRecord& b) {
  return std::pair(a.time, a.number) < std::pair(b.time, b.number);
}

}  // namespace vicinal

#endif  // VICINAL_SERVER_DECISIONS_DECISION_RECORD_H_
