package plugin

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/metrics/testutil"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"vicinal/scheduler-plugin/internal/fakevicinal"
	pb "vicinal/scheduler-plugin/internal/v1"
)

func TestVerdictsAndScoresAreThoseThatVicinalAnswers(t *testing.T) {
	r := newRig(t, patient+"narrow: false", func(c *fakevicinal.Cluster, q *pb.Question) *pb.Answer {
		answer := nothing(c, q)
		refused := &pb.PluginStatus{Code: int32(fwk.Unschedulable), Reasons: []string{"not there"}}
		byNode := make([]byte, len(c.Nodes))
		byNode[numberOf(c, "node-0")] = 1
		answer.Verdicts.InterPodAffinity = &pb.PluginVerdicts{ByNode: byNode, Statuses: []*pb.PluginStatus{refused}}
		scores := &pb.PluginScores{}
		for _, number := range q.GetScores().GetNodes() {
			scores.Normalized = append(scores.Normalized, map[string]byte{"node-1": 100, "node-2": 10}[c.Nodes[number].Name])
		}
		answer.Scores.PodTopologySpread = scores
		return answer
	}, nil)
	got, said := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pod)
	if !slices.Equal(slices.Sorted(slices.Values(names(got))), []string{"node-1", "node-2"}) || said["node-0"] != fmt.Sprint(fwk.Unschedulable, []string{"not there"}) {
		t.Errorf("feasible are %v, the others %v", names(got), said)
	}
	if totals := r.totals(r.ours); totals["node-1"]-totals["node-2"] != 2*(100-10) { // the weight is 2, and all else is equal
		t.Errorf("totals are %v", totals)
	}
}

// bestIs answers nodes, by name, as the best.
func bestIs(names ...string) func(*fakevicinal.Cluster, *pb.Question) *pb.Answer {
	return func(c *fakevicinal.Cluster, q *pb.Question) *pb.Answer {
		answer := nothing(c, q)
		for _, name := range names {
			answer.Best.Nodes = append(answer.Best.Nodes, numberOf(c, name))
		}
		return answer
	}
}

func TestANarrowedAttemptLooksAtTheBestNodeThatTheOtherFiltersLetPass(t *testing.T) {
	r := newRig(t, patient+"narrow: true", bestIs("node-2", "node-1"), nil)
	if got, _ := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pod); !slices.Equal(names(got), []string{"node-2"}) {
		t.Errorf("narrowed to %v", names(got))
	}
	node, err := r.snapshot.NodeInfos().Get("node-2")
	if err != nil {
		t.Fatal(err)
	}
	node.Node().Spec.Unschedulable = true
	if got, _ := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pod); !slices.Equal(names(got), []string{"node-1"}) {
		t.Errorf("narrowed to %v, where the best is cordoned", names(got))
	}
}

// vicinal was told that the pod is on its node: it must not be asked about it.
func TestAPodThatIsNarrowedIsScoredByInTreeCodeIfAtAll(t *testing.T) {
	r := newRig(t, patient+"narrow: true", bestIs("node-2"), nil)
	inTree := func() float64 {
		value, err := testutil.GetCounterMetricValue(scorings.WithLabelValues(inTreeAnswers, byNarrowing))
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	state, before := framework.NewCycleState(), inTree()
	feasibleNodes(r.ctx, r.ours, state, r.pod)
	nodes, err := r.snapshot.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	if s := r.ours.RunPreScorePlugins(r.ctx, state, r.pod, nodes); !s.IsSuccess() {
		t.Error(s)
	}
	if got := inTree(); got != before+1 {
		t.Errorf("%v scorings are in-tree's for this reason, want one more than %v", got, before)
	}
}

func TestAnAttemptWhoseBestNodesAreRefusedIsNotNarrowed(t *testing.T) {
	r := newRig(t, patient+"narrow: true", bestIs("node-1", "node-2"), func(pod *v1.Pod) {
		pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse("2")}
	})
	before := counted(t, vicinalAnswers, byVerdicts)
	if got, said := feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pod); len(got) > 0 || len(said) != 3 {
		t.Errorf("feasible are %v, the others %v", names(got), said)
	}
	if got := counted(t, vicinalAnswers, byVerdicts); got != before+1 {
		t.Errorf("%v attempts by verdicts, want %v", got, before+1)
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

// That no plugin has a say is wrong here.
func TestCompareCountsWrongAnswersAndDecidesByInTreeCode(t *testing.T) {
	r := newRig(t, patient+"mode: compare", nothing, nil)
	before := different(t)
	r.wantInTree()
	if different(t) == before {
		t.Error("no difference is counted")
	}
}

func TestWithoutAnAnswerInTimeTheAttemptRunsInTreeAndTheNextDoesNotAsk(t *testing.T) {
	for _, narrow := range []bool{false, true} {
		t.Run(fmt.Sprint("narrow=", narrow), func(t *testing.T) {
			r := newRig(t, fmt.Sprint("timeout: 100ms, narrow: ", narrow), nothing, nil)
			r.fake.Look(func(*fakevicinal.Cluster, *pb.Hello) {
				r.fake.Answer = func(*fakevicinal.Cluster, *pb.Question) *pb.Answer { return nil }
			})
			for _, why := range []string{"timeout", "behind", "behind"} {
				r.untilCounted(why)
			}
		})
	}
}

func TestWithoutVicinalAttemptsRunInTreeUntilItIsBack(t *testing.T) {
	r := newRig(t, patient+"narrow: false", nothing, nil)
	r.fake.Stop()
	r.untilCounted("disconnected")
	r.fake.Restart(t)
	r.settle()
}

func TestAPodWithAHostPortIsNotNarrowed(t *testing.T) {
	r := newRig(t, patient+"narrow: true", bestIs("node-1"), func(pod *v1.Pod) {
		pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80}}
	})
	before := counted(t, vicinalAnswers, byVerdicts)
	feasibleNodes(r.ctx, r.ours, framework.NewCycleState(), r.pod)
	if got := counted(t, vicinalAnswers, byVerdicts); got != before+1 {
		t.Errorf("%v attempts by verdicts, want %v", got, before+1)
	}
}

func TestHelloNamesTheProfilesWithInTreeNames(t *testing.T) {
	r := newRig(t, patient+"narrow: true", nothing, nil)
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
