#include "server/commands/explain/explanation_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/explain/describe.h"

namespace vicinal {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxDomains = 10;  // Of a rule, in the table.

// Columns of a terminal, taking each character for one.
std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string Padded(std::string text, std::size_t width) {
  const std::size_t has = Width(text);
  if (has < width) text.append(width - has, ' ');
  return text;
}

// `head`, then the words of `text`, broken so that lines stay within `width`;
// further lines start below the text.
void AppendWrapped(std::string_view head, std::string_view text,
                   std::size_t width, std::string& out) {
  const std::size_t indent = Width(head);
  out += head;
  std::size_t column = indent;
  std::istringstream words{std::string(text)};
  std::string word;
  bool is_first = true;
  while (words >> word) {
    const std::size_t size = Width(word);
    if (!is_first && column + 1 + size > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += size;
    is_first = false;
  }
  out += '\n';
}

std::string FoundWithPods(const Cause& cause) {
  std::string text = cause.found;
  if (!cause.blocking_pods.empty()) {
    absl::StrAppend(&text, ": ", ListedPods(cause.blocking_pods));
  }
  return text;
}

// The nodes that fit, best first.
std::vector<const NodeExplanation*> Ranked(const Explanation& explanation) {
  std::vector<const NodeExplanation*> nodes;
  for (const NodeExplanation& node : explanation.nodes) {
    if (node.status.ok()) nodes.push_back(&node);
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const NodeExplanation* a, const NodeExplanation* b) {
                     return a->total > b->total;
                   });
  return nodes;
}

void AppendGroup(const Explanation& explanation, const CauseGroup& group,
                 std::size_t width, std::string& out) {
  AppendWrapped("  ",
                absl::StrCat(group.nodes, " of ",
                             Counted(explanation.nodes.size(), "node"), ": ",
                             std::string(group.plugin), ", ", group.reason),
                width, out);
  if (!group.rule.empty()) {
    AppendWrapped("    rule   ", group.rule, width, out);
  }
  // A question that cannot be answered says all in its reason.
  if (group.kind != Cause::Kind::kQuestion) {
    AppendWrapped("    wants  ", "the pod " + group.wants, width, out);
  }
  for (std::size_t i = 0; i < group.causes.size() && i < kMaxDomains; ++i) {
    const Cause& cause = explanation.causes[group.causes[i]];
    if (cause.found.empty()) continue;
    AppendWrapped(i == 0 ? "    found  " : "           ", FoundWithPods(cause),
                  width, out);
  }
  if (group.causes.size() > kMaxDomains) {
    absl::StrAppend(&out, "           and ", group.causes.size() - kMaxDomains,
                    " more\n");
  }
}

void AppendReasons(const Explanation& explanation, const std::string& title,
                   std::size_t width, std::string& out) {
  if (!explanation.groups.empty()) {
    absl::StrAppend(&out, "\n", title, ":\n");
    for (const CauseGroup& group : explanation.groups) {
      AppendGroup(explanation, group, width, out);
    }
  }
  if (!explanation.hints.empty()) {
    out += "\nWhat would help:\n";
    for (const Hint& hint : explanation.hints) {
      AppendWrapped("  - ", hint.text, width, out);
    }
  }
}

void AppendScores(const Explanation& explanation, std::size_t max_nodes,
                  std::string& out) {
  const std::vector<const NodeExplanation*> ranked = Ranked(explanation);
  if (ranked.empty()) return;
  std::vector<std::vector<std::string>> rows = {{"NODE", "TOTAL"}};
  for (const ScorePluginInfo& plugin : explanation.score_plugins) {
    rows[0].emplace_back(plugin.plugin);
  }
  const std::size_t shown =
      max_nodes == 0 ? ranked.size() : std::min(ranked.size(), max_nodes);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> row = {ranked[i]->name,
                                    absl::StrCat(ranked[i]->total)};
    for (std::size_t p = 0; p < explanation.score_plugins.size(); ++p) {
      const NodeScore& score = ranked[i]->scores[p];
      row.push_back(absl::StrCat(score.raw, "→", score.normalized, "×",
                                 explanation.score_plugins[p].weight));
    }
    rows.push_back(std::move(row));
  }
  // The plugins' names are longer than their scores: they get lines of their
  // own, and numbers stand for them in the table.
  out += "\nScores of the nodes that fit (raw→normalized×weight):\n";
  for (std::size_t p = 2; p < rows[0].size(); ++p) {
    absl::StrAppend(&out, "  ", p - 1, " ", rows[0][p], "\n");
    rows[0][p] = absl::StrCat(p - 1);
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], Width(row[c]));
    }
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += c + 1 < row.size() ? Padded(row[c], widths[c] + 2) : row[c];
    }
    out += line + "\n";
  }
  if (shown < ranked.size()) {
    absl::StrAppend(&out, "and ", ranked.size() - shown,
                    " more (--nodes=0 shows all)\n");
  }
}

void AppendRefused(const Explanation& explanation, std::size_t max_nodes,
                   std::size_t width, std::string& out) {
  std::vector<const NodeExplanation*> refused;
  for (const NodeExplanation& node : explanation.nodes) {
    if (!node.status.ok()) refused.push_back(&node);
  }
  if (refused.empty()) return;
  const std::size_t shown =
      max_nodes == 0 ? refused.size() : std::min(refused.size(), max_nodes);
  std::size_t name_width = 4;
  std::size_t plugin_width = 6;
  for (std::size_t i = 0; i < shown; ++i) {
    name_width = std::max(name_width, Width(refused[i]->name));
    for (const std::size_t cause : refused[i]->causes) {
      plugin_width =
          std::max(plugin_width, explanation.causes[cause].plugin.size());
    }
  }
  out += "\n" + Padded("NODE", name_width + 2) +
         Padded("PLUGIN", plugin_width + 2) + "CAUSE\n";
  for (std::size_t i = 0; i < shown; ++i) {
    std::string name = refused[i]->name;
    for (const std::size_t index : refused[i]->causes) {
      const Cause& cause = explanation.causes[index];
      AppendWrapped(Padded(std::exchange(name, ""), name_width + 2) +
                        Padded(std::string(cause.plugin), plugin_width + 2),
                    cause.found.empty() ? cause.wants : FoundWithPods(cause),
                    width, out);
    }
  }
  if (shown < refused.size()) {
    absl::StrAppend(&out, "and ", refused.size() - shown,
                    " more (--nodes=0 shows all)\n");
  }
}

Json JsonOf(const Cause& cause) {
  Json json;
  json["plugin"] = cause.plugin;
  json["reason"] = cause.reason;
  if (!cause.rule.empty()) json["rule"] = cause.rule;
  json["wants"] = cause.wants;
  if (!cause.found.empty()) json["found"] = cause.found;
  if (!cause.topology_key.empty()) {
    json["topologyKey"] = cause.topology_key;
    json["domain"] = cause.domain ? Json(*cause.domain) : Json();
  }
  if (!cause.blocking_pods.empty()) {
    Json pods = Json::array();
    for (const PodReference& pod : cause.blocking_pods) {
      if (pods.size() == kMaxBlockingPods) break;
      Json one = {{"namespace", pod.key.namespace_name},
                  {"name", pod.key.name},
                  {"node", pod.node}};
      if (pod.nominated) one["nominated"] = true;
      pods.push_back(std::move(one));
    }
    json["blockingPodsTotal"] = cause.blocking_pods.size();
    json["blockingPods"] = std::move(pods);
  }
  if (const auto& skew = cause.skew) {
    json["skew"] = {
        {"matchingPods", skew->match}, {"self", skew->self},
        {"minimum", skew->minimum},    {"maxSkew", skew->max_skew},
        {"domains", skew->domains},    {"minDomains", skew->min_domains}};
  }
  if (const auto& resource = cause.resource) {
    json["resource"] = {{"name", resource->name},
                        {"requested", resource->requested},
                        {"inUse", resource->in_use},
                        {"allocatable", resource->allocatable}};
  }
  return json;
}

Json JsonOf(const Explanation& explanation, const NodeExplanation& node) {
  Json json = {{"name", node.name},
               {"fits", node.status.ok()},
               {"code", NameOf(node.status.code())}};
  if (!node.status.ok()) {
    json["plugin"] = node.status.plugin();
    json["reason"] = node.status.Message();
    json["causes"] = Json::array();
    for (const std::size_t cause : node.causes) {
      json["causes"].push_back(JsonOf(explanation.causes[cause]));
    }
    return json;
  }
  json["score"] = node.total;
  json["scores"] = Json::array();
  for (std::size_t i = 0; i < node.scores.size(); ++i) {
    const ScorePluginInfo& plugin = explanation.score_plugins[i];
    json["scores"].push_back({{"plugin", plugin.plugin},
                              {"raw", node.scores[i].raw},
                              {"normalized", node.scores[i].normalized},
                              {"weight", plugin.weight}});
  }
  return json;
}

Json JsonOf(const SpreadState& spread) {
  Json json = {
      {"rule", spread.rule},
      {"topologyKey", spread.topology_key},
      {"whenUnsatisfiable", spread.hard ? "DoNotSchedule" : "ScheduleAnyway"},
      {"maxSkew", spread.numbers.max_skew},
      {"minimum", spread.numbers.minimum},
      {"minDomains", spread.numbers.min_domains},
      {"domains", Json::array()}};
  for (const SpreadDomain& domain : spread.domains) {
    json["domains"].push_back({{"value", domain.value},
                               {"nodes", domain.nodes},
                               {"matchingPods", domain.pods},
                               {"counts", domain.eligible},
                               {"open", domain.open}});
  }
  return json;
}

Json CausesOf(const Explanation& explanation) {
  Json causes = Json::array();
  for (const CauseGroup& group : explanation.groups) {
    Json one = {{"plugin", group.plugin}, {"reason", group.reason}};
    if (!group.rule.empty()) one["rule"] = group.rule;
    one["wants"] = group.wants;
    one["nodes"] = group.nodes;
    one["nodesFirst"] = group.first_for;
    causes.push_back(std::move(one));
  }
  return causes;
}

Json HintsOf(const Explanation& explanation) {
  Json hints = Json::array();
  for (const Hint& hint : explanation.hints) {
    hints.push_back({{"text", hint.text}, {"nodes", hint.nodes}});
  }
  return hints;
}

Json JsonOf(const Answer& answer) {
  const Question& question = answer.question;
  const Explanation& explanation = answer.explanation;
  Json json = {{"kind", question.kind},
               {"namespace", question.object.namespace_name},
               {"name", question.object.name},
               {"fits", explanation.Fits()},
               {"nodesTotal", explanation.nodes.size()},
               {"nodesFitting", explanation.fitting},
               {"message", explanation.message},
               {"checked", explanation.checked},
               {"notChecked", Json::array()},
               {"causes", CausesOf(explanation)},
               {"hints", HintsOf(explanation)},
               {"spreadConstraints", Json::array()},
               {"nodes", Json::array()}};
  for (const NotChecked& gap : explanation.not_checked) {
    json["notChecked"].push_back({{"plugins", gap.plugins}, {"why", gap.why}});
  }
  if (!explanation.held_back.empty()) json["heldBack"] = explanation.held_back;
  if (answer.replicas) {
    Json& replicas = json["replicas"];
    replicas = {{"asked", answer.replicas->asked},
                {"running", answer.running},
                {"fitting", answer.replicas->placed}};
    if (const auto& next = answer.replicas->next) {
      replicas["message"] = next->message;
      replicas["causes"] = CausesOf(*next);
      replicas["hints"] = HintsOf(*next);
    }
  }
  for (const SpreadState& spread : explanation.spreads) {
    json["spreadConstraints"].push_back(JsonOf(spread));
  }
  for (const NodeExplanation& node : explanation.nodes) {
    json["nodes"].push_back(JsonOf(explanation, node));
  }
  return json;
}

// Writes a value behind `key:` or `-`, at the given depth.
void AppendYaml(const Json& json, std::size_t depth, bool in_list,
                std::string& out) {
  const std::string indent(2 * depth, ' ');
  if (json.is_object() && !json.empty()) {
    bool is_first = in_list;
    for (const auto& [key, value] : json.items()) {
      // The first field stands beside its dash.
      out += is_first ? " " : "\n" + indent;
      is_first = false;
      absl::StrAppend(&out, key, ":");
      AppendYaml(value, depth + 1, false, out);
    }
  } else if (json.is_array() && !json.empty()) {
    // Dashes stand below their key.
    const std::string dash(2 * (depth - 1), ' ');
    for (const Json& value : json) {
      absl::StrAppend(&out, "\n", dash, "-");
      AppendYaml(value, depth, true, out);
    }
  } else {
    // JSON's scalars, {} and [] are YAML's.
    out += " " + json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace

std::string_view NameOf(Code code) {
  switch (code) {
    case Code::kSuccess:
      return "Success";
    case Code::kUnschedulable:
      return "Unschedulable";
    case Code::kUnschedulableAndUnresolvable:
      return "UnschedulableAndUnresolvable";
    default:
      return "Error";
  }
}

std::string NameOf(const Question& question) {
  return absl::StrCat(question.kind, " ", question.object.namespace_name, "/",
                      question.object.name);
}

std::string Summary(const Answer& answer) {
  const Explanation& explanation = answer.explanation;
  std::string text = NameOf(answer.question);
  if (!explanation.held_back.empty()) {
    absl::StrAppend(&text, ": ", explanation.held_back, "; without them");
  }
  if (explanation.nodes.empty()) return text + ": there are no nodes";
  const auto& nodes = explanation.nodes;
  if (std::any_of(nodes.begin(), nodes.end(), [](const NodeExplanation& node) {
        return node.status.code() == Code::kError;
      })) {
    return text + ": the scheduler cannot judge this pod";
  }
  if (explanation.fitting == 0) {
    return absl::StrCat(text, ": fits on none of ",
                        Counted(nodes.size(), "node"));
  }
  absl::StrAppend(&text, ": fits on ", explanation.fitting, " of ",
                  Counted(nodes.size(), "node"));
  const std::vector<const NodeExplanation*> ranked = Ranked(explanation);
  std::vector<std::string> best;
  for (const NodeExplanation* node : ranked) {
    if (node->total == ranked.front()->total) best.push_back(node->name);
  }
  absl::StrAppend(&text, ", best on ", Listed(best, 5),
                  best.size() > 1 ? " (tied)" : "");
  if (!explanation.not_checked.empty()) text += ", as far as it was checked";
  return text;
}

std::string ReplicaSummary(const Answer& answer) {
  if (!answer.replicas) return "";
  const ReplicaAnswer& replicas = *answer.replicas;
  std::string text =
      absl::StrCat(replicas.placed, " of ", replicas.asked, " ",
                   answer.running > 0 ? "more " : "", "replicas fit");
  if (answer.running > 0) {
    absl::StrAppend(&text, ", beside ", answer.running, " that run");
  }
  if (replicas.next) {
    absl::StrAppend(&text, "; then ",
                    replicas.next->message.empty()
                        ? "the scheduler cannot judge the next"
                        : replicas.next->message);
  }
  return text;
}

std::string ListedPods(const std::vector<PodReference>& pods) {
  std::vector<std::string> names;
  for (const PodReference& pod : pods) {
    names.push_back(absl::StrCat(pod.key.namespace_name, "/", pod.key.name,
                                 pod.nominated ? " (nominated)" : ""));
  }
  return Listed(names, kMaxBlockingPods);
}

std::string Table(const Answer& answer, std::size_t max_nodes,
                  std::size_t width) {
  const Explanation& explanation = answer.explanation;
  std::string out = Summary(answer) + "\n";
  for (const NotChecked& gap : explanation.not_checked) {
    AppendWrapped("not checked: ",
                  gap.plugins.empty()
                      ? gap.why
                      : absl::StrJoin(gap.plugins, ", ") + ": " + gap.why,
                  width, out);
  }
  if (!explanation.message.empty()) {
    AppendWrapped("", explanation.message, width, out);
  }
  if (answer.replicas) AppendWrapped("", ReplicaSummary(answer), width, out);
  // If one fits, the reasons of the replica that does not are of more use.
  const bool has_next = explanation.fitting > 0 && answer.replicas &&
                        answer.replicas->next.has_value();
  const Explanation& refused = has_next ? *answer.replicas->next : explanation;
  AppendReasons(refused,
                has_next
                    ? absl::StrCat("Why not replica ",
                                   answer.running + answer.replicas->placed + 1)
                    : std::string("Why"),
                width, out);
  AppendScores(explanation, max_nodes, out);
  AppendRefused(explanation, max_nodes, width, out);
  return out;
}

Json ToJson(const std::vector<Answer>& answers,
            const std::vector<std::string>& warnings) {
  Json json = {{"warnings", warnings}, {"explanations", Json::array()}};
  for (const Answer& answer : answers) {
    json["explanations"].push_back(JsonOf(answer));
  }
  return json;
}

std::string ToYaml(const Json& json) {
  std::string out;
  AppendYaml(json, 0, false, out);
  if (out.starts_with('\n')) out.erase(0, 1);
  return out + "\n";
}

std::string ToText(const Json& json, std::string_view output) {
  if (output == "yaml") return ToYaml(json);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vicinal
