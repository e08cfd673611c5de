#include "server/commands/explain/explain_decision.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/commands/explain/explanation_report.h"
#include "server/commands/terminal/print_rows.h"
#include "server/decisions/decision_json.h"

namespace vicinal {
namespace {

using Outcome = DecisionRecord::Outcome;

NamedPod PodOf(const ExplainDecisionOptions& options) {
  const std::size_t slash = options.pod.find('/');
  if (slash != std::string::npos) {
    return {options.pod.substr(0, slash), options.pod.substr(slash + 1)};
  }
  return {options.namespace_name.empty() ? "default" : options.namespace_name,
          options.pod};
}

std::string Nodes(std::size_t count) {
  return absl::StrCat(count, count == 1 ? " node" : " nodes");
}

std::string Milliseconds(std::chrono::microseconds duration) {
  return absl::FormatDuration(absl::FromChrono(duration));
}

std::string Headline(const DecisionRecord& decision) {
  switch (decision.outcome) {
    case Outcome::kNode:
      return "node " + decision.node;
    case Outcome::kSeveral:
      return "all " + Nodes(decision.fitting) +
             " that fit; the scheduler chooses";
    case Outcome::kNone:
      return "no node fits";
    case Outcome::kError:
      return "no answer, an error";
    case Outcome::kDeclined:
      return "no best node; the scheduler asks about each";
  }
  return "";
}

// How the node came out of those that fit, behind a blank.
std::string Choice(const DecisionRecord& decision) {
  if (decision.outcome != Outcome::kNode) return "";
  if (decision.position > 0 && decision.fitting != 1) {
    return " It has the highest total, or was drawn from those that have; the "
           "next is " +
           decision.runner_up + ".";
  }
  if (decision.fitting == 1) return " It is the only one that fits.";
  if (decision.best > 1) {
    return absl::StrCat(" It was drawn from ", decision.best,
                        " with the highest total; another one is ",
                        decision.runner_up, ".");
  }
  return " It has the highest total; the runner-up is " + decision.runner_up +
         ".";
}

void PrintScores(const DecisionRecord& decision, std::ostream& out) {
  if (decision.scores.empty()) return;
  std::vector<Row> rows = {
      {"PLUGIN", "WEIGHT", decision.node, decision.runner_up}};
  for (const DecisionRecord::PluginScore& score : decision.scores) {
    rows.push_back({score.plugin, absl::StrCat(score.weight),
                    absl::StrCat(score.node), absl::StrCat(score.runner_up)});
  }
  rows.push_back({"weight x score", "", absl::StrCat(decision.node_total),
                  absl::StrCat(decision.runner_up_total)});
  PrintRows(rows, "  ", out);
}

void Print(const DecisionRecord& decision, std::ostream& out) {
  out << absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ",
                          absl::FromChrono(decision.time), absl::UTCTimeZone())
      << ": " << Headline(decision) << "\n";
  out << "  Asked about " << Nodes(decision.candidates) << ", of which "
      << decision.fitting << (decision.fitting == 1 ? " fits." : " fit.")
      << Choice(decision) << "\n";
  if (!decision.reason.empty()) out << "  " << decision.reason << "\n";
  PrintScores(decision, out);
  out << "  Answered in " << Milliseconds(decision.took) << ", of which "
      << Milliseconds(decision.waited)
      << " went by waiting for other pods. Knew " << decision.generation
      << " changes of the cluster.\n";
  if (decision.position > 0) {
    out << "  Message " << decision.position
        << " of the scheduler's plugin asked for " << decision.question
        << ".\n";
  }
  out << "  Pod uid " << decision.uid << ", scheduler " << decision.scheduler
      << ".\n";
}

// Names are what a question said: no control characters for the terminal.
std::string Printable(std::string text) {
  constexpr char kDelete = 0x7f;
  for (char& c : text) {
    if ((c >= 0 && c < ' ' && c != '\n') || c == kDelete) c = '?';
  }
  return text;
}

nlohmann::ordered_json ToJson(const std::string& name,
                              const FoundDecisions& found) {
  nlohmann::ordered_json json;
  json["pod"] = name;
  json["decisions"] = nlohmann::ordered_json::array();
  for (const DecisionRecord& decision : found.of_pod) {
    json["decisions"].push_back(
        nlohmann::ordered_json::parse(ToJsonLine(decision)));
  }
  return json;
}

}  // namespace

absl::Status ExplainDecision(const ExplainDecisionOptions& options,
                             std::ostream& out, std::ostream& err) {
  const NamedPod pod = PodOf(options);
  const std::string name = pod.namespace_name + "/" + pod.name;
  const absl::StatusOr<FoundDecisions> found =
      FindDecisions(options.source, pod);
  if (!found.ok()) return found.status();
  if (found->unreadable > 0) {
    err << "vicinal: warning: lines that are no decisions are passed over: "
        << found->unreadable << "\n";
  }
  if (found->of_pod.empty()) {
    return absl::NotFoundError(
        absl::StrCat(name, ": none of ", found->read, " decisions is about it",
                     found->similar.empty()
                         ? ""
                         : absl::StrCat("; did you mean ", pod.namespace_name,
                                        "/", found->similar, "?")));
  }
  if (options.output == "table") {
    out << Printable(name) << ": " << found->of_pod.size()
        << (found->of_pod.size() == 1 ? " decision\n"
                                      : " decisions, the oldest first\n");
    for (const DecisionRecord& decision : found->of_pod) {
      std::ostringstream text;
      Print(decision, text);
      out << "\n" << Printable(text.str());
    }
  } else {
    out << ToText(ToJson(name, *found), options.output);
  }
  out.flush();
  if (!out) return absl::DataLossError("the answer cannot be written");
  return absl::OkStatus();
}

}  // namespace vicinal
