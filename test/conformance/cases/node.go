package cases

import (
	"fmt"
)

var scalarResources = []string{
	"example.com/gpu", "vendor.io/fpga", "hugepages-2Mi", "hugepages-1Gi",
	"attachable-volumes-csi-x", "kubernetes.io/batch-cpu", "requests.example.com/gpu", "unknown",
}

var images = []string{
	"registry.local/app:v1", "registry.local/app:latest", "registry.local/app", "db", "db:latest",
	"registry.local:5000/tool", "registry.local:5000/tool:latest", "app@sha256:abc",
}

func (c *draft) node(name string) object {
	d := c.dice
	labels := object{}
	if !c.has(topicMissingKeys) || d.chance(70) {
		labels[hostname] = name
	}
	keys := nodeLabelKeys[:len(nodeLabelKeys)-1]
	if c.has(topicMissingKeys) {
		for k, v := range d.labels(60, nodeLabelKeys, nodeLabelValues) {
			labels[k] = v
		}
	} else {
		for _, k := range keys {
			labels[k] = nodeLabelValues[k][d.IntN(len(nodeLabelValues[k])-1)]
		}
	}
	if d.chance(2) {
		labels = object{}
	}
	meta := object{"name": name}
	set(meta, "labels", labels)
	spec := object{}
	if c.has(topicTaints) {
		set(spec, "taints", d.taints())
	}
	if c.has(topicUnschedulable) && d.chance(40) {
		spec["unschedulable"] = true
	}
	status := object{"allocatable": c.allocatable()}
	if d.chance(30) {
		status["capacity"] = object{"cpu": "64", "memory": "256Gi", "pods": "250"} // not what counts
	}
	if c.has(topicImages) {
		set(status, "images", d.nodeImages())
	}
	if d.chance(2) {
		delete(status, "allocatable")
	}
	o := object{"apiVersion": "v1", "kind": "Node", "metadata": meta, "status": status}
	set(o, "spec", spec)
	return o
}

func (d dice) taints() list {
	var out list
	for range d.IntN(4) {
		t := object{
			"key":    pick(d, "dedicated", "gpu", "node.kubernetes.io/unschedulable", ""),
			"effect": pick(d, "NoSchedule", "NoExecute", "PreferNoSchedule", "PreferNoSchedule"),
		}
		if d.chance(70) {
			t["value"] = pick(d, "a", "b", "", "5", "5", "05", "-7")
		}
		out = append(out, t)
	}
	return out
}

func (d dice) tolerations() list {
	var out list
	for range d.IntN(4) {
		t := object{}
		if d.chance(85) {
			t["key"] = pick(d, "dedicated", "gpu", "node.kubernetes.io/unschedulable", "")
		}
		if d.chance(80) {
			t["operator"] = pick(d, "Exists", "Equal", "Equal", "Lt", "Gt", "Other")
		}
		if d.chance(60) {
			t["value"] = pick(d, "a", "b", "", "5", "10", "05", "-7")
		}
		if d.chance(60) {
			t["effect"] = pick(d, "NoSchedule", "NoExecute", "PreferNoSchedule")
		}
		if d.chance(10) {
			t["tolerationSeconds"] = 60
		}
		out = append(out, t)
	}
	return out
}

func (c *draft) allocatable() object {
	d := c.dice
	if !c.has(topicResources) {
		o := object{"cpu": d.cpu(1000 * d.between(8, 32)), "memory": d.bytes(1024 * d.between(16, 64)), "pods": "110"}
		if c.has(topicArgs) {
			o["example.com/gpu"] = d.count(d.between(0, 16))
			o["ephemeral-storage"] = d.bytes(1024 * d.between(10, 100))
		}
		return o
	}
	o := object{
		"cpu":    d.cpu(pick(d, 0, 100, 500, 1000, 2000, 4000, 4000, 16000)),
		"memory": d.bytes(pick(d, 0, 200, 512, 1024, 2048, 8192, 8192, 65536)),
		"pods":   d.count(pick(d, 0, 1, 2, 5, 10, 110, 110)),
	}
	scalars := 40
	if d.chance(45) { // one of the roomy nodes
		scalars = 90
		o = object{"cpu": d.cpu(d.between(16000, 96000)), "memory": d.bytes(d.between(32768, 262144)), "pods": d.count(110)}
	}
	if d.chance(scalars + 10) {
		o["ephemeral-storage"] = d.bytes(pick(d, 0, 100, 1024, 10240, 102400, 102400))
	}
	for _, r := range some(d, scalars, scalarResources...) {
		o[r] = d.count(pick(d, 0, 1, 2, 4, 8, 16, 64))
	}
	for _, r := range some(d, 3, "cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi") {
		o[r] = d.huge()
	}
	if d.chance(5) { // 100 times this overflows to a negative score
		o["memory"] = pick(d, "100Pi", "120P", "150P")
	}
	for _, r := range some(d, 4, "cpu", "memory", "pods") {
		delete(o, r)
	}
	return o
}

func (d dice) nodeImages() list {
	var out list
	for range d.IntN(5) {
		var names list
		for range d.between(1, 2) {
			names = append(names, pick(d, images...))
		}
		image := object{"names": names}
		if d.chance(95) {
			image["sizeBytes"] = pick(d, 0, 1<<20, 22<<20, 23<<20, 24<<20, 90<<20, 200<<20, 700<<20, 999<<20, 1000<<20, 3000<<20)
		}
		out = append(out, image)
	}
	return out
}

func nodeName(i int) string { return fmt.Sprintf("n%d", i+1) }
