package security

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"vicinal/test/e2e/harness"
)

// An abuse says what it got; refused says that it got nothing.
type abuse struct {
	name string
	try  func(w *world) (got string, refused bool)
}

func TestAbusesGetNothingAndChangeNothing(t *testing.T) {
	w := newWorld(t)
	want := w.filter(w.hypothetical())
	if !strings.Contains(want, `"n1"`) && !strings.Contains(want, `"n2"`) {
		t.Fatalf("a good question is answered with %s", want)
	}
	abuses := slices.Concat(withoutACertificate(w), withoutTheRole(t, w), crookedPaths(), smuggled(), tricks(), http2Tricks(), oversized(), namedNodes())
	w.tryAll(t, abuses)
	if len(abuses) < 60 {
		t.Errorf("%d abuses, want 60", len(abuses))
	}
	t.Logf("%d abuses tried", len(abuses))
}

// tryAll wants each abuse refused, no pod changed by it, and good answers after them all.
func (w *world) tryAll(t *testing.T, abuses []abuse) {
	t.Helper()
	for i, a := range abuses {
		got, refused := a.try(w)
		t.Logf("| %3d | %-60s | %.100s |", i+1, a.name, strings.TrimSpace(strings.ReplaceAll(got, "\n", " ")))
		if !refused {
			t.Errorf("%s: not refused: %.300s", a.name, got)
		}
		if now := w.placements(t); now != w.before {
			t.Fatalf("%s has changed the pods from\n%s\nto\n%s", a.name, w.before, now)
		}
	}
	if got := w.filter(w.hypothetical()); !strings.Contains(got, `"Error":""`) || !strings.Contains(got, `"NodeNames":["n`) {
		t.Errorf("a good question is answered with %s after it all", got)
	}
	if w.vicinal.Exited() {
		t.Error("vicinal has ended")
	}
}

// hypothetical is a pod that the cluster does not have.
func (w *world) hypothetical() *corev1.Pod {
	pod := harness.PodOf("web")
	pod.GenerateName, pod.Name, pod.Namespace = "", "web", "default"
	return pod
}

func withoutACertificate(w *world) []abuse {
	var abuses []abuse
	for _, who := range slices.Sorted(maps.Keys(w.strangers)) {
		config := w.strangers[who]
		for _, verb := range []string{"filter", "prioritize", "preempt", "bind"} {
			abuses = append(abuses, abuse{verb + ", client with " + who, func(w *world) (string, bool) {
				status, got := w.post(config, "/"+verb, "{}")
				return fmt.Sprint(status, got), status == 0 || config == nil && status == 400 && !strings.Contains(got, "Node")
			}})
		}
		abuses = append(abuses, abuse{"metrics, client with " + who, func(w *world) (string, bool) {
			status, got, err := w.call(config, "GET", w.vicinal.AdminAddress, "/metrics", "")
			return fmt.Sprint(status, got, err), status == 0 || status == 401 || config == nil && status == 400
		}}, abuse{"decisions, client with " + who, func(w *world) (string, bool) {
			status, got, err := w.call(config, "GET", w.vicinal.AdminAddress, "/decisions", "")
			return fmt.Sprint(status, got, err), status == 0 || status == 401 || config == nil && status == 400
		}}, abuse{"the page's state, client with " + who, func(w *world) (string, bool) {
			status, got, err := w.call(config, "GET", w.vicinal.AdminAddress, "/page/state", "")
			return fmt.Sprint(status, got, err), status == 0 || status == 401 || config == nil && status == 400
		}}, abuse{"gRPC, client with " + who, func(w *world) (string, bool) {
			client, err := w.vicinal.DialGRPCWith(config, 2*time.Second)
			if err == nil {
				// The connection of a revoked one stands; no call of it is answered.
				defer client.Close()
				err = client.Snapshot()
			}
			return fmt.Sprint(err), err != nil
		}})
	}
	return abuses
}

// withoutTheRole: certificates of the authority that the roles' file does not give
// the role.
func withoutTheRole(t *testing.T, w *world) []abuse {
	t.Helper()
	var abuses []abuse
	calls := []struct {
		method string
		role   string
		call   func(*harness.GRPC) error
	}{
		{"Extender/Filter", "ask", call("Extender/Filter")},
		{"Extender/FilterNamed", "ask", call("Extender/FilterNamed")},
		{"Extender/NameNodes", "ask", call("Extender/NameNodes")},
		{"Extender/Prioritize", "ask", call("Extender/Prioritize")},
		{"Extender/Preempt", "ask", call("Extender/Preempt")},
		{"Extender/Explain", "ask", call("Extender/Explain")},
		{"Extender/Bind", "bind", call("Extender/Bind")},
		{"ClusterState/Snapshot", "read", (*harness.GRPC).Snapshot},
		{"ClusterState/Feed", "feed", feed},
	}
	for _, role := range slices.Sorted(maps.Keys(w.ofRole)) {
		client, err := w.vicinal.DialGRPCWith(w.ofRole[role], 10*time.Second)
		if err != nil {
			t.Fatalf("%s: %v", role, err)
		}
		t.Cleanup(client.Close)
		config := w.ofRole[role]
		if code, got, err := w.call(config, "GET", w.vicinal.AdminAddress, "/decisions", ""); role == "read" && code != 200 {
			t.Errorf("/decisions with the role read: %d %s %v", code, got, err)
		}
		if role != "read" {
			abuses = append(abuses, abuse{"/decisions with the role " + role, func(w *world) (string, bool) {
				code, got, err := w.call(config, "GET", w.vicinal.AdminAddress, "/decisions", "")
				return fmt.Sprint(code, got, err), code == 403
			}}, abuse{"/page/state with the role " + role, func(w *world) (string, bool) {
				code, got, err := w.call(config, "GET", w.vicinal.AdminAddress, "/page/state", "")
				return fmt.Sprint(code, got, err), code == 403
			}})
		}
		for _, c := range calls {
			if c.role == role {
				if err := c.call(client); status.Code(err) == codes.PermissionDenied {
					t.Errorf("%s with the role %s: %v", c.method, role, err)
				}
				continue
			}
			abuses = append(abuses, abuse{c.method + " with the role " + role, func(*world) (string, bool) {
				err := c.call(client)
				return fmt.Sprint(err), status.Code(err) == codes.PermissionDenied
			}})
		}
	}
	return abuses
}

func call(method string) func(*harness.GRPC) error {
	return func(g *harness.GRPC) error { return g.Call(method, map[string]any{}, &struct{}{}) }
}

func feed(g *harness.GRPC) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	feeding, err := g.Feed(ctx)
	if err != nil {
		return err
	}
	return feeding.End()
}

func crookedPaths() []abuse {
	var abuses []abuse
	for _, path := range []string{"/bind/", "//bind", "/./bind", "/filter/../bind", "/%62ind", "/BIND", "/bind;x", "/metrics", "http://v/bind", "*"} {
		abuses = append(abuses, abuse{"path " + path, func(w *world) (string, bool) {
			status, got := w.post(w.scheduler, path, extenderv1.ExtenderBindingArgs{PodNamespace: "default", PodName: "small", PodUID: w.pods["small"].UID, Node: "n1"})
			return fmt.Sprint(status, " ", got), status == 404 || status == 400
		}})
	}
	for _, method := range []string{"GET", "PUT", "CONNECT", "TRACE", "post"} {
		abuses = append(abuses, abuse{"method " + method, func(w *world) (string, bool) {
			status, got, err := w.call(w.scheduler, method, w.vicinal.ExtenderAddress, "/bind", "{}")
			return fmt.Sprint(status, " ", got, err), status == 405 || status == 400 || status == 404
		}})
	}
	for _, path := range []string{"/filter", "/bind", "/debug/pprof", "/metrics/../../etc/passwd", "/flags"} {
		abuses = append(abuses, abuse{"admin " + path, func(w *world) (string, bool) {
			status, got, err := w.call(w.scheduler, "GET", w.vicinal.AdminAddress, path, "")
			return fmt.Sprint(status, " ", got, err), status == 404
		}})
	}
	return abuses
}

// smuggled requests hide a second one in the body of the first.
func smuggled() []abuse {
	const hidden = "POST /bind HTTP/1.1\r\nHost: v\r\nContent-Length: 2\r\n\r\n{}"
	length := len(hidden)
	var abuses []abuse
	for name, text := range map[string]string{
		"both lengths":            fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n%s", length+5, hidden),
		"two lengths":             fmt.Sprintf("Content-Length: 0\r\nContent-Length: %d\r\n\r\n%s", length, hidden),
		"a length with a sign":    fmt.Sprintf("Content-Length: +%d\r\n\r\n%s", length, hidden),
		"a length that overflows": "Content-Length: 18446744073709551617\r\n\r\n" + hidden,
		"chunked with a space":    "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden,
		"a chunk of no size":      "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + hidden,
	} {
		abuses = append(abuses, abuse{"smuggled by " + name, func(w *world) (string, bool) {
			answers, err := w.exchange(w.scheduler, w.vicinal.ExtenderAddress, "POST /filter HTTP/1.1\r\nHost: v\r\n"+text)
			return fmt.Sprint(answers, err), len(answers) <= 1 && !strings.Contains(fmt.Sprint(answers), "{200")
		}})
	}
	return abuses
}

// oversized questions cost no answer and no memory for long.
func oversized() []abuse {
	body := func(name, text string, statuses ...int) abuse {
		return abuse{name, func(w *world) (string, bool) {
			status, got := w.post(w.scheduler, "/filter", text)
			return fmt.Sprintf("%d %.60s", status, got), slices.Contains(statuses, status)
		}}
	}
	return []abuse{
		body("a body that is too large", strings.Repeat(" ", 65<<20), 413),
		body("a deep body", strings.Repeat(`{"Pod":`, 100_000), 400),
		body("a body that is no UTF-8", "{\"Pod\":{\"metadata\":{\"name\":\"\xff\"}},\"NodeNames\":[]}", 400),
		body("no body", "", 400),
		{"a header that is too large", func(w *world) (string, bool) {
			answers, err := w.exchange(w.scheduler, w.vicinal.ExtenderAddress, "POST /filter HTTP/1.1\r\nX: "+strings.Repeat("x", 1<<20)+"\r\n\r\n")
			return fmt.Sprint(answers, err), len(answers) == 1 && (answers[0].status == 431 || answers[0].status == 400)
		}},
	}
}
