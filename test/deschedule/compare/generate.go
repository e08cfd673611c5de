package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// The strategies that are compared, by the names of the descheduler's plugins.
const (
	antiAffinity = "RemovePodsViolatingInterPodAntiAffinity"
	nodeAffinity = "RemovePodsViolatingNodeAffinity"
	nodeTaints   = "RemovePodsViolatingNodeTaints"
	spread       = "RemovePodsViolatingTopologySpreadConstraint"
	failedPods   = "RemoveFailedPods"
	restarts     = "RemovePodsHavingTooManyRestarts"
	lifeTime     = "PodLifeTime"

	lowUtilization  = "LowNodeUtilization"
	highUtilization = "HighNodeUtilization"
)

// highUtilization is not among them: some pods that it leaves have no reason here yet.
var strategies = []string{antiAffinity, nodeAffinity, nodeTaints, spread, failedPods, restarts, lifeTime, lowUtilization}

// aboutStatus are those that replace pods for their age or their status; see status.go.
var aboutStatus = map[string]bool{failedPods: true, restarts: true, lifeTime: true}

// testCase is a cluster and a policy of one strategy.
type testCase struct {
	id       string
	strategy string
	policy   policy
	cluster  *cluster
}

// policy is what varies of a policy file.
type policy struct {
	strategy                string
	nodeFit                 bool
	evictLocalStorage       bool
	soft                    bool // of spread constraints: those that ScheduleAnyway too
	priorityThreshold       int32
	minReplicas             int
	onlyNamespace           string
	perNode, perNS, inTotal int // 0: no limit
	evictFailedBare         bool
	args                    []string // lines of the strategies about pods' status and nodes' utilization
	thresholds, targets     map[corev1.ResourceName]float64
	numberOfNodes           int
	deviation               bool
	// Only for vicinal, which has that limit.
	manyOfOneOwner bool
}

func (p policy) limited() bool { return p.perNode+p.perNS+p.inTotal > 0 }

func (p policy) withoutLimits() policy {
	p.perNode, p.perNS, p.inTotal = 0, 0, 0
	return p
}

// vicinalFile is the policy with what only vicinal reads.
func (p policy) vicinalFile() string {
	if p.manyOfOneOwner {
		return p.file() + "vicinal.maxNoOfPodsToEvictPerOwner: 0\n"
	}
	return p.file()
}

// file is the policy in the format of the descheduler.
func (p policy) file() string {
	var b strings.Builder
	b.WriteString("apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n")
	for _, limit := range []struct {
		name  string
		value int
	}{
		{"maxNoOfPodsToEvictPerNode", p.perNode}, {"maxNoOfPodsToEvictPerNamespace", p.perNS}, {"maxNoOfPodsToEvictTotal", p.inTotal},
	} {
		if limit.value > 0 {
			fmt.Fprintf(&b, "%s: %d\n", limit.name, limit.value)
		}
	}
	fmt.Fprintf(&b, "profiles:\n- name: compared\n  pluginConfig:\n  - name: DefaultEvictor\n    args:\n      nodeFit: %v\n      evictLocalStoragePods: %v\n", p.nodeFit, p.evictLocalStorage)
	if p.evictFailedBare {
		b.WriteString("      evictFailedBarePods: true\n")
	}
	if p.priorityThreshold > 0 {
		fmt.Fprintf(&b, "      priorityThreshold:\n        value: %d\n", p.priorityThreshold)
	}
	if p.minReplicas > 0 {
		fmt.Fprintf(&b, "      minReplicas: %d\n", p.minReplicas)
	}
	fmt.Fprintf(&b, "  - name: %s\n    args:\n", p.strategy)
	args := "      {}\n"
	switch p.strategy {
	case nodeAffinity:
		args = "      nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution]\n"
	case spread:
		args = "      constraints: [DoNotSchedule]\n"
		if p.soft {
			args = "      constraints: [DoNotSchedule, ScheduleAnyway]\n"
		}
	}
	if len(p.args) > 0 {
		args = "      " + strings.Join(p.args, "\n      ") + "\n"
	}
	if p.onlyNamespace != "" && !aboutUtilization[p.strategy] {
		args = strings.Replace(args, "      {}\n", "", 1) + fmt.Sprintf("      namespaces:\n        include: [%s]\n", p.onlyNamespace)
	}
	b.WriteString(args)
	point := "deschedule"
	if p.strategy == spread || aboutUtilization[p.strategy] {
		point = "balance"
	}
	fmt.Fprintf(&b, "  plugins:\n    %s:\n      enabled: [%s]\n", point, p.strategy)
	return b.String()
}

// dice decide what a case is like.
type dice struct{ *rand.Rand }

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

const zoneKey = corev1.LabelTopologyZone

// generate makes the case of a seed and an index, always the same one.
func generate(seed, index uint64) testCase {
	d := dice{rand.New(rand.NewPCG(seed, index))}
	c := testCase{
		id:       fmt.Sprintf("%d/%d", seed, index),
		strategy: strategies[index%uint64(len(strategies))],
		cluster:  &cluster{},
	}
	c.policy = policy{strategy: c.strategy, nodeFit: d.chance(50), evictLocalStorage: d.chance(20)}
	if d.chance(10) {
		c.policy.priorityThreshold = 1000
	}
	if d.chance(10) {
		c.policy.minReplicas = 3
	}
	if d.chance(10) {
		c.policy.onlyNamespace = "shop"
	}
	c.policy.manyOfOneOwner = d.chance(30)
	if d.chance(15) {
		*pick(d, &c.policy.perNode, &c.policy.perNS, &c.policy.inTotal) = 1 + d.IntN(2)
	}
	if aboutStatus[c.strategy] {
		c.policy.drawStatusArgs(d)
	}
	if aboutUtilization[c.strategy] {
		c.policy.drawUtilization(d)
	}
	c.cluster.addNodes(d, c.strategy)
	for _, name := range []string{"shop", "billing"} {
		c.cluster.namespaces = append(c.cluster.namespaces, &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": name, corev1.LabelMetadataName: name}},
		})
	}
	for i := range 1 + d.IntN(4) {
		c.cluster.addApp(d, c.strategy, i)
	}
	if aboutStatus[c.strategy] {
		for _, pod := range c.cluster.pods {
			drawStatus(d, pod)
		}
	}
	return c
}

func (c *cluster) addNodes(d dice, strategy string) {
	cpu := pick(d, "1", "4", "16")
	if aboutUtilization[strategy] {
		cpu = "4"
	}
	for i := range 3 + d.IntN(6) {
		name := fmt.Sprintf("n%d", i+1)
		node := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, zoneKey: pick(d, "a", "b", "c")}},
			Status: corev1.NodeStatus{
				Allocatable: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("30"),
				},
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		}
		node.Status.Capacity = node.Status.Allocatable
		if d.chance(8) {
			delete(node.Labels, zoneKey)
		}
		if d.chance(50) {
			node.Labels["disk"] = "ssd"
		}
		taints := 10
		if strategy == nodeTaints {
			taints = 50
		}
		if d.chance(taints) {
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{
				Key: pick(d, "dedicated", "gpu"), Value: "yes",
				Effect: pick(d, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule),
			})
		}
		if d.chance(8) {
			node.Spec.Unschedulable = true
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
		}
		c.nodes = append(c.nodes, node)
	}
}

// addApp adds the pods of a ReplicaSet, or now and then some that protect themselves.
func (c *cluster) addApp(d dice, strategy string, index int) {
	name := fmt.Sprintf("app%d", index)
	namespace := pick(d, "shop", "shop", "billing")
	labels := map[string]string{"app": name, "tier": pick(d, "front", "back")}
	spec := c.template(d, strategy, labels)
	replicas := 1 + d.IntN(7)
	owner := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, UID: types.UID("set-" + name)},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr.To(int32(replicas)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec},
		},
	}
	c.owners = append(c.owners, owner)
	// Some clusters have their pods on few nodes, so that much is broken.
	nodes := c.nodes
	if d.chance(50) {
		nodes = nodes[:1+d.IntN(len(nodes))]
	}
	for i := range replicas {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: fmt.Sprintf("%s-%d", name, i), Namespace: namespace, Labels: labels,
				CreationTimestamp: metav1.NewTime(time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC)),
				OwnerReferences:   []metav1.OwnerReference{*metav1.NewControllerRef(owner, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))},
			},
			Spec:   *spec.DeepCopy(),
			Status: corev1.PodStatus{Phase: corev1.PodRunning},
		}
		pod.UID = uidOf(pod)
		pod.Spec.NodeName = pick(d, nodes...).Name
		c.protect(d, pod)
		c.pods = append(c.pods, pod)
	}
}

func uidOf(pod *corev1.Pod) types.UID { return types.UID("uid-" + keyOf(pod)) }

// protect makes one in eight pods one that the evictor does not let go.
func (c *cluster) protect(d dice, pod *corev1.Pod) {
	if !d.chance(12) {
		return
	}
	switch d.IntN(7) {
	case 0:
		pod.OwnerReferences = nil
	case 1:
		pod.OwnerReferences[0].Kind, pod.OwnerReferences[0].UID = "DaemonSet", "set-of-daemons"
	case 2:
		pod.DeletionTimestamp = &metav1.Time{Time: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}
		pod.DeletionGracePeriodSeconds = ptr.To[int64](30)
		pod.Finalizers = []string{"example.org/wait"} // the fake API server wants one
	case 3:
		pod.Spec.Priority = ptr.To[int32](2_000_000_000)
	case 4:
		pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"}
	case 5:
		pod.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	case 6:
		pod.Spec.Priority = ptr.To[int32](5000)
	}
}

func (c *cluster) template(d dice, strategy string, labels map[string]string) corev1.PodSpec {
	spec := corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:1", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(pick(d, "50m", "100m", "200m"))},
		}}},
		RestartPolicy: corev1.RestartPolicyAlways,
		SchedulerName: corev1.DefaultSchedulerName,
		Priority:      ptr.To(pick[int32](d, 0, 0, 10)),
	}
	if aboutUtilization[strategy] {
		spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(pick(d, "100m", "300m", "600m"))
	}
	// Each strategy's own rule, and now and then one of another that constrains the moves.
	has := func(own string, others int) bool { return strategy == own && d.chance(75) || d.chance(others) }
	if has(antiAffinity, 8) {
		spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{antiAffinityTerm(d, labels)},
		}}
	}
	if has(nodeAffinity, 8) {
		requireDisk(d, &spec)
	}
	if has(nodeTaints, 15) && d.chance(40) {
		spec.Tolerations = []corev1.Toleration{{Key: pick(d, "dedicated", "gpu"), Operator: corev1.TolerationOpExists}}
	}
	if has(spread, 8) {
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{spreadConstraint(d, labels)}
	}
	return spec
}

func antiAffinityTerm(d dice, labels map[string]string) corev1.PodAffinityTerm {
	term := corev1.PodAffinityTerm{
		LabelSelector: &metav1.LabelSelector{MatchLabels: pick(d,
			map[string]string{"app": labels["app"]}, map[string]string{"app": labels["app"]},
			map[string]string{"app": "app0"}, map[string]string{"tier": "back"})},
		TopologyKey: pick(d, corev1.LabelHostname, corev1.LabelHostname, zoneKey),
	}
	switch {
	case d.chance(10):
		term.Namespaces = []string{"shop", "billing"}
	case d.chance(10):
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": pick(d, "shop", "billing")}}
	}
	return term
}

func requireDisk(d dice, spec *corev1.PodSpec) {
	if d.chance(15) {
		spec.NodeSelector = map[string]string{"disk": "ssd"}
		return
	}
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	requirement := corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"}}
	if d.chance(30) {
		requirement = corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpDoesNotExist}
	}
	spec.Affinity.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{requirement}}},
	}}
}

func spreadConstraint(d dice, labels map[string]string) corev1.TopologySpreadConstraint {
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew: int32(1 + d.IntN(2)), TopologyKey: pick(d, zoneKey, zoneKey, corev1.LabelHostname),
		WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": labels["app"]}},
	}
	if d.chance(10) {
		constraint.MinDomains = ptr.To(int32(2 + d.IntN(3)))
	}
	if d.chance(15) {
		constraint.NodeTaintsPolicy = ptr.To(corev1.NodeInclusionPolicyHonor)
	}
	return constraint
}
