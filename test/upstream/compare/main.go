// Command compare judges what upstream's tests did with vicinal: it prints a table by
// mode and package, and every difference that is not expected.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// notRun begins the reason of what test/upstream/run leaves out.
const notRun = "left out: "

// expectation is a line of expected.tsv.
type expectation struct {
	modes   []string
	pack    string
	test    *regexp.Regexp // of the whole name
	reason  string
	maybe   bool // depends on time
	matched map[string]bool
}

func main() {
	expected := flag.String("expected", "expected.tsv", "the expected differences")
	results := flag.String("results", "", "folder of the results, MODE.PACKAGE.json")
	modes := flag.String("modes", "advise decide", "which modes were run")
	packages := flag.String("packages", "", "which packages were run")
	only := flag.String("run", "", "which tests were run; then no expected difference is missed")
	flag.Parse()
	ok, err := compare(*expected, *results, strings.Fields(*modes), strings.Fields(*packages), *only == "")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func compare(expectedFile, folder string, modes, packages []string, complete bool) (bool, error) {
	expectations, err := readExpectations(expectedFile)
	if err != nil {
		return false, err
	}
	ok := true
	var complaints []string
	fmt.Println("| package | mode | passed | failed as expected | failed | skipped | schedulers |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, pack := range packages {
		for _, mode := range modes {
			name := mode + "." + strings.ReplaceAll(pack, "/", "_")
			outcomes, err := readOutcomes(filepath.Join(folder, name+".json"))
			if err != nil {
				return false, err
			}
			starts, err := readStarts(filepath.Join(folder, name+".starts"))
			if err != nil {
				return false, err
			}
			count := map[string]int{}
			for _, test := range outcomes.leaves() {
				outcome := outcomes[test]
				if outcome == "fail" {
					if e := find(expectations, mode, pack, test); e != nil {
						e.matched[mode] = true
						outcome = "expected"
					} else {
						ok = false
						complaints = append(complaints, fmt.Sprintf("%s, %s: %s fails", pack, mode, test))
					}
				}
				count[outcome]++
			}
			if outcomes[""] != "pass" && count["fail"]+count["expected"] == 0 || len(outcomes) <= 1 {
				ok = false
				complaints = append(complaints, fmt.Sprintf("%s, %s: the test binary fails by itself, see %s.json", pack, mode, name))
			}
			fmt.Printf("| %s | %s | %d | %d | %d | %d | %s |\n", pack, mode, count["pass"], count["expected"], count["fail"], count["skip"], starts)
			for _, e := range expectations {
				if complete && !e.maybe && e.pack == pack && slices.Contains(e.modes, mode) && !e.matched[mode] {
					ok = false
					complaints = append(complaints, fmt.Sprintf("%s, %s: an expected difference does not occur: %s (%s)", pack, mode, e.test, e.reason))
				}
			}
		}
	}
	fmt.Println()
	for _, e := range expectations {
		leftOut := strings.HasPrefix(e.reason, notRun) && slices.Contains(packages, e.pack) && slices.ContainsFunc(e.modes, func(mode string) bool { return slices.Contains(modes, mode) })
		if len(e.matched) > 0 || leftOut {
			fmt.Printf("expected: %s %s: %s\n", e.pack, strings.TrimSuffix(strings.TrimPrefix(e.test.String(), "^(?:"), ")$"), e.reason)
		}
	}
	for _, complaint := range complaints {
		fmt.Println("DIFFERENT: " + complaint)
	}
	return ok, nil
}

// readExpectations reads lines of modes, package, test and reason, separated by tabs. A
// reason that begins with "sometimes: " is of a difference that need not occur, and one
// that begins with notRun of one that was not run.
func readExpectations(path string) ([]*expectation, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var expectations []*expectation
	for number, line := range strings.Split(string(content), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 4 {
			return nil, fmt.Errorf("%s:%d: %d fields, want modes, package, test and reason", path, number+1, len(fields))
		}
		test, err := regexp.Compile("^(?:" + fields[2] + ")$")
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %v", path, number+1, err)
		}
		expectations = append(expectations, &expectation{
			modes: strings.Split(fields[0], ","), pack: fields[1], test: test, reason: fields[3],
			maybe: strings.HasPrefix(fields[3], "sometimes: ") || strings.HasPrefix(fields[3], notRun), matched: map[string]bool{},
		})
	}
	return expectations, nil
}

func find(expectations []*expectation, mode, pack, test string) *expectation {
	for _, e := range expectations {
		if e.pack == pack && slices.Contains(e.modes, mode) && e.test.MatchString(test) {
			return e
		}
	}
	return nil
}

// outcomes are pass, fail or skip by the name of a test; "" is the whole binary.
type outcomes map[string]string

// leaves are the tests without subtests. A test that fails although its subtests do not
// counts as one.
func (o outcomes) leaves() []string {
	parents := map[string]bool{}
	failed := map[string]bool{}
	for test := range o {
		for parent := test; strings.Contains(parent, "/"); {
			parent = parent[:strings.LastIndexByte(parent, '/')]
			parents[parent] = true
			failed[parent] = failed[parent] || o[test] == "fail"
		}
	}
	var leaves []string
	for test, outcome := range o {
		if test != "" && (!parents[test] || outcome == "fail" && !failed[test]) {
			leaves = append(leaves, test)
		}
	}
	slices.Sort(leaves)
	return leaves
}

func readOutcomes(path string) (outcomes, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	o := outcomes{"": "fail"}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		var event struct{ Action, Test string }
		if json.Unmarshal(line, &event) == nil {
			switch event.Action {
			case "run":
				o[event.Test] = "fail" // until it ends
			case "pass", "fail", "skip":
				o[event.Test] = event.Action
			}
		}
		if err != nil {
			return o, nil // the end
		}
	}
}

// readStarts counts how the schedulers were started.
func readStarts(path string) (string, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "none started", nil
	}
	if err != nil {
		return "", err
	}
	count := map[string]int{}
	var order []string
	for _, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
		how, _, _ := strings.Cut(line, ":")
		if count[how]++; count[how] == 1 {
			order = append(order, how)
		}
	}
	var parts []string
	for _, how := range order {
		parts = append(parts, fmt.Sprintf("%d %s", count[how], how))
	}
	return strings.Join(parts, ", "), nil
}
