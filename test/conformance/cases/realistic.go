package cases

import "fmt"

// workload is a deployment, statefulset, daemonset or job of a realistic cluster.
type workload struct {
	kind, name, namespace string
	labels                object
	spec                  object
	replicas              int
}

// realistic is a cluster as one meets it: machines in zones, workloads with the
// constraints people write, and one more replica to place.
func realistic(d dice, fewNodes, mostNodes, mostPods int) object {
	var objects list
	zones := d.between(1, 3)
	nodes := d.between(fewNodes, mostNodes)
	names := make([]string, nodes)
	for i := range names {
		names[i] = fmt.Sprintf("node-%02d", i)
		objects = append(objects, d.machine(names[i], i%zones))
	}
	for _, ns := range []string{"default", "shop", "kube-system"} {
		objects = append(objects, object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{
			"name": ns, "labels": object{"kubernetes.io/metadata.name": ns}}})
	}
	var all []workload
	pods := 0
	for i := 0; pods < mostPods && i < 12; i++ {
		w := d.workload(i, nodes)
		all = append(all, w)
		objects = append(objects, w.objects()...)
		for r := range w.replicas {
			if pods++; pods > mostPods {
				break
			}
			objects = append(objects, w.placed(d, r, names))
		}
	}
	w := pick(d, all...)
	incoming := w.pod("incoming")
	if w.kind == "DaemonSet" {
		incoming["spec"].(object)["affinity"] = pinned(pick(d, names...))
	}
	return object{"objects": objects, "pod": incoming}
}

func (d dice) machine(name string, zoneIndex int) object {
	size := pick(d, 2, 4, 8, 16)
	spec := object{}
	if d.chance(8) {
		spec["unschedulable"] = true
		spec["taints"] = list{object{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule", "timeAdded": "2026-01-02T03:04:05Z"}}
	} else if d.chance(10) {
		spec["taints"] = list{object{"key": "dedicated", "value": "batch", "effect": pick(d, "NoSchedule", "PreferNoSchedule")}}
	}
	var nodeImages list
	for i := range 12 {
		if d.chance(40) {
			nodeImages = append(nodeImages, object{"names": list{fmt.Sprintf("registry.local/w%d:v1", i), fmt.Sprintf("registry.local/w%d@sha256:00", i)}, "sizeBytes": (i + 1) * 60_000_000})
		}
	}
	return object{"apiVersion": "v1", "kind": "Node",
		"metadata": object{"name": name, "labels": object{
			hostname: name, zone: fmt.Sprintf("zone-%d", zoneIndex), region: "region-1",
			"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
			"node.kubernetes.io/instance-type": fmt.Sprintf("m%d", size)}},
		"spec": spec,
		"status": object{
			"capacity":    object{"cpu": fmt.Sprint(size), "memory": fmt.Sprintf("%dGi", 4*size), "pods": "110", "ephemeral-storage": "100Gi"},
			"allocatable": object{"cpu": fmt.Sprintf("%dm", size*1000-70), "memory": fmt.Sprintf("%dKi", 4*size<<20-500_000), "pods": fmt.Sprint(pick(d, 8, 30, 110)), "ephemeral-storage": "94489280512"},
			"images":      nodeImages}}
}

func (d dice) workload(i, nodes int) workload {
	w := workload{
		kind:      pick(d, "ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"),
		name:      fmt.Sprintf("w%d", i),
		namespace: pick(d, "default", "shop", "kube-system"),
		replicas:  d.between(1, 8),
	}
	w.labels = object{"app": w.name, "part-of": pick(d, "front", "back")}
	if w.kind == "ReplicaSet" {
		w.labels["pod-template-hash"] = "5d4f8c7b9"
	}
	container := object{"name": "main", "image": fmt.Sprintf("registry.local/w%d:v1", i)}
	if d.chance(85) {
		container["resources"] = object{"requests": object{
			"cpu": fmt.Sprintf("%dm", pick(d, 50, 100, 250, 500, 1000)), "memory": fmt.Sprintf("%dMi", pick(d, 64, 128, 512, 1024, 2048))}}
	}
	w.spec = object{"containers": list{container}, "schedulerName": "default-scheduler", "priority": 0}
	if d.chance(20) {
		w.spec["initContainers"] = list{object{"name": "proxy", "image": "registry.local/w1:v1", "restartPolicy": "Always",
			"resources": object{"requests": object{"cpu": "10m", "memory": "32Mi"}}}}
	}
	if d.chance(20) {
		w.spec["tolerations"] = list{object{"key": "dedicated", "operator": "Exists"}}
	}
	selector := object{"matchLabels": object{"app": w.name}}
	affinity := object{}
	switch w.kind {
	case "DaemonSet":
		w.replicas = nodes
		w.spec["tolerations"] = list{object{"operator": "Exists"}}
	case "StatefulSet":
		affinity["podAntiAffinity"] = object{"requiredDuringSchedulingIgnoredDuringExecution": list{
			object{"topologyKey": pick(d, hostname, zone), "labelSelector": selector}}}
	default:
		if d.chance(40) {
			affinity["podAntiAffinity"] = object{"preferredDuringSchedulingIgnoredDuringExecution": list{
				object{"weight": 100, "podAffinityTerm": object{"topologyKey": hostname, "labelSelector": selector}}}}
		}
		if d.chance(25) {
			affinity["podAffinity"] = object{"preferredDuringSchedulingIgnoredDuringExecution": list{
				object{"weight": 50, "podAffinityTerm": object{"topologyKey": zone, "labelSelector": object{"matchLabels": object{"part-of": "back"}},
					"namespaceSelector": object{}}}}}
		}
		if d.chance(50) {
			spread := object{"maxSkew": 1, "topologyKey": pick(d, zone, hostname), "whenUnsatisfiable": pick(d, "DoNotSchedule", "ScheduleAnyway"), "labelSelector": selector}
			if w.kind == "ReplicaSet" && d.chance(50) {
				spread["matchLabelKeys"] = list{"pod-template-hash"}
			}
			w.spec["topologySpreadConstraints"] = list{spread}
		}
		if d.chance(20) {
			affinity["nodeAffinity"] = object{"preferredDuringSchedulingIgnoredDuringExecution": list{
				object{"weight": 10, "preference": object{"matchExpressions": list{
					object{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": list{"m8", "m16"}}}}}}}
		}
	}
	set(w.spec, "affinity", affinity)
	return w
}

// objects are the workload's controller, if the scheduler watches its kind, and
// a service in front of it.
func (w workload) objects() list {
	selector := object{"app": w.name}
	out := list{object{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": w.name, "namespace": w.namespace}, "spec": object{"selector": selector}}}
	if w.kind == "ReplicaSet" || w.kind == "StatefulSet" {
		out = append(out, object{"apiVersion": "apps/v1", "kind": w.kind, "metadata": object{"name": w.name, "namespace": w.namespace},
			"spec": object{"replicas": w.replicas, "selector": object{"matchLabels": selector}}})
	}
	return out
}

func (w workload) pod(suffix string) object {
	group := map[string]string{"Job": "batch/v1"}[w.kind]
	if group == "" {
		group = "apps/v1"
	}
	spec := object{}
	for k, v := range w.spec {
		spec[k] = v
	}
	return object{"apiVersion": "v1", "kind": "Pod",
		"metadata": object{"name": w.name + "-" + suffix, "namespace": w.namespace, "uid": "uid-" + w.name + "-" + suffix, "labels": w.labels,
			"ownerReferences": list{object{"apiVersion": group, "kind": w.kind, "name": w.name, "uid": "uid-" + w.name, "controller": true}}},
		"spec": spec}
}

func (w workload) placed(d dice, replica int, nodes []string) object {
	pod := w.pod(fmt.Sprint(replica))
	spec := pod["spec"].(object)
	status := object{"phase": "Running"}
	switch {
	case w.kind == "DaemonSet":
		spec["nodeName"] = nodes[replica]
		spec["affinity"] = pinned(nodes[replica])
	case w.kind == "Job" && d.chance(50):
		spec["nodeName"] = pick(d, nodes...)
		status["phase"] = pick(d, "Succeeded", "Failed")
	case d.chance(4):
		status["phase"] = "Pending"
		status["nominatedNodeName"] = pick(d, nodes...)
	default:
		spec["nodeName"] = pick(d, nodes...)
	}
	if d.chance(4) {
		pod["metadata"].(object)["deletionTimestamp"] = "2026-01-02T03:04:05Z"
	}
	pod["status"] = status
	return pod
}

// pinned is what the daemonset controller gives its pods.
func pinned(node string) object {
	return object{"nodeAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{"nodeSelectorTerms": list{
		object{"matchFields": list{object{"key": "metadata.name", "operator": "In", "values": list{node}}}}}}}}
}
