// Package examples gives vicinal every policy that the descheduler's module has: its
// examples, its own manifest and those of its documentation. Nothing of them is kept here:
// they are read from the Go module cache.
package examples

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// refused are the policies that vicinal does not take, each with what it says. All others
// are accepted.
var refused = map[string]string{
	// An outline with "..." for the rest, which is no YAML.
	"README: Example policy":                                 "end of map not found",
	"README: LowNodeUtilization":                             "args.evictionLimits: vicinal does not support limits of one strategy",
	"README: Priority filtering 2":                           `args.priorityThreshold.name: vicinal does not support the PriorityClass "priorityClassName1" by name`,
	"README: Protecting pods using specific Storage Classes": "args.podProtections.config: vicinal does not support protection by storage class",
}

// moduleFolder is where the pinned descheduler's module is.
func moduleFolder(t *testing.T) string {
	t.Helper()
	for _, arguments := range [][]string{{"mod", "download", "sigs.k8s.io/descheduler"}, {"list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/descheduler"}} {
		command := exec.Command("go", arguments...)
		command.Dir = filepath.Join("..", "reference")
		command.Stderr = os.Stderr
		output, err := command.Output()
		if err != nil {
			t.Fatalf("go %s: %v", strings.Join(arguments, " "), err)
		}
		if folder := strings.TrimSpace(string(output)); folder != "" {
			return folder
		}
	}
	t.Fatal("no folder of the descheduler's module")
	return ""
}

// policies by name: a file's, or README and the heading with a number.
func policies(t *testing.T) map[string]string {
	t.Helper()
	folder := moduleFolder(t)
	found := map[string]string{}
	examples, err := os.ReadDir(filepath.Join(folder, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	for _, file := range examples {
		found[file.Name()] = read(filepath.Join("examples", file.Name()))
	}
	found["configmap.yaml"] = read("kubernetes/base/configmap.yaml")
	heading, block, inside := "", "", false
	for line := range strings.Lines(read("README.md")) {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "```"):
			if inside && strings.Contains(block, "DeschedulerPolicy") {
				name := heading
				for i := 2; found[name] != ""; i++ {
					name = fmt.Sprint(heading, " ", i)
				}
				found[name] = block
			}
			inside, block = !inside, ""
		case inside:
			block += line
		case strings.HasPrefix(text, "#"):
			heading = "README: " + strings.TrimSpace(strings.TrimLeft(text, "#"))
		}
	}
	return found
}

func TestEveryPolicyOfTheDeschedulerIsReadOrRefusedWithTheReason(t *testing.T) {
	binary := os.Getenv("VICINAL_BIN")
	if binary == "" {
		t.Skip("VICINAL_BIN names no binary")
	}
	cluster := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(cluster, []byte("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := policies(t)
	const wanted = 9 + 1 + 20 // examples, the manifest, and at least so many of the README
	if len(all) < wanted {
		t.Fatalf("only %d policies are found", len(all))
	}
	for name := range refused {
		if all[name] == "" {
			t.Errorf("%s: there is no such policy", name)
		}
	}
	for name, policy := range all {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "policy.yaml")
			if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(binary, "deschedule", "--cluster-file", cluster, "--policy", file)
			var stderr bytes.Buffer
			command.Stderr = &stderr
			err := command.Run()
			reason, isRefused := refused[name]
			switch {
			case isRefused && err == nil:
				t.Errorf("it is accepted, refused with %q expected", reason)
			case isRefused && !strings.Contains(stderr.String(), reason):
				t.Errorf("it is refused with %s, want %s", &stderr, reason)
			case !isRefused && err != nil:
				t.Errorf("it is refused: %s\n%s", &stderr, policy)
			}
		})
	}
}
