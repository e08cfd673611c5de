// Package noopapi measures how many pods per second the scheduler places, alone and with
// vicinal beside it, when nothing but the scheduler limits it: its library runs over an
// API that costs next to nothing (test/load/noop). test/load/throughput builds and starts
// the command, which is test/plugin/throughput: there the scheduler's plugins are known.
//
// One process per mode has the cluster, the API, the scheduler, and vicinal as a
// process of its own; they take turns with each kind of pods.
package noopapi

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"vicinal/test/load/placing"
)

type options struct {
	nodes, podsPerNode, pods  int
	bursts                    int
	vicinal, root             string
	percentage                int
	modes, kinds, profileInto string
	plugins                   func() frameworkruntime.Registry // of the mode plugin
}

// The stock scheduler comes first: the others are compared with it.
var modes = []string{"stock", "decide", "advise", "plugin"}

// Bounds to compare with, which break rules: the two plugins disabled, alone (off) and
// with an extender that answers a node without a look at it (nothing).
var bounds = []string{"off", "nothing"}

// decide-tls is decide over mutual TLS, as in the overlays: not by default, for decide
// stands beside it then.
const decideTLS = "decide-tls"

// Main is the command. plugins makes those of one scheduler in the mode plugin.
func Main(plugins func() frameworkruntime.Registry) {
	if err := run(plugins); err != nil {
		fmt.Fprintln(os.Stderr, "throughput:", err)
		os.Exit(1)
	}
}

func run(plugins func() frameworkruntime.Registry) error {
	o := options{plugins: plugins}
	flag.IntVar(&o.nodes, "nodes", 1000, "nodes of the cluster")
	flag.IntVar(&o.podsPerNode, "pods-per-node", 30, "pods that run on each")
	flag.IntVar(&o.pods, "pods", 500, "pods to place, of each kind")
	flag.IntVar(&o.bursts, "bursts", 1, "how often each mode places the pods of a kind; a row is the burst whose rate is the median")
	flag.IntVar(&o.percentage, "percentage-of-nodes-to-score", 0, "of the scheduler's configuration; 0: its default")
	flag.StringVar(&o.modes, "modes", strings.Join(modes, ","), "which modes")
	flag.StringVar(&o.kinds, "kinds", strings.Join(placing.Kinds(), ";"), "which kinds of pods, separated by ;")
	flag.StringVar(&o.vicinal, "vicinal", "", "the binary of //server:vicinal")
	flag.StringVar(&o.root, "root", "", "the repository")
	flag.StringVar(&o.profileInto, "profile", "", "folder for Go's CPU profiles of the schedulers, and vicinal's last metrics")
	mode := flag.String("mode", "", "be the process of this mode")
	flag.Parse()
	if o.nodes <= 0 || o.podsPerNode <= 0 || o.pods <= 1 {
		return errors.New("--nodes and --pods-per-node must be at least 1, --pods at least 2")
	}
	if o.bursts <= 0 {
		return fmt.Errorf("--bursts: %d is less than 1", o.bursts)
	}
	if *mode != "" {
		return serve(&o, *mode)
	}
	return compare(&o)
}

// compare has each mode place the pods of each kind, in turns.
func compare(o *options) error {
	chosen := strings.Split(o.modes, ",")
	var processes []*process
	defer func() {
		for _, p := range processes {
			p.stop()
		}
	}()
	for _, mode := range chosen {
		if known := append(slices.Concat(modes, bounds), decideTLS); !slices.Contains(known, mode) {
			return fmt.Errorf("--modes: %q is none of %q", mode, known)
		}
		p, err := start(mode)
		if err != nil {
			return err
		}
		processes = append(processes, p)
	}
	var rows []placing.Row
	for kind := range strings.SplitSeq(o.kinds, ";") {
		bursts := map[string][]placing.Row{}
		for range o.bursts {
			for _, p := range processes {
				row, err := p.place(kind)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", kind, p.mode, err)
				}
				bursts[p.mode] = append(bursts[p.mode], row)
				fmt.Fprintf(os.Stderr, "%s, %s: %.0f pods/s\n", kind, p.mode, row.PodsPerSecond)
			}
			slices.Reverse(processes) // None is always the first: a machine's speed changes.
		}
		for _, mode := range chosen {
			rows = append(rows, placing.Median(bursts[mode]))
		}
	}
	fmt.Printf("%d nodes, %d pods before, %d times %d pods of each kind; the scheduler's library over a no-op API", o.nodes, o.nodes*o.podsPerNode, o.bursts, o.pods)
	if o.percentage > 0 {
		fmt.Printf("; percentageOfNodesToScore %d", o.percentage)
	}
	fmt.Print("\n\n")
	placing.Print(os.Stdout, rows, []string{"scheduler + API", "vicinal"})
	return placing.Record(rows, "no-op API", o.nodes)
}

// process is the process of a mode, as the one that compares sees it. It reads kinds
// from its standard input, and writes a line for each: its row, or what went wrong.
type process struct {
	mode    string
	command *exec.Cmd
	kinds   io.WriteCloser
	lines   *bufio.Reader
}

type reply struct {
	Row   placing.Row
	Error string
}

func start(mode string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{mode: mode, command: exec.Command(self, append(os.Args[1:], "--mode="+mode)...)}
	p.command.Stderr = os.Stderr
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if p.kinds, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewReader(stdout)
	return p, p.command.Start()
}

func (p *process) place(kind string) (placing.Row, error) {
	var r reply
	if _, err := fmt.Fprintln(p.kinds, kind); err != nil {
		return r.Row, err
	}
	line, err := p.lines.ReadBytes('\n')
	if err != nil {
		return r.Row, fmt.Errorf("its process has ended: %w", err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r.Row, err
	}
	if r.Error != "" {
		return r.Row, errors.New(r.Error)
	}
	return r.Row, nil
}

// stop ends it: its standard input has an end.
func (p *process) stop() {
	p.kinds.Close()
	_ = p.command.Wait() // what went wrong it has said
}
