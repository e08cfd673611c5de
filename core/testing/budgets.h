// PodDisruptionBudgets in tests.
#ifndef VICINAL_CORE_TESTING_BUDGETS_H_
#define VICINAL_CORE_TESTING_BUDGETS_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "core/index/cluster_state.h"
#include "core/testing/objects.h"

namespace vicinal {

// Adds a budget of the namespace default. `spec` and `status` are YAML in
// braces; without a status it lets no pod go.
inline void AddBudget(ClusterState& cluster, const std::string& name,
                      const std::string& spec,
                      const std::string& status = "{}") {
  AddObjects(cluster,
             absl::StrCat("apiVersion: policy/v1\nkind: PodDisruptionBudget\n",
                          "metadata: {name: ", name,
                          ", namespace: default}\nspec: ", spec,
                          "\nstatus: ", status, "\n"));
}

}  // namespace vicinal

#endif  // VICINAL_CORE_TESTING_BUDGETS_H_
