// Package cases makes scheduling cases: small clusters full of trouble, realistic
// ones, and lines that are not cases at all. The case of a seed and an index is
// always the same.
package cases

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// Generated is one line of a batch.
type Generated struct {
	ID   string
	Line []byte
	// Tags name what the case is about, for the coverage table.
	Tags []string
}

// topic is something that a case may be about. A case has few of them, so that
// one plugin's rejections do not hide all others.
type topic int

const (
	topicTaints topic = iota
	topicUnschedulable
	topicNodeName
	topicNodeSelector
	topicNodeAffinity
	topicResources
	topicHardSpread
	topicSoftSpread
	topicAffinity
	topicAntiAffinity
	topicPreferred
	topicNominated
	topicImages
	topicDefaulting
	topicArgs
	topicMissingKeys
	topicBroken
)

// percent is how often a small case is about each topic.
var percent = map[topic]int{
	topicTaints: 18, topicUnschedulable: 8, topicNodeName: 4, topicNodeSelector: 8, topicNodeAffinity: 24,
	topicResources: 22, topicHardSpread: 30, topicSoftSpread: 30, topicAffinity: 20, topicAntiAffinity: 22,
	topicPreferred: 30, topicNominated: 15, topicImages: 12, topicDefaulting: 20, topicArgs: 30,
	topicMissingKeys: 40, topicBroken: 8,
}

// draft is a case in the making.
type draft struct {
	dice
	topics uint
	nodes  []string
	words  vocabulary
	scarce string // a resource that many pods ask for
}

func (c *draft) has(t topic) bool { return c.topics&(1<<t) != 0 }

// Generate makes the case of a seed and an index.
func Generate(seed, index uint64) Generated {
	d := dice{rand.New(rand.NewPCG(seed, index))}
	g := Generated{ID: fmt.Sprintf("%d/%d", seed, index)}
	var o object
	switch n := d.IntN(100); {
	case n < 90:
		o, g.Tags = small(d)
	case n < 98:
		o = realistic(d, 3, 8, 30)
		g.Tags = []string{"realistic"}
	case n < 99:
		o = realistic(d, 10, 30, 200)
		g.Tags = []string{"realistic", "large"}
	default:
		g.Line = brokenLine(d, g.ID)
		g.Tags = []string{"bad line"}
		return g
	}
	o["id"] = g.ID
	line, err := json.Marshal(o)
	if err != nil {
		panic(err) // plain maps always marshal
	}
	g.Line = line
	return g
}

func small(d dice) (object, []string) {
	c := &draft{dice: d, words: d.vocabulary(), scarce: pick(d, scalarResources...)}
	for t := topicTaints; t <= topicBroken; t++ {
		if d.chance(percent[t]) {
			c.topics |= 1 << t
		}
	}
	if c.has(topicNodeName) && d.chance(50) {
		c.topics |= 1 << topicNodeAffinity
	}
	nodes := d.between(1, 8)
	if d.chance(1) {
		nodes = 0
	}
	objects := list{}
	for i := range max(nodes, 1) {
		c.nodes = append(c.nodes, nodeName(i))
	}
	for _, name := range c.nodes[:nodes] {
		objects = append(objects, c.node(name))
	}
	for i := range d.IntN(21) {
		objects = append(objects, c.existing(fmt.Sprintf("p%d", i)))
	}
	for _, name := range namespaceNames {
		if d.chance(75) {
			objects = append(objects, d.namespace(name))
		}
	}
	if c.has(topicDefaulting) || d.chance(15) {
		objects = append(objects, c.workloads()...)
	}
	if d.chance(2) { // a kind that no plugin looks at
		objects = append(objects, object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": "n1"}, "data": object{"a": "b"}})
	}
	if d.chance(3) && nodes > 0 { // the later object of a name counts
		first, again := c.existing("twice"), c.existing("twice")
		again["metadata"].(object)["namespace"] = first["metadata"].(object)["namespace"]
		objects = append(objects, c.node(pick(d, c.nodes...)), first, again)
	}
	d.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	o := object{"objects": objects, "pod": c.incoming()}
	var tags []string
	if c.has(topicArgs) {
		var config list
		config, tags = c.pluginConfig()
		if len(config) > 0 {
			o["pluginConfig"] = config
		}
	}
	if c.has(topicDefaulting) {
		tags = append(tags, "defaulting")
	}
	return o, tags
}

func (d dice) namespace(name string) object {
	meta := object{"name": name}
	set(meta, "labels", d.labels(60, namespaceLabelKeys, namespaceLabelValues))
	return object{"apiVersion": "v1", "kind": "Namespace", "metadata": meta}
}
