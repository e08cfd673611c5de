// Package subject drives the program under test.
package subject

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// batchTimeout bounds one process; a batch takes seconds.
const batchTimeout = 3 * time.Minute

// Answers feeds the lines to one `vicinal explain --batch` with further arguments
// and returns the lines it writes. If the process ends early, hangs or fails, the answers that came
// before are returned with the error.
func Answers(ctx context.Context, binary string, arguments []string, lines [][]byte) ([][]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append([]string{"explain", "--batch"}, arguments...)...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		// A process that ends early shows in the number of its answers.
		w := bufio.NewWriterSize(stdin, 1<<20)
		for _, line := range lines {
			w.Write(line)
			w.WriteByte('\n')
		}
		w.Flush()
		stdin.Close()
	}()
	answers, readErr := readLines(stdout)
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("no end after %v", batchTimeout)
	case err != nil:
		err = fmt.Errorf("%w: %s", err, tail(stderr.Bytes()))
	case readErr != nil:
		err = readErr
	case len(answers) != len(lines):
		err = fmt.Errorf("%d answers to %d lines", len(answers), len(lines))
	}
	return answers, err
}

func readLines(from io.Reader) ([][]byte, error) {
	var out [][]byte
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if err == nil {
			out = append(out, bytes.TrimSuffix(line, []byte("\n")))
		} else if errors.Is(err, io.EOF) {
			return out, nil // what follows the last newline is no answer
		} else {
			return out, err
		}
	}
}

func tail(text []byte) []byte {
	text = bytes.TrimSpace(text)
	return text[max(0, len(text)-400):]
}
