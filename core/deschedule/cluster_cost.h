// How good or bad it is where the pods of a cluster are.
#ifndef VICINAL_CORE_DESCHEDULE_CLUSTER_COST_H_
#define VICINAL_CORE_DESCHEDULE_CLUSTER_COST_H_

#include <compare>
#include <cstdint>
#include <ostream>

namespace vicinal {

// Compared from the first member to the last; the lesser cost is the better.
struct ClusterCost {
  // Broken hard rules:
  //   for each pod and each of its required anti-affinity terms, the other pods
  //   in its domain that the term is about (terminating ones count too); and,
  //   of pods that are not terminating, each whose required node affinity does
  //   not select its node, each with NoSchedule taints on its node that it does
  //   not tolerate, and each that could not come to its node for its required
  //   pod affinity if it was not there.
  std::int64_t hard_violations = 0;
  // Pods that a strategy about their status looks for and that are not replaced
  // yet. A scan does not count them.
  std::int64_t to_replace = 0;
  // For each distinct topology spread constraint, how many pods its domains
  // have above the smallest one and maxSkew; for each owner, if duplicates are
  // looked for, how many pods its nodes have above an even share.
  std::int64_t skew = 0;
  // How far nodes are above the targets of LowNodeUtilization, in millionths of
  // what they have, and the pods on nodes that HighNodeUtilization is to empty,
  // a million for each.
  std::int64_t utilization = 0;
  // What the soft rules that are looked at are worth, negated: the weights of
  // preferred (anti-)affinity, once for each other pod in the pod's domain that
  // the term is about; of preferred node affinity; and 100 for each
  // PreferNoSchedule taint that is not tolerated.
  std::int64_t soft = 0;

  ClusterCost& operator+=(const ClusterCost& other) {
    hard_violations += other.hard_violations;
    to_replace += other.to_replace;
    skew += other.skew;
    utilization += other.utilization;
    soft += other.soft;
    return *this;
  }
  ClusterCost& operator-=(const ClusterCost& other) {
    hard_violations -= other.hard_violations;
    to_replace -= other.to_replace;
    skew -= other.skew;
    utilization -= other.utilization;
    soft -= other.soft;
    return *this;
  }
  friend ClusterCost operator+(ClusterCost a, const ClusterCost& b) {
    return a += b;
  }
  friend ClusterCost operator-(ClusterCost a, const ClusterCost& b) {
    return a -= b;
  }

  // For messages of tests.
  friend std::ostream& operator<<(std::ostream& out, const ClusterCost& cost) {
    return out << cost.hard_violations << "/" << cost.to_replace << "/"
               << cost.skew << "/" << cost.utilization << "/" << cost.soft;
  }

  friend bool operator==(const ClusterCost&, const ClusterCost&) = default;
  friend auto operator<=>(const ClusterCost&, const ClusterCost&) = default;
};

}  // namespace vicinal

#endif  // VICINAL_CORE_DESCHEDULE_CLUSTER_COST_H_
