package fits

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"vicinal/test/conformance/stock"
)

const podsOfAWorld = 20

func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// explanation is what `vicinal explain -o json` says of a pod.
type explanation struct {
	Name       string
	Fits       bool
	HeldBack   string
	Message    string
	NotChecked []struct {
		Plugins []string
		Why     string
	}
	Nodes []struct {
		Name string
		Fits bool
	}
}

func (e *explanation) nodes() []string {
	var names []string
	for _, node := range e.Nodes {
		if node.Fits {
			names = append(names, node.Name)
		}
	}
	slices.Sort(names)
	return names
}

// writeList writes objects as kubectl does.
func writeList(t *testing.T, path string, items []any) {
	t.Helper()
	text, err := json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": items}, "", "    ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func list[T any](items []T) []any {
	var all []any
	for _, item := range items {
		all = append(all, item)
	}
	return all
}

// explain asks the binary about all pods of the world. It does not get the objects of
// the kinds in hidden.
func explain(t *testing.T, w *world, hidden map[string]bool) []explanation {
	t.Helper()
	folder := t.TempDir()
	cluster, manifest := filepath.Join(folder, "cluster.json"), filepath.Join(folder, "pods.json")
	items := append(list(w.nodes), list(w.running)...)
	for _, object := range w.storage {
		if !hidden[object.GetObjectKind().GroupVersionKind().Kind] {
			items = append(items, object)
		}
	}
	writeList(t, cluster, items)
	writeList(t, manifest, list(w.asked))
	command := exec.Command(os.Getenv("VICINAL_BIN"), "explain", "-f", manifest, "--cluster-file", cluster, "-o", "json")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 3) {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var answers struct{ Explanations []explanation }
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers.Explanations) != len(w.asked) {
		t.Fatalf("%d explanations of %d pods", len(answers.Explanations), len(w.asked))
	}
	return answers.Explanations
}

// TestNeverFitsForAPodThatTheSchedulerRefuses is about VICINAL_EXPLAIN_PODS pods, from
// VICINAL_SEED on. Where explain has checked everything, its nodes and its message are the
// scheduler's.
func TestNeverFitsForAPodThatTheSchedulerRefuses(t *testing.T) {
	if os.Getenv("VICINAL_BIN") == "" {
		t.Fatal("VICINAL_BIN is not set")
	}
	pods, seed := number(t, "VICINAL_EXPLAIN_PODS", 400), number(t, "VICINAL_SEED", 1)
	scheduler, err := stock.NewScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for asked := 0; asked < pods; asked += podsOfAWorld {
		d := dice{rand.New(rand.NewPCG(uint64(seed), 0))}
		judge(t, scheduler, d, seed, seen)
		seed++
	}
	t.Logf("of %d pods: %v", pods, seen)
	for _, want := range []string{"fits", "refused", "held back", "not checked, fits here", "not checked, refused by the scheduler"} {
		if seen[want] == 0 {
			t.Errorf("no pod was of the sort %q", want)
		}
	}
}

func judge(t *testing.T, scheduler *stock.Scheduler, d dice, seed int, seen map[string]int) {
	t.Helper()
	w := generate(d, podsOfAWorld)
	hidden := map[string]bool{}
	if d.chance(30) {
		hidden[of(d, "PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment")] = true
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cluster := &stock.Cluster{}
	for _, object := range append(list(w.nodes), list(w.running)...) {
		if err := cluster.Add(object); err != nil {
			t.Fatal(err)
		}
	}
	full, err := scheduler.NewFull(ctx, cluster, w.storage)
	if err != nil {
		t.Fatal(err)
	}
	for i, said := range explain(t, w, hidden) {
		verdict := full.Judge(w.asked[i])
		fits := verdict.HeldBack == "" && len(verdict.Fits) > 0
		report := func(problem string) {
			pod, _ := json.MarshalIndent(w.asked[i].Spec, "", " ")
			t.Errorf("seed %d, %s: %s\nexplain: %+v\nscheduler: %+v\nhidden: %v\n%s", seed, said.Name, problem, said, verdict, hidden, pod)
		}
		switch {
		case len(said.NotChecked) > 0:
			if said.Fits {
				seen["not checked, fits here"]++
			}
			if !fits {
				seen["not checked, refused by the scheduler"]++
			}
			continue
		case said.HeldBack != "":
			seen["held back"]++
		case said.Fits:
			seen["fits"]++
		default:
			seen["refused"]++
		}
		switch {
		case said.Fits && !fits:
			report("explain says that it fits, and the scheduler refuses it")
		case said.HeldBack != verdict.HeldBack:
			report("another reason to hold it back")
		case !slices.Equal(said.nodes(), verdict.Fits):
			report("other nodes")
		case verdict.HeldBack == "" && len(said.Nodes) > 0 && len(verdict.Fits) == 0 && verdict.Message != said.Message && said.Message != "":
			report("another message")
		}
	}
}
