package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"vicinal/test/bench/answers"
	"vicinal/test/bench/cluster"
	"vicinal/test/bench/results"
)

// row is one kind of question about one cluster.
type row struct {
	question       string
	asked          int
	feasible       []float64
	stock, vicinal answers.Times
	first          []float64 // ms of vicinal, for an app that was not asked about before
	difference     string
}

// comparePlugins prints the table of the plugins' own time and memory.
func comparePlugins(o *options) error {
	scored := "all nodes"
	if o.feasibleOnly {
		scored = "the nodes that fit"
	}
	fmt.Printf("## InterPodAffinity + PodTopologySpread: filter over all nodes, score over %s\n\n", scored)
	fmt.Printf("stock: Kubernetes 1.37.1, parallelism 16, GOMAXPROCS %d; vicinal: one thread. Medians in ms of questions for %d apps in turn;\n", runtime.GOMAXPROCS(0), cluster.AppsPerQuestion)
	fmt.Print("before each question one pod that matters to it leaves the cluster and the last one returns.\n")
	fmt.Print("ratio: of the wall times; by CPU: (stock CPU / GOMAXPROCS) / vicinal CPU, which other load on the machine does not change and which\n")
	fmt.Print("takes the stock plugins for perfectly parallel; first: vicinal about an app that was never asked about before.\n\n")
	fmt.Println("| nodes | incoming pod | that fit | stock ms | CPU ms | vicinal ms | CPU ms | ratio | by CPU | first ms | B/pod stock | B/pod vicinal | answers equal |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	repeats, rounds := 3*cluster.AppsPerQuestion, 5
	if o.quick {
		repeats, rounds = 2*cluster.AppsPerQuestion, 2
	}
	differ := false
	for _, n := range o.nodes {
		f, err := o.generate(cluster.Size{Nodes: n, PodsPerNode: o.podsPerNode}, repeats)
		if err != nil {
			return err
		}
		stock, err := o.askStock(f)
		if err != nil {
			return err
		}
		vicinal, err := o.askVicinal(f, rounds)
		if err != nil {
			return err
		}
		rows, stockMemory, vicinalMemory, err := readAnswers(stock, vicinal)
		if err != nil {
			return err
		}
		for _, r := range rows {
			equal := "yes"
			if r.difference != "" {
				equal, differ = "NO: "+r.difference, true
			}
			stockCPU, vicinalCPU := median(r.stock.CPU), median(r.vicinal.CPU)
			fmt.Printf("| %d | %s | %.0f | %.2f | %.2f | %.3f | %.3f | %.0f | %.0f | %.3f | %d | %d | %s |\n", n, r.question, median(r.feasible),
				median(r.stock.Wall), stockCPU, median(r.vicinal.Wall), vicinalCPU,
				median(r.stock.Wall)/median(r.vicinal.Wall), stockCPU/float64(runtime.GOMAXPROCS(0))/vicinalCPU, median(r.first),
				stockMemory.Allocated/stockMemory.Pods, vicinalMemory.Resident/vicinalMemory.Pods, equal)
			err := results.Record("plugins", fmt.Sprintf("%d nodes, %s", n, r.question), map[string]float64{
				"stock ms": median(r.stock.Wall), "stock CPU ms": stockCPU, "vicinal ms": median(r.vicinal.Wall), "vicinal CPU ms": vicinalCPU,
			})
			if err != nil {
				return err
			}
		}
		fmt.Printf("| %d | memory, MiB: stock heap %d, VmRSS %d; vicinal VmRSS %d; %d pods |\n", n, stockMemory.Allocated>>20, stockMemory.Resident>>20, vicinalMemory.Resident>>20, vicinalMemory.Pods)
		err = results.Record("plugins", fmt.Sprintf("%d nodes, memory", n), map[string]float64{
			"stock B/pod": float64(stockMemory.Allocated) / float64(stockMemory.Pods), "vicinal B/pod": float64(vicinalMemory.Resident) / float64(vicinalMemory.Pods),
		})
		if err != nil {
			return err
		}
	}
	fmt.Print("\nB/pod: growth by loading the cluster, divided by its pods. stock: heap after collection, of the objects, the scheduler's cache and its snapshot;\nvicinal: VmRSS of a process that holds only the ClusterState.\n\n")
	if differ {
		return errors.New("vicinal and the stock plugins answer differently")
	}
	return nil
}

func readAnswers(stockFile, vicinalFile string) ([]*row, *answers.Memory, *answers.Memory, error) {
	stock, stockMemory, err := answers.Open(stockFile)
	if err != nil {
		return nil, nil, nil, err
	}
	defer stock.Close()
	vicinal, vicinalMemory, err := answers.Open(vicinalFile)
	if err != nil {
		return nil, nil, nil, err
	}
	defer vicinal.Close()
	if stockMemory.Pods != vicinalMemory.Pods {
		return nil, nil, nil, fmt.Errorf("the stock scheduler has %d pods, vicinal %d", stockMemory.Pods, vicinalMemory.Pods)
	}
	var rows []*row
	for {
		stockTimes, stockAnswer, err := stock.Next()
		if err == io.EOF {
			if _, _, err := vicinal.Next(); err != io.EOF {
				return nil, nil, nil, fmt.Errorf("vicinal answered more questions: %v", err)
			}
			return rows, stockMemory, vicinalMemory, nil
		}
		if err != nil {
			return nil, nil, nil, err
		}
		vicinalTimes, vicinalAnswer, err := vicinal.Next()
		if err != nil {
			return nil, nil, nil, err
		}
		if len(rows) == 0 || rows[len(rows)-1].question != stockTimes.Question {
			rows = append(rows, &row{question: stockTimes.Question})
		}
		rows[len(rows)-1].add(stockTimes, stockAnswer, vicinalTimes, vicinalAnswer)
	}
}

// add takes in a question. The first about each app warms up both sides.
func (r *row) add(stockTimes *answers.Times, stock *answers.Answer, vicinalTimes *answers.Times, vicinal *answers.Answer) {
	if difference := answers.Difference(stock, vicinal); difference != "" && r.difference == "" {
		r.difference = fmt.Sprintf("question %d: %s", r.asked, difference)
	}
	r.asked++
	r.feasible = append(r.feasible, float64(stock.Feasible()))
	if r.asked <= cluster.AppsPerQuestion {
		r.first = append(r.first, vicinalTimes.Wall[0])
		return
	}
	for side, times := range map[*answers.Times]*answers.Times{&r.stock: stockTimes, &r.vicinal: vicinalTimes} {
		side.Wall = append(side.Wall, times.Wall...)
		side.CPU = append(side.CPU, times.CPU...)
	}
}

// median of what must not be empty.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
