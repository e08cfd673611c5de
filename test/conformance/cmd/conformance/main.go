// Command conformance compares vicinal with the stock scheduler's plugins, case by
// case: the named cases and regressions of testdata, and generated ones.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"vicinal/test/conformance/stock"
)

type options struct {
	cases, seed  uint64
	first        uint64
	workers      int
	batch        uint64
	binary       string
	testdata     string
	shrunk       string
	shrinkAtMost int
	gates        string
	release      string
}

// arguments are vicinal's, for the same scheduler.
func (o options) arguments() []string {
	arguments := []string{"--kubernetes-release", o.release}
	if o.gates != "" {
		arguments = append(arguments, "--feature-gates", o.gates)
	}
	return arguments
}

func main() {
	var o options
	flag.Uint64Var(&o.cases, "cases", 20000, "number of generated cases")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the generated cases")
	flag.Uint64Var(&o.first, "first", 0, "index of the first generated case")
	flag.IntVar(&o.workers, "workers", 2, "batches worked on at the same time")
	flag.Uint64Var(&o.batch, "batch", 1000, "cases per vicinal process")
	flag.StringVar(&o.binary, "vicinal", os.Getenv("VICINAL_BIN"), "the vicinal binary; without one only the stock code runs, for the coverage table")
	flag.StringVar(&o.testdata, "testdata", "testdata", "directory with the named and regression cases")
	flag.StringVar(&o.shrunk, "shrunk", filepath.Join(os.TempDir(), "vicinal-conformance"), "directory for the reduced cases of differences")
	flag.IntVar(&o.shrinkAtMost, "shrink", 5, "how many differences to reduce")
	flag.StringVar(&o.gates, "feature-gates", "", "feature gates of the scheduler, as its own flag has them")
	flag.StringVar(&o.release, "as", stock.Release, "the release whose answers vicinal is to give")
	flag.Parse()
	if err := utilfeature.DefaultMutableFeatureGate.Set(o.gates); err != nil {
		fmt.Fprintln(os.Stderr, "conformance: --feature-gates:", err)
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := newReport(o)
	if err := run(ctx, o, r); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	}
	if !r.print(ctx) {
		os.Exit(1)
	}
}
