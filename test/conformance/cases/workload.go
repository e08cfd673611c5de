package cases

// workloads are the objects that a pod's default spread selector is made of.
func (c *draft) workloads() list {
	d := c.dice
	var out list
	for i := range d.IntN(4) {
		spec := object{}
		if d.chance(90) {
			spec["selector"] = c.serviceSelector()
		}
		out = append(out, object{"apiVersion": "v1", "kind": "Service", "metadata": c.workloadMeta("svc", i), "spec": spec})
	}
	for i := range d.IntN(2) {
		spec := object{"replicas": 1}
		if d.chance(90) {
			spec["selector"] = c.serviceSelector()
		}
		out = append(out, object{"apiVersion": "v1", "kind": "ReplicationController", "metadata": c.workloadMeta("w", i), "spec": spec})
	}
	for _, kind := range []string{"ReplicaSet", "StatefulSet"} {
		for i := range d.IntN(2) {
			spec := object{}
			d.putSelector(spec, "selector", c.labelSelector())
			out = append(out, object{"apiVersion": "apps/v1", "kind": kind, "metadata": c.workloadMeta("w", i), "spec": spec})
		}
	}
	return out
}

// serviceSelector is mostly of one label, so that some pods match it.
func (c *draft) serviceSelector() object {
	if c.chance(70) {
		key := pick(c.dice, c.words.keys...)
		return object{key: pick(c.dice, c.words.values[key]...)}
	}
	return c.labels(40, c.words.keys, c.words.values)
}

func (c *draft) workloadMeta(prefix string, i int) object {
	return object{"name": prefix + nodeName(i), "namespace": pick(c.dice, "default", "default", "default", "default", "ns1")}
}

// owner is the incoming pod's controller, which may be of another kind, another
// API group, not the controller, or missing.
func (c *draft) owner() list {
	d := c.dice
	if d.chance(25) {
		return nil
	}
	kind := pick(d, "ReplicationController", "ReplicaSet", "ReplicaSet", "StatefulSet", "Job")
	group := map[string]string{"ReplicationController": "v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "Job": "batch/v1"}[kind]
	if d.chance(5) {
		group = pick(d, "apps/v1beta1", "extensions/v1beta1", "a/b/c", "")
	}
	o := object{"apiVersion": group, "kind": kind, "name": "wn1", "uid": "uid-owner"}
	if d.chance(90) {
		o["controller"] = d.chance(92)
	}
	return list{o}
}
