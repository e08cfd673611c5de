package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// referenceRuns: the descheduler goes through nodes, namespaces and pods in an order that
// differs from run to run; vicinal is compared with the run that evicted fewest.
const referenceRuns = 3

// judge compares what the two tools do with a cluster.
type judge struct {
	descheduler func(*cluster, policy) (referenceAnswer, error)
	vicinal     func(*cluster, policy) (plan, error)
	scheduler   scheduler
}

// outcome of a case.
type outcome struct {
	descheduled, evicted int // evictions of the descheduler, and of vicinal in all passes
	passes               int
	// Why vicinal does more or less, by reason; what has no reason is in broken.
	differences []difference
	// Broken promises. Empty if the case passes.
	broken []string
}

// difference is something that only one of the tools does.
type difference struct{ class, detail string }

// The reasons why vicinal leaves a pod that the descheduler would evict.
const (
	nowhere     = "less: the pod fits no other node, and would wait"
	noRule      = "less: no rule is broken as the scheduler counts, which counts pods and namespaces that the descheduler does not"
	comesBack   = "less: the scheduler would place the pod on the same node again"
	breaksOther = "less: where the scheduler would place the pod, it breaks another pod's rule"
)

// The reasons why vicinal evicts more pods than the descheduler.
const (
	leavesWaiting = "more: the descheduler's run leaves pods waiting"
	leavesBroken  = "more: the descheduler's run leaves rules broken that are mended here"
	notFewest     = "more: both leave as much, and this order of evictions is not the one that needs fewest"
	oneOfOwner    = "more: one replica of an owner is taken in a pass; without that limit there are no more"
)

func (j judge) compare(c testCase) (outcome, error) {
	if aboutStatus[c.strategy] {
		return j.compareStatus(c)
	}
	free := c.policy.withoutLimits()
	var fewest referenceAnswer
	for run := range referenceRuns {
		answer, err := j.descheduler(c.cluster, free)
		if err != nil {
			return outcome{}, err
		}
		if run == 0 || len(answer.Evicted) < len(fewest.Evicted) {
			fewest = answer
		}
	}
	o := outcome{descheduled: len(fewest.Evicted)}
	after, err := j.passes(c, &o)
	if err != nil || len(o.broken) > 0 {
		return o, err
	}
	if err := j.explainLess(c, after, &o); err != nil {
		return o, err
	}
	if o.evicted > o.descheduled {
		err = j.explainMore(c, fewest.Evicted, after, &o)
	}
	return o, err
}

// passes lets vicinal plan until nothing is left to do, carries each plan out, and checks
// it against the scheduler and the descheduler's evictor.
func (j judge) passes(c testCase, o *outcome) (*cluster, error) {
	now := c.cluster
	var expected *cost
	for {
		p, err := j.vicinal(now, c.policy)
		if err != nil {
			return nil, err
		}
		if expected != nil && c.strategy == highUtilization {
			// A node that takes a pod for another rule need not be underutilized any more.
			expected.Utilization = p.Before.Utilization
		}
		if expected != nil && p.Before != *expected {
			o.broken = append(o.broken, fmt.Sprintf("pass %d: cost %+v, %+v expected after the last", o.passes+1, p.Before, *expected))
		}
		if len(p.Evictions) == 0 {
			return now, nil
		}
		o.passes++
		o.evicted += len(p.Evictions)
		expected = &p.After
		if !p.After.less(p.Before) {
			o.broken = append(o.broken, fmt.Sprintf("pass %d: cost %+v before, %+v after", o.passes, p.Before, p.After))
		}
		o.broken = append(o.broken, exceeded(c.policy, now, p)...)
		answer, err := j.descheduler(now, c.policy.withoutLimits())
		if err != nil {
			return nil, err
		}
		next, broken, err := j.carryOut(c.policy, now, p, answer.Evictable)
		o.broken = append(o.broken, broken...)
		if err != nil || len(o.broken) > 0 {
			return nil, err
		}
		now = next
		if o.passes > 2*len(c.cluster.pods) {
			o.broken = append(o.broken, "no end of passes")
			return nil, nil
		}
	}
}

// less in vicinal's order: hard rules, then pods to replace, then skew, then what soft rules are worth.
func (c cost) less(other cost) bool {
	a, b := []int64{c.HardViolations, c.PodsToReplace, c.Skew, c.Utilization, -c.SoftScore}, []int64{other.HardViolations, other.PodsToReplace, other.Skew, other.Utilization, -other.SoftScore}
	return slices.Compare(a, b) < 0
}

// exceeded are the limits that a plan does not keep: those of the policy, and, unless it
// lifts that one, that of an owner's replicas one is taken in a pass.
func exceeded(p policy, c *cluster, of plan) []string {
	perOwner := 1
	if p.manyOfOneOwner {
		perOwner = 0
	}
	counts := map[string]int{}
	limits := map[string]int{}
	for _, eviction := range of.Evictions {
		pod := c.pod(eviction.Pod)
		if pod == nil {
			continue // told elsewhere
		}
		owner := metav1.GetControllerOf(pod)
		for what, limit := range map[string]int{
			"in total": p.inTotal, "on node " + pod.Spec.NodeName: p.perNode, "in namespace " + pod.Namespace: p.perNS,
			fmt.Sprintf("of owner %s/%v", pod.Namespace, owner): perOwner,
		} {
			counts[what]++
			limits[what] = limit
		}
	}
	var broken []string
	for what, count := range counts {
		if limits[what] > 0 && count > limits[what] {
			broken = append(broken, fmt.Sprintf("%d evictions %s, the limit is %d", count, what, limits[what]))
		}
	}
	return broken
}

// carryOut evicts one pod after the other, and puts each replacement where it is expected.
func (j judge) carryOut(of policy, now *cluster, p plan, evictable []string) (*cluster, []string, error) {
	var broken []string
	for _, eviction := range p.Evictions {
		pod := now.pod(eviction.Pod)
		switch {
		case pod == nil:
			return now, append(broken, eviction.Pod+" is evicted, and is not there (any more)"), nil
		case pod.Spec.NodeName != eviction.Node:
			broken = append(broken, fmt.Sprintf("%s is evicted from %s, and is on %s", eviction.Pod, eviction.Node, pod.Spec.NodeName))
		case !slices.Contains(evictable, eviction.Pod):
			broken = append(broken, eviction.Pod+" is evicted, and is protected")
		case eviction.Destination == eviction.Node:
			broken = append(broken, eviction.Pod+" is evicted to where it is")
		}
		_, best, err := j.scheduler.places(now, pod)
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(best, eviction.Destination) {
			broken = append(broken, fmt.Sprintf("%s: %s expected, the scheduler would take one of %v", eviction.Pod, eviction.Destination, best))
		}
		next := now.replace(pod, eviction.Destination)
		reason, err := j.justified(of, now, next, pod)
		if err != nil {
			return nil, nil, err
		}
		if !reason {
			broken = append(broken, eviction.Pod+" is evicted, and no rule is mended by it")
		}
		now = next
	}
	return now, broken, nil
}

// justified: nodes get less full, or the pod breaks a rule where it is, or another pod does only because of it.
func (j judge) justified(of policy, before, after *cluster, pod *corev1.Pod) (bool, error) {
	if aboutUtilization[of.strategy] && lessExcess(before, after, of) {
		return true, nil
	}
	plugin, err := j.scheduler.broken(before, pod)
	if err != nil || plugin != "" {
		return plugin != "", err
	}
	was, err := j.scheduler.allBroken(before)
	if err != nil {
		return false, err
	}
	is, err := j.scheduler.allBroken(after)
	if err != nil {
		return false, err
	}
	return len(newlyBroken(is, was, after)) > 0, nil
}

// explainLess finds the reason for each pod that the descheduler would still evict.
func (j judge) explainLess(c testCase, after *cluster, o *outcome) error {
	left, err := j.descheduler(after, c.policy.withoutLimits())
	if err != nil {
		return err
	}
	for _, key := range left.Evicted {
		pod := after.pod(key)
		if pod == nil {
			return fmt.Errorf("the descheduler evicts %s, which is not there", key)
		}
		class, err := j.whyLeft(after, pod, c.policy)
		if err != nil {
			return err
		}
		if class == "" {
			o.broken = append(o.broken, key+" is left, and the descheduler would evict it")
			continue
		}
		o.differences = append(o.differences, difference{class, key})
	}
	return nil
}

func (j judge) whyLeft(c *cluster, pod *corev1.Pod, of policy) (string, error) {
	feasible, best, err := j.scheduler.places(c, pod)
	if err != nil {
		return "", err
	}
	if len(slices.DeleteFunc(feasible, func(node string) bool { return node == pod.Spec.NodeName })) == 0 {
		return nowhere, nil
	}
	breaks := aboutUtilization[of.strategy]
	if !breaks {
		if breaks, err = j.scheduler.breaks(c, pod, of.strategy); err != nil {
			return "", err
		}
	}
	switch {
	case !breaks:
		return noRule, nil
	case slices.Contains(best, pod.Spec.NodeName):
		return comesBack, nil
	}
	was, err := j.scheduler.allBroken(c)
	if err != nil {
		return "", err
	}
	for _, node := range best {
		moved := c.replace(pod, node)
		if aboutUtilization[of.strategy] && !lessExcess(c, moved, of) {
			return noFuller, nil
		}
		is, err := j.scheduler.allBroken(moved)
		if err != nil {
			return "", err
		}
		if len(newlyBroken(was, is, c)) > 0 {
			return breaksOther, nil
		}
	}
	return "", nil
}

// explainMore compares what is wrong after the descheduler's run, once the scheduler has
// placed the replacements, with what is wrong after vicinal's.
func (j judge) explainMore(c testCase, evicted []string, after *cluster, o *outcome) error {
	theirs, waiting, err := j.reschedule(c.cluster, evicted)
	if err != nil {
		return err
	}
	wrongTheirs, err := j.wrong(theirs, c.policy)
	if err != nil {
		return err
	}
	wrongHere, err := j.wrong(after, c.policy)
	if err != nil {
		return err
	}
	detail := fmt.Sprintf("%d evictions, %d rules broken; the descheduler %d evictions, %d rules broken, %d waiting",
		o.evicted, wrongHere, o.descheduled, wrongTheirs, waiting)
	if wrongTheirs > wrongHere {
		o.differences = append(o.differences, difference{leavesBroken, detail})
		return nil
	}
	if waiting > 0 {
		o.differences = append(o.differences, difference{leavesWaiting, detail})
		return nil
	}
	if !c.policy.manyOfOneOwner {
		c.policy.manyOfOneOwner = true
		var free outcome
		if _, err := j.passes(c, &free); err != nil {
			return err
		}
		if len(free.broken) == 0 && free.evicted <= o.descheduled {
			o.differences = append(o.differences, difference{oneOfOwner, detail})
			return nil
		}
	}
	o.differences = append(o.differences, difference{notFewest, detail})
	return nil
}

// wrong is how much is left of what a strategy is about.
func (j judge) wrong(c *cluster, of policy) (int, error) {
	if aboutUtilization[of.strategy] {
		return int(excess(c, of) * 1000), nil
	}
	return j.scheduler.count(c, of.strategy)
}

// reschedule evicts pods at once and has the scheduler place their replacements. It also
// returns how many wait then.
func (j judge) reschedule(from *cluster, evicted []string) (*cluster, int, error) {
	now, waiting := from, 0
	for _, key := range evicted {
		now = now.without(now.pod(key))
	}
	for _, key := range evicted {
		back := now.replace(from.pod(key), "")
		fresh := back.pods[len(back.pods)-1]
		_, best, err := j.scheduler.places(back, fresh)
		if err != nil {
			return nil, 0, err
		}
		if len(best) == 0 {
			waiting++
			now = back
			continue
		}
		now = back.replace(fresh, best[0])
	}
	return now, waiting, nil
}

func (o outcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "descheduler %d, vicinal %d in %d passes", o.descheduled, o.evicted, o.passes)
	for _, d := range o.differences {
		fmt.Fprintf(&b, "\n    %s (%s)", d.class, d.detail)
	}
	for _, text := range o.broken {
		fmt.Fprintf(&b, "\n    FAILED: %s", text)
	}
	return b.String()
}
