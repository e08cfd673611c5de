package plugin

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/metrics/testutil"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	"vicinal/scheduler-plugin/internal/fakevicinal"
	pb "vicinal/scheduler-plugin/internal/v1"
)

func forGenerated(t *testing.T, clusters int, vicinal string, f func(t *testing.T, r *rig)) {
	for range clusters {
		seed := rand.Int63()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			nodes, running, waiting := generated(rand.New(rand.NewSource(seed)))
			r := newRig(t, nodes, running, waiting, vicinal)
			r.settle()
			f(t, r)
		})
	}
}

func names(nodes []fwk.NodeInfo) []string {
	var list []string
	for _, node := range nodes {
		list = append(list, node.Node().Name)
	}
	return list
}

func scoreOf(scores []fwk.NodePluginScores) map[string]int64 {
	byNode := map[string]int64{}
	for _, node := range scores {
		byNode[node.Name] = node.TotalScore
	}
	return byNode
}

func TestVerdictsAndScoresAreThoseOfTheStockScheduler(t *testing.T) {
	forGenerated(t, 25, "narrow: false", func(t *testing.T, r *rig) {
		for _, pod := range r.pods {
			before := counted(t, vicinalAnswers, byVerdicts)
			want, wantSaid := feasibleNodes(r.ctx, r.stock, framework.NewCycleState(), pod)
			got, said := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), pod)
			if !slices.Equal(names(got), names(want)) || !maps.Equal(said, wantSaid) {
				t.Errorf("%s: %v %v, the stock scheduler has %v %v", pod.Name, names(got), said, names(want), wantSaid)
			}
			if got, want := scoreOf(totals(r.ctx, t, r.ours, pod, got)), scoreOf(totals(r.ctx, t, r.stock, pod, want)); !maps.Equal(got, want) {
				t.Errorf("%s: scores %v, the stock scheduler's are %v", pod.Name, got, want)
			}
			if counted(t, vicinalAnswers, byVerdicts) == before {
				t.Errorf("%s: vicinal has not answered", pod.Name)
			}
		}
	})
}

func TestANarrowedAttemptHasOneNodeOfTheStockSchedulersBest(t *testing.T) {
	narrowed := 0
	forGenerated(t, 25, "narrow: true", func(t *testing.T, r *rig) {
		for _, pod := range r.pods {
			stock, wantSaid := feasibleNodes(r.ctx, r.stock, framework.NewCycleState(), pod)
			want := scoreOf(totals(r.ctx, t, r.stock, pod, stock))
			got, said := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), pod)
			if len(stock) == 0 {
				if len(got) > 0 || !maps.Equal(said, wantSaid) {
					t.Errorf("%s: %v %v, the stock scheduler says %v", pod.Name, names(got), said, wantSaid)
				}
				continue
			}
			narrowed++
			if len(got) != 1 || want[got[0].Node().Name] != slices.Max(slices.Collect(maps.Values(want))) {
				t.Errorf("%s: %v, the stock scheduler's totals are %v", pod.Name, names(got), want)
			}
		}
	})
	if narrowed == 0 {
		t.Error("no attempt was narrowed")
	}
}

// victims is the default preemption's dry run for each node.
func victims(t *testing.T, r *rig, f framework.Framework, pod *v1.Pod) map[string][]string {
	preemption, err := defaultpreemption.New(r.ctx, &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 100, MinCandidateNodesAbsolute: 1}, f, feature.Features{})
	if err != nil {
		t.Fatal(err)
	}
	state := framework.NewCycleState()
	_, said := feasibleNodes(r.ctx, f, state, pod)
	found := map[string][]string{}
	nodes, _ := r.snapshot.NodeInfos().List()
	for _, node := range nodes {
		name := node.Node().Name
		if !strings.HasPrefix(said[name], fwk.Unschedulable.String()+" [") {
			continue
		}
		possible, err := preemption.Evaluator.GetVictimsOnNode(r.ctx, node)
		if err != nil {
			t.Fatal(err)
		}
		pods, _, status := preemption.SelectVictimsOnNode(r.ctx, state.Clone(), pod, node.Snapshot(), possible, nil)
		if status.IsSuccess() {
			for _, victim := range pods {
				found[name] = append(found[name], victim.Name)
			}
		}
	}
	return found
}

func TestTheDryRunOfPreemptionFindsTheStockSchedulersVictims(t *testing.T) {
	found := 0
	for _, narrow := range []string{"narrow: false", "narrow: true"} {
		forGenerated(t, 20, narrow, func(t *testing.T, r *rig) {
			for _, pod := range r.pods {
				if fit, _ := feasibleNodes(r.ctx, r.stock, framework.NewCycleState(), pod); len(fit) > 0 && narrow == "narrow: true" {
					continue // narrowed: nobody asks for victims
				}
				want := victims(t, r, r.stock, pod)
				found += len(want)
				if got := victims(t, r, r.ours, pod); !maps.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%s: victims %v, the stock scheduler's are %v", pod.Name, got, want)
				}
			}
		})
	}
	if found == 0 {
		t.Error("no victims at all")
	}
}

func different(t *testing.T) float64 {
	total := 0.0
	for which := range kinds {
		for _, point := range []string{"PreFilter", "Filter", "PreScore", "Score"} {
			value, err := testutil.GetCounterMetricValue(differences.WithLabelValues(kinds[which].twin, point))
			if err != nil {
				t.Fatal(err)
			}
			total += value
		}
	}
	return total
}

func TestCompareFindsNoDifferenceWhereThereIsNone(t *testing.T) {
	before := different(t)
	forGenerated(t, 15, "mode: compare", func(t *testing.T, r *rig) {
		for _, pod := range r.pods {
			feasible, _ := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), pod)
			totals(r.ctx, t, r.ours, pod, feasible)
		}
	})
	if after := different(t); after != before {
		t.Errorf("%v differences", after-before)
	}
}

// The cluster that is told lacks the pods that run, so every answer that depends on them
// is wrong.
func TestCompareCountsWrongAnswersAndDecidesByInTreeCode(t *testing.T) {
	before := different(t)
	forGenerated(t, 15, "mode: compare", func(t *testing.T, r *rig) {
		r.fake.Look(func(*fakevicinal.Cluster, *pb.Hello) {
			r.fake.Answer = func(c *fakevicinal.Cluster, q *pb.Question) *pb.Answer {
				waiting := *c
				waiting.Pods = maps.Clone(c.Pods)
				maps.DeleteFunc(waiting.Pods, func(_ types.UID, p fakevicinal.Pod) bool { return p.Node != nil })
				return r.answer(&waiting, q)
			}
		})
		for _, pod := range r.pods {
			want, wantSaid := feasibleNodes(r.ctx, r.stock, framework.NewCycleState(), pod)
			got, said := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), pod)
			if !slices.Equal(names(got), names(want)) || !maps.Equal(said, wantSaid) {
				t.Errorf("%s: %v %v, the stock scheduler has %v %v", pod.Name, names(got), said, names(want), wantSaid)
			}
		}
	})
	if different(t) == before {
		t.Error("no difference is counted")
	}
}

func TestWithoutAnAnswerInTimeTheAttemptRunsInTreeAndTheNextDoesNotAsk(t *testing.T) {
	for _, narrow := range []bool{false, true} {
		t.Run(fmt.Sprint("narrow=", narrow), func(t *testing.T) {
			nodes, running, waiting := generated(rand.New(rand.NewSource(7)))
			r := newRig(t, nodes, running, waiting, fmt.Sprint("narrow: ", narrow))
			r.settle()
			r.ours = r.framework(r.snapshot, profileOf(t, fmt.Sprintf(`{address: "%s", timeout: 1ms, narrow: %v}`, r.fake.Address, narrow)))
			r.fake.Look(func(*fakevicinal.Cluster, *pb.Hello) {
				r.fake.Answer = func(*fakevicinal.Cluster, *pb.Question) *pb.Answer { return nil }
			})
			for _, why := range []string{"timeout", "behind", "behind"} {
				before := counted(t, inTreeAnswers, why)
				for deadline := time.Now().Add(time.Minute); counted(t, inTreeAnswers, why) == before; time.Sleep(time.Millisecond) {
					want, wantSaid := feasibleNodes(r.ctx, r.stock, framework.NewCycleState(), r.pods[0])
					got, said := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pods[0])
					if !slices.Equal(names(got), names(want)) || !maps.Equal(said, wantSaid) {
						t.Fatalf("%v %v, the stock scheduler has %v %v", names(got), said, names(want), wantSaid)
					}
					if time.Now().After(deadline) {
						t.Fatalf("no attempt is counted as %s", why)
					}
				}
			}
		})
	}
}

func TestWithoutVicinalAttemptsRunInTreeUntilItIsBack(t *testing.T) {
	nodes, running, waiting := generated(rand.New(rand.NewSource(7)))
	r := newRig(t, nodes, running, waiting, "narrow: false")
	r.settle()
	r.fake.Stop()
	before := counted(t, inTreeAnswers, "disconnected")
	for deadline := time.Now().Add(time.Minute); counted(t, inTreeAnswers, "disconnected") == before; time.Sleep(time.Millisecond) {
		want, wantSaid := feasibleNodes(r.ctx, r.stock, framework.NewCycleState(), r.pods[0])
		if got, said := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pods[0]); !slices.Equal(names(got), names(want)) || !maps.Equal(said, wantSaid) {
			t.Fatalf("%v %v, the stock scheduler has %v %v", names(got), said, names(want), wantSaid)
		}
		if time.Now().After(deadline) {
			t.Fatal("no attempt is counted as disconnected")
		}
	}
	r.fake.Restart(t)
	r.settle()
}

func TestAPodWithAHostPortIsNotNarrowed(t *testing.T) {
	nodes, running, waiting := generated(rand.New(rand.NewSource(7)))
	waiting[1].Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80}}
	r := newRig(t, nodes, running, waiting, "narrow: true")
	r.settle()
	before := counted(t, vicinalAnswers, byVerdicts)
	feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), waiting[1])
	if got := counted(t, vicinalAnswers, byVerdicts); got != before+1 {
		t.Errorf("%v attempts by verdicts, want %v", got, before+1)
	}
}

func TestHelloNamesTheProfilesWithInTreeNames(t *testing.T) {
	nodes, running, waiting := generated(rand.New(rand.NewSource(7)))
	r := newRig(t, nodes, running, waiting, "narrow: true")
	r.settle()
	r.fake.Look(func(_ *fakevicinal.Cluster, hello *pb.Hello) {
		if len(hello.Profiles) != 1 {
			t.Fatalf("%d profiles", len(hello.Profiles))
		}
		p := hello.Profiles[0]
		if p.SchedulerName != "default-scheduler" || !slices.Equal(p.Filters, []string{"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodeResourcesFit"}) ||
			!maps.Equal(p.ScoreWeights, map[string]int32{"TaintToleration": 3, "NodeAffinity": 2, "NodeResourcesFit": 1, "PodTopologySpread": 2, "InterPodAffinity": 2}) {
			t.Errorf("hello has %+v", p)
		}
	})
}

func TestArgumentsThatCannotBeUsedAreRefusedByNameAndValue(t *testing.T) {
	for args, want := range map[string]string{
		`{"vicinal": {"address": "127.0.0.1:1"}}`: `args.vicinal.address: Invalid value: "127.0.0.1:1"`,
		`{"vicinal": {"timeout": "0s"}}`:          `args.vicinal.timeout: Invalid value: "0s"`,
		`{"vicinal": {"mode": "guess"}}`:          `args.vicinal.mode: Unsupported value: "guess"`,
		`{"vicinal": {"socket": "x"}}`:            `unknown field "socket"`,
		`{"hardPodAffinityWeigth": 1}`:            `unknown field "hardPodAffinityWeigth"`,
	} {
		_, _, err := decodeArgs(&runtime.Unknown{Raw: []byte(args), ContentType: runtime.ContentTypeJSON}, "InterPodAffinity")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", args, err, want)
		}
	}
	args, own, err := decodeArgs(&runtime.Unknown{Raw: []byte(`{"hardPodAffinityWeight": 7, "vicinal": {"narrow": false}}`), ContentType: runtime.ContentTypeJSON}, "InterPodAffinity")
	if err != nil {
		t.Fatal(err)
	}
	if args.(*config.InterPodAffinityArgs).HardPodAffinityWeight != 7 || own.narrow || own.mode != modeAnswer {
		t.Errorf("decoded %+v, %+v", args, own)
	}
}
