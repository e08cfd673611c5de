// Writes a plan for people and for programs.
#ifndef VICINAL_SERVER_COMMANDS_DESCHEDULE_PRINT_PLAN_H_
#define VICINAL_SERVER_COMMANDS_DESCHEDULE_PRINT_PLAN_H_

#include <ostream>

#include "core/deschedule/plan.h"

namespace vicinal {

// A table of the evictions, one of the pods that stay, and what it is worth.
void PrintTable(const Plan& plan, std::ostream& out);

// {"evictions":[{"pod":"ns/name","node":…,"destination":…,"strategy":…,
// "reason":…}],"kept":[{"pod":…,"node":…,"strategy":…,"reason":…}],
// "before":{"hardViolations":3,"skew":4,"softScore":-120},"after":{…}}.
void PrintJson(const Plan& plan, std::ostream& out);

}  // namespace vicinal

#endif  // VICINAL_SERVER_COMMANDS_DESCHEDULE_PRINT_PLAN_H_
