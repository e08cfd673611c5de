package page

import (
	"bytes"
	"image"
	"image/color"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vicinal/test/e2e/harness"
)

// draw explains a manifest on a cluster and returns the page.
func draw(t *testing.T, cluster, manifest string) string {
	t.Helper()
	page := filepath.Join(t.TempDir(), "page.html")
	cmd := exec.Command(os.Getenv("VICINAL_BIN"), "explain", "--cluster-file", cluster, "-f", manifest, "--html", page)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 3 {
		t.Fatalf("%v\n%s", err, out)
	}
	return page
}

func openExample(t *testing.T) *browser {
	t.Helper()
	folder := harness.RepositoryFile(t, "test/e2e/page/testdata")
	return open(t, draw(t, folder+"/cluster.yaml", folder+"/web.yaml"))
}

func TestPageShowsTopologyVerdictsAndSkew(t *testing.T) {
	b := openExample(t)
	b.screenshot("light")
	for expression, want := range map[string]string{
		`document.title`: "Deployment shop/web: fits on none of 6 nodes",
		`[...document.querySelectorAll("h3")].map(e => e.firstChild.data).join()`: "region east,region west",
		`document.querySelectorAll(".zone").length`:                               "3",
		`document.querySelectorAll(".node").length`:                               "6",
		`document.querySelectorAll(".node.closed").length`:                        "6",
		`document.querySelectorAll(".node .pod").length`:                          "9",
		`document.querySelectorAll(".node .pod.blocking").length`:                 "6",
		`document.querySelectorAll(".skew .fill").length`:                         "3",
		`document.querySelectorAll(".skew .closed").length`:                       "2",
		`getComputedStyle(document.body).backgroundColor`:                         "rgb(255, 255, 255)",
		// Nothing sticks out of the window.
		`document.documentElement.scrollWidth <= document.documentElement.clientWidth`: "true",
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

func TestPageIsReadByKeyboard(t *testing.T) {
	b := openExample(t)
	active := `document.activeElement.className + " " + document.activeElement.textContent`
	// The first stops are the reasons, then the badge of a closed domain.
	b.press("Tab", 9)
	if got := b.text(active); !strings.HasPrefix(got, "reason ") {
		t.Fatalf("Tab goes to %q", got)
	}
	for range 6 {
		if !strings.HasPrefix(b.text(active), "reason ") {
			break
		}
		b.press("Tab", 9)
	}
	if got := b.text(active); got != "badge closed ✕ closed" {
		t.Fatalf("behind the reasons Tab goes to %q", got)
	}
	for range 6 {
		if strings.HasPrefix(b.text(active), "node") {
			break
		}
		b.press("Tab", 9)
	}
	first := b.text(active)
	if !strings.HasPrefix(first, "node closed e1") {
		t.Fatalf("Tab never reached the first node, but %q", first)
	}
	b.press("ArrowRight", 39)
	if got := b.text(active); !strings.HasPrefix(got, "node closed e2") {
		t.Errorf("the arrow key goes to %q", got)
	}
	b.press("End", 35)
	if got := b.text(active); !strings.HasPrefix(got, "node closed w4") {
		t.Errorf("End goes to %q", got)
	}
	details := b.text(`document.getElementById("details").textContent`)
	for _, want := range []string{"w4: closed", "InterPodAffinity", "shop/db-1", "spec.template.spec.affinity"} {
		if !strings.Contains(details, want) {
			t.Errorf("the details of w4 do not say %q: %s", want, details)
		}
	}
	b.screenshot("focus")
	if got := b.text(`getComputedStyle(document.activeElement).outlineStyle`); got != "solid" {
		t.Errorf("the focus is not seen: outline %s", got)
	}
}

func TestPageShowsReasonsToTheMouse(t *testing.T) {
	b := openExample(t)
	b.eval(`document.querySelector(".node").dispatchEvent(new MouseEvent("mouseenter"))`)
	details := b.text(`document.getElementById("details").textContent`)
	if !strings.Contains(details, "e1: closed") || !strings.Contains(details, "skew 4 - 1 > maxSkew 1") {
		t.Errorf("details: %s", details)
	}
}

func TestAReasonHidesTheNodesThatItIsNotAbout(t *testing.T) {
	b := openExample(t)
	shown := `[...document.querySelectorAll(".node")].filter(e => e.offsetParent !== null).length`
	reasons := b.text(`document.querySelectorAll(".reason").length`)
	if reasons == "0" {
		t.Fatal("there are no reasons")
	}
	// The last one is about the fewest nodes, whose number it begins with.
	last := `[...document.querySelectorAll(".reason")].at(-1)`
	want := b.text(`parseInt(` + last + `.textContent)`)
	b.eval(last + `.click()`)
	if got := b.text(shown); got != want || got == "0" || got == "6" {
		t.Errorf("%s of 6 nodes are shown, want %s of %s", got, want, b.text(last+`.textContent`))
	}
	b.eval(last + `.click()`)
	if got := b.text(shown); got != "6" {
		t.Errorf("pressed again it shows %s nodes", got)
	}
}

func TestPageInDarkMode(t *testing.T) {
	b := openExample(t)
	b.darkMode()
	if got := b.text(`getComputedStyle(document.body).backgroundColor`); got != "rgb(21, 24, 28)" {
		t.Errorf("background %s", got)
	}
	picture, _, err := image.Decode(bytes.NewReader(b.screenshot("dark")))
	if err != nil {
		t.Fatal(err)
	}
	// Most of what is drawn is dark, but not all of it.
	dark, light := 0, 0
	bounds := picture.Bounds()
	for x := bounds.Min.X; x < bounds.Max.X; x += 4 {
		for y := bounds.Min.Y; y < bounds.Max.Y; y += 4 {
			switch grey := color.GrayModel.Convert(picture.At(x, y)).(color.Gray).Y; {
			case grey < 96:
				dark++
			case grey > 160:
				light++
			}
		}
	}
	if dark < 10*light || light == 0 {
		t.Errorf("%d dark and %d light points", dark, light)
	}
}

func TestPageOnANarrowScreen(t *testing.T) {
	b := openExample(t)
	b.resize(390, 844)
	b.screenshot("narrow")
	if got := b.text(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`); got != "true" {
		t.Errorf("the page is %s wide on a screen of %s", b.text(`document.documentElement.scrollWidth`), b.text(`document.documentElement.clientWidth`))
	}
}
