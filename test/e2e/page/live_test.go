package page

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

// The state of a running server has so many bytes at most: kMaxPageStateBytes.
const mostStateBytes = 1 << 20

// openLive opens the page of a running server, and waits for its first picture.
func openLive(t *testing.T, vicinal *harness.Vicinal) *browser {
	t.Helper()
	b := openAddress(t, vicinal.AdminURL()+"/page")
	b.waitFor("there is a picture", `document.getElementById("summary").textContent !== ""`)
	return b
}

// waitFor waits until an expression is true.
func (b *browser) waitFor(what, expression string) {
	b.t.Helper()
	harness.Eventually(b.t, time.Minute, what, func() string {
		if b.eval(expression) == true {
			return ""
		}
		return b.text(`document.querySelector("main").innerText`)
	})
}

const (
	pendingText  = `document.getElementById("pending").innerText`
	topologyText = `document.getElementById("topology").innerText`
	rulesText    = `document.getElementById("rules").innerText`
)

// An API server takes no markup as a name or label, but as the name of a scheduler.
const hostile = `<img src=x onerror="document.title='taken over'"><script>document.title='taken over'</script>`

// Who is on call opens the page beside a real scheduler and API server, and keeps it open.
func TestTheServersPageShowsThePodsThatComeAndWhyTheyWait(t *testing.T) {
	cp := harness.StartControlPlane(t, harness.NewRun(t))
	config := cp.Run.Path("profiles.yaml")
	if err := os.WriteFile(config, []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	vicinal := harness.StartVicinal(t, cp.Run, "--scheduler-config="+config, "--kubeconfig="+cp.VicinalKubeconfig(t, cp.URL))
	cluster := cp.StartCluster(t, cp.StartObserver(t), vicinal)
	cluster.Apply(t, harness.SixNodes()...)
	b := openLive(t, vicinal)
	b.waitFor("the nodes are there", `document.querySelectorAll(".cell").length === 6`)
	b.eval(`document.notLoadedAgain = true`)
	if got := b.text(`document.getElementById("health").textContent`); got != "✓ ready" {
		t.Errorf("the page says %q", got)
	}
	if got := b.text(`document.getElementById("sources").innerText`); !strings.Contains(got, "pods ✓ connected") {
		t.Errorf("how late: %s", got)
	}

	// Three pods of a zone: the skew is 3.
	spread := harness.PodOf("web")
	spread.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: zoneOf(t, cluster)}
	spread.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.ScheduleAnyway,
		NodeAffinityPolicy: policy(corev1.NodeInclusionPolicyIgnore),
		LabelSelector:      &metav1.LabelSelector{MatchLabels: spread.Labels},
	}}
	for i := range 3 {
		pod := spread.DeepCopy()
		pod.Name = fmt.Sprint("web-", i)
		if placed := cluster.CreatePod(t, pod); placed.Spec.NodeName == "" {
			t.Fatalf("%s has no node", pod.Name)
		}
	}
	b.waitFor("the skew is shown", rulesText+`.includes("by topology.kubernetes.io/zone: skew 3")`)
	b.waitFor("the decisions are shown", `document.getElementById("decisions").innerText.includes("default/web-2")`)

	// A pod that asks for what no node has.
	lonely := harness.PodOf("lonely")
	lonely.Name = "lonely"
	lonely.Spec.NodeSelector = map[string]string{"disk": "none-has-it"}
	if pending := cluster.CreatePod(t, lonely); pending.Spec.NodeName != "" {
		t.Fatalf("lonely is on %s", pending.Spec.NodeName)
	}
	b.waitFor("the pod appears with its cause", pendingText+`.includes("default/lonely") && `+pendingText+`.includes("NodeAffinity")`)
	b.waitFor("the scheduler's answer is there", pendingText+`.includes("0/6 nodes are available: 6 node(s) didn't match Pod's node affinity/selector")`)
	b.screenshot("live")

	// And one of somebody who wishes the reader ill.
	ill := harness.PodOf("ill")
	ill.Spec.SchedulerName = hostile
	if _, err := cluster.Client.CoreV1().Pods(ill.Namespace).Create(t.Context(), ill, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.waitFor("it is shown as it is", pendingText+`.includes(`+strconv.Quote(hostile)+`)`)
	b.wantNoMarkup()
	if got := b.text(`document.title`); got != "vicinal: ready, 2 pending" {
		t.Errorf("title %q", got)
	}

	// It goes when the pod does, and nothing was loaded again or from elsewhere.
	cluster.DeletePod(t, lonely)
	b.waitFor("the pod is gone", `!`+pendingText+`.includes("default/lonely")`)
	if b.eval(`document.notLoadedAgain`) != true {
		t.Error("the page was loaded again")
	}
	for _, request := range b.requests {
		if !strings.HasPrefix(request, vicinal.AdminURL()+"/page") {
			t.Errorf("the page asked for %s", request)
		}
	}
}

// wantNoMarkup: no element came with a text of the cluster.
func (b *browser) wantNoMarkup() {
	b.t.Helper()
	if got := b.text(`document.querySelectorAll("main img, main script").length`); got != "0" {
		b.t.Errorf("%s elements came with a text of the cluster", got)
	}
	if got := b.text(`document.title`); !strings.HasPrefix(got, "vicinal: ") {
		b.t.Errorf("title %q", got)
	}
}

// What no API server would take comes from a file, in each place that is shown.
func TestNamesInTheClusterNeverBecomePartOfTheServersPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.json")
	pod := func(name, node string, spec object) object {
		spec["nodeName"] = node
		spec["containers"] = []object{{"name": "c", "image": hostile}}
		return object{"apiVersion": "v1", "kind": "Pod", "spec": spec, "metadata": object{"name": name, "namespace": hostile, "labels": object{"app": hostile}}}
	}
	spread := []object{{"maxSkew": 1, "topologyKey": corev1.LabelTopologyZone, "whenUnsatisfiable": "ScheduleAnyway",
		"labelSelector": object{"matchLabels": object{"app": hostile}}}}
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": []object{
		{"apiVersion": "v1", "kind": "Node", "spec": object{"unschedulable": true}, "metadata": object{"name": hostile,
			"labels": object{corev1.LabelTopologyZone: hostile, corev1.LabelTopologyRegion: hostile}}},
		pod(hostile, hostile, object{"topologySpreadConstraints": spread}),
		pod("picky "+hostile, hostile, object{"nodeSelector": object{hostile: hostile}}),
		pod("pending "+hostile, "", object{"nodeSelector": object{hostile: hostile}}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	b := openLive(t, harness.StartVicinal(t, harness.NewRun(t), "--cluster-file="+file))
	b.eval(`document.querySelector(".cell").click()`)
	for where, expression := range map[string]string{"pending": pendingText, "topology": topologyText, "rules": rulesText,
		"choice": `document.getElementById("workload").textContent`} {
		if got := b.text(expression); !strings.Contains(got, hostile) {
			t.Errorf("%s: names are not shown as they are: %s", where, got)
		}
	}
	b.wantNoMarkup()
}

func policy(p corev1.NodeInclusionPolicy) *corev1.NodeInclusionPolicy { return &p }

// zoneOf is a zone of the cluster.
func zoneOf(t *testing.T, cluster *harness.Cluster) string {
	t.Helper()
	nodes, err := cluster.Client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return nodes.Items[0].Labels[corev1.LabelTopologyZone]
}

func TestTheServersPageShowsWhereAWorkloadIs(t *testing.T) {
	vicinal := harness.StartVicinal(t, harness.NewRun(t), "--cluster-file="+writeCluster(t, 30))
	b := openLive(t, vicinal)
	numbers := `[...document.querySelectorAll(".cell")].map(e => e.textContent).join()`
	if got := b.text(numbers); got != strings.TrimSuffix(strings.Repeat("10,", 30), ",") {
		t.Errorf("pods of the nodes: %s", got)
	}
	// Of ten Deployments each has a pod on each node.
	b.eval(`{const e = document.getElementById("workload"); e.value = "shop/app-3"; e.dispatchEvent(new Event("change"));}`)
	if got := b.text(numbers); got != strings.TrimSuffix(strings.Repeat("1,", 30), ",") {
		t.Errorf("pods of app-3: %s", got)
	}
	b.eval(`document.querySelector(".cell").click()`)
	if got := b.text(`document.querySelector(".told").textContent`); got != "node-0, 1 pod of shop/app-3, 10 in all" {
		t.Errorf("it tells %q", got)
	}
}

func TestTheServersPageIsSmallAndFitsTheWindowInAnyCluster(t *testing.T) {
	for _, size := range []struct{ nodes, podsPerNode int }{{12, 10}, {1000, 30}, {5000, 30}} {
		t.Run(fmt.Sprint(size.nodes), func(t *testing.T) {
			vicinal := harness.StartVicinal(t, harness.NewRun(t),
				"--cluster-file="+writeClusterWith(t, size.nodes, size.podsPerNode))
			b := openLive(t, vicinal)
			bytes, etag := stateOf(t, vicinal)
			t.Logf("the state has %d bytes", bytes)
			if bytes > mostStateBytes {
				t.Errorf("the state has %d bytes, more than %d", bytes, mostStateBytes)
			}
			// The cluster stays the same.
			request, err := http.NewRequest(http.MethodGet, vicinal.AdminURL()+"/page/state", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("If-None-Match", etag)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != http.StatusNotModified {
				t.Errorf("status %d for a state that the page has", response.StatusCode)
			}
			elements, err := strconv.Atoi(b.text(`document.querySelectorAll("*").length`))
			if err != nil || elements > 8000 {
				t.Errorf("%d elements are drawn, %v", elements, err)
			}
			sum := b.text(`[...document.querySelectorAll(".cell")].reduce((sum, e) => sum + parseInt(e.textContent), 0)`)
			if want := fmt.Sprint(size.nodes * size.podsPerNode); sum != want {
				t.Errorf("the tiles have %s pods, want %s", sum, want)
			}
			for _, width := range []int{1280, 390} {
				for _, mode := range []string{"light", "dark"} {
					if mode == "dark" {
						b.darkMode()
					}
					b.resize(width, 844)
					b.screenshot(fmt.Sprint("live ", size.nodes, " ", width, " ", mode))
					if got := b.text(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`); got != "true" {
						t.Errorf("the page is %s wide on a screen of %d", b.text(`document.documentElement.scrollWidth`), width)
					}
				}
			}
		})
	}
}

// stateOf is the size of the state that a page gets, and its ETag.
func stateOf(t *testing.T, vicinal *harness.Vicinal) (bytes int, etag string) {
	t.Helper()
	harness.Eventually(t, time.Minute, "there is a state", func() string {
		response, err := http.Get(vicinal.AdminURL() + "/page/state")
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK || !json.Valid(body) {
			return fmt.Sprintf("status %d, %v: %.200s", response.StatusCode, err, body)
		}
		bytes, etag = len(body), response.Header.Get("ETag")
		return ""
	})
	return bytes, etag
}
