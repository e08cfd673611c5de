#include <nlohmann/json.hpp>

#include "server/commands/simulate/print_report.h"
#include "server/commands/simulate/report_json.h"

namespace vicinal {
namespace {

using Json = nlohmann::ordered_json;

// An empty text as null.
Json OrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json PodJson(const PodReport& pod) {
  return {{"namespace", pod.pod.namespace_name},
          {"name", pod.pod.name},
          {"change", std::string(NameOf(pod.fate))},
          {"workload", OrNull(pod.workload)},
          {"nodeBefore", OrNull(pod.node_before)},
          {"node", OrNull(pod.node)},
          {"message", OrNull(pod.message)}};
}

Json SpreadJson(const SpreadReport& spread) {
  Json domains = Json::object();
  for (const auto& [name, domain] : spread.domains) {
    domains[name] = {{"before", domain.before}, {"after", domain.after}};
    Json& json = domains[name];
    if (!domain.was_there) {
      if (domain.before == 0) json["before"] = nullptr;
      if (domain.before > 0) json["countedBefore"] = false;
    }
    if (!domain.is_there) {
      if (domain.after == 0) json["after"] = nullptr;
      if (domain.after > 0) json["countedAfter"] = false;
    }
  }
  Json json = {{"workload", spread.workload},
               {"namespace", spread.namespace_name},
               {"topologyKey", spread.topology_key},
               {"domains", std::move(domains)},
               {"skewBefore", spread.skew_before},
               {"skewAfter", spread.skew_after}};
  if (spread.empty_before > 0 || spread.empty_after > 0) {
    json["otherDomains"] = {{"before", spread.empty_before},
                            {"after", spread.empty_after}};
  }
  if (spread.rule) {
    json["rule"] = spread.rule->path;
    json["whenUnsatisfiable"] =
        spread.rule->hard ? "DoNotSchedule" : "ScheduleAnyway";
    json["maxSkew"] = spread.rule->max_skew;
  }
  return json;
}

Json StepJson(const StepResult& step) {
  Json json = {{"name", step.name}};
  if (step.has_expectations) {
    json["passed"] = step.problem.empty();
    if (!step.problem.empty()) json["problem"] = step.problem;
  }
  return json;
}

}  // namespace

Json ReportJson(const Report& report, const std::vector<StepResult>& steps) {
  Json json = {{"steps", Json::array()},
               {"nodes", report.nodes},
               {"runningBefore", report.running_before},
               {"running", report.running},
               {"pendingBefore", report.pending_before},
               {"pending", report.pending},
               {"moved", report.moved},
               {"started", report.started},
               {"stopped", report.stopped},
               {"rulesBrokenBefore", report.broken_before},
               {"rulesBroken", report.broken},
               {"pods", Json::array()},
               {"spreads", Json::array()},
               {"notes", report.notes}};
  for (const StepResult& step : steps) json["steps"].push_back(StepJson(step));
  for (const PodReport& pod : report.pods) {
    json["pods"].push_back(PodJson(pod));
  }
  for (const SpreadReport& spread : report.spreads) {
    json["spreads"].push_back(SpreadJson(spread));
  }
  return json;
}

void PrintJson(const Report& report, const std::vector<StepResult>& steps,
               std::ostream& out) {
  // Names in a file need not be UTF-8.
  out << ReportJson(report, steps)
             .dump(2, ' ', false, Json::error_handler_t::replace)
      << "\n";
}

}  // namespace vicinal
