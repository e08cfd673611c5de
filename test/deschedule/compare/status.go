package main

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The strategies that replace a pod for its age or its status choose by the pod alone, so
// the two tools must choose the same pods, each difference with its reason.

func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// The reasons why a pod is chosen by one of the tools only.
const (
	finishedGoes = "more: with nodeFit the descheduler wants another node for a pod that has finished, and needs none"
	statusBreaks = "less: where the scheduler would place the replacement, another pod's rule is broken"
)

// drawStatusArgs keeps clear of what differs within the seconds that a case takes: ages
// are far from the limits.
func (p *policy) drawStatusArgs(d dice) {
	p.evictFailedBare = d.chance(30)
	p.minReplicas = 0 // the descheduler counts finished pods as replicas
	maybe := func(percent int, lines ...string) {
		if d.chance(percent) {
			p.args = append(p.args, lines...)
		}
	}
	switch p.strategy {
	case restarts:
		p.args = append(p.args, fmt.Sprintf("podRestartThreshold: %d", 1+d.IntN(15)))
		maybe(30, "states: ["+pick(d, "Running", "CrashLoopBackOff", "Running, CrashLoopBackOff")+"]")
	case failedPods:
		p.args = append(p.args, "minPodLifetimeSeconds: "+pick(d, "0", "1000", "3600"))
		maybe(30, "reasons: ["+pick(d, "Evicted", "Error, OOMKilled", "CrashLoopBackOff, StartError")+"]")
		maybe(20, "exitCodes: ["+pick(d, "0", "1", "137, 1")+"]")
		maybe(20, "excludeOwnerKinds: ["+pick(d, "ReplicaSet", "DaemonSet")+"]")
	case lifeTime:
		p.args = append(p.args, "maxPodLifeTimeSeconds: "+pick(d, "0", "1000", "10000"))
		maybe(40, "states: ["+pick(d, "Pending, PodInitializing", "Running", "Succeeded, Failed", "CrashLoopBackOff, OOMKilled", "Evicted, Error, Completed")+"]")
		maybe(20, "exitCodes: ["+pick(d, "0", "1", "137, 1")+"]")
		maybe(20, "ownerKinds: {"+pick(d, "include: [ReplicaSet]", "exclude: [ReplicaSet]", "include: [DaemonSet, Job]")+"}")
		maybe(30, "conditions: ["+pick(d, "{type: Ready, status: \"False\"}", "{reason: PodCompleted, minTimeSinceLastTransitionSeconds: 1000}",
			"{type: Ready, status: \"True\"}, {status: \"False\", minTimeSinceLastTransitionSeconds: 10000}")+"]")
		maybe(30, "includingEphemeralContainers: true")
	}
	maybe(50, "includingInitContainers: true")
}

// ages are far from all limits.
func age(d dice) metav1.Time {
	return metav1.NewTime(time.Now().Add(-pick(d, 100*time.Second, 2000*time.Second, 5000*time.Second, 40000*time.Second)))
}

// drawStatus gives a pod an age and a status that it could have.
func drawStatus(d dice, pod *corev1.Pod) {
	pod.CreationTimestamp = age(d)
	pod.Status.Phase = pick(d, corev1.PodRunning, corev1.PodRunning, corev1.PodRunning, corev1.PodPending, corev1.PodFailed, corev1.PodFailed, corev1.PodSucceeded)
	if d.chance(25) {
		pod.Status.Reason = pick(d, "Evicted", "NodeLost", "UnexpectedAdmissionError")
	}
	pod.Status.ContainerStatuses = drawContainers(d, "main", 80)
	pod.Status.InitContainerStatuses = drawContainers(d, "init", 30)
	pod.Status.EphemeralContainerStatuses = drawContainers(d, "debug", 15)
	ready := corev1.PodCondition{Type: corev1.PodReady, Status: pick(d, corev1.ConditionTrue, corev1.ConditionFalse), LastTransitionTime: age(d)}
	if finished(pod) {
		ready.Status, ready.Reason = corev1.ConditionFalse, "PodCompleted"
	}
	pod.Status.Conditions = append(pod.Status.Conditions, ready)
	if d.chance(50) {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodInitialized, Status: pick(d, corev1.ConditionTrue, corev1.ConditionFalse)})
	}
}

func drawContainers(d dice, name string, percent int) []corev1.ContainerStatus {
	var statuses []corev1.ContainerStatus
	for i := 0; i < 2 && d.chance(percent); i++ {
		status := corev1.ContainerStatus{Name: fmt.Sprint(name, i), RestartCount: pick[int32](d, 0, 0, 1, 4, 10, 100)}
		switch d.IntN(4) {
		case 0:
			status.State.Waiting = &corev1.ContainerStateWaiting{Reason: pick(d, "CrashLoopBackOff", "PodInitializing", "ImagePullBackOff")}
		case 1:
			status.State.Terminated = &corev1.ContainerStateTerminated{
				Reason: pick(d, "OOMKilled", "Error", "Completed", "StartError"), ExitCode: pick[int32](d, 0, 1, 2, 137),
			}
		default:
			status.State.Running = &corev1.ContainerStateRunning{}
		}
		statuses = append(statuses, status)
	}
	return statuses
}

// compareStatus compares the pods that are chosen without limits, carries the plan out,
// and checks the limits.
func (j judge) compareStatus(c testCase) (outcome, error) {
	free := c.policy.withoutLimits()
	free.manyOfOneOwner = true
	answer, err := j.descheduler(c.cluster, free)
	if err != nil {
		return outcome{}, err
	}
	p, err := j.vicinal(c.cluster, free)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{descheduled: len(answer.Evicted), evicted: len(p.Evictions)}
	after, err := j.replaceAll(c.cluster, p, answer.Evictable, &o)
	if err != nil || len(o.broken) > 0 {
		return o, err
	}
	if left := p.Before.PodsToReplace - int64(len(p.Evictions)); p.After.PodsToReplace != left {
		o.broken = append(o.broken, fmt.Sprintf("%d pods to replace expected afterwards, %d were to be left", p.After.PodsToReplace, left))
	}
	var chosen []string
	for _, eviction := range p.Evictions {
		chosen = append(chosen, eviction.Pod)
		if slices.Contains(answer.Evicted, eviction.Pod) {
			continue
		}
		if finished(c.cluster.pod(eviction.Pod)) && free.nodeFit {
			o.differences = append(o.differences, difference{finishedGoes, eviction.Pod})
			continue
		}
		o.broken = append(o.broken, eviction.Pod+" is replaced, and the descheduler leaves it")
	}
	for _, key := range answer.Evicted {
		if slices.Contains(chosen, key) {
			continue
		}
		class, err := j.whyNotReplaced(after, after.pod(key), free)
		if err != nil {
			return o, err
		}
		if class == "" {
			o.broken = append(o.broken, key+" is left, and the descheduler replaces it")
			continue
		}
		o.differences = append(o.differences, difference{class, key})
	}
	return o, j.checkStatusLimits(c, after, free, len(chosen) == 0, &o)
}

// replaceAll carries a plan out: each replacement goes where the scheduler would place it.
func (j judge) replaceAll(now *cluster, p plan, evictable []string, o *outcome) (*cluster, error) {
	if len(p.Evictions) > 0 {
		o.passes = 1
	}
	for _, eviction := range p.Evictions {
		pod := now.pod(eviction.Pod)
		switch {
		case pod == nil:
			o.broken = append(o.broken, eviction.Pod+" is evicted, and is not there (any more)")
			return now, nil
		case !slices.Contains(evictable, eviction.Pod):
			o.broken = append(o.broken, eviction.Pod+" is evicted, and is protected")
		case finished(pod) != (eviction.Destination == ""):
			o.broken = append(o.broken, fmt.Sprintf("%s is %s, and %q is expected", eviction.Pod, pod.Status.Phase, eviction.Destination))
		}
		if finished(pod) {
			now = now.without(pod)
			continue
		}
		_, best, err := j.scheduler.places(now, pod)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(best, eviction.Destination) {
			o.broken = append(o.broken, fmt.Sprintf("%s: %s expected, the scheduler would take one of %v", eviction.Pod, eviction.Destination, best))
		}
		now = now.replace(pod, eviction.Destination)
		fresh := now.pods[len(now.pods)-1]
		fresh.CreationTimestamp = metav1.Now()
		fresh.Status = corev1.PodStatus{Phase: corev1.PodRunning}
	}
	return now, nil
}

// whyNotReplaced is the reason why a pod of the descheduler's is left; "" if there is none.
func (j judge) whyNotReplaced(c *cluster, pod *corev1.Pod, p policy) (string, error) {
	if finished(pod) {
		return "", nil
	}
	feasible, best, err := j.scheduler.places(c, pod)
	if err != nil {
		return "", err
	}
	if p.nodeFit {
		feasible = slices.DeleteFunc(feasible, func(node string) bool { return node == pod.Spec.NodeName })
	}
	if len(feasible) == 0 {
		return nowhere, nil
	}
	was, err := j.scheduler.allBroken(c)
	if err != nil {
		return "", err
	}
	for _, node := range best {
		is, err := j.scheduler.allBroken(c.replace(pod, node))
		if err != nil {
			return "", err
		}
		if len(newlyBroken(was, is, c)) > 0 {
			return statusBreaks, nil
		}
	}
	return "", nil
}

// checkStatusLimits: nothing is left to do after the plan, and a plan with limits keeps them
// and does something.
func (j judge) checkStatusLimits(c testCase, after *cluster, free policy, idle bool, o *outcome) error {
	// A policy of age 0 replaces replacements too, as the descheduler's does.
	again, err := j.vicinal(after, free)
	if err != nil {
		return err
	}
	for _, eviction := range again.Evictions {
		if pod := c.cluster.pod(eviction.Pod); pod != nil {
			o.broken = append(o.broken, eviction.Pod+" is left by one plan, and replaced by the next")
		}
	}
	limited, err := j.vicinal(c.cluster, c.policy)
	if err != nil {
		return err
	}
	if idle != (len(limited.Evictions) == 0) {
		o.broken = append(o.broken, fmt.Sprintf("%d evictions with limits", len(limited.Evictions)))
	}
	running := plan{Evictions: slices.DeleteFunc(slices.Clone(limited.Evictions), func(e struct{ Pod, Node, Destination, Strategy, Reason string }) bool {
		return finished(c.cluster.pod(e.Pod))
	})}
	o.broken = append(o.broken, exceeded(policy{manyOfOneOwner: c.policy.manyOfOneOwner}, c.cluster, running)...)
	everything := c.policy
	everything.manyOfOneOwner = true
	o.broken = append(o.broken, exceeded(everything, c.cluster, limited)...)
	return nil
}
