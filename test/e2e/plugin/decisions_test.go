package plugin

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

// decision is what `vicinal serve-plugin` has answered a question.
type decision struct {
	UID, Question, Outcome, Node, RunnerUp, Reason string
	Candidates, Fitting, Position, Generation      int
}

// decisions are those about a pod, the oldest first, from where the flags say.
func decisions(t *testing.T, pod string, flags ...string) ([]decision, error) {
	t.Helper()
	args := append([]string{"explain", "-o", "json", "--decision", pod}, flags...)
	output, err := exec.Command(harness.VicinalBinary(t), args...).Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", args, err)
	}
	var found struct{ Decisions []decision }
	err = json.Unmarshal(output, &found)
	return found.Decisions, err
}

func TestVicinalTellsWhatItAnsweredThePlugin(t *testing.T) {
	log := filepath.Join(t.TempDir(), "decisions.jsonl")
	f := start(t, nil, "--allow-anonymous-clients", "--decision-log="+log)
	f.vicinal.Start(t)
	f.awaitVicinal(t)
	server := []string{"--server", "http://" + f.vicinal.AdminAddress}

	web := f.CreatePod(t, harness.AwayFrom("web", host, harness.PodOf("web")))
	pod := web.Namespace + "/" + web.Name
	// A record follows its answer.
	harness.Eventually(t, harness.OutcomeTimeout, "the node is recorded", func() string {
		found, err := decisions(t, pod, server...)
		if err != nil {
			return err.Error()
		}
		last := found[len(found)-1]
		if last.Question != "best" || last.Outcome != "node" || last.Node != web.Spec.NodeName || last.UID != string(web.UID) {
			return fmt.Sprintf("the pod is on %s, and the last decision is %+v", web.Spec.NodeName, last)
		}
		if last.Candidates != 6 || last.Fitting != 6 || last.RunnerUp == "" || last.RunnerUp == last.Node || last.Position < 3 || last.Generation < 6 {
			return fmt.Sprintf("six nodes fit, but %+v", last)
		}
		return ""
	})

	waiting := f.SubmitPod(t, harness.Beside("nobody", zone, harness.PodOf("waiting")))
	f.Observer.WaitCondition(t, waiting, "Unschedulable")
	pod = waiting.Namespace + "/" + waiting.Name
	for _, where := range [][]string{server, {"--decision-log", log}} {
		harness.Eventually(t, harness.OutcomeTimeout, "why it was not narrowed is recorded", func() string {
			found, err := decisions(t, pod, where...)
			if err != nil {
				return err.Error()
			}
			for i, one := range found[1:] {
				before := found[i]
				if before.Question == "best" && before.Outcome == "none" && one.Question == "verdicts" && one.Outcome == "none" &&
					one.Candidates == 6 && strings.Contains(one.Reason, "InterPodAffinity: 6 node(s) didn't match pod affinity rules") {
					return ""
				}
			}
			return fmt.Sprintf("%+v", found)
		})
	}

	harness.Eventually(t, harness.OutcomeTimeout, "the page shows the scheduler's cluster", func() string {
		response, err := http.Get("http://" + f.vicinal.AdminAddress + "/page/state")
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		var state struct {
			Ready       bool
			Nodes       int
			PendingPods int
			Pending     []struct{ Names []string }
		}
		if err := json.NewDecoder(response.Body).Decode(&state); err != nil {
			return err.Error()
		}
		if !state.Ready || state.Nodes != 6 || state.PendingPods != 1 || len(state.Pending) != 1 || state.Pending[0].Names[0] != pod {
			return fmt.Sprintf("%+v", state)
		}
		return ""
	})
}

// Who may read the metrics may read what names pods only with a certificate, or if the
// operator says so.
func TestDecisionsAndThePageAreForClientsWithACertificate(t *testing.T) {
	run := harness.NewRun(t)
	ca := harness.NewAuthority(t, run)
	server := ca.Server(t, "vicinal-server")
	withTLS := []string{"--tls-cert-file=" + server.CertFile, "--tls-private-key-file=" + server.KeyFile, "--client-ca-file=" + ca.CAFile}
	stranger := ca.TLSConfig(t, ca.Client(t, "on-call"))
	stranger.Certificates = nil
	for name, one := range map[string]struct {
		flags           []string
		scheme          string
		client          *tls.Config
		named, nameless int
	}{
		"nobody has one":                {nil, "http", nil, http.StatusForbidden, http.StatusOK},
		"anonymous clients are allowed": {[]string{"--allow-anonymous-clients"}, "http", nil, http.StatusOK, http.StatusOK},
		"without":                       {withTLS, "https", stranger, http.StatusUnauthorized, http.StatusUnauthorized},
		"with":                          {withTLS, "https", ca.TLSConfig(t, ca.Client(t, "on-call")), http.StatusOK, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			directory, err := os.MkdirTemp("", "vicinal-") // A socket's path is short.
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(directory) })
			vicinal := harness.NewPluginVicinalWith(t, run, filepath.Join(directory, "s"), append(one.flags, "--admin-listen-address=127.0.0.1:0")...)
			vicinal.Start(t)
			client := http.Client{Transport: &http.Transport{TLSClientConfig: one.client}, Timeout: 10 * time.Second}
			for path, want := range map[string]int{"/decisions": one.named, "/page": one.named, "/metrics": one.nameless, "/readyz": http.StatusOK} {
				response, err := client.Get(one.scheme + "://" + vicinal.AdminAddress + path)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				if response.StatusCode != want {
					t.Errorf("%s: %s, want %d", path, response.Status, want)
				}
			}
		})
	}
}
