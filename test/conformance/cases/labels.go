package cases

// The vocabularies are small so that labels, selectors and domains meet.
var (
	namespaceNames = []string{"default", "ns1", "ns2", "ns3"}
	podLabelKeys   = []string{"app", "tier", "rev", "example.com/role"}
	podLabelValues = map[string][]string{
		"app":              {"a", "b", "c", ""},
		"tier":             {"x", "y", ""},
		"rev":              {"1", "2", "10"},
		"example.com/role": {"main", "side"},
	}
	namespaceLabelKeys   = []string{"team", "env"}
	namespaceLabelValues = map[string][]string{
		"team": {"red", "blue", ""},
		"env":  {"prod", "test"},
	}
	topologyKeys    = []string{hostname, zone, "rack", region}
	nodeLabelKeys   = []string{zone, region, "rack", "disk", "num", hostname}
	nodeLabelValues = map[string][]string{
		zone:     {"z1", "z2", "z3", ""},
		region:   {"r1", "r2"},
		"rack":   {"k1", "k2", "k3", ""},
		"disk":   {"ssd", "hdd", ""},
		"num":    {"1", "5", "10", "x", "007", "9223372036854775807", "9223372036854775808", "1.5", ""},
		hostname: {"n1", "n2", "other"},
	}
)

const (
	hostname = "kubernetes.io/hostname"
	zone     = "topology.kubernetes.io/zone"
	region   = "topology.kubernetes.io/region"
)

// labels gives each key with that probability.
func (d dice) labels(percent int, keys []string, values map[string][]string) object {
	o := object{}
	for _, k := range keys {
		if d.chance(percent) {
			o[k] = pick(d, values[k]...)
		}
	}
	return o
}

// vocabulary is what a case's pods and selectors are made of. A narrow one makes
// herds of pods that select each other; a wide one makes strangers.
type vocabulary struct {
	namespaces []string
	keys       []string
	values     map[string][]string
	percent    int // of pods that have a label of each key
}

func (d dice) vocabulary() vocabulary {
	v := vocabulary{
		namespaces: []string{"default", "default", "default", "ns1", "ns2", "ns3"},
		keys:       podLabelKeys, values: podLabelValues, percent: 50,
	}
	if d.chance(60) {
		v.keys = podLabelKeys[:d.between(1, 2)]
		v.values = map[string][]string{"app": {"a", "b"}, "tier": {"x", "y"}}
		v.percent = 85
	}
	if d.chance(60) {
		v.namespaces = []string{"default", "default", "default", "default", "ns1"}
	}
	return v
}

func (c *draft) podLabels() object { return c.labels(c.words.percent, c.words.keys, c.words.values) }

// selector is a LabelSelector: nil (absent), null, {}, or with requirements.
func (d dice) selector(keys []string, values map[string][]string) any {
	switch {
	case d.chance(4):
		return nil
	case d.chance(8):
		return object{}
	}
	o := object{}
	if d.chance(55) {
		k := pick(d, keys...)
		o["matchLabels"] = object{k: pick(d, values[k]...)}
		if d.chance(15) {
			another := pick(d, keys...)
			o["matchLabels"].(object)[another] = pick(d, values[another]...)
		}
	}
	if len(o) == 0 || d.chance(25) {
		var requirements list
		for range d.between(1, 2) {
			requirements = append(requirements, d.requirement(keys, values))
		}
		o["matchExpressions"] = requirements
	}
	return o
}

func (d dice) requirement(keys []string, values map[string][]string) object {
	k := pick(d, keys...)
	r := object{"key": k, "operator": pick(d, "In", "In", "NotIn", "Exists", "DoesNotExist")}
	if op := r["operator"]; op == "In" || op == "NotIn" {
		r["values"] = d.values(values[k])
	}
	return r
}

// values is one to three of the given ones, sometimes with a stranger or twice
// the same.
func (d dice) values(from []string) list {
	var out list
	for range d.between(1, 3) {
		if d.chance(10) {
			out = append(out, "other")
		} else {
			out = append(out, pick(d, from...))
		}
	}
	return out
}

// brokenSelector is one that does not parse. It has one fault only: upstream
// reads matchLabels in random order, and reports the first fault it meets.
func (d dice) brokenSelector() object {
	switch d.IntN(8) {
	case 0:
		return object{"matchExpressions": list{object{"key": "app", "operator": "Near", "values": list{"a"}}}}
	case 1:
		return object{"matchExpressions": list{object{"key": "app", "operator": "In"}}}
	case 2:
		return object{"matchExpressions": list{object{"key": "app", "operator": "NotIn", "values": list{}}}}
	case 3:
		return object{"matchExpressions": list{object{"key": "app", "operator": "Exists", "values": list{"a"}}}}
	case 4:
		return object{"matchExpressions": list{object{"key": "app", "operator": "In", "values": list{"a", "-bad-"}}}}
	case 5:
		return object{"matchLabels": object{"app": "no spaces please"}}
	case 6:
		return object{"matchLabels": object{"bad key!": "a"}}
	default:
		return object{"matchExpressions": list{object{"key": "", "operator": "Exists"}}}
	}
}

// labelSelector is a selector over pod labels, sometimes a broken one.
func (c *draft) labelSelector() any {
	if c.chance(c.broken()) {
		return c.brokenSelector()
	}
	return c.selector(c.words.keys, c.words.values)
}

// putSelector writes a selector, where "absent" and null are two ways to say nil.
func (d dice) putSelector(o object, key string, selector any) {
	if selector != nil {
		o[key] = selector
	} else if d.chance(30) {
		o[key] = nil
	}
}
