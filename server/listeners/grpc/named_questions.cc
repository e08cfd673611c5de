#include "server/listeners/grpc/named_questions.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "server/listeners/grpc/from_proto.h"
#include "server/listeners/grpc/node_bits.h"

namespace vicinal {
namespace {

absl::Status DecodeCandidates(const std::string& bits, const NodeList& list,
                              const JsonPath& path, ExtenderArgs* out) {
  if (bits.empty()) {
    out->node_names = list.names();
    return absl::OkStatus();
  }
  std::size_t highest = 0;
  out->node_names.reserve(CountBits(bits));
  ForEachBit(bits, [&](std::size_t number) {
    highest = number;
    if (number < list.names().size()) {
      out->node_names.push_back(list.names()[number]);
    }
  });
  if (highest >= list.names().size()) {
    return FieldError(
        path, absl::StrCat(highest, ": the list has ", list.names().size(),
                           " nodes, from 0"));
  }
  if (out->node_names.empty()) {
    return FieldError(path, "must have a bit that is 1, or be empty");
  }
  return absl::OkStatus();
}

// Adds the nodes by their reasons.
void EncodeRefused(const std::vector<ExtenderFilterResult::FailedNode>& nodes,
                   bool unresolvable, v1::NamedAnswer* out) {
  absl::flat_hash_map<std::string_view, v1::RefusedNodes*> by_reason;
  // Most nodes have the reason of the one before.
  std::string_view last_reason;
  v1::RefusedNodes* last = nullptr;
  for (const auto& [name, reason] : nodes) {
    if (last == nullptr || reason.data() != last_reason.data() ||
        reason.size() != last_reason.size()) {
      v1::RefusedNodes*& known = by_reason[reason];
      if (known == nullptr) {
        known = out->add_refused();
        known->set_reason(std::string(reason));
        known->set_unresolvable(unresolvable);
      }
      last = known;
      last_reason = reason;
    }
    last->add_nodes(NodeList::NumberOf(name));
  }
}

}  // namespace

absl::Status CheckExtent(const v1::FilterNamedRequest& message,
                         const NodeList& list) {
  if (message.questions().empty()) {
    const JsonPath root;
    return FieldError(root.Field("questions"), "required");
  }
  if (message.questions_size() > kMaxQuestions) {
    return absl::ResourceExhaustedError(
        absl::StrCat("questions: must be at most ", kMaxQuestions, ", got ",
                     message.questions_size()));
  }
  if (message.questions_size() == 1) return absl::OkStatus();
  std::size_t candidates = 0;
  for (const v1::NamedQuestion& question : message.questions()) {
    candidates += question.candidates().empty()
                      ? list.names().size()
                      : CountBits(question.candidates());
  }
  if (candidates <= kMaxCandidates) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("questions: their candidates must be at most ",
                   kMaxCandidates, ", got ", candidates));
}

absl::Status Decode(const v1::NamedQuestion& message, const NodeList& list,
                    const JsonPath& path, ExtenderArgs* out) {
  const JsonPath pod = path.Field("pod");
  if (!message.has_pod()) return FieldError(pod, "required");
  absl::Status status = Decode(message.pod(), pod, &out->pod);
  if (!status.ok()) return status;
  if (message.dry_run()) out->pod.meta.uid.clear();
  return DecodeCandidates(message.candidates(), list, path.Field("candidates"),
                          out);
}

void Encode(const ExtenderFilterResult& result, v1::NamedAnswer* out) {
  for (const std::string_view name : result.node_names) {
    SetBit(NodeList::NumberOf(name), *out->mutable_fitting());
  }
  EncodeRefused(result.failed_nodes, false, out);
  EncodeRefused(result.failed_and_unresolvable_nodes, true, out);
}

}  // namespace vicinal
