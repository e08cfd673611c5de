// dump prints a made-up cluster as `kubectl get … -A -o json` prints one: nodes
// in three zones, and pods of Deployments with what kubelet and controllers leave
// in them (about 5 KB each).
//
//	go run ./explain/cmd/dump --nodes 5000 --pods 150000 > cluster.json
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

const podsPerDeployment = 30

func main() {
	nodes := flag.Int("nodes", 5000, "number of nodes")
	pods := flag.Int("pods", 150000, "number of pods")
	flag.Parse()
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	write(out, *nodes, *pods)
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(out io.Writer, nodes, pods int) {
	fmt.Fprint(out, "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")
	separator := ""
	item := func(text string) {
		fmt.Fprint(out, separator, text)
		separator = ",\n"
	}
	for n := range nodes {
		item(strings.NewReplacer("{N}", fmt.Sprint(n), "{ZONE}", fmt.Sprint(n%3)).Replace(node))
	}
	for ns := range 10 {
		item(strings.ReplaceAll(namespace, "{NS}", fmt.Sprint(ns)))
	}
	deployments := (pods + podsPerDeployment - 1) / podsPerDeployment
	for d := range deployments {
		r := strings.NewReplacer("{D}", fmt.Sprint(d), "{NS}", fmt.Sprint(d%10))
		item(r.Replace(service))
		item(r.Replace(replicaSet))
	}
	for p := range pods {
		d := p / podsPerDeployment
		affinity := ""
		if d%5 == 0 {
			affinity = affinityText
		}
		text := strings.Replace(pod, "{AFFINITY}", affinity, 1)
		item(strings.NewReplacer("{P}", fmt.Sprintf("%06d", p), "{D}", fmt.Sprint(d), "{NS}", fmt.Sprint(d%10),
			"{N}", fmt.Sprint((p*7919+p/nodes)%nodes), "{IP}", fmt.Sprintf("10.%d.%d.%d", p>>16, p>>8&255, p&255)).Replace(text))
	}
	fmt.Fprint(out, "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n")
}
