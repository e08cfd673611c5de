package cluster

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
)

var small = Size{Nodes: 100, PodsPerNode: 20}

func TestTheSameSizeGivesTheSameFiles(t *testing.T) {
	var first []byte
	for range 2 {
		c := New(small)
		folder := t.TempDir()
		if err := c.WriteFile(filepath.Join(folder, "cluster")); err != nil {
			t.Fatal(err)
		}
		if err := WriteSteps(filepath.Join(folder, "steps"), c.Steps(4, Questions())); err != nil {
			t.Fatal(err)
		}
		var both []byte
		for _, name := range []string{"cluster", "steps"} {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Fatal(err)
			}
			both = append(both, text...)
		}
		if first == nil {
			first = both
		} else if !bytes.Equal(first, both) {
			t.Error("the second time the files are different")
		}
	}
}

func TestEveryNodeHasItsPodsAndNoRuleIsBroken(t *testing.T) {
	c := New(small)
	zones := map[string]string{}
	for _, node := range c.Nodes {
		zones[node.Name] = node.Labels[v1.LabelTopologyZone]
	}
	perNode := map[string]int{}
	for _, a := range c.Apps {
		perHost, perZone := map[string]int{}, map[string]int{}
		for _, pod := range a.pods {
			perNode[pod.Spec.NodeName]++
			perHost[pod.Spec.NodeName]++
			perZone[zones[pod.Spec.NodeName]]++
		}
		for host, count := range perHost {
			if a.Rule == RequiredAnti && count > 1 {
				t.Errorf("%s: %d pods on %s", a.Name, count, host)
			}
		}
		for zone, count := range perZone {
			if a.Rule == Spread && count > len(a.pods)/12+1 {
				t.Errorf("%s: %d of %d pods in %s", a.Name, count, len(a.pods), zone)
			}
		}
	}
	for _, node := range c.Nodes {
		if perNode[node.Name] != small.PodsPerNode {
			t.Errorf("%s has %d pods, want %d", node.Name, perNode[node.Name], small.PodsPerNode)
		}
	}
}

func TestEveryPodThatLeavesReturns(t *testing.T) {
	gone := map[string]bool{}
	asked := map[string]int{}
	for _, step := range New(small).Steps(10, Questions()) {
		switch {
		case step.Remove != nil:
			gone[step.Remove.Name] = true
		case step.Add != nil:
			delete(gone, step.Add.Name)
		default:
			asked[step.Question]++
			if len(gone) != 1 {
				t.Errorf("%s: %d pods are away", step.Question, len(gone))
			}
		}
	}
	if len(gone) != 0 {
		t.Errorf("%v have not returned", gone)
	}
	for _, question := range Questions() {
		if asked[question] != 10 {
			t.Errorf("%s: asked %d times, want 10", question, asked[question])
		}
	}
}

func TestFilesAreReadAsTheyWereWritten(t *testing.T) {
	c := New(small)
	folder := t.TempDir()
	if err := c.WriteFile(filepath.Join(folder, "cluster")); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	kinds := map[string]int{}
	err := ReadFile(filepath.Join(folder, "cluster"), func(kind string, _ []byte) error {
		mu.Lock()
		defer mu.Unlock()
		kinds[kind]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]int{"Node": 100, "Pod": 2000, "Namespace": namespaces, "ReplicaSet": len(c.ReplicaSets)} {
		if kinds[kind] != want {
			t.Errorf("%d of kind %s, want %d", kinds[kind], kind, want)
		}
	}
	steps := c.Steps(3, Questions())
	if err := WriteSteps(filepath.Join(folder, "steps"), steps); err != nil {
		t.Fatal(err)
	}
	read, err := ReadSteps(filepath.Join(folder, "steps"))
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != len(steps) {
		t.Fatalf("%d steps, want %d", len(read), len(steps))
	}
	for i := range steps {
		if read[i].Question != steps[i].Question || (read[i].Remove == nil) != (steps[i].Remove == nil) || (read[i].Add == nil) != (steps[i].Add == nil) {
			t.Errorf("step %d is %+v, want %+v", i, read[i], steps[i])
		}
	}
}
