// Explanations as text for a terminal, and as JSON and YAML for programs.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_EXPLANATION_REPORT_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_EXPLANATION_REPORT_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/explain/explanation.h"
#include "core/explain/replicas.h"
#include "core/plugins/status.h"
#include "server/commands/explain/question.h"

namespace vicinal {

// A question, answered.
struct Answer {
  Question question;
  Explanation explanation;  // Of the next pod.
  // Of all pods that the workload wants beside those that run; absent: one.
  std::optional<ReplicaAnswer> replicas;
  std::size_t running = 0;
};

// In one line: `Deployment shop/web: fits on 2 of 4 nodes, best on n1`.
std::string Summary(const Answer& answer);

// `3 of 5 replicas fit`; empty if only one is wanted.
std::string ReplicaSummary(const Answer& answer);

// The summary, the causes by rule, what would help, the scores of the nodes
// that fit, best first, and the others, each at most `max_nodes` of them (0:
// all). Lines are at most `width` long where words allow it.
std::string Table(const Answer& answer, std::size_t max_nodes,
                  std::size_t width = 100);

// A document with the fields that README.md of this folder describes.
nlohmann::ordered_json ToJson(const std::vector<Answer>& answers,
                              const std::vector<std::string>& warnings);

// A JSON document as YAML in block style.
std::string ToYaml(const nlohmann::ordered_json& json);

// A JSON document as `output` says: "yaml", or else indented JSON, in which
// bytes that are no UTF-8 become U+FFFD.
std::string ToText(const nlohmann::ordered_json& json, std::string_view output);

// `Unschedulable`, as upstream's Code.String().
std::string_view NameOf(Code code);

// Of the pods in the way of one node no more are named.
inline constexpr std::size_t kMaxBlockingPods = 5;

// `Deployment shop/web`.
std::string NameOf(const Question& question);

// At most five of the pods, by name, and how many more.
std::string ListedPods(const std::vector<PodReference>& pods);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_EXPLANATION_REPORT_H_
