#include "server/decisions/decision_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace vicinal {
namespace {

using Json = nlohmann::ordered_json;
using Outcome = DecisionRecord::Outcome;

constexpr std::array<std::pair<Outcome, const char*>, 5> kOutcomes = {
    {{Outcome::kNode, "node"},
     {Outcome::kSeveral, "nodes"},
     {Outcome::kNone, "none"},
     {Outcome::kError, "error"},
     {Outcome::kDeclined, "declined"}}};

const char* NameOf(Outcome outcome) {
  for (const auto& [one, name] : kOutcomes) {
    if (one == outcome) return name;
  }
  return "";
}

double Seconds(std::chrono::microseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

absl::Status Invalid(const std::string& what) {
  return absl::InvalidArgumentError("no decision: " + what);
}

// Reads the fields of an object, and keeps the first that cannot be used.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  void Take(const char* name, std::string& out) {
    const Json* const value = Find(name);
    if (value == nullptr) return;
    if (!value->is_string()) return Wrong(name, "must be a string");
    out = value->get<std::string>();
  }

  template <typename Number>
  requires std::is_integral_v<Number>
  void Take(const char* name, Number& out) {
    const Json* const value = Find(name);
    if (value == nullptr) return;
    if (!value->is_number_integer() ||
        (std::is_unsigned_v<Number> && !value->is_number_unsigned())) {
      return Wrong(name, "must be a whole number");
    }
    out = value->get<Number>();
  }

  void Take(const char* name, std::chrono::microseconds& out) {
    const Json* const value = Find(name);
    if (value == nullptr) return;
    constexpr double kMostSeconds = 1e9;
    if (!value->is_number() || value->get<double>() < 0 ||
        value->get<double>() > kMostSeconds) {
      return Wrong(name, "must be a number of seconds");
    }
    out = std::chrono::round<std::chrono::microseconds>(
        std::chrono::duration<double>(value->get<double>()));
  }

  // Null: it is not there.
  const Json* Find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  void Wrong(const char* name, const std::string& what) {
    if (problem_.empty()) problem_ = std::string(name) + ": " + what;
  }

  const std::string& problem() const { return problem_; }

 private:
  const Json& object_;
  std::string problem_;
};

void TakeTime(Fields& fields, DecisionRecord& decision) {
  std::string text;
  fields.Take("time", text);
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error)) {
    return fields.Wrong("time", "must be as of RFC 3339");
  }
  decision.time = std::chrono::sys_time<std::chrono::milliseconds>(
      std::chrono::milliseconds(absl::ToUnixMillis(time)));
}

void TakeOutcome(Fields& fields, DecisionRecord& decision) {
  std::string text;
  fields.Take("outcome", text);
  for (const auto& [outcome, name] : kOutcomes) {
    if (text != name) continue;
    decision.outcome = outcome;
    return;
  }
  fields.Wrong("outcome", "must be node, nodes, none, error or declined");
}

void TakeScores(Fields& fields, DecisionRecord& decision) {
  const Json* const list = fields.Find("scores");
  if (list == nullptr) return;
  if (!list->is_array()) return fields.Wrong("scores", "must be a list");
  for (const Json& item : *list) {
    if (!item.is_object()) return fields.Wrong("scores", "must have objects");
    Fields of_item(item);
    DecisionRecord::PluginScore score;
    of_item.Take("plugin", score.plugin);
    of_item.Take("weight", score.weight);
    of_item.Take("node", score.node);
    of_item.Take("runnerUp", score.runner_up);
    if (!of_item.problem().empty()) fields.Wrong("scores", of_item.problem());
    decision.scores.push_back(std::move(score));
  }
}

}  // namespace

std::string ToJsonLine(const DecisionRecord& decision) {
  Json json;
  json["number"] = decision.number;
  json["time"] =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(decision.time),
                       absl::UTCTimeZone());
  json["namespace"] = decision.namespace_name;
  json["pod"] = decision.name;
  json["uid"] = decision.uid;
  json["scheduler"] = decision.scheduler;
  if (decision.position > 0) {
    json["question"] = decision.question;
    json["position"] = decision.position;
  }
  json["outcome"] = NameOf(decision.outcome);
  json["candidates"] = decision.candidates;
  json["fitting"] = decision.fitting;
  if (!decision.node.empty()) json["node"] = decision.node;
  if (decision.best > 0) {
    json["best"] = decision.best;
    json["nodeTotal"] = decision.node_total;
  }
  if (!decision.runner_up.empty()) {
    json["runnerUp"] = decision.runner_up;
    json["runnerUpTotal"] = decision.runner_up_total;
    Json& scores = json["scores"] = Json::array();
    for (const DecisionRecord::PluginScore& score : decision.scores) {
      scores.push_back({{"plugin", score.plugin},
                        {"weight", score.weight},
                        {"node", score.node},
                        {"runnerUp", score.runner_up}});
    }
  }
  if (!decision.reason.empty()) json["reason"] = decision.reason;
  json["waitedSeconds"] = Seconds(decision.waited);
  json["tookSeconds"] = Seconds(decision.took);
  json["generation"] = decision.generation;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<DecisionRecord> ReadDecision(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return Invalid("must be a JSON object");
  Fields fields(json);
  DecisionRecord decision;
  fields.Take("number", decision.number);
  TakeTime(fields, decision);
  fields.Take("namespace", decision.namespace_name);
  fields.Take("pod", decision.name);
  fields.Take("uid", decision.uid);
  fields.Take("scheduler", decision.scheduler);
  fields.Take("question", decision.question);
  fields.Take("position", decision.position);
  TakeOutcome(fields, decision);
  fields.Take("candidates", decision.candidates);
  fields.Take("fitting", decision.fitting);
  fields.Take("best", decision.best);
  fields.Take("node", decision.node);
  fields.Take("runnerUp", decision.runner_up);
  fields.Take("nodeTotal", decision.node_total);
  fields.Take("runnerUpTotal", decision.runner_up_total);
  TakeScores(fields, decision);
  fields.Take("reason", decision.reason);
  fields.Take("waitedSeconds", decision.waited);
  fields.Take("tookSeconds", decision.took);
  fields.Take("generation", decision.generation);
  if (!fields.problem().empty()) return Invalid(fields.problem());
  return decision;
}

}  // namespace vicinal
