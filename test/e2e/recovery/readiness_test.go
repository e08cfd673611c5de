package recovery

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"vicinal/test/e2e/harness"
	"vicinal/test/watched"
)

func answers503UntilEverythingIsListed(t *testing.T, f *fixture) {
	proxy := harness.StartProxy(t, f.controlPlane.URL)
	proxy.Hold()
	v := f.startVicinal(t, proxy.URL())
	harness.Eventually(t, 20*time.Second, "vicinal connects to the API server", func() string {
		if proxy.Accepted() == 0 {
			return "no connection yet"
		}
		return ""
	})
	wantNotReady(t, v)
	proxy.Mend()
	v.WaitReady(t)
	if status, result, err := v.Filter(harness.PodOf("web"), "n1"); status != http.StatusOK || err != nil {
		t.Errorf("filter once ready: %d %+v %v", status, result, err)
	}
}

func longOutageStopsAnswers(t *testing.T, f *fixture) {
	proxy := harness.StartProxy(t, f.controlPlane.URL)
	v := f.startVicinal(t, proxy.URL(), "--max-watch-outage=1")
	v.WaitReady(t)
	proxy.Cut()
	harness.Eventually(t, 20*time.Second, "filter is refused", func() string {
		status, _, err := v.Filter(harness.PodOf("web"), "n1")
		if status == http.StatusServiceUnavailable {
			return ""
		}
		return fmt.Sprint(status, err)
	})
	wantNotReady(t, v)
	proxy.Mend()
	v.WaitReady(t)
	if status, result, err := v.Filter(harness.PodOf("web"), "n1"); status != http.StatusOK || err != nil {
		t.Errorf("filter once back: %d %+v %v", status, result, err)
	}
}

// wantNotReady: alive, but it neither says that it is ready nor answers questions.
func wantNotReady(t *testing.T, v *harness.Vicinal) {
	t.Helper()
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable} {
		if got, err := v.Get(path); got != want || err != nil {
			t.Errorf("%s: %d %v, want %d", path, got, err, want)
		}
	}
	if got, _, err := v.Filter(harness.PodOf("web"), "n1"); got != http.StatusServiceUnavailable || err != nil {
		t.Errorf("filter: %d %v, want %d", got, err, http.StatusServiceUnavailable)
	}
}

func refusesAServerItCannotVerify(t *testing.T, f *fixture) {
	for name, spoil := range map[string]func(*clientcmdapi.Cluster){
		"another name":      func(c *clientcmdapi.Cluster) { c.TLSServerName = "other.example" },
		"another authority": func(c *clientcmdapi.Cluster) { c.CertificateAuthorityData = foreignAuthority(t) },
	} {
		t.Run(name, func(t *testing.T) {
			proxy := harness.StartProxy(t, f.controlPlane.URL)
			path := f.controlPlane.VicinalKubeconfig(t, proxy.URL())
			config, err := clientcmd.LoadFromFile(path)
			if err != nil {
				t.Fatal(err)
			}
			spoil(config.Clusters["e2e"])
			if err := clientcmd.WriteToFile(*config, path); err != nil {
				t.Fatal(err)
			}
			v := harness.StartVicinal(t, f.controlPlane.Run, "--kubeconfig="+path)
			// More connections than resources: each has been refused and tried again.
			harness.Eventually(t, 60*time.Second, "vicinal tries again and again", func() string {
				if proxy.Accepted() <= 2*len(watched.Resources) {
					return "not yet"
				}
				return ""
			})
			wantNotReady(t, v)
		})
	}
}

func foreignAuthority(t *testing.T) []byte {
	t.Helper()
	return harness.NewAuthority(t, harness.NewRun(t)).CAPEM
}

// A service account's token is replaced in its file before it expires.
func readsItsTokenFileAgain(t *testing.T, f *fixture) {
	tokenFile := f.controlPlane.Run.Path("token")
	write := func(token string) {
		// A new file under the old name, as kubelet does it.
		if err := os.WriteFile(tokenFile+".new", []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(tokenFile+".new", tokenFile); err != nil {
			t.Fatal(err)
		}
	}
	write("expired")
	proxy := harness.StartProxy(t, f.controlPlane.URL)
	v := harness.StartVicinal(t, f.controlPlane.Run,
		"--kubeconfig="+f.controlPlane.Kubeconfig(t, "vicinal-token", proxy.URL(), &clientcmdapi.AuthInfo{TokenFile: tokenFile}))
	harness.Eventually(t, 20*time.Second, "vicinal tries the first token", func() string {
		if proxy.Accepted() == 0 {
			return "no connection yet"
		}
		return ""
	})
	wantNotReady(t, v)
	write(f.controlPlane.ServiceAccountToken(t, "kube-system", "vicinal"))
	v.WaitReady(t)
}
