package failure

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"vicinal/test/e2e/harness"
)

// Each kind of abuse has a vicinal of its own, with the embedded sample cluster.
func TestTheExtenderIsAbused(t *testing.T) {
	t.Parallel()
	for _, abuse := range []struct {
		name string
		run  func(*testing.T, *harness.Vicinal)
		most float64 // bytes of memory while it goes on, beyond what vicinal has
		kept bool    // for the next question of that size
	}{
		{"a thousand idle connections", idleConnections, 64e6, false},
		{"headers that trickle", slowHeaders, 64e6, false},
		{"bodies that trickle", slowBodies, 64e6, false},
		{"answers that nobody reads", unreadAnswers, 128e6, false},
		{"bodies of 64 MB", hugeBodies, 3e9, true},
		{"header bombs", headerBombs, 64e6, false},
		{"100,000 malformed requests of 50 kinds", malformedRequests, 64e6, false},
	} {
		t.Run(abuse.name, func(t *testing.T) {
			t.Parallel()
			v := harness.StartVicinal(t, harness.NewRun(t))
			v.WaitReady(t)
			wantGoodAnswer(t, v)
			memory, files := v.Gauge(t, residentMemory), v.Gauge(t, "process_open_fds")
			peak := watchMemory(v)
			begin := time.Now()
			abuse.run(t, v)
			most := peak()
			t.Logf("%v; memory %.1f MB before, at most %.1f MB", time.Since(begin).Round(time.Millisecond), memory/1e6, most/1e6)
			if most > memory+harness.MemoryLimit(abuse.most) {
				t.Errorf("it took %.1f MB more, want at most %.1f MB", (most-memory)/1e6, harness.MemoryLimit(abuse.most)/1e6)
			}
			wantGoodAnswer(t, v)
			if !abuse.kept {
				wantMemoryBack(t, v, memory)
			}
			// Two for those who ask.
			harness.Eventually(t, 30*time.Second, "the connections are closed", func() string {
				if now := v.Gauge(t, "process_open_fds"); now > files+2 {
					return fmt.Sprintf("%v open files before, %v after", files, now)
				}
				return ""
			})
			wantFewLogLines(t, v, 2500)
			if v.Exited() {
				t.Error("vicinal has ended")
			}
		})
	}
}

// watchMemory returns a function that ends it and returns the most memory seen.
func watchMemory(v *harness.Vicinal) func() float64 {
	stop := make(chan struct{})
	most := make(chan float64)
	go func() {
		peak := 0.0
		for {
			if m, err := v.Metrics(); err == nil {
				peak = max(peak, m[residentMemory].GetMetric()[0].GetGauge().GetValue())
			}
			select {
			case <-stop:
				most <- peak
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return func() float64 { close(stop); return <-most }
}

// wantGoodAnswer notes it when the scheduler would not have waited for it.
func wantGoodAnswer(t *testing.T, v *harness.Vicinal) {
	t.Helper()
	begin := time.Now()
	status, result, err := v.Filter(harness.PodOf("web"), "nowhere")
	if err != nil || status != http.StatusOK || result.Error != "" || result.FailedAndUnresolvableNodes["nowhere"] == "" {
		t.Errorf("a good question: status %d, %+v, %v", status, result, err)
	}
	if elapsed := time.Since(begin); elapsed > 5*time.Second {
		t.Logf("a good question took %v", elapsed)
	}
}

func dial(t *testing.T, v *harness.Vicinal) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", v.ExtenderAddress, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func idleConnections(t *testing.T, v *harness.Vicinal) {
	conns := make([]net.Conn, 1000)
	for i := range conns {
		conns[i] = dial(t, v)
	}
	for range 20 {
		wantGoodAnswer(t, v)
	}
	// They are still good for a question.
	for _, conn := range conns[:50] {
		if status := exchange(conn, request("/filter", "{}")); status != http.StatusBadRequest {
			t.Errorf("status %d on a connection that was idle", status)
		}
	}
	for _, conn := range conns {
		conn.Close()
	}
}

// slowHeaders: a byte a second of a header that never ends.
func slowHeaders(t *testing.T, v *harness.Vicinal) {
	trickle(t, v, "POST /filter HTTP/1.1\r\nHost: v\r\nX-Padding: ")
}

func slowBodies(t *testing.T, v *harness.Vicinal) {
	trickle(t, v, "POST /filter HTTP/1.1\r\nHost: v\r\nContent-Length: 100000\r\n\r\n{")
}

// trickle starts 200 requests and sends a byte a second of each; good questions go on
// between, and vicinal ends the connections after its time for a request (30 s).
func trickle(t *testing.T, v *harness.Vicinal, start string) {
	var sending sync.WaitGroup
	var refused, ended atomic.Int64
	for range 200 {
		conn := dial(t, v)
		sending.Go(func() {
			_, _ = io.WriteString(conn, start)
			go func() {
				answer, _ := io.ReadAll(conn)
				if strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
					refused.Add(1)
				}
				ended.Add(1)
			}()
			for range 40 {
				time.Sleep(time.Second)
				if _, err := io.WriteString(conn, "x"); err != nil {
					return
				}
			}
		})
	}
	for range 20 {
		wantGoodAnswer(t, v)
		time.Sleep(time.Second)
	}
	sending.Wait()
	harness.Eventually(t, 30*time.Second, "vicinal has ended all of them", func() string {
		if ended.Load() < 200 || refused.Load() < 200 {
			return fmt.Sprintf("%d ended, %d of them with 408", ended.Load(), refused.Load())
		}
		return ""
	})
}

// unreadAnswers: questions with large answers, of which nothing is read.
func unreadAnswers(t *testing.T, v *harness.Vicinal) {
	names := make([]string, 5000)
	for i := range names {
		names[i] = fmt.Sprintf("a-node-that-does-not-exist-%d", i)
	}
	body, err := json.Marshal(extenderv1.ExtenderArgs{Pod: &corev1.Pod{}, NodeNames: &names})
	if err != nil {
		t.Fatal(err)
	}
	question := request("/filter", string(body))
	for range 50 {
		conn := dial(t, v)
		go func() {
			for range 20 {
				if _, err := io.WriteString(conn, question); err != nil {
					return
				}
			}
		}()
	}
	for range 35 {
		wantGoodAnswer(t, v)
		time.Sleep(time.Second)
	}
}

// hugeBodies: of the largest size that is read, JSON and not, and larger ones.
func hugeBodies(t *testing.T, v *harness.Vicinal) {
	const limit = 64 << 20
	padding := strings.Repeat("x", limit-40)
	for name, test := range map[string]struct {
		body string
		want int
	}{
		"no JSON":              {padding, http.StatusBadRequest},
		"a string":             {`{"Pod":{"kind":"` + padding[:limit-100] + `"}}`, http.StatusBadRequest},
		"a field to skip":      {`{"Pod":{},"NodeNames":[],"x":"` + padding[:limit-100] + `"}`, http.StatusOK},
		"open brackets":        {strings.Repeat("[", limit), http.StatusBadRequest},
		"ten million numbers":  {`{"Pod":{},"NodeNames":[` + strings.Repeat("1,", 10_000_000) + `1]}`, http.StatusBadRequest},
		"larger than is read":  {padding + padding, http.StatusRequestEntityTooLarge},
		"many empty names":     {`{"Pod":{},"NodeNames":[` + strings.Repeat(`"",`, 1_000_000) + `""]}`, http.StatusOK},
		"as large as possible": {strings.Repeat(" ", limit-32) + `{"Pod":{},"NodeNames":[]}`, http.StatusOK},
	} {
		conn := dial(t, v)
		if got := exchange(conn, request("/filter", test.body)); got != test.want {
			t.Errorf("%s: status %d, want %d", name, got, test.want)
		}
		conn.Close()
		wantGoodAnswer(t, v)
	}
}

func headerBombs(t *testing.T, v *harness.Vicinal) {
	for name, header := range map[string]string{
		"one long header":         "X: " + strings.Repeat("x", 10<<20) + "\r\n",
		"a million headers":       strings.Repeat("X-A: b\r\n", 1_000_000),
		"a long path":             "",
		"a header without an end": strings.Repeat("X", 5<<20),
		"folded lines":            "X: a\r\n" + strings.Repeat(" b\r\n", 500_000),
	} {
		for range 20 {
			conn := dial(t, v)
			path := "/filter"
			if name == "a long path" {
				path += strings.Repeat("/a", 1<<20)
			}
			status := exchange(conn, "POST "+path+" HTTP/1.1\r\nHost: v\r\n"+header+"Content-Length: 2\r\n\r\n{}")
			if status != http.StatusRequestHeaderFieldsTooLarge && status != http.StatusBadRequest {
				t.Errorf("%s: status %d, want 431 or 400", name, status)
			}
			conn.Close()
		}
		wantGoodAnswer(t, v)
	}
}

func malformedRequests(t *testing.T, v *harness.Vicinal) {
	kinds := malformed()
	if len(kinds) < 50 {
		t.Fatalf("%d kinds", len(kinds))
	}
	const each = 2000
	var sending sync.WaitGroup
	queue := make(chan kind)
	for range 8 {
		sending.Go(func() {
			for k := range queue {
				sendAll(t, v, k, each)
			}
		})
	}
	for _, k := range kinds {
		queue <- k
	}
	close(queue)
	sending.Wait()
	t.Logf("%d requests of %d kinds", each*len(kinds), len(kinds))
}

// sendAll keeps its connection where vicinal does.
func sendAll(t *testing.T, v *harness.Vicinal, k kind, n int) {
	var conn net.Conn
	var reader *bufio.Reader
	for i := range n {
		if conn == nil {
			var err error
			if conn, err = net.DialTimeout("tcp", v.ExtenderAddress, 10*time.Second); err != nil {
				t.Errorf("%s: %v", k.name, err)
				return
			}
			reader = bufio.NewReader(conn)
		}
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(conn, k.request)
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Errorf("%s: no answer to request %d: %v", k.name, i, err)
			conn.Close()
			return
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != k.want || !bytes.HasPrefix(body, []byte(`{"error":"`)) {
			t.Errorf("%s: status %d %.200s %v, want %d and an error", k.name, response.StatusCode, body, err, k.want)
			conn.Close()
			return
		}
		if response.Close {
			conn.Close()
			conn = nil
		}
	}
	if conn != nil {
		conn.Close()
	}
}

func request(path, body string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: v\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// exchange sends a request, which may not be read to its end, and returns the status of
// the answer; 0: there was none.
func exchange(conn net.Conn, request string) int {
	_ = conn.SetDeadline(time.Now().Add(60 * time.Second))
	go func() { _, _ = io.WriteString(conn, request) }()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}
