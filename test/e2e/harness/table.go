package harness

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Tell adds a row to the table of what has been tried, a line of Markdown at the end of
// the file $VICINAL_SEAM_TABLE; test/e2e/seam prints it.
func Tell(t testing.TB, tried, vicinal, inTree string) {
	t.Helper()
	row := "| " + strings.Join([]string{tried, vicinal, inTree}, " | ") + " |"
	t.Log(row)
	path := os.Getenv("VICINAL_SEAM_TABLE")
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(file, row)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
