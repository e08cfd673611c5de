// Package decide compares what `vicinal serve --mode=decide` answers with the code of
// the stock scheduler, over the cases of the conformance suite.
package decide

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"vicinal/test/conformance/cases"
	"vicinal/test/conformance/stock"
	"vicinal/test/e2e/harness"
)

func TestTheChosenNodeIsOneOfTheSchedulersBest(t *testing.T) {
	run := harness.NewRun(t)
	oracle, err := stock.NewScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	chosen, choices, refused := 0, 0, 0
	for i := range uint64(harness.Count(t, "VICINAL_DECIDE_CASES", 500, 1)) {
		generated := cases.Generate(4, i)
		c, err := stock.ParseCase(generated.Line)
		if err != nil {
			continue // broken on purpose
		}
		_, answer := oracle.AnswerLine(generated.Line, 1)
		if answer == nil {
			continue
		}
		offered, best := offeredAndBest(answer)
		if len(offered) == 0 {
			continue // the scheduler would not ask
		}
		result := ask(t, run, c, generated, offered)
		switch {
		case len(best) == 0:
			refused++
			if len(*result.NodeNames) != 0 {
				t.Errorf("%s: %v, but no node fits", generated.ID, *result.NodeNames)
			}
			if failed := len(result.FailedNodes) + len(result.FailedAndUnresolvableNodes); failed != len(offered) {
				t.Errorf("%s: %d of %d nodes have a reason: %+v", generated.ID, failed, len(offered), result)
			}
		case len(*result.NodeNames) != 1 || !slices.Contains(best, (*result.NodeNames)[0]):
			t.Errorf("%s: %+v, want one of %v, totals %v", generated.ID, *result.NodeNames, best, answer.Totals)
		default:
			chosen++
			if len(best) < len(answer.Totals) {
				choices++
			}
		}
	}
	t.Logf("%d nodes chosen, %d of them out of nodes of different scores; %d pods refused", chosen, choices, refused)
	if choices < chosen/4 || chosen == 0 {
		t.Error("these cases prove little")
	}
}

// offeredAndBest are the nodes that pass the scheduler's own filters, and among those
// that fit the ones with the highest total. Nothing is offered when the question ends
// in an error.
func offeredAndBest(answer *stock.Answer) (offered, best []string) {
	for node, result := range answer.Nodes {
		switch {
		case result.Code == "Error":
			return nil, nil
		case result.Code == "Success" || result.Plugin == "PodTopologySpread" || result.Plugin == "InterPodAffinity":
			offered = append(offered, node)
		}
	}
	slices.Sort(offered)
	highest := int64(-1)
	for node, total := range answer.Totals {
		if total > highest {
			highest, best = total, nil
		}
		if total == highest {
			best = append(best, node)
		}
	}
	return offered, best
}

// ask starts vicinal on the case's cluster and with its plugin arguments, and asks
// about its pod.
func ask(t *testing.T, run *harness.Run, c *stock.Case, generated cases.Generated, offered []string) *extenderv1.ExtenderFilterResult {
	t.Helper()
	var line struct {
		Objects      []json.RawMessage
		PluginConfig json.RawMessage
	}
	if err := json.Unmarshal(generated.Line, &line); err != nil {
		t.Fatal(err)
	}
	disabled := []map[string]string{{"name": "PodTopologySpread"}, {"name": "InterPodAffinity"}}
	config := write(t, run, "config.json", map[string]any{
		"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
		"profiles": []any{map[string]any{
			"pluginConfig": line.PluginConfig,
			"plugins":      map[string]any{"multiPoint": map[string]any{"disabled": disabled}},
		}},
	})
	cluster := write(t, run, "cluster.json", map[string]any{"apiVersion": "v1", "kind": "List", "items": line.Objects})
	v := harness.StartVicinal(t, run, "--cluster-file="+cluster, "--scheduler-config="+config)
	defer v.Kill()
	pod := c.Pod.DeepCopy()
	pod.Spec.SchedulerName = "default-scheduler"
	status, result, err := v.Filter(pod, offered...)
	if err != nil || status != 200 || result.Error != "" {
		t.Fatalf("%s: status %d, %+v, %v", generated.ID, status, result, err)
	}
	return result
}

func write(t *testing.T, run *harness.Run, name string, value any) string {
	t.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	path := run.Path(name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
