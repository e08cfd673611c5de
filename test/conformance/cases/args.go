package cases

import "fmt"

// pluginConfig sets some plugins' arguments, and returns tags that name them.
func (c *draft) pluginConfig() (list, []string) {
	d := c.dice
	var out list
	var tags []string
	add := func(name string, args object) {
		if d.chance(20) {
			args["apiVersion"] = "kubescheduler.config.k8s.io/v1"
			args["kind"] = name + "Args"
		}
		out = append(out, object{"name": name, "args": args})
	}
	if d.chance(60) {
		args, tag := d.fitArgs()
		add("NodeResourcesFit", args)
		tags = append(tags, tag)
	}
	if d.chance(30) {
		add("NodeResourcesBalancedAllocation", d.balancedArgs())
		tags = append(tags, "args:NodeResourcesBalancedAllocation")
	}
	if d.chance(35) {
		add("InterPodAffinity", d.interPodAffinityArgs(&tags))
	}
	if d.chance(45) {
		args, tag := d.spreadArgs()
		add("PodTopologySpread", args)
		tags = append(tags, tag)
	}
	if d.chance(25) {
		add("NodeAffinity", c.nodeAffinityArgs())
		tags = append(tags, "args:NodeAffinity addedAffinity")
	}
	return out, tags
}

func (d dice) fitArgs() (object, string) {
	args := object{}
	if d.chance(30) {
		args["ignoredResources"] = toList(some(d, 50, "example.com/gpu", "vendor.io/fpga"))
	}
	if d.chance(25) {
		args["ignoredResourceGroups"] = toList(some(d, 50, "example.com", "vendor.io"))
	}
	if d.chance(10) {
		return args, "args:LeastAllocated"
	}
	strategy := pick(d, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
	s := object{"type": strategy}
	if d.chance(70) {
		s["resources"] = d.resourceSpecs(true)
	}
	if strategy == "RequestedToCapacityRatio" {
		var shape list
		for utilization := d.between(0, 20); utilization <= 100; utilization += d.between(1, 60) {
			shape = append(shape, object{"utilization": utilization, "score": d.IntN(11)})
		}
		s["requestedToCapacityRatio"] = object{"shape": shape}
	}
	args["scoringStrategy"] = s
	return args, "args:" + strategy
}

func (d dice) resourceSpecs(weights bool) list {
	out := list{}
	for _, r := range some(d, 50, "cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi", "unknown") {
		s := object{"name": r}
		if d.chance(80) {
			s["weight"] = 1
			if weights {
				s["weight"] = pick(d, 0, 1, 2, 5, 100)
			}
		}
		out = append(out, s)
	}
	return out
}

func (d dice) balancedArgs() object { return object{"resources": d.resourceSpecs(false)} }

func (d dice) interPodAffinityArgs(tags *[]string) object {
	args := object{}
	if d.chance(80) {
		weight := pick(d, 0, 1, 5, 100)
		args["hardPodAffinityWeight"] = weight
		*tags = append(*tags, fmt.Sprintf("args:hardPodAffinityWeight %d", weight))
	}
	if d.chance(40) {
		args["ignorePreferredTermsOfExistingPods"] = true
		*tags = append(*tags, "args:ignorePreferredTermsOfExistingPods")
	}
	return args
}

func (d dice) spreadArgs() (object, string) {
	if d.chance(25) {
		return object{"defaultingType": "System"}, "args:system defaulting"
	}
	args := object{"defaultingType": "List"}
	if d.chance(15) {
		return args, "args:empty list defaulting"
	}
	constraints := list{}
	for _, key := range some(d, 50, topologyKeys...) {
		s := object{
			"maxSkew":           pick(d, 1, 1, 2, 5),
			"topologyKey":       key,
			"whenUnsatisfiable": pick(d, "DoNotSchedule", "ScheduleAnyway"),
		}
		if d.chance(20) {
			s["nodeTaintsPolicy"] = pick(d, "Honor", "Ignore")
		}
		if d.chance(20) {
			s["minDomains"] = d.between(1, 4)
		}
		if d.chance(15) { // replaced with the selector, like everything that selects
			s["matchLabelKeys"] = list{"rev"}
		}
		constraints = append(constraints, s)
	}
	args["defaultConstraints"] = constraints
	return args, "args:list defaulting"
}

func (c *draft) nodeAffinityArgs() object {
	d := c.dice
	added := object{}
	broken := c.topics & (1 << topicBroken)
	c.topics &^= 1 << topicBroken // added affinity that does not parse is a bad line, see broken.go
	if d.chance(65) {
		terms := list{}
		for range d.between(1, 2) {
			terms = append(terms, c.nodeTerm())
		}
		added["requiredDuringSchedulingIgnoredDuringExecution"] = object{"nodeSelectorTerms": terms}
	}
	if d.chance(65) {
		added["preferredDuringSchedulingIgnoredDuringExecution"] = list{
			object{"weight": pick(d, 1, 7, 100), "preference": c.nodeTerm()},
		}
	}
	c.topics |= broken
	return object{"addedAffinity": added}
}
