// An example of a client that asks by FilterNamed: it names the nodes once,
// asks about them by number, and names them again when it is told to.
//
//   NamedFilterClient client(v1::Extender::NewStub(channel));
//   client.SetNodes({"n1", "n2", "n3"});  // Again when a node comes or goes.
//   NamedFilterClient::Question question;
//   question.pod = …;
//   question.candidates = {0, 2};         // n1 and n3; all: leave it empty.
//   std::vector<NamedFilterClient::Answer> answers;
//   grpc::Status status = client.Ask({question}, &answers);
//
// What goes over the wire:
//
//   NameNodes    names: "n1" "n2" "n3"      once
//   ← list: the SHA-256 of "n1\nn2\nn3\n"
//   FilterNamed  list, questions { pod {…} candidates: 0b101 }
//   ← answers { fitting: 0b001 refused { reason: "node(s) had …" nodes: 2 } }
//
// NOT_FOUND means that vicinal lacks the list: it was started anew, is another
// replica, or has been told of many other lists since. Then NameNodes again.
//
// server/install has what it is built with; other languages generate their code
// from proto/vicinal/v1/extender.proto.
#ifndef VICINAL_TEST_GRPC_NAMED_FILTER_CLIENT_H_
#define VICINAL_TEST_GRPC_NAMED_FILTER_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vicinal/v1/extender.grpc.pb.h"

namespace vicinal {

// Not thread-safe; several may share a channel.
class NamedFilterClient {
 public:
  struct Question {
    v1::Pod pod;
    // Positions in the list of SetNodes. Empty: all.
    std::vector<std::uint32_t> candidates;
  };
  struct Answer {
    // Not OK: why there is no answer; the rest is empty then.
    grpc::Status status;
    // Those that fit, in the order of the list.
    std::vector<std::string> fitting;
    // Node name to reason.
    std::map<std::string, std::string> refused;
    // The same of those where evictions could not help.
    std::map<std::string, std::string> refused_whatever_is_evicted;
  };

  explicit NamedFilterClient(std::unique_ptr<v1::Extender::Stub> stub)
      : stub_(std::move(stub)) {}

  // Each name once. Sends nothing.
  void SetNodes(std::vector<std::string> names);

  // One answer for each question, in order, if OK is returned.
  grpc::Status Ask(const std::vector<Question>& questions,
                   std::vector<Answer>* answers);

 private:
  grpc::Status NameNodes();

  const std::unique_ptr<v1::Extender::Stub> stub_;
  std::vector<std::string> names_;
  std::string list_;  // "": not named since SetNodes.
};

}  // namespace vicinal

#endif  // VICINAL_TEST_GRPC_NAMED_FILTER_CLIENT_H_
