package page

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const podsPerDeployment = 30

type object map[string]any

// writeCluster writes nodes in three zones with ten pods each, of Deployments with
// rules, as a List.
func writeCluster(t *testing.T, nodes int) string {
	t.Helper()
	return writeClusterWith(t, nodes, 10)
}

func writeClusterWith(t *testing.T, nodes, podsPerNode int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cluster.json")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	separator := `{"apiVersion": "v1", "kind": "List", "items": [`
	add := func(apiVersion, kind string, meta, spec object, status object) {
		text, err := json.Marshal(object{"apiVersion": apiVersion, "kind": kind, "metadata": meta, "spec": spec, "status": status})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(out, separator, string(text))
		separator = ",\n"
	}
	for n := range nodes {
		name := fmt.Sprint("node-", n)
		add("v1", "Node", object{"name": name, "labels": object{"kubernetes.io/hostname": name,
			"topology.kubernetes.io/region": "r", "topology.kubernetes.io/zone": string("abc"[n%3])}}, object{},
			object{"allocatable": object{"cpu": "8", "memory": "32Gi", "pods": "110"}})
	}
	add("v1", "Namespace", object{"name": "shop"}, object{}, object{})
	owner := func(kind, name string) []object {
		return []object{{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": kind + name, "controller": true}}
	}
	for d := range (nodes*podsPerNode + podsPerDeployment - 1) / podsPerDeployment {
		name := fmt.Sprint("app-", d)
		labels := object{"app": name}
		selector := object{"matchLabels": labels}
		spec := object{"containers": []object{{"name": "c", "resources": object{"requests": object{"cpu": "100m"}}}}}
		if d%3 == 0 {
			spec["topologySpreadConstraints"] = []object{{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
				"whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}}
		}
		template := object{"replicas": podsPerDeployment, "selector": selector, "template": object{"metadata": object{"labels": labels}, "spec": spec}}
		add("apps/v1", "Deployment", object{"name": name, "namespace": "shop"}, template, object{})
		add("apps/v1", "ReplicaSet", object{"name": name, "namespace": "shop", "ownerReferences": owner("Deployment", name)}, template, object{})
		for p := range podsPerDeployment {
			one := object{"nodeName": fmt.Sprint("node-", (d*podsPerDeployment+p)%nodes)}
			for key, value := range spec {
				one[key] = value
			}
			add("v1", "Pod", object{"name": fmt.Sprint(name, "-", p), "namespace": "shop", "labels": labels, "ownerReferences": owner("ReplicaSet", name)},
				one, object{"phase": "Running"})
		}
	}
	fmt.Fprint(out, "]}\n")
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	return path
}

// openOutage draws what comes of the loss of a zone, with a Deployment that has no room.
func openOutage(t *testing.T, nodes int) (b *browser, bytes int64) {
	t.Helper()
	page := filepath.Join(t.TempDir(), "page.html")
	manifest := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(manifest, []byte(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: large, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: large}}
  template:
    metadata: {labels: {app: large}}
    spec: {containers: [{name: c, resources: {requests: {cpu: 64}}}]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Getenv("VICINAL_BIN"), "simulate", "--cluster-file", writeCluster(t, nodes), "--html", page,
		"remove-node -l topology.kubernetes.io/zone=a", "apply", manifest)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(page)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, page), info.Size()
}

const after = `document.querySelector("section[aria-label=After]")`

func TestAPageOfAnyClusterIsSmallAndFitsTheWindow(t *testing.T) {
	for _, nodes := range []int{12, 100, 1000, 5000} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			b, bytes := openOutage(t, nodes)
			// Of each node its name twice, before and after; all else has a bound.
			if most := int64(3<<20 + 1000*nodes); bytes > most {
				t.Errorf("the page has %d bytes, more than %d", bytes, most)
			}
			elements, err := strconv.Atoi(b.text(`document.querySelectorAll("*").length`))
			if err != nil || elements > 40000 {
				t.Errorf("%d elements are drawn, %v", elements, err)
			}
			// All nodes are drawn or counted.
			total := b.text(`[...` + after + `.querySelectorAll(".nodes[aria-label^=zone]")].map(e => [...e.children].map(
				n => n.classList.contains("more") ? parseInt(n.textContent) : 1)).flat().reduce((a, b) => a + b)`)
			if want := fmt.Sprint(nodes - (nodes+2)/3); total != want {
				t.Errorf("%s nodes after, want %s", total, want)
			}
			for _, width := range []int{1280, 390} {
				for _, mode := range []string{"light", "dark"} {
					if mode == "dark" {
						b.darkMode()
					}
					b.resize(width, 844)
					b.screenshot(fmt.Sprint("outage ", nodes, " ", width, " ", mode))
					if got := b.text(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`); got != "true" {
						t.Errorf("the page is %s wide on a screen of %d", b.text(`document.documentElement.scrollWidth`), width)
					}
				}
			}
		})
	}
}

func TestALargePageShowsFirstWhatHasChanged(t *testing.T) {
	b, _ := openOutage(t, 1000)
	lists := `[...` + after + `.querySelectorAll(".nodes[aria-label^=zone]")]`
	if got := b.text(lists + `.map(e => e.getAttribute("aria-label")).join()`); got != "zone b,zone c" {
		t.Fatalf("zones after: %s", got)
	}
	// Each node that is shown has new pods, the first of a zone the most.
	counts := `.map(n => n.querySelectorAll(".pod.new").length)`
	shown := lists + `.map(e => [...e.querySelectorAll(".node:not(.more)")]` + counts + `)`
	if got := b.text(shown + `.every(list => list.length > 20 && list.every((n, i) => n > 0 && (i === 0 || n <= list[i - 1])))`); got != "true" {
		t.Errorf("new pods on the nodes that are shown: %s", b.text(`JSON.stringify(`+shown+`)`))
	}
	first := lists + `[0]`
	more := first + `.querySelector(".more")`
	before := b.text(first + `.children.length`)
	head := b.text(first + `.parentElement.querySelector("h4").textContent`)
	if !strings.HasPrefix(head, "zone b") || !strings.Contains(head, "333 nodes, ") || !strings.Contains(head, " changed, ") {
		t.Errorf("head of a zone: %s", head)
	}
	if got := b.text(more + `.textContent`); !strings.Contains(got, "more nodes") || !strings.Contains(got, " changed, ") {
		t.Errorf("what is folded: %s", got)
	}
	b.eval(more + `.click()`)
	if now := b.text(first + `.children.length`); now <= before {
		t.Errorf("%s nodes are shown, and %s when there should be more", before, now)
	}
	if got := b.text(`document.activeElement.classList.contains("node")`); got != "true" {
		t.Error("the focus does not go to the first of the nodes that were folded")
	}
}

func TestASearchShowsTheNodesThatHaveIt(t *testing.T) {
	b, _ := openOutage(t, 1000)
	find := func(text string) {
		b.eval(fmt.Sprintf(`{const e = document.querySelector(".search"); e.value = %q; e.dispatchEvent(new Event("input"));}`, text))
	}
	names := `[...` + after + `.querySelectorAll(".node[data-name]")].filter(e => e.offsetParent !== null).map(e => e.dataset.name).join()`
	all := b.text(names)
	find("NODE-77")
	// Of those that are gone there is nothing after.
	const left = "node-77,node-770,node-772,node-773,node-775,node-776,node-778,node-779"
	if got := b.text(names); sorted(got) != left {
		t.Errorf("found %s", got)
	}
	if got := b.text(`document.querySelector(".search + [role=status]").textContent`); got != "found: 11 nodes" {
		t.Errorf("it says %q", got)
	}
	find("no such node")
	if got := b.text(names); got != "" {
		t.Errorf("found %s", got)
	}
	find("")
	if got := b.text(names); got != all {
		t.Error("an empty search does not show what was there before")
	}
}

// sorted puts the parts of a list in order.
func sorted(list string) string {
	parts := strings.Split(list, ",")
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

func TestALargeExplanationFoldsTheNodesThatAreClosed(t *testing.T) {
	manifest := filepath.Join(t.TempDir(), "pod.yaml")
	if err := os.WriteFile(manifest, []byte(`
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop}
spec: {containers: [{name: c, resources: {requests: {cpu: 64}}}]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t, draw(t, writeCluster(t, 300), manifest))
	if got := b.text(`[...document.querySelectorAll(".node")].map(e => e.textContent).join("; ")`); got != strings.TrimSuffix(strings.Repeat("100 nodes100 ✕ closed, 1000 pods; ", 3), "; ") {
		t.Errorf("nodes: %s", got)
	}
	b.eval(`document.querySelector(".reason").click()`)
	if got := b.text(`document.querySelectorAll(".node.closed").length > 100`); got != "true" {
		t.Error("a reason does not show its nodes")
	}
}
