package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"vicinal/test/bench/cluster"
	"vicinal/test/bench/process"
	"vicinal/test/bench/results"
)

// A batch of calls is timed between two looks at vicinal's metrics.
const callsPerBatch = 20

// compareHTTP asks `vicinal serve` and a server that does nothing with the stock
// extender client, in turns, and prints what the client sees.
func compareHTTP(o *options) error {
	nodes, batches := 5000, 10
	if o.quick {
		nodes, batches = 1000, 2
	}
	f, err := o.generate(cluster.Size{Nodes: nodes, PodsPerNode: o.podsPerNode}, cluster.AppsPerQuestion)
	if err != nil {
		return err
	}
	vicinal, addresses, err := startServer(regexp.MustCompile(`^listening extender=(\S+) admin=(\S+)\n$`), o.vicinal,
		"serve", "--mode=advise", "--cluster-file="+f.cluster, "--listen-address=127.0.0.1:0", "--admin-listen-address=127.0.0.1:0", "--grpc-listen-address=none")
	if err != nil {
		return err
	}
	defer vicinal.Kill()
	steps, err := cluster.ReadSteps(f.steps)
	if err != nil {
		return err
	}
	q := &httpQuestions{vicinalURL: "http://" + addresses[0], metricsURL: "http://" + addresses[1] + "/metrics", replies: filepath.Join(o.folder, "replies")}
	if err := q.prepare(nodes, steps); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	nothing, addresses, err := startServer(regexp.MustCompile(`^listening (\S+)\n$`), self, "echo", q.replies)
	if err != nil {
		return err
	}
	defer nothing.Kill()
	q.nothingURL = "http://" + addresses[0]

	fmt.Printf("## Over HTTP: %d nodes, %d pods per node, the stock extender client (nodeCacheCapable)\n\n", nodes, o.podsPerNode)
	fmt.Print("Against `vicinal serve` and a Go server that returns the same bytes without looking at the question. Client: median ms of a call, called in turns.\n")
	fmt.Printf("Server: vicinal's own time from the request's last byte to the answer's bytes, median of the means of %d batches of %d calls.\n\n", batches, callsPerBatch)
	fmt.Println("| verb | incoming pod | request B | answer B | client, do-nothing ms | client, vicinal ms | ratio | server ms |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, verb := range []string{"filter", "prioritize"} {
		for _, kind := range q.kinds {
			if err := q.measure(verb, kind, batches); err != nil {
				return err
			}
		}
	}
	fmt.Println()
	return nil
}

// startServer starts a program that says on its first line where it listens.
func startServer(listening *regexp.Regexp, name string, args ...string) (*process.Server, []string, error) {
	server, err := process.Start(name, args...)
	if err != nil {
		return nil, nil, err
	}
	found := listening.FindStringSubmatch(server.FirstLine)
	if found == nil {
		server.Kill()
		return nil, nil, fmt.Errorf("%s does not say where it listens: %q", filepath.Base(name), server.FirstLine)
	}
	return server, found[1:], nil
}

// httpKind is a kind of question with the numbers of its pods.
type httpKind struct {
	question string
	pods     []int
}

type httpQuestions struct {
	vicinalURL, nothingURL, metricsURL string
	replies                            string // folder with the bytes of each answer
	names                              []string
	nodes                              []fwk.NodeInfo
	pods                               []*v1.Pod
	kinds                              []httpKind
}

// prepare asks vicinal each question once and keeps the answers' bytes for the
// server that does nothing.
func (q *httpQuestions) prepare(nodes int, steps []cluster.Step) error {
	if err := os.Mkdir(q.replies, 0o700); err != nil {
		return err
	}
	for i := range nodes {
		node := framework.NewNodeInfo()
		node.SetNode(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: cluster.NodeName(i)}})
		q.names = append(q.names, cluster.NodeName(i))
		q.nodes = append(q.nodes, node)
	}
	for _, step := range steps {
		if step.Ask == nil {
			continue
		}
		if len(q.kinds) == 0 || q.kinds[len(q.kinds)-1].question != step.Question {
			q.kinds = append(q.kinds, httpKind{question: step.Question})
		}
		kind := &q.kinds[len(q.kinds)-1]
		kind.pods = append(kind.pods, len(q.pods))
		for _, verb := range []string{"filter", "prioritize"} {
			reply, err := q.post(verb, step.Ask)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(q.replies, fmt.Sprintf("%d-%s", len(q.pods), verb)), reply, 0o600); err != nil {
				return err
			}
		}
		q.pods = append(q.pods, step.Ask)
	}
	return nil
}

func (q *httpQuestions) request(pod *v1.Pod) ([]byte, error) {
	return json.Marshal(&extenderv1.ExtenderArgs{Pod: pod, NodeNames: &q.names})
}

func (q *httpQuestions) post(verb string, pod *v1.Pod) ([]byte, error) {
	request, err := q.request(pod)
	if err != nil {
		return nil, err
	}
	response, err := http.Post(q.vicinalURL+"/"+verb, "application/json", bytes.NewReader(request))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", verb, response.Status, reply)
	}
	return reply, err
}

func (q *httpQuestions) measure(verb string, kind httpKind, batches int) error {
	vicinal, err := extender(q.vicinalURL)
	if err != nil {
		return err
	}
	var nothing []fwk.Extender // by pod
	for _, pod := range kind.pods {
		e, err := extender(fmt.Sprintf("%s/%d", q.nothingURL, pod))
		if err != nil {
			return err
		}
		nothing = append(nothing, e)
	}
	var vicinalTimes, nothingTimes, serverTimes []float64
	for batch := range batches + 1 { // the first warms up
		before, err := q.serverTime(verb)
		if err != nil {
			return err
		}
		for call := range callsPerBatch {
			pod := call % len(kind.pods)
			fast, err := q.call(nothing[pod], verb, q.pods[kind.pods[pod]])
			if err != nil {
				return err
			}
			ours, err := q.call(vicinal, verb, q.pods[kind.pods[pod]])
			if err != nil {
				return err
			}
			if batch > 0 {
				nothingTimes, vicinalTimes = append(nothingTimes, fast), append(vicinalTimes, ours)
			}
		}
		after, err := q.serverTime(verb)
		if err != nil {
			return err
		}
		if after.count-before.count != callsPerBatch {
			return fmt.Errorf("vicinal counted %d of %d calls", after.count-before.count, callsPerBatch)
		}
		if batch > 0 {
			serverTimes = append(serverTimes, (after.seconds-before.seconds)/callsPerBatch*1e3)
		}
	}
	request, err := q.request(q.pods[kind.pods[0]])
	if err != nil {
		return err
	}
	reply, err := os.Stat(filepath.Join(q.replies, fmt.Sprintf("%d-%s", kind.pods[0], verb)))
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %s | %d | %d | %.2f | %.2f | %.2f | %.3f |\n", verb, kind.question, len(request), reply.Size(),
		median(nothingTimes), median(vicinalTimes), median(vicinalTimes)/median(nothingTimes), median(serverTimes))
	return results.Record("http", fmt.Sprintf("%d nodes, %s, %s", len(q.names), verb, kind.question), map[string]float64{
		"do-nothing ms": median(nothingTimes), "vicinal ms": median(vicinalTimes), "server ms": median(serverTimes),
	})
}

func extender(url string) (fwk.Extender, error) {
	return scheduler.NewHTTPExtender(&config.Extender{URLPrefix: url, FilterVerb: "filter", PrioritizeVerb: "prioritize", Weight: 1, NodeCacheCapable: true})
}

// call returns how many ms it took, and an error if a node has no answer.
func (q *httpQuestions) call(e fwk.Extender, verb string, pod *v1.Pod) (float64, error) {
	begin := time.Now()
	answered := 0
	if verb == "filter" {
		fit, failed, unresolvable, err := e.Filter(pod, q.nodes)
		if err != nil {
			return 0, err
		}
		answered = len(fit) + len(failed) + len(unresolvable)
	} else {
		scores, _, err := e.Prioritize(pod, q.nodes)
		if err != nil {
			return 0, err
		}
		answered = len(*scores)
	}
	elapsed := time.Since(begin)
	if answered != len(q.nodes) {
		return 0, fmt.Errorf("%s: an answer about %d of %d nodes", verb, answered, len(q.nodes))
	}
	return float64(elapsed.Nanoseconds()) / 1e6, nil
}

type serverTime struct {
	count   uint64
	seconds float64
}

// serverTime reads what vicinal has spent on a verb so far.
func (q *httpQuestions) serverTime(verb string) (serverTime, error) {
	response, err := http.Get(q.metricsURL)
	if err != nil {
		return serverTime{}, err
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return serverTime{}, err
	}
	for _, metric := range families["vicinal_request_duration_seconds"].GetMetric() {
		for _, label := range metric.GetLabel() {
			if label.GetName() == "verb" && label.GetValue() == verb {
				return serverTime{metric.GetHistogram().GetSampleCount(), metric.GetHistogram().GetSampleSum()}, nil
			}
		}
	}
	return serverTime{}, fmt.Errorf("vicinal has no metric of %s requests", verb)
}

// echo is the server that does nothing: it reads a request's body and returns the
// bytes kept for its path, /NUMBER/VERB, as NUMBER-VERB in a folder.
func echo(args []string) error {
	flags := flag.NewFlagSet("echo", flag.ContinueOnError)
	if err := flags.Parse(args); err != nil {
		return err
	}
	folder := flags.Arg(0)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for _, entry := range entries {
		reply, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return err
		}
		path := "/" + strings.Replace(entry.Name(), "-", "/", 1)
		length := strconv.Itoa(len(reply))
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", length)
			_, _ = w.Write(reply)
		})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening %s\n", listener.Addr())
	return http.Serve(listener, mux)
}
