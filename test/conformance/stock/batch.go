package stock

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Serve answers a batch, line by line. A line that is not a case gets a BadLine
// and the batch goes on; line numbers start at 1. It fails on I/O errors only.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := NewScheduler(ctx)
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(in, 1<<20)
	w := bufio.NewWriterSize(out, 1<<20)
	for number := 1; ; number++ {
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) == 0 {
			return w.Flush()
		}
		text, _ := s.AnswerLine(bytes.TrimSuffix(line, []byte("\n")), number)
		if _, err := w.Write(append(text, '\n')); err != nil {
			return err
		}
		if r.Buffered() == 0 { // an interactive caller waits for this answer
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

// AnswerLine answers one line of a batch, without the newline. For a line that
// is not a case the second result is nil.
func (s *Scheduler) AnswerLine(line []byte, number int) ([]byte, *Answer) {
	c, err := ParseCase(line)
	var answer *Answer
	if err == nil {
		answer, err = s.Answer(c)
	}
	if err != nil {
		return marshal(BadLine{ID: c.ID, Error: fmt.Sprintf("line %d: %v", number, err)}), nil
	}
	return marshal(answer), answer
}

// marshal leaves <, > and & as they are.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // answers and bad lines always marshal
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
