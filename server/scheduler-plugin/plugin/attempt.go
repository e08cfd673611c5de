package plugin

import (
	"context"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"vicinal/scheduler-plugin/internal/link"
	"vicinal/scheduler-plugin/internal/release"
	pb "vicinal/scheduler-plugin/internal/v1"
)

// attempt is what the two plugins and all clones of a CycleState share about one attempt
// to schedule a pod. It is settled when the last PreFilter returns; only runs change then.
type attempt struct {
	profile  *profile
	pod      *v1.Pod
	nodes    []fwk.NodeInfo
	session  *link.Session
	numbers  map[string]uint32 // of nodes, by name
	question *link.Question    // for the best nodes, until it is answered
	asked    time.Time

	why      string // vicinal does not answer; "" while it may
	target   string // the node that the attempt is narrowed to
	verdicts [2]*pb.PluginVerdicts
	runs     [2]inTreeRun
	scoring  *scoring // of the latest PreScore
}

// inTreeRun is the twin's own PreFilter: once for an attempt, when something needs it.
type inTreeRun struct {
	once   sync.Once
	state  fwk.CycleState // read only
	result *release.PreFilterResult
	status *fwk.Status
}

const attemptKey = fwk.StateKey("Vicinal/Attempt")

// attemptData is the attempt in a CycleState. Clones share it.
type attemptData struct{ *attempt }

func (d attemptData) Clone() fwk.StateData { return d }

func attemptOf(state fwk.CycleState) *attempt {
	if data, err := state.Read(attemptKey); err == nil {
		return data.(attemptData).attempt
	}
	return nil
}

// begin brings vicinal to the snapshot of this cycle and asks.
func (p *profile) begin(state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *attempt {
	a := &attempt{profile: p, pod: pod, nodes: nodes}
	state.Write(attemptKey, attemptData{a})
	a.why = a.prepare(state)
	if a.why == "" && p.mayNarrow(a.session, pod) {
		a.askBest()
	}
	if a.session != nil && a.why != "" {
		a.session.Flush() // no question takes the changes along
	}
	return a
}

// prepare returns why vicinal cannot be asked.
func (a *attempt) prepare(state fwk.CycleState) string {
	p := a.profile
	switch {
	case p.twins[spread] == nil || p.twins[affinity] == nil:
		return onlyOne
	case release.IsPodGroupCycle(state):
		return ofPodGroup
	}
	if a.session = p.process.session(); a.session == nil {
		return link.ErrDisconnected.Error()
	}
	if !p.process.feed.Snapshot(a.session, a.nodes) || !a.session.Fed() {
		return notSynced
	}
	a.numbers = p.process.feed.Numbers()
	if !p.process.feed.Waiting(a.session, a.pod) {
		return notKnown
	}
	p.process.feed.Tried(a.pod.UID)
	return ""
}

// preFilter is the PreFilter of a plugin; last says that the other one's has returned.
func (a *attempt) preFilter(ctx context.Context, which int, last bool) (*release.PreFilterResult, *fwk.Status) {
	if a.question != nil && !last {
		return nil, nil // the answer is on its way
	}
	if a.question != nil {
		if node := a.narrow(ctx); node != "" {
			a.count(vicinalAnswers, byNarrowing)
			a.target = node
			a.askAhead(node)
			return onlyNode(node), nil
		}
	}
	if a.why == "" && a.verdicts == [2]*pb.PluginVerdicts{} {
		a.why = a.askVerdicts()
	}
	if last {
		a.countUnnarrowed()
	}
	if a.why != "" || a.compares() {
		run := a.inTree(ctx, which)
		if a.why == "" {
			a.compareSkip(which, "PreFilter", run.status.IsSkip(), a.verdicts[which].PreFilter.GetCode() == int32(fwk.Skip))
		}
		return run.result, run.said()
	}
	if a.verdicts[which].PreFilter.GetCode() == int32(fwk.Skip) {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	return nil, nil
}

func (a *attempt) compares() bool { return a.profile.settings.mode == modeCompare }

func (a *attempt) countUnnarrowed() {
	switch {
	case a.why != "":
		a.count(inTreeAnswers, a.why)
	case a.compares():
		a.count(inTreeAnswers, ofCompareMode)
	default:
		a.count(vicinalAnswers, byVerdicts)
	}
}

func (a *attempt) count(who, why string) { attempts.WithLabelValues(who, why).Inc() }

// ask sends a question and waits for its answer.
func (a *attempt) ask(question *pb.Question) (*pb.Answer, error) {
	asked := time.Now()
	sent, err := a.session.Ask(question)
	if err != nil {
		return nil, err
	}
	return a.wait(sent, asked)
}

func (a *attempt) wait(question *link.Question, asked time.Time) (*pb.Answer, error) {
	answer, err := question.Wait(a.profile.settings.timeout)
	if err == nil {
		questionDuration.Observe(time.Since(asked).Seconds())
	}
	return answer, err
}

// askVerdicts returns why there are none that can be used.
func (a *attempt) askVerdicts() string {
	answer, err := a.ask(&pb.Question{Uid: string(a.pod.UID), Verdicts: &pb.Question_Verdicts{}})
	if err != nil {
		return err.Error()
	}
	verdicts := [2]*pb.PluginVerdicts{spread: answer.Verdicts.GetPodTopologySpread(), affinity: answer.Verdicts.GetInterPodAffinity()}
	for which, v := range verdicts {
		if !a.complete(v) {
			klog.V(2).InfoS("Vicinal gives no usable verdicts", "pod", klog.KObj(a.pod), "plugin", kinds[which].twin, "preFilter", v.GetPreFilter())
			return notUsable
		}
	}
	a.verdicts = verdicts
	return ""
}

// complete says whether each node has a verdict. What PreFilter says besides success and
// Skip, such as an error about the pod, is left to the twin.
func (a *attempt) complete(v *pb.PluginVerdicts) bool {
	if v == nil {
		return false
	}
	if v.PreFilter != nil && v.PreFilter.Code != int32(fwk.Success) {
		return v.PreFilter.Code == int32(fwk.Skip)
	}
	for _, number := range a.numbers {
		if int(number) >= len(v.ByNode) || int(v.ByNode[number]) > len(v.Statuses) {
			return false
		}
	}
	return true
}

// filter answers for one node of the unchanged cluster. It runs in parallel.
func (a *attempt) filter(ctx context.Context, which int, node fwk.NodeInfo) *fwk.Status {
	name := node.Node().Name
	number, known := a.numbers[name]
	if a.why == "" && a.target != "" && a.target == name {
		return nil
	}
	byVicinal := a.why == "" && a.target == "" && known
	if byVicinal && !a.compares() {
		return a.verdict(which, number)
	}
	run := a.inTree(ctx, which)
	var status *fwk.Status
	switch {
	case run.status.IsSkip():
	case !run.status.IsSuccess():
		return run.said()
	default:
		status = a.profile.twins[which].Filter(ctx, run.state, a.pod, node)
	}
	if byVicinal {
		a.compareVerdict(which, name, status, a.verdict(which, number))
	}
	return status
}

// verdict is a new status each time: the framework writes its plugin's name into it.
func (a *attempt) verdict(which int, number uint32) *fwk.Status {
	v := a.verdicts[which]
	if v.PreFilter.GetCode() == int32(fwk.Skip) || v.ByNode[number] == 0 {
		return nil
	}
	said := v.Statuses[v.ByNode[number]-1]
	return fwk.NewStatus(fwk.Code(said.Code), said.Reasons...)
}

// inTree returns the twin's own state, which the first call computes. Filters run in
// parallel and are cancelled when enough nodes are found; the state must be whole.
func (a *attempt) inTree(ctx context.Context, which int) *inTreeRun {
	run := &a.runs[which]
	run.once.Do(func() {
		inTreeStates.WithLabelValues(kinds[which].twin).Inc()
		run.state = framework.NewCycleState()
		run.result, run.status = a.profile.twins[which].PreFilter(context.WithoutCancel(ctx), run.state, a.pod, a.nodes)
	})
	return run
}

// said is the twin's status, a new one each time: the framework writes into it.
func (r *inTreeRun) said() *fwk.Status {
	if r.status == nil {
		return nil
	}
	return release.Copied(r.status)
}
