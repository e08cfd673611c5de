// Command compare runs the real descheduler and `vicinal deschedule` on generated clusters
// and compares what they evict. What differs must have one of a few reasons, which are
// checked with the stock scheduler's plugins; a case that differs without one fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/util/workqueue"

	"vicinal/test/conformance/stock"
)

func main() {
	cases := flag.Uint64("cases", 1000, "how many clusters")
	seed := flag.Uint64("seed", 1, "of the generator")
	only := flag.Int64("case", -1, "only the case of this index")
	vicinalPath := flag.String("vicinal", "", "the vicinal binary")
	referencePath := flag.String("reference", "", "the binary of test/deschedule/reference")
	folder := flag.String("output", "", "folder for the list of differences and for failing cases; default: a new one")
	flag.Parse()
	if *folder == "" {
		var err error
		if *folder, err = os.MkdirTemp("", "vicinal-deschedule-differences-"); err != nil {
			fmt.Fprintln(os.Stderr, "compare:", err)
			os.Exit(1)
		}
	}
	if err := run(*cases, *seed, *only, *vicinalPath, *referencePath, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(cases, seed uint64, only int64, vicinalPath, referencePath, folder string) error {
	reference, err := startReference(referencePath)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stockScheduler, err := stock.NewScheduler(ctx)
	if err != nil {
		return err
	}
	j := judge{descheduler: reference.run, vicinal: vicinal{vicinalPath}.plan, scheduler: scheduler{stockScheduler}}
	fmt.Printf("seed %d, %d cases\n", seed, cases)
	s := summary{folder: folder, perStrategy: map[string]*tally{}, classes: map[string]int{}}
	each := func(i uint64) {
		c := generate(seed, i)
		o, err := j.compare(c)
		if err != nil {
			o.broken = append(o.broken, err.Error())
		}
		s.add(c, o)
	}
	if only >= 0 {
		each(uint64(only))
		return errors.Join(s.print(), reference.stop())
	}
	sideBySide(cases, each)
	return errors.Join(s.print(), loops(j), wrongToolsFail(j, seed), reference.stop())
}

// sideBySide calls f with 0, 1, … count-1. Most of the time is waiting for the two tools.
func sideBySide(count uint64, f func(uint64)) {
	workqueue.ParallelizeUntil(context.Background(), 6, int(count), func(i int) { f(uint64(i)) })
}

// maxNotFewest is how many cases in a hundred may have more evictions than the
// descheduler's without a better end. A plan takes one pod after the other and none back.
const maxNotFewest = 1

// tally of the cases of a strategy.
type tally struct{ cases, idle, same, fewer, more, descheduled, evicted, most int }

type summary struct {
	folder string

	mu          sync.Mutex
	perStrategy map[string]*tally // guarded by mu, as all that follows
	classes     map[string]int
	differing   []string
	failures    []string
}

func (s *summary) add(c testCase, o outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.perStrategy[c.strategy]
	if t == nil {
		t = &tally{}
		s.perStrategy[c.strategy] = t
	}
	t.cases++
	t.descheduled += o.descheduled
	t.evicted += o.evicted
	t.most = max(t.most, o.passes)
	switch {
	case o.evicted == 0 && o.descheduled == 0:
		t.idle++
	case o.evicted == o.descheduled:
		t.same++
	case o.evicted < o.descheduled:
		t.fewer++
	default:
		t.more++
	}
	for _, d := range o.differences {
		s.classes[d.class]++
	}
	text := fmt.Sprintf("case %s %s: %s", c.id, c.strategy, o)
	if len(o.differences) > 0 {
		s.differing = append(s.differing, text)
	}
	if len(o.broken) > 0 {
		s.failures = append(s.failures, text+"\n    saved in "+s.save(c))
	}
}

// save writes a failing case, for `vicinal deschedule`.
func (s *summary) save(c testCase) string {
	name := filepath.Join(s.folder, "failed-"+strings.ReplaceAll(c.id, "/", "-"))
	dump, err := c.cluster.dump()
	if err == nil {
		err = os.WriteFile(name+".json", dump, 0o600)
	}
	if err == nil {
		err = os.WriteFile(name+".yaml", []byte(c.policy.vicinalFile()), 0o600)
	}
	if err != nil {
		return err.Error()
	}
	return name + ".{json,yaml}"
}

func (s *summary) print() error {
	fmt.Printf("%-45s %6s %6s %6s %6s %6s %12s %8s %7s\n", "strategy", "cases", "idle", "same", "fewer", "more", "descheduler", "vicinal", "passes")
	for _, name := range strategies {
		if t := s.perStrategy[name]; t != nil {
			fmt.Printf("%-45s %6d %6d %6d %6d %6d %12d %8d %7d\n", name, t.cases, t.idle, t.same, t.fewer, t.more, t.descheduled, t.evicted, t.most)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(s.classes)) {
		fmt.Printf("%6d × %s\n", s.classes[class], class)
	}
	slices.Sort(s.differing)
	list := filepath.Join(s.folder, "differences.txt")
	if err := os.WriteFile(list, []byte(strings.Join(append(s.differing, ""), "\n")), 0o600); err != nil {
		return err
	}
	fmt.Printf("%d cases differ, each with its reason in %s\n", len(s.differing), list)
	cases := 0
	for _, t := range s.perStrategy {
		cases += t.cases
	}
	if count := s.classes[notFewest]; count > 1+cases*maxNotFewest/100 {
		s.failures = append(s.failures, fmt.Sprintf("%d of %d cases need more evictions than the descheduler, for no more", count, cases))
	}
	if len(s.failures) > 0 {
		return fmt.Errorf("%d failures\n%s", len(s.failures), strings.Join(s.failures, "\n"))
	}
	return nil
}
