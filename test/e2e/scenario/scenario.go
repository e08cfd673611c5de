// Package scenario reads the scenarios under test/scenarios and acts them out
// against a cluster. The format is described in test/scenarios/README.md.
package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"
)

// Scenario is a cluster, what happens in it, and what must come of it.
type Scenario struct {
	// Name is the path of its file below test/scenarios, without extension.
	Name string `json:"-"`
	file string
	dir  string

	Description string `json:"description"`
	Cluster     string `json:"cluster"`
	Steps       []Step `json:"steps"`
}

// Step is one action and what holds once the cluster has settled after it.
type Step struct {
	Name     string   `json:"name"`
	Apply    []string `json:"apply,omitempty"`
	Scale    *Scale   `json:"scale,omitempty"`
	Delete   *Delete  `json:"delete,omitempty"`
	Drain    Names    `json:"drain,omitempty"`
	Cordon   Names    `json:"cordon,omitempty"`
	Uncordon Names    `json:"uncordon,omitempty"`
	// Deschedule is the policy of `vicinal deschedule --evict`.
	Deschedule string        `json:"deschedule,omitempty"`
	Expect     []Expectation `json:"expect"`
}

// Names is one name or a list of them.
type Names []string

func (n *Names) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*n = Names{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(n))
}

// Delete removes pods, which their controllers replace.
type Delete struct {
	Pods struct {
		PodSet `json:",inline"`
		// Node is the one that they are on; "" is any.
		Node string `json:"node"`
	} `json:"pods"`
}

// Scale sets the replicas of a Deployment.
type Scale struct {
	Deployment string `json:"deployment"`
	Namespace  string `json:"namespace"`
	Replicas   int32  `json:"replicas"`
}

// Expectation is about the pods of a namespace that carry all these labels.
type Expectation struct {
	Pods    PodSet   `json:"pods"`
	Running int      `json:"running"`
	Pending int      `json:"pending"`
	Message *Message `json:"message,omitempty"`
	Where   []Where  `json:"where,omitempty"`
	// Unmoved: every pod of the set ran before the step, where it runs now.
	Unmoved bool `json:"unmoved,omitempty"`
}

// PodSet selects pods.
type PodSet struct {
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels"`
}

// Message is what the PodScheduled condition of every pending pod says: the
// scheduler's reasons, and what it adds about preemption.
type Message struct {
	Reasons    string `json:"reasons"`
	Preemption string `json:"preemption"`
}

// Where says how the running pods lie over the domains of a topology key.
type Where struct {
	TopologyKey string           `json:"topologyKey"`
	Counts      []int            `json:"counts,omitempty"`
	OneOf       []map[string]int `json:"oneOf,omitempty"`
	Beside      *PodSet          `json:"beside,omitempty"`
}

// LoadAll reads every scenario file in the folders below root.
func LoadAll(t testing.TB, root string) []*Scenario {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*", "scenario*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no scenarios below %s", root)
	}
	var all []*Scenario
	for _, file := range files {
		s, err := load(file)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		s.Name = name[:len(name)-len(filepath.Ext(name))]
		all = append(all, s)
	}
	return all
}

func load(file string) (*Scenario, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &Scenario{file: file, dir: filepath.Dir(file)}
	if err := yaml.UnmarshalStrict(content, s); err != nil {
		return nil, err
	}
	return s, s.validate()
}

// validate refuses a scenario that would pass without checking anything.
func (s *Scenario) validate() error {
	if s.Cluster == "" || len(s.Steps) == 0 {
		return fmt.Errorf("cluster and steps are required")
	}
	for i, step := range s.Steps {
		if step.actions() != 1 {
			return fmt.Errorf("steps[%d]: exactly one action is required", i)
		}
		if step.Name == "" || len(step.Expect) == 0 {
			return fmt.Errorf("steps[%d]: name and expect are required", i)
		}
		for j, e := range step.Expect {
			if err := e.validate(); err != nil {
				return fmt.Errorf("steps[%d].expect[%d]: %w", i, j, err)
			}
		}
	}
	return nil
}

func (s *Step) actions() int {
	actions := 0
	for _, given := range []bool{len(s.Apply) > 0, s.Scale != nil, s.Delete != nil, len(s.Drain) > 0, len(s.Cordon) > 0, len(s.Uncordon) > 0, s.Deschedule != ""} {
		if given {
			actions++
		}
	}
	return actions
}

func (e *Expectation) validate() error {
	if e.Pods.Namespace == "" || len(e.Pods.Labels) == 0 {
		return fmt.Errorf("pods.namespace and pods.labels are required")
	}
	if (e.Pending > 0) != (e.Message != nil) {
		return fmt.Errorf("message belongs to pending pods, and only to them")
	}
	if (e.Running > 0) != (len(e.Where) > 0) {
		return fmt.Errorf("where belongs to running pods, and only to them")
	}
	for i, w := range e.Where {
		ways := 0
		for _, given := range []bool{len(w.Counts) > 0, len(w.OneOf) > 0, w.Beside != nil} {
			if given {
				ways++
			}
		}
		if w.TopologyKey == "" || ways != 1 {
			return fmt.Errorf("where[%d]: topologyKey and exactly one of counts, oneOf, beside are required", i)
		}
	}
	return nil
}
