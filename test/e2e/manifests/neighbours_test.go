package manifests

import (
	"crypto/tls"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

// In the pods of the overlays, processes for containers, others get nothing, the
// scheduler places pods, and a pod that was made anew knows no certificate of before. With
// an authority of one's own, its expired and its revoked certificates are refused.
func (f *fixture) neighboursGetNothing(t *testing.T) {
	observer := f.cp.StartObserver(t)
	ownAuthority := variants[1]
	for _, v := range []variant{variants[0], variants[1], variants[3]} {
		t.Run(v.name, func(t *testing.T) {
			profile, own, scheduler := "default-scheduler", "", ""
			if v.staticPod != "" {
				own = f.cp.VicinalKubeconfig(t, f.cp.URL)
				scheduler = f.cp.Kubeconfig(t, "kube-scheduler", f.cp.URL, f.cp.ClientCertificate(t, "system:kube-scheduler"))
			} else {
				profile = "vicinal-scheduler"
				own = f.secondSchedulersKubeconfig(t)
				scheduler = own
			}
			place := func(name string) {
				t.Helper()
				pod := harness.PodOf("web")
				pod.GenerateName, pod.Name, pod.Spec.SchedulerName = "", name, profile
				created, err := f.cp.Admin.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if placed := observer.WaitOutcome(t, created, harness.OutcomeTimeout); placed.Spec.NodeName == "" {
					t.Errorf("%s is not placed: %v", name, placed.Status.Conditions)
				}
			}
			prefix := strings.NewReplacer(", ", "-", " ", "-").Replace(v.name)
			live := func(life string, authority *harness.Authority, meanwhile func(*harness.Vicinal)) (tls string) {
				t.Helper()
				name := prefix + "-" + life
				kubeScheduler, vicinal := f.startPod(t, v, name, scheduler, own, authority)
				observer.WaitSeen(t, vicinal)
				place(name)
				wantProbesAnswered(t, v.pod(t), kubeScheduler.URL(), vicinal.AdminURL())
				meanwhile(vicinal)
				place(name + "-after")
				kubeScheduler.Kill()
				vicinal.Kill()
				f.freeLeases(t)
				return f.cp.Run.Path(name + "-tls")
			}
			before := live("first", nil, func(vicinal *harness.Vicinal) {
				f.othersGetNothing(t, vicinal, f.strangers(t, ""))
			})
			live("second", nil, func(vicinal *harness.Vicinal) {
				f.othersGetNothing(t, vicinal, f.strangers(t, before))
			})
			if v.name != ownAuthority.name {
				return
			}
			authority := harness.NewAuthority(t, harness.NewRun(t))
			revoked := authority.Client(t, "revoked")
			live("third", authority, func(vicinal *harness.Vicinal) {
				if output, err := curl(nil, with(revoked, "https://"+vicinal.AdminAddress+"/metrics")...); err != nil {
					t.Errorf("/metrics before the revocation: %v: %s", err, output)
				}
				authority.WriteCRL(t, revoked)
				harness.Eventually(t, 30*time.Second, "the certificate is revoked", func() string {
					if output, err := curl(nil, with(revoked, "https://"+vicinal.AdminAddress+"/metrics")...); err == nil {
						return "it reads " + output
					}
					return ""
				})
				f.othersGetNothing(t, vicinal, map[string]harness.Pair{
					"a revoked certificate": revoked,
					"an expired one":        authority.ExpiredClient(t, "system:kube-scheduler"),
				})
			})
		})
	}
}

// freeLeases takes away what killed schedulers hold, so that the next ones need not wait
// until it has expired.
func (f *fixture) freeLeases(t *testing.T) {
	t.Helper()
	if err := f.cp.Admin.CoordinationV1().Leases(metav1.NamespaceSystem).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
}

// fill writes what the init container would, signed by an authority.
func fill(t *testing.T, directory string, authority *harness.Authority) {
	t.Helper()
	server, client := authority.Server(t, "server"), authority.Client(t, "system:kube-scheduler")
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"ca.crt": authority.CAPEM, "server.crt": server.CertPEM, "server.key": server.KeyPEM, "client.crt": client.CertPEM, "client.key": client.KeyPEM,
	} {
		if err := os.WriteFile(filepath.Join(directory, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// strangers are client certificates that are to be refused, by what they are; `old` is the
// directory of those of a pod that has ended, "" if there is none.
func (f *fixture) strangers(t *testing.T, old string) map[string]harness.Pair {
	t.Helper()
	foreign := harness.NewAuthority(t, harness.NewRun(t))
	strangers := map[string]harness.Pair{
		"a foreign certificate":             foreign.Client(t, "system:kube-scheduler"),
		"a foreign, expired one":            foreign.ExpiredClient(t, "system:kube-scheduler"),
		"one of the API server's authority": f.cp.CA.Client(t, "system:kube-scheduler-of-the-cluster"),
	}
	if old != "" {
		strangers["one of before the restart"] = harness.Pair{CertFile: old + "/client.crt", KeyFile: old + "/client.key"}
	}
	return strangers
}

// curl runs it as another user: `as` begins the command.
func curl(as []string, args ...string) (string, error) {
	command := append(append(slices.Clone(as), "curl", "-sSkf", "--max-time", "10"), args...)
	output, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	return string(output), err
}

func with(certificate harness.Pair, args ...string) []string {
	return append([]string{"--cert", certificate.CertFile, "--key", certificate.KeyFile}, args...)
}

// nobody is another user of the host, which a hostNetwork pod is too: the beginning of its
// commands. Without root it is the test's own.
func nobody() []string {
	if os.Getuid() != 0 {
		return nil
	}
	return []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
}

// othersGetNothing from a vicinal: neither nobody nor who shows a stranger's certificate.
func (f *fixture) othersGetNothing(t *testing.T, v *harness.Vicinal, strangers map[string]harness.Pair) {
	t.Helper()
	if v.GRPCAddress != "" {
		t.Errorf("gRPC listens on %s", v.GRPCAddress)
	}
	closed := []string{v.AdminAddress + "/metrics", v.AdminAddress + "/decisions", v.AdminAddress + "/page/state"}
	for _, verb := range []string{"/filter", "/prioritize", "/preempt", "/bind"} {
		closed = append(closed, v.ExtenderAddress+verb)
	}
	f.othersGetNothingOf(t, v.AdminAddress, closed, strangers)
	wantListeners(t, v.PID(), v.ExtenderAddress, v.AdminAddress)
}

// othersGetNothingOf an admin listener but that vicinal is alive, and nothing at all of
// these addresses with their paths. No pod is changed by their tries.
func (f *fixture) othersGetNothingOf(t *testing.T, admin string, closed []string, strangers map[string]harness.Pair) {
	t.Helper()
	if output, err := curl(nobody(), "https://"+admin+"/healthz"); err != nil || output != "ok\n" {
		t.Errorf("/healthz: %q %v", output, err)
	}
	before := f.placements(t)
	for _, path := range closed {
		for _, url := range []string{"https://" + path, "http://" + path} {
			for _, data := range [][]string{{"-d", "{}"}, nil} {
				if output, err := curl(nobody(), append(data, url)...); err == nil {
					t.Errorf("nobody gets from %s: %s", url, output)
				}
			}
		}
		for what, certificate := range strangers {
			for _, data := range [][]string{{"-d", "{}"}, nil} {
				if output, err := curl(nil, with(certificate, append(data, "https://"+path)...)...); err == nil {
					t.Errorf("with %s one gets from %s: %s", what, path, output)
				}
			}
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if output, err := curl(nobody(), "-X", method, "https://"+admin+"/readyz"); err == nil {
			t.Errorf("%s /readyz: %s", method, output)
		}
	}
	if after := f.placements(t); after != before {
		t.Errorf("others have changed the pods from\n%s\nto\n%s", before, after)
	}
}

// placements are where the pods are, and are nominated to be.
func (f *fixture) placements(t *testing.T) string {
	t.Helper()
	list, err := f.cp.Admin.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, pod := range list.Items {
		all = append(all, fmt.Sprint(pod.Name, " on ", pod.Spec.NodeName, " nominated ", pod.Status.NominatedNodeName, " deleted ", pod.DeletionTimestamp != nil))
	}
	return strings.Join(all, "\n")
}

// wantListeners: a process listens on these addresses, as the manifests say, and on no
// other port. They speak TLS 1.2 or later.
func wantListeners(t *testing.T, pid int, addresses ...string) {
	t.Helper()
	sockets := map[string]bool{}
	descriptors, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(descriptors) == 0 {
		t.Fatalf("the descriptors of vicinal: %v", err)
	}
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err == nil {
			sockets[target] = true
		}
	}
	listeners := 0
	for _, family := range []string{"tcp", "tcp6"} {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, family))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(content), "\n") {
			fields := strings.Fields(line)
			const listen = "0A"
			if len(fields) > 9 && fields[3] == listen && sockets["socket:["+fields[9]+"]"] {
				listeners++
			}
		}
	}
	if listeners != len(addresses) {
		t.Errorf("vicinal listens on %d ports, want %d", listeners, len(addresses))
	}
	for _, address := range addresses {
		if conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
			conn.Close()
			t.Errorf("%s speaks TLS 1.1", address)
		}
	}
}

// addNodes makes two nodes for those who place pods.
func (f *fixture) addNodes(t *testing.T) {
	t.Helper()
	for _, node := range harness.SixNodes()[:2] {
		if _, err := f.cp.Admin.CoreV1().Nodes().Create(t.Context(), node.(*corev1.Node), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// So nobody can sign another certificate.
func TestTheKeyOfTheAuthorityIsNotWritten(t *testing.T) {
	directory := t.TempDir() + "/tls"
	if output, err := exec.Command(harness.VicinalBinary(t), "certificates", "--directory="+directory).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
		info, err := entry.Info()
		if err != nil || strings.HasSuffix(entry.Name(), ".key") && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", entry.Name(), info.Mode(), err)
		}
	}
	if want := []string{"ca.crt", "client.crt", "client.key", "server.crt", "server.key"}; !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
	if _, err := tls.LoadX509KeyPair(directory+"/ca.crt", directory+"/server.key"); err == nil {
		t.Error("the server's key is the authority's")
	}
}
