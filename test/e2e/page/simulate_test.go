package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vicinal/test/e2e/harness"
)

// openSimulation draws what comes of a drain and of a Deployment that has no room.
func openSimulation(t *testing.T) *browser {
	t.Helper()
	folder := harness.RepositoryFile(t, "test/e2e/page/testdata")
	page := filepath.Join(t.TempDir(), "page.html")
	cmd := exec.Command(os.Getenv("VICINAL_BIN"), "simulate", "--cluster-file", folder+"/cluster.yaml", "--html", page,
		"drain", "w1", "apply", folder+"/web.yaml", "add-node", "e2=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return open(t, page)
}

func TestSimulationShowsBeforeAndAfterSideBySide(t *testing.T) {
	b := openSimulation(t)
	b.screenshot("simulation light")
	for expression, want := range map[string]string{
		`document.title`: "What if: 3 steps",
		`[...document.querySelectorAll(".steps li")].map(e => e.textContent.split(" ")[0]).join()`:                  "drain,apply,add-node",
		`[...document.querySelectorAll(".views > section")].map(e => e.getAttribute("aria-label")).join()`:          "Before,After",
		`document.querySelectorAll("section[aria-label=Before] .node:not(.pending)").length`:                        "6",
		`document.querySelectorAll("section[aria-label=After] .node:not(.pending)").length`:                         "7",
		`document.querySelectorAll("section[aria-label=Before] .pod").length`:                                       "9",
		`[...document.querySelectorAll("section[aria-label=Before] .pod.leaving")].map(e => e.title).sort().join()`: "shop/mail-1,shop/web-4",
		`document.querySelectorAll("section[aria-label=Before] .pod.new").length`:                                   "0",
		`document.querySelectorAll("section[aria-label=After] .pod.new").length`:                                    "1",
		`document.querySelectorAll("section[aria-label=After] .pending .pod").length`:                               "1",
		// What keeps the pending pod out is marked after, not before.
		`document.querySelectorAll("section[aria-label=Before] .closed").length`:                                                                                                           "0",
		`document.querySelectorAll("section[aria-label=After] .node.closed").length`:                                                                                                       "7",
		`document.querySelectorAll("section[aria-label=After] .pod.blocking").length > 0`:                                                                                                  "true",
		`document.querySelectorAll("section[aria-label=After] .badge.closed").length`:                                                                                                      "5",
		`document.querySelector("section[aria-label=After] .soft").textContent`:                                                                                                            "Closed and open are for the pending pod of Deployment/web in namespace shop.",
		`document.querySelectorAll("section[aria-label=Before]")[0].getBoundingClientRect().top === document.querySelectorAll("section[aria-label=After]")[0].getBoundingClientRect().top`: "true",
		`document.documentElement.scrollWidth <= document.documentElement.clientWidth`:                                                                                                     "true",
	} {
		if got := b.text(expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
	for _, request := range b.requests {
		if !strings.HasPrefix(request, "file://") {
			t.Errorf("the page asked for %s", request)
		}
	}
}

func TestSimulationComparesTheSkewOfEachConstraint(t *testing.T) {
	b := openSimulation(t)
	section := `document.querySelector("section[aria-label='Deployment/web in namespace shop by topology.kubernetes.io/zone']")`
	b.eval(section + `.scrollIntoView()`)
	b.screenshot("simulation skew")
	text := b.text(section + `.textContent`)
	for _, want := range []string{"spec.template.spec.topologySpreadConstraints[0]", "DoNotSchedule, maxSkew 1", "before: skew 0", "after: skew 0", "east-1", "west-1", "west-2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if got := b.text(section + `.querySelectorAll(".track .limit").length`); got != "6" {
		t.Errorf("%s limits, want 6", got)
	}
	// The controller that the dump does not have.
	other := b.text(`[...document.querySelectorAll("main > section")].map(e => e.getAttribute("aria-label")).join("\n")`)
	if !strings.Contains(other, "ReplicaSet/web in namespace shop by topology.kubernetes.io/zone") {
		t.Errorf("compared: %s", other)
	}
}

func TestSimulationIsReadByKeyboard(t *testing.T) {
	b := openSimulation(t)
	reach := func(what string) {
		t.Helper()
		for range 30 {
			b.press("Tab", 9)
			if strings.Contains(b.text(`document.activeElement.className + " " + document.activeElement.textContent`), what) {
				return
			}
		}
		t.Fatalf("Tab does not reach %q", what)
	}
	details := `document.getElementById("details").textContent`
	reach("e12 pods")
	b.press("ArrowRight", 39)
	b.press("ArrowRight", 39)
	if got := b.text(details); !strings.Contains(got, "w1") || !strings.Contains(got, "shop/web-4 (leaves)") {
		t.Errorf("details of w1 before: %s", got)
	}
	reach("no node")
	if got := b.text(details); !strings.Contains(got, "1 pod pending") || !strings.Contains(got, "0/7 nodes are available") {
		t.Errorf("details of the pending pod: %s", got)
	}
	b.screenshot("simulation focus")
}

func TestSimulationInDarkModeAndOnANarrowScreen(t *testing.T) {
	b := openSimulation(t)
	b.darkMode()
	b.screenshot("simulation dark")
	if got := b.text(`getComputedStyle(document.body).backgroundColor`); got != "rgb(21, 24, 28)" {
		t.Errorf("background %s", got)
	}
	b.resize(390, 844)
	b.screenshot("simulation narrow")
	if got := b.text(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`); got != "true" {
		t.Errorf("the page is %s wide on a screen of %s", b.text(`document.documentElement.scrollWidth`), b.text(`document.documentElement.clientWidth`))
	}
}
