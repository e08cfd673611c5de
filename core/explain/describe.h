// Selectors, rules and amounts as people write and read them.
#ifndef VICINAL_CORE_EXPLAIN_DESCRIBE_H_
#define VICINAL_CORE_EXPLAIN_DESCRIBE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/index/pod_info.h"
#include "core/model/node_selector.h"
#include "core/model/selector.h"
#include "core/model/taint.h"

namespace vicinal {

// As kubectl's -l: `app=web,tier in (a,b),!canary`. "any" for a selector that
// matches everything, "nothing" for one that matches nothing.
std::string Describe(const Selector& selector);

// `pods app=web in namespace shop`, `… in any namespace`, `… in namespaces a, b
// and those with env=prod`.
std::string DescribePods(const AffinityTerm& term);

// `performance In [high]`, `gpu Exists`.
std::string Describe(const NodeSelectorRequirement& requirement);

// `key=value:effect`, as kubectl taint.
std::string Describe(const Taint& taint);

// An amount of a resource in its usual unit: `1500m`, `2` for cpu, `512Mi` for
// memory and storage, a plain number for others.
std::string DescribeAmount(std::string_view resource, std::int64_t amount);

// `1 node`, `3 nodes`.
std::string Counted(std::size_t count, std::string_view noun);

// `a, b, c and 4 more`: at most `limit` of them.
std::string Listed(const std::vector<std::string>& items, std::size_t limit);

// spec.affinity.<kind>.requiredDuringSchedulingIgnoredDuringExecution[index]
std::string RequiredTermPath(std::string_view kind, std::size_t index);

}  // namespace vicinal

#endif  // VICINAL_CORE_EXPLAIN_DESCRIBE_H_
