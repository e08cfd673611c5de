#include "test/grpc/named_filter_client.h"

#include <cstddef>
#include <utility>

namespace vicinal {
namespace {

constexpr std::size_t kBits = 8;  // Of a byte.

// A bit for each number, the lowest bit of byte 0 is number 0.
std::string ToBits(const std::vector<std::uint32_t>& numbers) {
  std::string bits;
  for (const std::uint32_t number : numbers) {
    if (bits.size() <= number / kBits) bits.resize(number / kBits + 1, '\0');
    bits[number / kBits] =
        static_cast<char>(bits[number / kBits] | 1 << number % kBits);
  }
  return bits;
}

bool HasBit(const std::string& bits, std::size_t number) {
  return number / kBits < bits.size() &&
         (bits[number / kBits] >> number % kBits & 1) != 0;
}

NamedFilterClient::Answer ToAnswer(const v1::NamedAnswer& message,
                                   const std::vector<std::string>& names) {
  NamedFilterClient::Answer answer;
  if (message.has_error()) {
    answer.status = {static_cast<grpc::StatusCode>(message.error().code()),
                     message.error().message()};
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (HasBit(message.fitting(), i)) answer.fitting.push_back(names[i]);
  }
  for (const v1::RefusedNodes& refused : message.refused()) {
    auto& reasons = refused.unresolvable() ? answer.refused_whatever_is_evicted
                                           : answer.refused;
    for (const std::uint32_t number : refused.nodes()) {
      reasons[names.at(number)] = refused.reason();
    }
  }
  return answer;
}

}  // namespace

void NamedFilterClient::SetNodes(std::vector<std::string> names) {
  names_ = std::move(names);
  list_.clear();
}

grpc::Status NamedFilterClient::Ask(const std::vector<Question>& questions,
                                    std::vector<Answer>* answers) {
  v1::FilterNamedRequest request;
  for (const Question& question : questions) {
    v1::NamedQuestion& message = *request.add_questions();
    *message.mutable_pod() = question.pod;
    message.set_candidates(ToBits(question.candidates));
  }
  v1::FilterNamedResponse response;
  grpc::Status status;
  // Of NOT_FOUND nothing was answered, so the questions may be asked again. Not
  // for ever: many clients with other lists can push this one out each time.
  for (int tries = 0; tries < 3; ++tries) {
    if (list_.empty()) {
      status = NameNodes();
      if (!status.ok()) return status;
    }
    request.set_list(list_);
    grpc::ClientContext context;
    status = stub_->FilterNamed(&context, request, &response);
    if (status.error_code() != grpc::StatusCode::NOT_FOUND) break;
    list_.clear();
  }
  if (!status.ok()) return status;
  answers->clear();
  for (const v1::NamedAnswer& answer : response.answers()) {
    answers->push_back(ToAnswer(answer, names_));
  }
  return status;
}

grpc::Status NamedFilterClient::NameNodes() {
  v1::NameNodesRequest request;
  request.mutable_names()->Assign(names_.begin(), names_.end());
  v1::NameNodesResponse response;
  grpc::ClientContext context;
  grpc::Status status = stub_->NameNodes(&context, request, &response);
  if (status.ok()) list_ = response.list();
  return status;
}

}  // namespace vicinal
