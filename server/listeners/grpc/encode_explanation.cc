#include "server/listeners/grpc/encode_explanation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace vicinal {
namespace {

void Encode(const CauseGroup& group, v1::ExplainedRule* out) {
  out->set_plugin(std::string(group.plugin));
  out->set_reason(group.reason);
  if (!group.rule.empty()) out->set_rule(group.rule);
  out->set_wants(group.wants);
  out->set_nodes(static_cast<std::int64_t>(group.nodes));
  out->set_nodes_first(static_cast<std::int64_t>(group.first_for));
}

void Encode(const SpreadState& spread, v1::ExplainedSpread* out) {
  out->set_rule(spread.rule);
  out->set_topology_key(spread.topology_key);
  out->set_when_unsatisfiable(spread.hard ? "DoNotSchedule" : "ScheduleAnyway");
  out->set_max_skew(spread.numbers.max_skew);
  out->set_minimum(spread.numbers.minimum);
  out->set_min_domains(spread.numbers.min_domains);
  for (const SpreadDomain& domain : spread.domains) {
    v1::ExplainedDomain* const one = out->add_domains();
    one->set_value(domain.value);
    one->set_nodes(domain.nodes);
    one->set_matching_pods(domain.pods);
    one->set_counts(domain.eligible);
    one->set_open(domain.open);
  }
}

void Encode(const SkewNumbers& skew, v1::ExplainedSkew* out) {
  out->set_matching_pods(skew.match);
  out->set_self(skew.self);
  out->set_minimum(skew.minimum);
  out->set_max_skew(skew.max_skew);
  out->set_domains(skew.domains);
  out->set_min_domains(skew.min_domains);
}

void Encode(const Cause& cause, v1::ExplainedCause* out) {
  out->set_plugin(std::string(cause.plugin));
  out->set_reason(cause.reason);
  if (!cause.rule.empty()) out->set_rule(cause.rule);
  out->set_wants(cause.wants);
  if (!cause.found.empty()) out->set_found(cause.found);
  if (!cause.topology_key.empty()) {
    out->set_topology_key(cause.topology_key);
    if (cause.domain) out->set_domain(*cause.domain);
  }
  const std::size_t named =
      std::min(cause.blocking_pods.size(), kMaxBlockingPods);
  for (std::size_t i = 0; i < named; ++i) {
    const PodReference& pod = cause.blocking_pods[i];
    v1::ExplainedPod* const one = out->add_blocking_pods();
    one->set_namespace_(pod.key.namespace_name);
    one->set_name(pod.key.name);
    one->set_node(pod.node);
    one->set_nominated(pod.nominated);
  }
  out->set_blocking_pods_total(
      static_cast<std::int64_t>(cause.blocking_pods.size()));
  if (cause.skew) Encode(*cause.skew, out->mutable_skew());
  if (const auto& resource = cause.resource) {
    out->mutable_resource()->set_name(resource->name);
    out->mutable_resource()->set_requested(resource->requested);
    out->mutable_resource()->set_in_use(resource->in_use);
    out->mutable_resource()->set_allocatable(resource->allocatable);
  }
}

void Encode(const Explanation& explanation, const NodeExplanation& node,
            v1::ExplainedNode* out) {
  out->set_name(node.name);
  out->set_fits(node.status.ok());
  out->set_code(std::string(NameOf(node.status.code())));
  if (!node.status.ok()) {
    out->set_plugin(std::string(node.status.plugin()));
    out->set_reason(node.status.Message());
    for (const std::size_t cause : node.causes) {
      Encode(explanation.causes[cause], out->add_causes());
    }
    return;
  }
  out->set_score(node.total);
  for (std::size_t i = 0; i < node.scores.size(); ++i) {
    v1::ExplainedScore* const score = out->add_scores();
    score->set_plugin(std::string(explanation.score_plugins[i].plugin));
    score->set_raw(node.scores[i].raw);
    score->set_normalized(node.scores[i].normalized);
    score->set_weight(explanation.score_plugins[i].weight);
  }
}

}  // namespace

void Encode(const Answer& answer, v1::Explanation* out) {
  const Explanation& explanation = answer.explanation;
  out->set_kind(answer.question.kind);
  out->set_namespace_(answer.question.object.namespace_name);
  out->set_name(answer.question.object.name);
  out->set_fits(explanation.Fits());
  out->set_nodes_total(static_cast<std::int64_t>(explanation.nodes.size()));
  out->set_nodes_fitting(static_cast<std::int64_t>(explanation.fitting));
  out->set_message(explanation.message);
  out->mutable_checked()->Assign(explanation.checked.begin(),
                                 explanation.checked.end());
  for (const NotChecked& gap : explanation.not_checked) {
    v1::NotChecked* const one = out->add_not_checked();
    one->mutable_plugins()->Assign(gap.plugins.begin(), gap.plugins.end());
    one->set_why(gap.why);
  }
  for (const CauseGroup& group : explanation.groups) {
    Encode(group, out->add_causes());
  }
  for (const Hint& hint : explanation.hints) {
    v1::ExplainHint* const one = out->add_hints();
    one->set_text(hint.text);
    one->mutable_nodes()->Assign(hint.nodes.begin(), hint.nodes.end());
  }
  for (const SpreadState& spread : explanation.spreads) {
    Encode(spread, out->add_spread_constraints());
  }
  for (const NodeExplanation& node : explanation.nodes) {
    Encode(explanation, node, out->add_nodes());
  }
}

}  // namespace vicinal
