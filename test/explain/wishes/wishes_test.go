// Package wishes runs the table of test/README.md that says what `vicinal explain` answers.
package wishes

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// row is a line of the table: `| wish | command | exit status | prints |`. What is printed
// are parts of the output or of the standard error, each in backquotes.
type row struct {
	wish, command string
	exit          int
	prints        []string
}

const heading = "| `explain` | command, in `explain/wishes/testdata` | exit | prints |"

func rows(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), heading+"\n")
	if !found {
		t.Fatalf("test/README.md has no table %q", heading)
	}
	var all []row
	for _, line := range strings.Split(table, "\n")[1:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if len(cells) != 4 {
			t.Fatalf("%d cells in %q", len(cells), line)
		}
		exit, err := strconv.Atoi(strings.TrimSpace(cells[2]))
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		one := row{strings.TrimSpace(cells[0]), strings.Trim(cells[1], " `"), exit, nil}
		for i, part := range strings.Split(cells[3], "`") {
			if i%2 == 1 {
				one.prints = append(one.prints, part)
			}
		}
		all = append(all, one)
	}
	return all
}

func TestExplainAnswersAsTheTableSays(t *testing.T) {
	binary := os.Getenv("VICINAL_BIN")
	if binary == "" {
		t.Fatal("VICINAL_BIN is not set")
	}
	all := rows(t)
	if len(all) < 15 {
		t.Fatalf("only %d rows", len(all))
	}
	for _, one := range all {
		t.Run(one.wish, func(t *testing.T) {
			words := strings.Fields(one.command)
			if words[0] != "vicinal" || len(one.prints) == 0 {
				t.Fatalf("%+v", one)
			}
			command := exec.Command(binary, words[1:]...)
			command.Dir = "testdata"
			var out bytes.Buffer
			command.Stdout, command.Stderr = &out, &out
			exit := 0
			if err := command.Run(); err != nil {
				var exited *exec.ExitError
				if !errors.As(err, &exited) {
					t.Fatal(err)
				}
				exit = exited.ExitCode()
			}
			if exit != one.exit {
				t.Errorf("exit status %d, want %d\n%s", exit, one.exit, out.String())
			}
			// Lines are broken where the terminal ends.
			printed := strings.Join(strings.Fields(out.String()), " ")
			for _, part := range one.prints {
				if !strings.Contains(printed, strings.Join(strings.Fields(part), " ")) {
					t.Errorf("does not print %q\n%s", part, out.String())
				}
			}
		})
	}
}
