package plugin

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"vicinal/scheduler-plugin/internal/release"
	pb "vicinal/scheduler-plugin/internal/v1"
)

// scoring is vicinal's answer about the nodes of a PreScore.
type scoring struct {
	nodes []fwk.NodeInfo
	why   string // it cannot be used; "" if it can
	skips [2]bool
	score [2]map[string]int64 // normalized, by node
}

// scoreState is a plugin's part of a CycleState. In-tree code has a state of its own.
type scoreState struct {
	byVicinal map[string]int64 // nil: in-tree code scores
	inTree    fwk.CycleState   // nil: vicinal does
}

// Clone shares: nothing changes after PreScore.
func (s *scoreState) Clone() fwk.StateData { return s }

// PreScore asks for the scores of both plugins at once.
func (p *Plugin) PreScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	s := &scoreState{}
	a := attemptOf(state)
	var answer *scoring
	if a != nil {
		answer = a.scores(ctx, nodes)
	}
	if answer != nil && answer.why == "" && !a.compares() {
		if answer.skips[p.which] {
			return fwk.NewStatus(fwk.Skip)
		}
		s.byVicinal = answer.score[p.which]
		state.Write(p.scoreKey(), s)
		return nil
	}
	s.inTree = framework.NewCycleState()
	status := p.twin.PreScore(ctx, s.inTree, pod, nodes)
	if answer != nil && answer.why == "" {
		a.compareSkip(p.which, "PreScore", status.IsSkip(), answer.skips[p.which])
		if !answer.skips[p.which] {
			s.byVicinal = answer.score[p.which]
		}
	}
	state.Write(p.scoreKey(), s)
	return status
}

// scores asks once for the same nodes.
func (a *attempt) scores(ctx context.Context, nodes []fwk.NodeInfo) *scoring {
	if a.scoring != nil && len(nodes) > 0 && len(a.scoring.nodes) == len(nodes) && &a.scoring.nodes[0] == &nodes[0] {
		return a.scoring
	}
	a.scoring = a.askScores(ctx, nodes)
	switch {
	case a.scoring.why != "":
		scorings.WithLabelValues(inTreeAnswers, a.scoring.why).Inc()
	case a.compares():
		scorings.WithLabelValues(inTreeAnswers, ofCompareMode).Inc()
	default:
		scorings.WithLabelValues(vicinalAnswers, "").Inc()
	}
	return a.scoring
}

func (a *attempt) askScores(ctx context.Context, nodes []fwk.NodeInfo) *scoring {
	s := &scoring{nodes: nodes, why: a.why}
	if s.why != "" {
		return s
	}
	if a.target != "" { // vicinal was told that the pod is there
		s.why = byNarrowing
		return s
	}
	if a.signable(ctx) {
		s.why = ofBatch
		return s
	}
	numbers := make([]uint32, len(nodes))
	for i, node := range nodes {
		number, ok := a.numbers[node.Node().Name]
		if !ok {
			s.why = notKnown
			return s
		}
		numbers[i] = number
	}
	answer, err := a.ask(&pb.Question{Uid: string(a.pod.UID), Scores: &pb.Question_Scores{Nodes: numbers}})
	if err != nil {
		s.why = err.Error()
		return s
	}
	for which, said := range [2]*pb.PluginScores{spread: answer.Scores.GetPodTopologySpread(), affinity: answer.Scores.GetInterPodAffinity()} {
		switch code := said.GetPreScore().GetCode(); {
		case said == nil, code != int32(fwk.Success) && code != int32(fwk.Skip):
			s.why = notUsable
		case code == int32(fwk.Skip):
			s.skips[which] = true
		case len(said.Normalized) != len(nodes):
			s.why = notUsable
		default:
			s.score[which] = make(map[string]int64, len(nodes))
			for i, node := range nodes {
				s.score[which][node.Node().Name] = int64(said.Normalized[i])
			}
		}
	}
	return s
}

// signable says whether the scheduler may score the pods after this one with what it
// keeps of this one's scores: that works with in-tree's scores before they are normalized.
func (a *attempt) signable(ctx context.Context) bool {
	for _, inner := range a.profile.twins {
		if !release.IsSignable(ctx, inner, a.pod) {
			return false
		}
	}
	return true
}

func (p *Plugin) scoreState(state fwk.CycleState) (*scoreState, *fwk.Status) {
	data, err := state.Read(p.scoreKey())
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	return data.(*scoreState), nil
}

// Score returns vicinal's score, which is normalized, or the twin's. It runs in parallel.
func (p *Plugin) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	s, status := p.scoreState(state)
	if status != nil {
		return 0, status
	}
	if s.inTree != nil {
		return p.twin.Score(ctx, s.inTree, pod, node)
	}
	return s.byVicinal[node.Node().Name], nil
}

// NormalizeScore leaves vicinal's scores as they are.
func (p *Plugin) NormalizeScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, scores release.NodeScoreList) *fwk.Status {
	s, status := p.scoreState(state)
	if status != nil || s.inTree == nil {
		return status
	}
	status = p.twin.NormalizeScore(ctx, s.inTree, pod, scores)
	if s.byVicinal != nil && status.IsSuccess() {
		compareScores(p.which, pod, scores, s.byVicinal)
	}
	return status
}
