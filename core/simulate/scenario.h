// A script of steps: actions, and what must come of them. The format is
// described in test/scenarios/README.md.
#ifndef VICINAL_CORE_SIMULATE_SCENARIO_H_
#define VICINAL_CORE_SIMULATE_SCENARIO_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/simulate/action.h"
#include "core/simulate/expectation.h"

namespace vicinal {

struct Step {
  std::string name;
  std::vector<Action> actions;  // Their files are not read yet.
  std::vector<Expectation> expect;
};

struct Scenario {
  std::string description;
  std::string cluster;  // A file; empty: the one that was named otherwise.
  std::vector<Step> steps;
};

// Reads a script, YAML or JSON. `namespace_name` holds for actions in words.
// Errors name the field: unknown ones are errors, and so is an expectation that
// could not fail.
absl::StatusOr<Scenario> ReadScenario(std::string_view text,
                                      std::string_view namespace_name);

}  // namespace vicinal

#endif  // VICINAL_CORE_SIMULATE_SCENARIO_H_
