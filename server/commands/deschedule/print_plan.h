// Writes a plan for people and for programs.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_PRINT_PLAN_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_PRINT_PLAN_H_

#include <ostream>

#include "core/deschedule/plan.h"
#include "core/deschedule/policy.h"

namespace vicinal {

// Tables of what the policy has and is skipped, of the evictions and of the
// pods that stay, and what it is worth.
void PrintTable(const Policy& policy, const Plan& plan, std::ostream& out);

// {"skipped":[{"profile":…,"strategy":…,"reason":…}],"evictions":[{"pod":"ns/name","node":…,"destination":…,"strategy":…,
// "reason":…}],"kept":[{"pod":…,"node":…,"strategy":…,"reason":…}],
// "before":{"hardViolations":3,"podsToReplace":0,"skew":4,"utilization":0,"softScore":-120},"after":{…}}.
// The destination of a pod that has finished is null.
void PrintJson(const Policy& policy, const Plan& plan, std::ostream& out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_PRINT_PLAN_H_
