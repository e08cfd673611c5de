package stock

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Answer runs one scheduling cycle of the case's pod up to the scores.
func (s *Scheduler) Answer(c *Case) (*Answer, error) {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	profile := s.defaultProfile
	if c.PluginConfig != nil {
		var err error
		if profile, err = decodeProfile(c.PluginConfig); err != nil {
			return nil, err
		}
	}
	w, err := s.build(ctx, &c.Cluster, profile)
	if err != nil {
		return nil, err
	}
	answer := &Answer{
		ID:     c.ID,
		Nodes:  make(map[string]NodeResult, len(w.nodes)),
		Scores: map[string]map[string]Score{},
		Totals: map[string]int64{},
	}
	state := framework.NewCycleState()
	feasible := w.filter(ctx, state, c.Pod, answer)
	if len(feasible) > 0 {
		w.score(ctx, state, c.Pod, feasible, answer)
	}
	return answer, nil
}

// filter is findNodesThatFitPod of pkg/scheduler/schedule_one.go with all nodes
// evaluated: no sampling, no early return for the pod's own nominated node.
func (w *world) filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, answer *Answer) []fwk.NodeInfo {
	if len(w.nodes) == 0 {
		answer.Message = scheduler.ErrNoNodesAvailable.Error()
		return nil
	}
	diagnosis := framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	preRes, s, rejectors := w.framework.RunPreFilterPlugins(ctx, state, pod)
	answer.Trace.SkippedFilters = sets.List(state.GetSkipFilterPlugins())
	if !s.IsSuccess() {
		if !s.IsRejected() {
			w.abort(s, answer)
			return nil
		}
		diagnosis.NodeToStatus.SetAbsentNodesStatus(s)
		diagnosis.PreFilterMsg = s.Message()
		w.report(pod, diagnosis, nil, answer)
		return nil
	}
	nodes := w.nodes
	if !preRes.AllNodes() {
		nodes = slices.DeleteFunc(slices.Clone(nodes), func(n fwk.NodeInfo) bool {
			return !preRes.NodeNames.Has(n.Node().Name)
		})
		diagnosis.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(rejectors))))
	}
	var feasible []fwk.NodeInfo
	for _, node := range nodes {
		s := w.framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
		switch {
		case s.Code() == fwk.Error:
			w.abort(s, answer)
			return nil
		case s.IsSuccess():
			feasible = append(feasible, node)
		default:
			diagnosis.NodeToStatus.Set(node.Node().Name, s)
			w.traceNomination(ctx, state, pod, node, s, answer)
		}
	}
	w.report(pod, diagnosis, feasible, answer)
	return feasible
}

// traceNomination notes a node that would do were it not for its nominated pods.
func (w *world) traceNomination(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, s *fwk.Status, answer *Answer) {
	name := node.Node().Name
	if len(w.framework.NominatedPodsForNode(name)) == 0 || !w.framework.RunFilterPlugins(ctx, state, pod, node).IsSuccess() {
		return
	}
	if answer.Trace.DecidedByNomination == nil {
		answer.Trace.DecidedByNomination = map[string]string{}
	}
	answer.Trace.DecidedByNomination[name] = s.Plugin()
}

// report writes the nodes' statuses, and the FitError's text if no node is left.
func (w *world) report(pod *v1.Pod, diagnosis framework.Diagnosis, feasible []fwk.NodeInfo, answer *Answer) {
	for _, node := range feasible {
		answer.Nodes[node.Node().Name] = NodeResult{Code: fwk.Success.String()}
	}
	for _, node := range w.nodes {
		name := node.Node().Name
		if _, fits := answer.Nodes[name]; !fits {
			answer.Nodes[name] = result(diagnosis.NodeToStatus.Get(name))
		}
	}
	if len(feasible) == 0 {
		answer.Message = (&framework.FitError{Pod: pod, NumAllNodes: len(w.nodes), Diagnosis: diagnosis}).Error()
	}
}

// abort: in the scheduler an Error ends the attempt, whatever the nodes said.
func (w *world) abort(s *fwk.Status, answer *Answer) {
	for _, node := range w.nodes {
		answer.Nodes[node.Node().Name] = result(s)
	}
	clear(answer.Scores)
	clear(answer.Totals)
	answer.Message = ""
}

// score is prioritizeNodes of pkg/scheduler/schedule_one.go without extenders.
func (w *world) score(ctx context.Context, state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo, answer *Answer) {
	if s := w.framework.RunPreScorePlugins(ctx, state, pod, feasible); !s.IsSuccess() {
		w.abort(s, answer)
		return
	}
	answer.Trace.SkippedScores = sets.List(state.GetSkipScorePlugins())
	scores, s := w.framework.RunScorePlugins(ctx, state, pod, feasible)
	if !s.IsSuccess() {
		w.abort(s, answer)
		return
	}
	weights := map[string]int64{}
	for _, p := range w.framework.ListPlugins().Score.Enabled {
		weights[p.Name] = int64(p.Weight)
	}
	infos := make(map[string]fwk.NodeInfo, len(feasible))
	for _, node := range feasible {
		infos[node.Node().Name] = node
	}
	for _, node := range scores {
		answer.Totals[node.Name] = node.TotalScore
		for _, weighted := range node.Scores {
			raw, s := w.scorers[weighted.Name].Score(ctx, state, pod, infos[node.Name])
			if !s.IsSuccess() {
				w.abort(s, answer)
				return
			}
			if answer.Scores[weighted.Name] == nil {
				answer.Scores[weighted.Name] = map[string]Score{}
			}
			answer.Scores[weighted.Name][node.Name] = Score{Raw: raw, Normalized: weighted.Score / weights[weighted.Name]}
		}
	}
}

func result(s *fwk.Status) NodeResult {
	return NodeResult{Code: s.Code().String(), Plugin: s.Plugin(), Reason: strings.Join(inOrder(s.Reasons()), ", ")}
}

// inOrder fixes the one order that varies from run to run: NodeResourcesFit
// walks a map of scalar resources, and reports them after all its other reasons.
func inOrder(reasons []string) []string {
	fixed := []string{"Too many pods", "Insufficient cpu", "Insufficient memory", "Insufficient ephemeral-storage"}
	first := slices.IndexFunc(reasons, func(r string) bool { return !slices.Contains(fixed, r) })
	if len(reasons) < 2 || first < 0 {
		return reasons
	}
	sorted := slices.Clone(reasons)
	slices.Sort(sorted[first:])
	return sorted
}
