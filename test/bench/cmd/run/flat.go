package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vicinal/test/bench/answers"
	"vicinal/test/bench/cluster"
	"vicinal/test/bench/results"
)

// flatness prints how vicinal's time grows with the cluster when the question
// does not: with the nodes, and with the pods on each of them.
func flatness(o *options) error {
	few, many, candidates := 1000, 15000, 1000
	density, pods := 5000, []int{10, 30, 90}
	repeats, rounds, turns := 3*cluster.AppsPerQuestion, 10, 3
	if o.quick {
		few, many, candidates, density, pods = 200, 1000, 200, 500, []int{10, 30}
		repeats, rounds, turns = 2*cluster.AppsPerQuestion, 2, 1
	}
	names := filepath.Join(o.folder, "candidates")
	var list strings.Builder
	for i := range candidates {
		fmt.Fprintln(&list, cluster.NodeName(i))
	}
	if err := os.WriteFile(names, []byte(list.String()), 0o600); err != nil {
		return err
	}

	fmt.Printf("## vicinal alone: CPU ms as the cluster grows\n\nMedian of %d questions, of each the fastest of %d times; the lowest of %d turns.\n\n", repeats-cluster.AppsPerQuestion, rounds, turns)
	byNodes, err := inTurns(turns, []int{few, many}, func(nodes int) ([]timed, error) {
		return o.vicinalTimes(cluster.Size{Nodes: nodes, PodsPerNode: o.podsPerNode}, repeats, rounds, "--candidates="+names)
	})
	if err != nil {
		return err
	}
	small, large := byNodes[0], byNodes[1]
	fmt.Printf("The same %d candidates, %d pods per node:\n\n", candidates, o.podsPerNode)
	fmt.Printf("| incoming pod | %d nodes | %d nodes | growth | that fit |\n|---|---|---|---|---|\n", few, many)
	for i, r := range small {
		fmt.Printf("| %s | %.3f | %.3f | %s | %.0f, %.0f |\n", r.question, r.cpu, large[i].cpu, growth(r.cpu, large[i].cpu), r.feasible, large[i].feasible)
		if err := record(r, fmt.Sprintf("%d candidates", candidates), few); err != nil {
			return err
		}
		if err := record(large[i], fmt.Sprintf("%d candidates", candidates), many); err != nil {
			return err
		}
	}

	columns, err := inTurns(turns, pods, func(perNode int) ([]timed, error) {
		return o.vicinalTimes(cluster.Size{Nodes: density, PodsPerNode: perNode}, repeats, rounds)
	})
	if err != nil {
		return err
	}
	fmt.Printf("\nAll %d nodes, by pods per node:\n\n| incoming pod |", density)
	for _, perNode := range pods {
		fmt.Printf(" %d |", perNode)
	}
	fmt.Printf(" growth | that fit |\n|---|%s---|---|\n", strings.Repeat("---|", len(pods)))
	for row, r := range columns[0] {
		fmt.Printf("| %s |", r.question)
		for _, column := range columns {
			fmt.Printf(" %.3f |", column[row].cpu)
		}
		last := columns[len(pods)-1][row]
		fmt.Printf(" %s | %.0f, %.0f |\n", growth(r.cpu, last.cpu), r.feasible, last.feasible)
		for i, perNode := range pods {
			if err := record(columns[i][row], fmt.Sprintf("%d pods per node", perNode), density); err != nil {
				return err
			}
		}
	}
	fmt.Println()
	return nil
}

// inTurns measures clusters of several sizes one after another, several times, and
// returns the lowest times of each: a machine may be slower for some minutes.
func inTurns(turns int, sizes []int, measure func(size int) ([]timed, error)) ([][]timed, error) {
	best := make([][]timed, len(sizes))
	for range turns {
		for i, size := range sizes {
			rows, err := measure(size)
			if err != nil {
				return nil, err
			}
			if best[i] == nil {
				best[i] = rows
			}
			for row, r := range rows {
				best[i][row].cpu = min(best[i][row].cpu, r.cpu)
			}
		}
	}
	return best, nil
}

func record(r timed, of string, nodes int) error {
	return results.Record("flat", fmt.Sprintf("%d nodes, %s, %s", nodes, of, r.question), map[string]float64{"vicinal CPU ms": r.cpu})
}

func growth(from, to float64) string { return fmt.Sprintf("%+.0f %%", (to/from-1)*100) }

// timed is a kind of question with the medians of its times, and of the nodes
// that fit: more reasons to write take more time.
type timed struct {
	question      string
	cpu, feasible float64
}

func (o *options) vicinalTimes(size cluster.Size, repeats, rounds int, more ...string) ([]timed, error) {
	f, err := o.generate(size, repeats)
	if err != nil {
		return nil, err
	}
	path, err := o.askVicinal(f, rounds, more...)
	if err != nil {
		return nil, err
	}
	reader, _, err := answers.Open(path)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var result []timed
	var cpu, feasible []float64
	asked := 0
	for {
		times, answer, err := reader.Next()
		if err == io.EOF {
			return result, nil
		}
		if err != nil {
			return nil, err
		}
		if len(result) == 0 || result[len(result)-1].question != times.Question {
			result = append(result, timed{question: times.Question})
			cpu, feasible, asked = nil, nil, 0
		}
		if asked++; asked > cluster.AppsPerQuestion { // the others warm up
			cpu, feasible = append(cpu, slices.Min(times.CPU)), append(feasible, float64(answer.Feasible()))
			result[len(result)-1].cpu, result[len(result)-1].feasible = median(cpu), median(feasible)
		}
	}
}
