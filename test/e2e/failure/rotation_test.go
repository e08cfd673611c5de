package failure

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"vicinal/test/e2e/harness"
)

// authorityRotated replaces the authority that has signed the API server's certificate and
// vicinal's own, and then the files that vicinal was given.
func (f *fixture) authorityRotated(t *testing.T) {
	proxy := f.cp.StartAPIProxy(t)
	before := harness.NewAuthority(t, harness.NewRun(t))
	after := harness.NewAuthority(t, harness.NewRun(t))
	proxy.UseAuthority(t, before)
	ca, certificate, key := f.cp.Run.Path("vicinal-ca.crt"), f.cp.Run.Path("vicinal-client.crt"), f.cp.Run.Path("vicinal-client.key")
	write := func(path string, content []byte) {
		if err := os.WriteFile(path+".new", content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	writePair := func(pair harness.Pair) {
		write(certificate, pair.CertPEM)
		write(key, pair.KeyPEM)
	}
	write(ca, before.CAPEM)
	writePair(before.Client(t, "vicinal"))
	kubeconfig := f.cp.KubeconfigOf(t, "rotated", &clientcmdapi.Cluster{Server: proxy.URL, CertificateAuthority: ca},
		&clientcmdapi.AuthInfo{ClientCertificate: certificate, ClientKey: key})
	v := harness.StartVicinal(t, f.cp.Run, "--mode=advise", "--max-watch-outage=2", "--kubeconfig="+kubeconfig)
	v.WaitReady(t)
	f.wantRight(t, v)
	memory := v.Gauge(t, residentMemory)

	load := startLoad(v)
	proxy.UseAuthority(t, after)
	proxy.CloseConnections()
	harness.Eventually(t, 30*time.Second, "questions are refused", func() string {
		if status, _, err := v.Filter(harness.PodOf("web"), "node-0"); status != http.StatusServiceUnavailable {
			return fmt.Sprint(status, err)
		}
		return ""
	})
	wantLogged(t, v, "refused: ")
	// The server is trusted again, and does not trust yet.
	write(ca, after.CAPEM)
	time.Sleep(8 * time.Second)
	if status, _, err := v.Filter(harness.PodOf("web"), "node-0"); status != http.StatusServiceUnavailable {
		t.Errorf("with the certificate of the authority before: status %d, %v", status, err)
	}
	writePair(after.Client(t, "vicinal"))
	v.WaitReady(t)
	f.wantRight(t, v)
	load.want(t, http.StatusOK, http.StatusServiceUnavailable)
	wantFewLogLines(t, v, 300)
	wantMemoryBack(t, v, memory)
}
