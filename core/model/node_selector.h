// Node selectors: which nodes a pod's nodeSelector and nodeAffinity allow.
// Source: k8s.io/component-helpers/scheduling/corev1/nodeaffinity.
#ifndef VICINAL_CORE_MODEL_NODE_SELECTOR_H_
#define VICINAL_CORE_MODEL_NODE_SELECTOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/labels.h"
#include "core/model/selector.h"

namespace vicinal {

// v1.NodeSelectorRequirement, as written.
struct NodeSelectorRequirement {
  std::string key;
  std::string op;  // "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt".
  std::vector<std::string> values;

  friend bool operator==(const NodeSelectorRequirement&,
                         const NodeSelectorRequirement&) = default;
};

// v1.NodeSelectorTerm, as written. A term without any requirement matches no
// node.
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;
  std::vector<NodeSelectorRequirement> match_fields;

  friend bool operator==(const NodeSelectorTerm&,
                         const NodeSelectorTerm&) = default;
};

// v1.NodeSelector: terms are ORed; no term matches no node.
using NodeSelector = std::vector<NodeSelectorTerm>;

// v1.PreferredSchedulingTerm.
struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference;

  friend bool operator==(const PreferredSchedulingTerm&,
                         const PreferredSchedulingTerm&) = default;
};

// v1.NodeAffinity. Both lists may be absent or empty, which differs: an empty
// required selector matches no node; with an empty preferred list the score is
// computed (and is 0), without one it is skipped.
struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::optional<std::vector<PreferredSchedulingTerm>> preferred;

  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

// A parsed term: it matches if every label requirement and every field
// requirement does. The only node field that exists is metadata.name.
class ParsedNodeSelectorTerm {
 public:
  // `path` names the term in errors, which carry upstream's text.
  static absl::StatusOr<ParsedNodeSelectorTerm> Parse(
      const NodeSelectorTerm& term, std::string_view path);

  // The same with the errors one by one, appended to `errors`; then absent.
  static std::optional<ParsedNodeSelectorTerm> Parse(
      const NodeSelectorTerm& term, std::string_view path,
      std::vector<std::string>& errors);

  bool Matches(const Labels& node_labels, std::string_view node_name) const;

 private:
  struct FieldRequirement {
    std::string key;
    std::string value;
    bool equal;  // In; otherwise NotIn.
  };

  Selector labels_ = Selector::Everything();
  std::vector<FieldRequirement> fields_;
};

// True for a term without any requirement, which selects no node.
bool IsEmpty(const NodeSelectorTerm& term);

// Terms ORed, of which those that do not parse match no node
// (LazyErrorNodeSelector, whose errors the scheduler ignores).
class LenientNodeSelector {
 public:
  explicit LenientNodeSelector(const NodeSelector& selector);

  bool Matches(const Labels& node_labels, std::string_view node_name) const;

 private:
  std::vector<ParsedNodeSelectorTerm> terms_;
};

// What a pod requires of its node: nodeSelector AND the required terms of
// nodeAffinity.
class RequiredNodeAffinity {
 public:
  RequiredNodeAffinity(const std::optional<Labels>& node_selector,
                       const std::optional<NodeAffinity>& affinity);

  bool Matches(const Labels& node_labels, std::string_view node_name) const;

 private:
  Selector labels_;
  std::optional<LenientNodeSelector> terms_;
};

// Parsed preferred terms: a node's score is the sum of the weights of the terms
// that match it. Terms of weight 0 and empty terms are left out, unparsed.
class PreferredSchedulingTerms {
 public:
  // The error holds all parse errors in upstream's words; `path` names the list
  // in them.
  static absl::StatusOr<PreferredSchedulingTerms> Parse(
      const std::vector<PreferredSchedulingTerm>& terms,
      std::string_view path = "");

  std::int64_t Score(const Labels& node_labels,
                     std::string_view node_name) const;

 private:
  struct Term {
    ParsedNodeSelectorTerm term;
    std::int64_t weight;
  };

  std::vector<Term> terms_;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_MODEL_NODE_SELECTOR_H_
