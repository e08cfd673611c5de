package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"vicinal/test/conformance/cases"
	"vicinal/test/conformance/compare"
	"vicinal/test/conformance/coverage"
	"vicinal/test/conformance/stock"
	"vicinal/test/conformance/subject"
)

// run compares the committed cases and then the generated ones, batch by batch,
// so that what it keeps does not grow with their number.
func run(ctx context.Context, o options, r *report) error {
	committed, err := committedCases(o.testdata, o.gates)
	if err != nil {
		return err
	}
	s, err := stock.NewScheduler(ctx)
	if err != nil {
		return err
	}
	if err := compareBatch(ctx, o, s, committed, r); err != nil {
		return err
	}

	batches := make(chan uint64)
	failures := make([]error, o.workers)
	var workers sync.WaitGroup
	for w := range o.workers {
		workers.Go(func() {
			s, err := stock.NewScheduler(ctx)
			for first := range batches {
				if err == nil {
					err = compareBatch(ctx, o, s, generated(o, first), r)
				}
			}
			failures[w] = err
		})
	}
	for done := uint64(0); done < o.cases && ctx.Err() == nil; done += o.batch {
		batches <- o.first + done
	}
	close(batches)
	workers.Wait()
	return errors.Join(append(failures, ctx.Err())...)
}

// candidate is a case to compare; expect is nil unless a named case says what
// the stock code has to answer.
type candidate struct {
	id     string
	line   []byte
	tags   []string
	expect *expectation
}

func generated(o options, first uint64) []candidate {
	last := min(first+o.batch, o.first+o.cases)
	out := make([]candidate, 0, last-first)
	for index := first; index < last; index++ {
		g := cases.Generate(o.seed, index)
		out = append(out, candidate{id: g.ID, line: g.Line, tags: g.Tags})
	}
	return out
}

func compareBatch(ctx context.Context, o options, s *stock.Scheduler, batch []candidate, r *report) error {
	table := coverage.NewTable()
	want := make([][]byte, len(batch))
	lines := make([][]byte, len(batch))
	for i, c := range batch {
		lines[i] = c.line
		var answer *stock.Answer
		want[i], answer = s.AnswerLine(c.line, i+1)
		table.Add(c.tags, answer)
		if c.expect != nil {
			for _, d := range c.expect.check(answer) {
				r.add(c, compare.Difference{Kind: "stock code", Where: d.Where, Want: d.Want, Got: d.Got + " of the stock code"})
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	r.count(len(batch), table)
	if o.binary == "" {
		return nil
	}
	// A process that dies costs the case it died of; the rest goes to a new one.
	for at := 0; at < len(batch); {
		got, err := subject.Answers(ctx, o.binary, o.arguments(), lines[at:])
		if ctx.Err() != nil {
			return ctx.Err()
		}
		got = got[:min(len(got), len(lines)-at)]
		for i := range got {
			for _, d := range compare.Answers(want[at+i], got[i], i+1) {
				r.add(batch[at+i], d)
			}
		}
		at += len(got)
		if err != nil {
			if at == len(batch) {
				return fmt.Errorf("vicinal: %w", err)
			}
			if !r.died(batch[at], err) {
				return fmt.Errorf("vicinal: %w", err)
			}
			at++
		}
	}
	return nil
}

// differsLike says whether the two still differ on a case, in the kind of place
// given. It answers false for a case that the stock code cannot read.
func differsLike(ctx context.Context, o options, s *stock.Scheduler, kind string) func([]byte) bool {
	return func(line []byte) bool {
		want, answer := s.AnswerLine(line, 1)
		if answer == nil {
			return false
		}
		got, err := subject.Answers(ctx, o.binary, o.arguments(), [][]byte{line})
		if err != nil || len(got) != 1 {
			return kind == diedKind && ctx.Err() == nil
		}
		for _, d := range compare.Answers(want, got[0], 1) {
			if d.Kind == kind {
				return true
			}
		}
		return false
	}
}
