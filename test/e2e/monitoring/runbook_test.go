package monitoring

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const runbookFile = "manifests/monitoring/runbook.md"

// sections are those of the runbook, by their headings, and the points of each.
func sections(t *testing.T) map[string][]string {
	t.Helper()
	points := map[string][]string{}
	heading := ""
	for line := range strings.Lines(string(read(t, runbookFile))) {
		if rest, is := strings.CutPrefix(line, "## "); is {
			heading = strings.TrimSpace(rest)
			points[heading] = nil
		}
		if rest, is := strings.CutPrefix(line, "- **"); is {
			point, _, _ := strings.Cut(rest, "**")
			points[heading] = append(points[heading], strings.TrimSuffix(point, "."))
		}
	}
	return points
}

func TestEveryAlertPointsToItsSectionOfTheRunbook(t *testing.T) {
	var all struct {
		Groups []struct {
			Rules []struct {
				Alert       string            `json:"alert"`
				Annotations map[string]string `json:"annotations"`
			} `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.Unmarshal(read(t, alertsFile), &all); err != nil {
		t.Fatal(err)
	}
	known := sections(t)
	want := []string{"Meaning", "Confirm", "Do", "Roll back"}
	fires := map[string]bool{}
	for _, group := range all.Groups {
		for _, rule := range group.Rules {
			fires[rule.Alert] = true
			if points := known[rule.Alert]; !slices.Equal(points, want) {
				t.Errorf("%s: its section of %s has %v, want %v", rule.Alert, runbookFile, points, want)
			}
			if url := runbookFile + "#" + strings.ToLower(rule.Alert); rule.Annotations["runbook_url"] != url {
				t.Errorf("%s: runbook_url is %q, want %q", rule.Alert, rule.Annotations["runbook_url"], url)
			}
		}
	}
	for heading := range known {
		if strings.HasPrefix(heading, "Vicinal") && !fires[heading] {
			t.Errorf("%s: a section of %s, and no alert", heading, runbookFile)
		}
	}
}
