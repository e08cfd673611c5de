// A workload or pod of the cluster that is asked about by its name.
#ifndef VICINAL_SERVER_COMMANDS_EXPLAIN_WANTED_WORKLOAD_H_
#define VICINAL_SERVER_COMMANDS_EXPLAIN_WANTED_WORKLOAD_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/simulate/cluster_receiver.h"
#include "core/simulate/simulated_workload.h"

namespace vicinal {

// Finds the text of a workload while a cluster is read:
//
//   auto wanted = WantedWorkload::Parse("deployment/web", "shop");
//   wanted->LookOutFor(receiver);
//   …                                // The cluster is read.
//   QuestionsOf(*wanted->Text(), …)
class WantedWorkload {
 public:
  // `object` is KIND/NAME, as kubectl has it: deployment/web, deploy/web,
  // pod/web-1; "": nothing is wanted. Error: it is something else.
  static absl::StatusOr<WantedWorkload> Parse(
      const std::string& object, const std::string& namespace_name);

  // Has the receiver told of what is wanted, beside whom it tells already. This
  // must outlive its use.
  void LookOutFor(ClusterReceiver& receiver);

  // namespace/name, if a pod is wanted; otherwise empty.
  std::string pod() const;

  // The workload's text, JSON. Error: there is none of this name; with the
  // nearest that there is.
  absl::StatusOr<std::string> Text() const;

 private:
  void Look(const TypeMeta& type, std::string_view json);

  std::string object_;
  std::string namespace_;
  std::string name_;
  std::optional<WorkloadKind> kind_;  // Absent: a pod, or nothing.
  std::string text_;
  std::vector<std::string> others_;  // Names of the kind in the namespace.
  std::vector<std::string> notes_;   // Of what could not be listed.
};

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_EXPLAIN_WANTED_WORKLOAD_H_
