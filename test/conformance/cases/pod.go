package cases

import "fmt"

// existing is a pod of the cluster: bound, nominated, finished or waiting.
func (c *draft) existing(name string) object {
	d := c.dice
	o := c.pod(name, 30)
	meta, spec, status := o["metadata"].(object), o["spec"].(object), object{}
	switch {
	case c.has(topicNominated) && d.chance(45):
		status["nominatedNodeName"] = pick(d, c.nodes...)
		if d.chance(5) {
			status["nominatedNodeName"] = "gone"
		}
	case d.chance(5):
		spec["nodeName"] = "gone"
	case d.chance(95):
		spec["nodeName"] = pick(d, c.nodes...)
		if d.chance(3) { // a nomination that came true
			status["nominatedNodeName"] = pick(d, c.nodes...)
		}
	}
	if d.chance(60) {
		status["phase"] = pick(d, "Running", "Running", "Running", "Pending", "Succeeded", "Failed", "Unknown")
	}
	if d.chance(10) {
		meta["deletionTimestamp"] = "2026-01-02T03:04:05Z"
	}
	if c.has(topicResources) && d.chance(15) {
		d.resized(spec, status)
	}
	set(o, "status", status)
	return o
}

// incoming is the pod to place. It carries what the case is about.
func (c *draft) incoming() object {
	d := c.dice
	o := c.pod("incoming", 100)
	meta, spec, status := o["metadata"].(object), o["spec"].(object), object{}
	if c.has(topicDefaulting) {
		delete(spec, "topologySpreadConstraints")
		meta["namespace"] = "default"
		set(meta, "ownerReferences", c.owner())
	}
	if c.has(topicNodeName) {
		spec["nodeName"] = pick(d, append([]string{"gone", ""}, c.nodes...)...)
	}
	if d.chance(5) {
		status["nominatedNodeName"] = pick(d, c.nodes...)
	}
	if d.chance(3) {
		meta["deletionTimestamp"] = "2026-01-02T03:04:05Z"
	}
	set(o, "status", status)
	return o
}

// pod carries each of the case's topics with that probability.
func (c *draft) pod(name string, percent int) object {
	d := c.dice
	meta := object{"name": name, "namespace": pick(d, c.words.namespaces...)}
	set(meta, "labels", c.podLabels())
	if d.chance(50) {
		meta["uid"] = "uid-" + name
	}
	spec := object{"containers": c.containers("c", 1, 3, percent)}
	if c.has(topicResources) && d.chance(35) {
		spec["initContainers"] = c.containers("i", 1, 3, percent)
	}
	if c.has(topicResources) && d.chance(20) {
		spec["overhead"] = c.requests(50)
	}
	if c.has(topicResources) && d.chance(25) {
		_, hasOverhead := spec["overhead"]
		spec["resources"] = c.podLevel(hasOverhead)
	}
	if c.has(topicImages) && d.chance(30) {
		spec["volumes"] = list{object{"name": "v", "image": object{"reference": pick(d, images...)}}, object{"name": "e", "emptyDir": object{}}}
	}
	if c.has(topicNominated) && d.chance(60) {
		spec["priority"] = pick(d, 0, 10, 100, -5)
	}
	if c.has(topicTaints) || c.has(topicUnschedulable) {
		set(spec, "tolerations", d.tolerations())
	}
	if c.has(topicNodeSelector) && d.chance(percent) {
		if s := d.labels(25, nodeLabelKeys, nodeLabelValues); len(s) > 0 || d.chance(30) {
			spec["nodeSelector"] = s
		}
	}
	set(spec, "affinity", c.affinity(percent))
	if (c.has(topicHardSpread) || c.has(topicSoftSpread)) && d.chance(percent) {
		set(spec, "topologySpreadConstraints", c.spread())
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}
}

func (c *draft) affinity(percent int) object {
	d := c.dice
	o := object{}
	if c.has(topicNodeAffinity) && d.chance(percent) {
		set(o, "nodeAffinity", c.nodeAffinity())
	}
	podAffinity, podAntiAffinity := object{}, object{}
	if c.has(topicAffinity) && d.chance(percent) {
		podAffinity["requiredDuringSchedulingIgnoredDuringExecution"] = c.terms(2)
	}
	if c.has(topicAntiAffinity) && d.chance(percent) {
		podAntiAffinity["requiredDuringSchedulingIgnoredDuringExecution"] = c.terms(3)
	}
	if c.has(topicPreferred) && d.chance(percent) {
		if d.chance(70) {
			podAffinity["preferredDuringSchedulingIgnoredDuringExecution"] = c.weighted()
		}
		if d.chance(60) {
			podAntiAffinity["preferredDuringSchedulingIgnoredDuringExecution"] = c.weighted()
		}
	}
	set(o, "podAffinity", podAffinity)
	set(o, "podAntiAffinity", podAntiAffinity)
	if len(o) > 0 && d.chance(3) {
		o["podAffinity"] = object{}
	}
	return o
}

// broken is how often a selector of this case does not parse, in percent.
func (c *draft) broken() int {
	if c.has(topicBroken) {
		return 25
	}
	return 0
}

func (c *draft) terms(most int) list {
	var out list
	for range c.between(1, most) {
		out = append(out, c.term())
	}
	if c.chance(10) {
		out = append(out, out[0]) // the same term twice
	}
	return out
}

func (c *draft) weighted() list {
	var out list
	for range c.between(1, 3) {
		out = append(out, object{"weight": pick(c.dice, 1, 2, 10, 50, 100), "podAffinityTerm": c.term()})
	}
	if c.chance(10) {
		out = append(out, out[0])
	}
	return out
}

func (c *draft) term() object {
	d := c.dice
	t := object{"topologyKey": pick(d, topologyKeys...)}
	if d.chance(3) {
		t["topologyKey"] = pick(d, "no-such-key", "num")
	}
	d.putSelector(t, "labelSelector", c.labelSelector())
	if d.chance(30) {
		t["namespaces"] = toList(some(d, 40, append([]string{"nowhere"}, namespaceNames...)...))
	}
	if d.chance(30) {
		if d.chance(c.broken() / 4) {
			t["namespaceSelector"] = d.brokenSelector()
		} else {
			d.putSelector(t, "namespaceSelector", d.selector(namespaceLabelKeys, namespaceLabelValues))
		}
	}
	if d.chance(15) {
		t["matchLabelKeys"] = toList(some(d, 40, c.words.keys...))
	}
	if d.chance(12) {
		t["mismatchLabelKeys"] = toList(some(d, 40, c.words.keys...))
	}
	return t
}

func toList(from []string) list {
	out := list{}
	for _, v := range from {
		out = append(out, v)
	}
	return out
}

func (c *draft) nodeAffinity() object {
	d := c.dice
	o := object{}
	if d.chance(75) {
		terms := list{}
		for range d.between(0, 6) % 4 {
			terms = append(terms, c.nodeTerm())
		}
		o["requiredDuringSchedulingIgnoredDuringExecution"] = object{"nodeSelectorTerms": terms}
	}
	if d.chance(60) {
		var preferred list
		for range d.between(1, 3) {
			preferred = append(preferred, object{"weight": pick(d, 0, 1, 5, 20, 100), "preference": c.nodeTerm()})
		}
		o["preferredDuringSchedulingIgnoredDuringExecution"] = preferred
	}
	return o
}

func (c *draft) nodeTerm() object {
	d := c.dice
	t := object{}
	if d.chance(80) {
		var expressions list
		for range d.between(1, 2) {
			expressions = append(expressions, c.nodeRequirement())
		}
		t["matchExpressions"] = expressions
	}
	percent := 22
	if c.has(topicNodeName) {
		percent = 70
	}
	if d.chance(percent) {
		r := object{"key": "metadata.name", "operator": pick(d, "In", "In", "NotIn"), "values": list{pick(d, append([]string{"gone"}, c.nodes...)...)}}
		fields := list{r}
		if d.chance(20) {
			fields = append(fields, object{"key": "metadata.name", "operator": "In", "values": list{pick(d, c.nodes...)}})
		}
		if d.chance(c.broken() / 2) {
			fields = append(fields, pick(d,
				object{"key": "metadata.name", "operator": "Exists"},
				object{"key": "metadata.name", "operator": "In", "values": list{"n1", "n2"}},
				object{"key": "metadata.namespace", "operator": "In", "values": list{"n1"}},
				object{"key": "metadata.name", "operator": "NotIn"}))
		}
		t["matchFields"] = fields
	}
	return t
}

func (c *draft) nodeRequirement() object {
	d := c.dice
	k := pick(d, nodeLabelKeys...)
	op := pick(d, "In", "In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
	r := object{"key": k, "operator": op}
	switch op {
	case "In", "NotIn":
		r["values"] = d.values(nodeLabelValues[k])
	case "Gt", "Lt":
		if d.chance(85) {
			r["key"] = "num"
		}
		r["values"] = list{pick(d, "0", "1", "5", "9", "007", "9223372036854775806")}
	}
	if d.chance(c.broken() / 2) {
		return pick(d,
			object{"key": k, "operator": "Near", "values": list{"a"}},
			object{"key": k, "operator": "In"},
			object{"key": k, "operator": "Exists", "values": list{"a"}},
			object{"key": "num", "operator": "Gt", "values": list{"x"}},
			object{"key": "num", "operator": "Gt", "values": list{"-10"}}, // an integer, but no label value
			object{"key": "num", "operator": "Lt", "values": list{"1", "2"}},
			object{"key": "num", "operator": "Gt"},
			object{"key": "bad key!", "operator": "Exists"},
			object{"key": k, "operator": "In", "values": list{"ok", "not ok"}})
	}
	return r
}

func (c *draft) spread() list {
	d := c.dice
	var out list
	for range d.between(1, 3) {
		action := "DoNotSchedule"
		if c.has(topicSoftSpread) && (!c.has(topicHardSpread) || d.chance(50)) {
			action = "ScheduleAnyway"
		}
		s := object{
			"maxSkew":           pick(d, 1, 1, 1, 2, 3, 5),
			"topologyKey":       pick(d, topologyKeys...),
			"whenUnsatisfiable": action,
		}
		if d.chance(3) {
			s["topologyKey"] = "no-such-key"
		}
		d.putSelector(s, "labelSelector", c.labelSelector())
		if action == "DoNotSchedule" && d.chance(30) {
			s["minDomains"] = d.between(1, 5)
		}
		if d.chance(30) {
			s["nodeAffinityPolicy"] = pick(d, "Honor", "Ignore")
		}
		if d.chance(30) {
			s["nodeTaintsPolicy"] = pick(d, "Honor", "Ignore")
		}
		if d.chance(25) {
			s["matchLabelKeys"] = toList(some(d, 40, c.words.keys...))
		}
		out = append(out, s)
	}
	return out
}

func (c *draft) containers(prefix string, low, high, percent int) list {
	d := c.dice
	var out list
	for i := range d.between(low, high) {
		container := object{"name": fmt.Sprintf("%s%d", prefix, i), "image": "busybox"}
		if c.has(topicImages) {
			container["image"] = pick(d, images...)
		}
		switch {
		case c.has(topicResources) && d.chance(80):
			container["resources"] = object{"requests": c.requests(percent)}
			if d.chance(20) { // limits without requests count for nothing: the API server defaults them
				container["resources"].(object)["limits"] = object{"cpu": "2", "memory": "1Gi"}
			}
		case d.chance(50):
			container["resources"] = object{"requests": object{"cpu": d.cpu(pick(d, 0, 100, 250, 500)), "memory": d.bytes(pick(d, 64, 128, 512))}}
		}
		if c.has(topicArgs) && d.chance(40) {
			container["resources"] = object{"requests": object{"cpu": d.cpu(d.between(0, 1500)), "example.com/gpu": d.count(d.IntN(3)), "ephemeral-storage": d.bytes(d.between(0, 2000))}}
		}
		if prefix == "i" && d.chance(40) {
			container["restartPolicy"] = "Always"
		}
		out = append(out, container)
	}
	return out
}

func (c *draft) requests(percent int) object {
	d := c.dice
	o := object{}
	if d.chance(70) {
		o["cpu"] = d.cpu(pick(d, 0, 1, 50, 100, 250, 500, 1000, 2000))
	}
	if d.chance(70) {
		o["memory"] = d.bytes(pick(d, 0, 1, 64, 128, 200, 512, 1024, 2048))
	}
	if d.chance(20) {
		o["ephemeral-storage"] = d.bytes(pick(d, 0, 50, 500, 2048))
	}
	for _, r := range append(some(d, 3+percent/20, scalarResources...), some(d, 35, c.scarce)...) {
		o[r] = d.count(pick(d, 0, 1, 1, 2, 5))
	}
	if d.chance(2) {
		// Not so much that the sum over a node overflows: what becomes of that
		// depends on how the processor converts floating-point numbers.
		o[pick(d, "cpu", "memory", "example.com/gpu")] = pick(d, "1P", "100Ti", "1e15", "10T")
	}
	return o
}

func (c *draft) podLevel(hasOverhead bool) object {
	d := c.dice
	o := object{}
	switch {
	case !d.chance(85):
	case hasOverhead:
		// Whole quantities only: upstream's PodRequests adds the overhead into a
		// quantity that it shares with the pod, if that one is kept as a big
		// decimal, so that each call answers more than the last.
		o["requests"] = object{"cpu": pick(d, "0", "250m", "2"), "memory": pick(d, "0", "512Mi", "2Gi")}
	default:
		o["requests"] = c.requests(0)
	}
	if d.chance(30) {
		o["limits"] = object{"cpu": "4", "memory": "4Gi"}
	}
	return o
}

// resized is a running pod in the middle of an in-place resize: what it asks
// for, what it was allotted and what is actuated differ.
func (d dice) resized(spec, status object) {
	list_ := func() object {
		o := object{}
		for _, r := range some(d, 60, "cpu", "memory", "example.com/gpu") {
			switch r {
			case "cpu":
				o[r] = d.cpu(pick(d, 0, 100, 700, 1500))
			case "memory":
				o[r] = d.bytes(pick(d, 0, 100, 700, 1500))
			default:
				o[r] = d.count(d.IntN(3))
			}
		}
		return o
	}
	statuses := func(containers any) list {
		var out list
		all, _ := containers.(list)
		for _, c := range all {
			s := object{"name": c.(object)["name"]}
			if d.chance(60) {
				s["allocatedResources"] = list_()
			}
			if d.chance(60) {
				s["resources"] = object{}
				if d.chance(80) {
					s["resources"] = object{"requests": list_()}
				}
			}
			if d.chance(85) {
				out = append(out, s)
			}
		}
		return out
	}
	set(status, "containerStatuses", statuses(spec["containers"]))
	set(status, "initContainerStatuses", statuses(spec["initContainers"]))
	if d.chance(40) {
		status["conditions"] = list{
			object{"type": "Ready", "status": "True"},
			object{"type": "PodResizePending", "status": "True", "reason": pick(d, "Infeasible", "Infeasible", "Deferred")},
		}
	}
	if d.chance(35) {
		status["allocatedResources"] = list_()
	}
	if d.chance(35) {
		status["resources"] = object{"requests": list_()}
	}
}
