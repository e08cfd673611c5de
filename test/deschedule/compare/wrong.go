package main

import (
	"errors"
	"fmt"
)

// wrongToolsFail shows that a tool that does too little or too much does not pass.
func wrongToolsFail(j judge, seed uint64) error {
	const cases = 24
	for _, tool := range []struct {
		name string
		plan func(*cluster, policy) (plan, error)
	}{
		{"nothing", func(*cluster, policy) (plan, error) { return plan{}, nil }},
		{"every pod", everyPod},
	} {
		wrong := j
		wrong.vicinal = tool.plan
		var outcomes [cases]outcome
		var errs [cases]error
		sideBySide(cases, func(i uint64) { outcomes[i], errs[i] = wrong.compare(generate(seed, i)) })
		if err := errors.Join(errs[:]...); err != nil {
			return fmt.Errorf("a tool that evicts %s: %w", tool.name, err)
		}
		failed := 0
		for _, o := range outcomes {
			if len(o.broken) > 0 {
				failed++
			}
		}
		fmt.Printf("a tool that evicts %s fails %d of %d cases\n", tool.name, failed, cases)
		if failed < cases/4 {
			return fmt.Errorf("a tool that evicts %s passes %d of %d cases: this shows nothing", tool.name, cases-failed, cases)
		}
	}
	return nil
}

// everyPod plans to evict every pod, to the last node.
func everyPod(c *cluster, _ policy) (plan, error) {
	p := plan{Before: cost{HardViolations: 1}}
	for _, pod := range c.pods {
		eviction := struct{ Pod, Node, Destination, Strategy, Reason string }{Pod: keyOf(pod), Node: pod.Spec.NodeName}
		eviction.Destination = c.nodes[len(c.nodes)-1].Name
		p.Evictions = append(p.Evictions, eviction)
	}
	return p, nil
}
