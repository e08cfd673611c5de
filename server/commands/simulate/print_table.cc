#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/commands/simulate/print_report.h"
#include "server/commands/terminal/print_rows.h"

namespace vicinal {
namespace {

// More domains than this are counted, not listed.
constexpr std::int64_t kMostDomains = 16;
constexpr std::size_t kMostNames = 5;
constexpr char kNotThere[] = "-";

std::string OrNone(const std::string& text) {
  return text.empty() ? "<none>" : text;
}

std::string StatusOf(const PodReport& pod) {
  if (pod.fate == Fate::kGone) return "Gone";
  return pod.node.empty() ? kPending : "Running";
}

void PrintPods(const Report& report, const Terminal& terminal,
               std::ostream& out) {
  if (report.pods.empty()) {
    out << "No pod has changed.\n";
    return;
  }
  std::vector<Row> rows = {
      {"NAMESPACE", "NAME", "STATUS", "NODE", "BEFORE", "CHANGE", "WORKLOAD"}};
  for (const PodReport& pod : report.pods) {
    rows.push_back({pod.pod.namespace_name, pod.pod.name, StatusOf(pod),
                    OrNone(pod.node), OrNone(pod.node_before),
                    std::string(NameOf(pod.fate)), OrNone(pod.workload)});
  }
  PrintRows(rows, "", out, terminal);
}

// Pods that wait for the same reason, together.
void PrintPending(const Report& report, const Terminal& terminal,
                  std::ostream& out) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> names;
  for (const PodReport& pod : report.pods) {
    if (StatusOf(pod) != kPending) continue;
    names[{absl::StrCat(OrNone(pod.workload), " in namespace ",
                        pod.pod.namespace_name),
           pod.message.empty() ? "not tried: nothing has happened"
                               : pod.message}]
        .push_back(pod.pod.name);
  }
  if (names.empty()) return;
  std::string text = "\nPending\n";
  for (const auto& [key, pods] : names) {
    absl::StrAppend(&text, "  ", key.first, ": ", pods.size(),
                    pods.size() == 1 ? " pod (" : " pods (");
    for (std::size_t i = 0; i < std::min(pods.size(), kMostNames); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", pods[i]);
    }
    if (pods.size() > kMostNames) {
      absl::StrAppend(&text, " and ", pods.size() - kMostNames, " more");
    }
    absl::StrAppend(&text, ")\n    ", key.second, "\n");
  }
  out << terminal.Wrapped(text);
}

// The pods of a domain, and that they do not count where they do not.
std::string PodsOf(const DomainReport& domain, When when) {
  if (domain.Counts(when)) return std::to_string(domain.Pods(when));
  return domain.Pods(when) == 0
             ? kNotThere
             : absl::StrCat(domain.Pods(when), " (does not count)");
}

void PrintSpread(const SpreadReport& spread, std::ostream& out) {
  out << "\n"
      << spread.workload << " in namespace " << spread.namespace_name << " by "
      << spread.topology_key << "\n";
  std::vector<Row> rows = {{"DOMAIN", "BEFORE", "AFTER"}};
  const std::int64_t domains = std::max(DomainCount(spread, When::kBefore),
                                        DomainCount(spread, When::kAfter));
  if (domains > kMostDomains) {
    rows.push_back({absl::StrCat(domains, " domains"),
                    Histogram(spread, When::kBefore),
                    Histogram(spread, When::kAfter)});
  } else {
    for (const auto& [name, domain] : spread.domains) {
      rows.push_back(
          {name, PodsOf(domain, When::kBefore), PodsOf(domain, When::kAfter)});
    }
  }
  rows.push_back({"skew", std::to_string(spread.skew_before),
                  std::to_string(spread.skew_after)});
  PrintRows(rows, "  ", out);
}

void PrintSteps(const std::vector<StepResult>& steps, std::ostream& out) {
  std::vector<Row> rows;
  for (const StepResult& step : steps) {
    if (!step.has_expectations) continue;
    rows.push_back({step.problem.empty() ? "ok" : "FAILED", step.name});
  }
  if (rows.empty()) return;
  out << "Steps\n";
  PrintRows(rows, "  ", out);
  out << "\n";
}

// One line for what is not spread as it was.
void PrintSkews(const Report& report, std::ostream& out) {
  bool is_first = true;
  for (const SpreadReport& spread : report.spreads) {
    if (spread.skew_before == spread.skew_after) continue;
    out << (is_first ? "\nSkew (--domains prints the domains)\n" : "") << "  "
        << spread.workload << " in namespace " << spread.namespace_name
        << " by " << spread.topology_key << ": " << spread.skew_before << " → "
        << spread.skew_after << "\n";
    is_first = false;
  }
}

}  // namespace

std::string Totals(const Report& report) {
  return absl::StrCat(report.nodes, " nodes, ", report.running,
                      " pods running (before ", report.running_before, "), ",
                      report.pending, " pending (before ",
                      report.pending_before, ")");
}

std::string Headline(const Report& report) {
  const auto with_before = [](std::int64_t now, std::int64_t before) {
    return absl::StrCat(
        now, now == before ? "" : absl::StrCat(" (before ", before, ")"));
  };
  std::string text = absl::StrCat(report.moved, " moved");
  if (report.started > 0)
    absl::StrAppend(&text, ", ", report.started, " started");
  if (report.stopped > 0)
    absl::StrAppend(&text, ", ", report.stopped, " stopped");
  absl::StrAppend(&text, ", ", report.pending, " pending, ");
  absl::StrAppend(&text, with_before(report.broken, report.broken_before),
                  report.broken == 1 ? " rule broken" : " rules broken");
  return text;
}

void PrintTable(const Report& report, const std::vector<StepResult>& steps,
                bool domains, const Terminal& terminal, std::ostream& out) {
  const bool is_good = report.pending == 0 && report.broken == 0;
  out << terminal.In(is_good ? Colour::kGreen : Colour::kRed, Headline(report))
      << "\n";
  for (const std::string& note : report.notes) {
    out << terminal.Wrapped("note: " + note + "\n");
  }
  out << "\n";
  PrintSteps(steps, out);
  PrintPods(report, terminal, out);
  PrintPending(report, terminal, out);
  if (domains) {
    for (const SpreadReport& spread : report.spreads) PrintSpread(spread, out);
  } else {
    PrintSkews(report, out);
  }
  out << "\n" << Totals(report) << "\n";
}

}  // namespace vicinal
