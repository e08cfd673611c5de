// Command startup measures how long vicinal takes from its start until it is
// ready, against a client that reads the same lists and does nothing with them.
// test/bench/startup builds and starts it.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vicinal/test/bench/apiserver"
	"vicinal/test/bench/cluster"
	"vicinal/test/bench/process"
	"vicinal/test/bench/results"
)

const podsPerNode = 30

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == "read" {
		err = read(os.Args[2:])
	} else {
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "startup:", err)
		os.Exit(1)
	}
}

func run() error {
	pods := flag.Int("pods", 150000, "pods in the cluster at most, 30 on each node")
	runs := flag.Int("runs", 3, "how often each side starts; the medians are reported")
	limit := flag.Int("limit", 500, "objects per page for the client that does nothing; vicinal has its own")
	contentType := flag.String("content-type", apiserver.Protobuf, "what both sides ask for: "+apiserver.Protobuf+" or application/json")
	vicinal := flag.String("vicinal", "", "the binary of //server:vicinal")
	flag.Parse()
	nodes := *pods / podsPerNode
	if nodes <= 0 || *runs <= 0 {
		return errors.New("--pods must be at least 30, --runs at least 1")
	}
	server := apiserver.New(cluster.Size{Nodes: nodes, PodsPerNode: podsPerNode})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	go http.Serve(listener, server) // ends with the process
	folder, err := os.MkdirTemp("", "vicinal-startup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	base := "http://" + listener.Addr().String()
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(kubeconfig, fmt.Appendf(nil, kubeconfigFormat, base), 0o600); err != nil {
		return err
	}
	m := &measurement{vicinal: *vicinal, kubeconfig: kubeconfig, server: base, paths: server.Paths(), pods: server.Pods(), runs: *runs, limit: *limit, contentType: *contentType}
	fmt.Printf("%d nodes, %d pods\n", nodes, m.pods)
	fmt.Println("\nA server that encodes each page when it is asked for, as kube-apiserver does:")
	if err := m.run("encoded when asked"); err != nil {
		return err
	}
	if err := server.Prepare(); err != nil {
		return err
	}
	fmt.Println("\nA server that has the pages' bytes in memory:")
	return m.run("from memory")
}

type measurement struct {
	vicinal, kubeconfig, server string
	contentType                 string
	paths                       []string
	pods, runs, limit           int
}

// run measures both sides in turns and prints the medians.
func (m *measurement) run(pages string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var reads, starts, cpus []float64
	resident := 0
	for range m.runs {
		// In a process of its own, as vicinal is.
		output, err := process.Output(self, append([]string{"read", m.contentType, fmt.Sprint(m.limit), m.server}, m.paths...)...)
		if err != nil {
			return err
		}
		var result readResult
		if err := json.Unmarshal(output, &result); err != nil {
			return err
		}
		ready, err := startVicinal(m.vicinal, m.kubeconfig, m.contentType, m.pods)
		if err != nil {
			return err
		}
		fmt.Printf("  client that does nothing: %.2f s for %d MiB, %d B per pod (%.0f MiB/s); vicinal, start to ready: %.2f s, of it %.2f s of its CPU\n",
			result.Seconds, result.Bytes>>20, result.Bytes/int64(m.pods), float64(result.Bytes)/(1<<20)/result.Seconds, ready.seconds, ready.cpu)
		reads, starts, cpus = append(reads, result.Seconds), append(starts, ready.seconds), append(cpus, ready.cpu)
		resident = ready.residentBytes
	}
	fmt.Printf("median: client that does nothing %.2f s, vicinal %.2f s (CPU %.2f s); ratio %.2f; vicinal's VmRSS when ready: %d MiB\n",
		median(reads), median(starts), median(cpus), median(starts)/median(reads), resident>>20)
	return results.Record("startup", fmt.Sprintf("%d pods, %s, pages %s", m.pods, m.contentType, pages), map[string]float64{
		"do-nothing s": median(reads), "vicinal s": median(starts), "vicinal CPU s": median(cpus), "vicinal MiB": float64(resident >> 20),
	})
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

const kubeconfigFormat = `apiVersion: v1
kind: Config
clusters: [{name: bench, cluster: {server: %s}}]
users: [{name: bench, user: {}}]
contexts: [{name: bench, context: {cluster: bench, user: bench}}]
current-context: bench
`

type readyResult struct {
	seconds, cpu  float64
	residentBytes int
}

// startVicinal starts vicinal, waits until it is ready, and stops it.
func startVicinal(binary, kubeconfig, contentType string, pods int) (*readyResult, error) {
	begin := time.Now()
	vicinal, err := process.Start(binary, "serve", "--kubeconfig="+kubeconfig, "--kube-api-content-type="+contentType, "--allow-anonymous-clients", "--listen-address=127.0.0.1:0", "--admin-listen-address=127.0.0.1:0", "--grpc-listen-address=none")
	if err != nil {
		return nil, err
	}
	defer vicinal.Kill()
	_, admin, found := strings.Cut(strings.TrimSpace(vicinal.FirstLine), " admin=")
	if !found {
		return nil, fmt.Errorf("vicinal does not say where it listens: %q", vicinal.FirstLine)
	}
	for {
		response, err := http.Get("http://" + admin + "/readyz")
		if err != nil {
			return nil, err
		}
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			break
		}
		if time.Since(begin) > 10*time.Minute {
			return nil, errors.New("vicinal is not ready after 10 minutes")
		}
		time.Sleep(5 * time.Millisecond)
	}
	result := &readyResult{seconds: time.Since(begin).Seconds()}
	if result.cpu, result.residentBytes, err = vicinal.Usage(); err != nil {
		return nil, err
	}
	response, err := http.Get("http://" + admin + "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if want := fmt.Sprintf("\nvicinal_index_pods %d\n", pods); !strings.Contains(string(metrics), want) {
		return nil, fmt.Errorf("vicinal is ready, but its metrics do not say %q", strings.TrimSpace(want))
	}
	return result, nil
}

type readResult struct {
	Seconds float64
	Bytes   int64
}

// read is the client that does nothing: read CONTENT-TYPE LIMIT SERVER PATH… reads the pages
// of each path and prints a readResult.
func read(args []string) error {
	contentType, limit, base, paths := args[0], args[1], args[2], args[3:]
	begin := time.Now()
	result := readResult{}
	buffer := make([]byte, 1<<20)
	for _, path := range paths {
		for next := ""; ; {
			size, token, err := readPage(contentType, base+path+"?limit="+limit+"&continue="+url.QueryEscape(next), buffer)
			if err != nil {
				return err
			}
			result.Bytes += size
			if next = token; next == "" {
				break
			}
		}
	}
	result.Seconds = time.Since(begin).Seconds()
	return json.NewEncoder(os.Stdout).Encode(result)
}

// readPage returns the size of the page and the token of the next, which stands
// near its beginning.
func readPage(contentType, page string, buffer []byte) (int64, string, error) {
	request, err := http.NewRequest(http.MethodGet, page, nil)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Accept", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	size, token := int64(0), ""
	for {
		n, err := response.Body.Read(buffer)
		if size == 0 && n > 0 {
			token = apiserver.ContinueToken(response.Header.Get("Content-Type"), buffer[:min(n, 512)])
		}
		size += int64(n)
		if err == io.EOF {
			return size, token, nil
		}
		if err != nil {
			return 0, "", err
		}
	}
}
