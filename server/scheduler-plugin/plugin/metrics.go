package plugin

import (
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// Who answers an attempt, and why. The first two are vicinal's; link has more.
const (
	byNarrowing   = "narrowed"    // one node of the whole cluster
	byVerdicts    = "verdicts"    // each node that the scheduler looks at
	notSynced     = "not_synced"  // the first feed is on its way
	notKnown      = "pod_unknown" // the pod cannot be told of: it is gone, or assumed
	notUsable     = "unusable"    // what vicinal says is no verdict, such as an error
	ofPodGroup    = "pod_group"   // the snapshot of a pod group's cycle is not the cluster's
	onlyOne       = "one_plugin"  // the profile has one of the two plugins only
	ofCompareMode = "compare"     // in-tree code answers, vicinal is compared
	ofBatch       = "signable"    // scores only: the scheduler may use them for other pods
)

var (
	attempts = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: "vicinal_plugin", Name: "attempts_total", StabilityLevel: metrics.ALPHA,
		Help: "Attempts to schedule a pod, by who answered for InterPodAffinity and PodTopologySpread (vicinal, in_tree) and why.",
	}, []string{"answered_by", "reason"})
	scorings = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: "vicinal_plugin", Name: "scorings_total", StabilityLevel: metrics.ALPHA,
		Help: "Attempts that scored nodes, by who scored them for the two plugins and why.",
	}, []string{"answered_by", "reason"})
	differences = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: "vicinal_plugin", Name: "differences_total", StabilityLevel: metrics.ALPHA,
		Help: "Answers of vicinal that differ from in-tree's, in mode compare: by plugin and extension point.",
	}, []string{"plugin", "extension_point"})
	compared = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: "vicinal_plugin", Name: "compared_total", StabilityLevel: metrics.ALPHA,
		Help: "Answers of vicinal that were compared with in-tree's, in mode compare: by plugin and extension point.",
	}, []string{"plugin", "extension_point"})
	inTreeStates = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: "vicinal_plugin", Name: "in_tree_states_total", StabilityLevel: metrics.ALPHA,
		Help: "Runs of the in-tree plugins' own PreFilter, by plugin: for attempts that in-tree code answers, for preemption and for nominated pods.",
	}, []string{"plugin"})
	questionDuration = metrics.NewHistogram(&metrics.HistogramOpts{
		Subsystem: "vicinal_plugin", Name: "question_duration_seconds", StabilityLevel: metrics.ALPHA,
		Help:    "How long attempts wait for answers, those that come in time. Of a question that was asked ahead the time before its attempt does not count.",
		Buckets: metrics.ExponentialBuckets(0.00005, 2, 14),
	})
	askedAhead = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem: "vicinal_plugin", Name: "asked_ahead_total", StabilityLevel: metrics.ALPHA,
		Help: "Questions about the pod that is expected next, asked during the attempt before, by whether their answers could be used.",
	}, []string{"used"})
	connected = metrics.NewGauge(&metrics.GaugeOpts{
		Subsystem: "vicinal_plugin", Name: "connected", StabilityLevel: metrics.ALPHA,
		Help: "1 while the stream to vicinal is open and vicinal has been told of the whole cluster.",
	})
)

func init() {
	legacyregistry.MustRegister(attempts, scorings, differences, compared, inTreeStates, questionDuration, askedAhead, connected)
}

const (
	vicinalAnswers = "vicinal"
	inTreeAnswers  = "in_tree"
)
