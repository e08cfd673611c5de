// Command run measures vicinal against the stock scheduler's plugins and against
// a server that does nothing. test/bench/run builds and starts it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vicinal/test/bench/answers"
	"vicinal/test/bench/cluster"
	"vicinal/test/bench/plugins"
	"vicinal/test/bench/process"
)

type options struct {
	nodes          []int
	podsPerNode    int
	quick          bool
	feasibleOnly   bool
	questionsBench string
	vicinal        string
	folder         string // for files of this run
}

func main() {
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == "stock":
		err = stock(os.Args[2:])
	case len(os.Args) > 1 && os.Args[1] == "echo":
		err = echo(os.Args[2:])
	case len(os.Args) > 1 && os.Args[1] == "generate":
		err = generate(os.Args[2:])
	default:
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	o := options{}
	nodes := flag.String("nodes", "1000,5000,15000", "sizes of the clusters")
	flag.IntVar(&o.podsPerNode, "pods-per-node", 30, "")
	flag.BoolVar(&o.quick, "quick", false, "one small cluster and few repetitions: checks the answers, measures little")
	flag.BoolVar(&o.feasibleOnly, "feasible", false, "score only the nodes that fit, on both sides")
	parts := flag.String("parts", "plugins,flat,http", "which parts to run")
	flag.StringVar(&o.questionsBench, "questions-bench", "", "the binary of //test/bench:questions_bench")
	flag.StringVar(&o.vicinal, "vicinal", "", "the binary of //server:vicinal")
	flag.Parse()
	if o.quick {
		*nodes = "1000"
	}
	for _, n := range strings.Split(*nodes, ",") {
		count, err := strconv.Atoi(n)
		if err != nil || count <= 0 {
			return fmt.Errorf("--nodes: %q is not a number of nodes", n)
		}
		o.nodes = append(o.nodes, count)
	}
	var err error
	if o.folder, err = os.MkdirTemp("", "vicinal-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.folder)
	for _, part := range strings.Split(*parts, ",") {
		measure, known := map[string]func(*options) error{"plugins": comparePlugins, "flat": flatness, "http": compareHTTP}[part]
		if !known {
			return fmt.Errorf("--parts: %q is none of plugins, flat, http", part)
		}
		if err := measure(&o); err != nil {
			return err
		}
	}
	return nil
}

// generate writes a cluster and questions of one kind about it, for profile.
func generate(args []string) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	folder := flags.String("folder", "", "gets cluster.json and questions")
	question := flags.String("question", "", "")
	size := cluster.Size{}
	flags.IntVar(&size.Nodes, "nodes", 5000, "")
	flags.IntVar(&size.PodsPerNode, "pods-per-node", 30, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !slices.Contains(cluster.Questions(), *question) {
		return fmt.Errorf("--question: %q is none of %q", *question, cluster.Questions())
	}
	c := cluster.New(size)
	if err := c.WriteFile(filepath.Join(*folder, "cluster.json")); err != nil {
		return err
	}
	return cluster.WriteSteps(filepath.Join(*folder, "questions"), c.Steps(3*cluster.AppsPerQuestion, []string{*question}))
}

// files of one cluster.
type files struct{ cluster, steps string }

// generate writes a cluster and repeats questions of each kind about it.
func (o *options) generate(size cluster.Size, repeats int) (files, error) {
	base := filepath.Join(o.folder, fmt.Sprintf("%d-%d", size.Nodes, size.PodsPerNode))
	f := files{base + ".json", base + ".steps"}
	c := cluster.New(size)
	if err := c.WriteFile(f.cluster); err != nil {
		return f, err
	}
	return f, cluster.WriteSteps(f.steps, c.Steps(repeats, cluster.Questions()))
}

// askVicinal has the questions answered by vicinal, rounds times.
func (o *options) askVicinal(f files, rounds int, more ...string) (string, error) {
	path := f.steps + ".vicinal"
	args := append([]string{"--cluster=" + f.cluster, "--questions=" + f.steps, "--answers=" + path, "--rounds=" + strconv.Itoa(rounds)}, more...)
	if o.feasibleOnly {
		args = append(args, "--feasible")
	}
	_, err := process.Output(o.questionsBench, args...)
	return path, err
}

// askStock has them answered by the stock plugins in a process of their own, so
// that its heap is that of the scheduler.
func (o *options) askStock(f files) (string, error) {
	path := f.steps + ".stock"
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	args := []string{"stock", "--cluster=" + f.cluster, "--questions=" + f.steps, "--answers=" + path}
	if o.feasibleOnly {
		args = append(args, "--feasible")
	}
	_, err = process.Output(self, args...)
	return path, err
}

// stock is the process that askStock starts.
func stock(args []string) error {
	flags := flag.NewFlagSet("stock", flag.ContinueOnError)
	clusterFile := flags.String("cluster", "", "")
	questions := flags.String("questions", "", "")
	answersFile := flags.String("answers", "", "")
	feasible := flags.Bool("feasible", false, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	steps, err := cluster.ReadSteps(*questions)
	if err != nil {
		return err
	}
	scheduler, err := plugins.New(ctx, *clusterFile, steps)
	if err != nil {
		return err
	}
	out, err := os.Create(*answersFile)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(scheduler.Memory); err != nil {
		return err
	}
	err = scheduler.Take(ctx, steps, *feasible, func(times answers.Times, answer *answers.Answer) error {
		if err := encoder.Encode(times); err != nil {
			return err
		}
		return encoder.Encode(answer)
	})
	if err != nil {
		return err
	}
	return out.Close()
}
