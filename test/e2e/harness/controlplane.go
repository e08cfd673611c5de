package harness

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// kube-apiserver takes some ten seconds of two loaded cores to become ready.
const startTimeout = 90 * time.Second

// ControlPlane is etcd and kube-apiserver with TLS and RBAC, vicinal's account
// already set up from manifests/base/rbac.yaml.
type ControlPlane struct {
	Run *Run
	CA  *Authority
	// URL of kube-apiserver; it stays the same over restarts.
	URL string
	// Admin may do everything (group system:masters).
	Admin      kubernetes.Interface
	AdminREST  *rest.Config
	AdminPair  Pair
	etcd       *Process
	etcdURL    string
	etcdClient *http.Client
	apiserver  *Process
	apiArgs    []string
}

// StartControlPlane returns once the API server is ready.
func StartControlPlane(t testing.TB, run *Run) *ControlPlane {
	t.Helper()
	cp := &ControlPlane{Run: run, CA: NewAuthority(t, run)}
	cp.AdminPair = cp.CA.Client(t, "e2e-admin", "system:masters")
	cp.startEtcd(t)
	port := FreePort(t)
	cp.URL = fmt.Sprintf("https://127.0.0.1:%d", port)
	cp.apiArgs = cp.apiserverArgs(t, port)
	cp.AdminREST = &rest.Config{
		Host:            cp.URL,
		TLSClientConfig: rest.TLSClientConfig{CAData: cp.CA.CAPEM, CertData: cp.AdminPair.CertPEM, KeyData: cp.AdminPair.KeyPEM},
		QPS:             -1, // no client-side rate limit
		Timeout:         30 * time.Second,
	}
	var err error
	if cp.Admin, err = kubernetes.NewForConfig(cp.AdminREST); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cp.KillAPIServer)
	cp.StartAPIServer(t)
	for _, object := range LoadManifest(t, RepositoryFile(t, "manifests/base/rbac.yaml")) {
		if err := create(t.Context(), cp.Admin, object); err != nil {
			t.Fatal(err)
		}
	}
	return cp
}

func (cp *ControlPlane) startEtcd(t testing.TB) {
	t.Helper()
	server := cp.CA.Server(t, "etcd")
	cp.etcdURL = fmt.Sprintf("https://127.0.0.1:%d", FreePort(t))
	peer := fmt.Sprintf("http://127.0.0.1:%d", FreePort(t))
	cp.etcd = startProcess(t, cp.Run, nil, KubeBinary(t, "etcd", "server"), "etcd",
		"--name=e2e",
		"--data-dir="+cp.Run.Path("etcd"),
		"--unsafe-no-fsync", // the data dies with the test
		"--listen-client-urls="+cp.etcdURL, "--advertise-client-urls="+cp.etcdURL,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=e2e="+peer,
		"--cert-file="+server.CertFile, "--key-file="+server.KeyFile,
		"--client-cert-auth", "--trusted-ca-file="+cp.CA.CAFile,
		"--log-level=warn")
	cp.etcdClient = &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{TLSClientConfig: cp.CA.TLSConfig(t, cp.AdminPair)},
	}
	cp.etcd.await(t, startTimeout, "etcd is healthy", func() string { return getProblem(cp.etcdClient, cp.etcdURL+"/health") })
}

func (cp *ControlPlane) apiserverArgs(t testing.TB, port int) []string {
	server := cp.CA.Server(t, "kube-apiserver")
	serviceAccountKey := cp.Run.Path("service-account.key")
	writeFile(t, serviceAccountKey, keyPEM(t, newKey(t)))
	return []string{
		"--etcd-servers=" + cp.etcdURL, "--etcd-cafile=" + cp.CA.CAFile,
		"--etcd-certfile=" + cp.AdminPair.CertFile, "--etcd-keyfile=" + cp.AdminPair.KeyFile,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + server.CertFile, "--tls-private-key-file=" + server.KeyFile,
		"--client-ca-file=" + cp.CA.CAFile,
		"--authorization-mode=Node,RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + serviceAccountKey, "--service-account-signing-key-file=" + serviceAccountKey,
		"--service-cluster-ip-range=10.0.0.0/24",
		// No other API server, and an address on loopback is refused as endpoint.
		"--endpoint-reconciler-type=none",
		// Nobody makes the namespaces' default service accounts here, and nobody
		// takes the not-ready taint off new nodes.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
		"--profiling=false",
	}
}

// StartAPIServer starts kube-apiserver on the port it has had from the beginning. It
// lives as long as the control plane.
func (cp *ControlPlane) StartAPIServer(t testing.TB) {
	t.Helper()
	cp.apiserver = launch(t, cp.Run, nil, KubeBinary(t, "kube-apiserver"), "kube-apiserver", cp.apiArgs...)
	cp.apiserver.await(t, startTimeout, "kube-apiserver is ready", func() string {
		if _, err := cp.Admin.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(t.Context()); err != nil {
			return err.Error()
		}
		return ""
	})
}

// KillAPIServer ends kube-apiserver at once; etcd keeps the data.
func (cp *ControlPlane) KillAPIServer() {
	if cp.apiserver != nil {
		cp.apiserver.Kill()
	}
}

// FreezeAPIServer lets kube-apiserver do nothing (SIGSTOP) until ThawAPIServer. The kernel
// still accepts connections for it.
func (cp *ControlPlane) FreezeAPIServer(t testing.TB) { cp.apiserver.Signal(t, syscall.SIGSTOP) }

// ThawAPIServer ends FreezeAPIServer.
func (cp *ControlPlane) ThawAPIServer(t testing.TB) { cp.apiserver.Signal(t, syscall.SIGCONT) }

// CPUSeconds is the CPU time of kube-apiserver since it was started last, and of etcd.
func (cp *ControlPlane) CPUSeconds(t testing.TB) (apiserver, etcd float64) {
	t.Helper()
	return cp.apiserver.CPUSeconds(t), cp.etcd.CPUSeconds(t)
}

// Etcd is where etcd listens and what a client of it shows.
func (cp *ControlPlane) Etcd(t testing.TB) (string, *tls.Config) {
	t.Helper()
	return cp.etcdURL, cp.CA.TLSConfig(t, cp.AdminPair)
}

// CompactEtcd makes every revision older than now unreadable, so that nothing can
// be resumed or continued from there.
func (cp *ControlPlane) CompactEtcd(t testing.TB) {
	t.Helper()
	status := cp.etcdCall(t, "/v3/maintenance/status", map[string]any{})
	header, ok := status["header"].(map[string]any)
	if !ok {
		t.Fatalf("etcd status without header: %v", status)
	}
	cp.etcdCall(t, "/v3/kv/compaction", map[string]any{"revision": header["revision"], "physical": true})
}

func (cp *ControlPlane) etcdCall(t testing.TB, path string, request map[string]any) map[string]any {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	response, err := cp.etcdClient.Post(cp.etcdURL+path, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("etcd %s: %s: %s %v", path, response.Status, answer, err)
	}
	result := map[string]any{}
	if err := json.Unmarshal(answer, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// ServiceAccountToken is a token of a service account, as a kubelet would fetch it.
func (cp *ControlPlane) ServiceAccountToken(t testing.TB, namespace, name string) string {
	t.Helper()
	request, err := cp.Admin.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), name, tokenRequest(), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// ClientCertificate is the kubeconfig credential of an API user with these groups.
func (cp *ControlPlane) ClientCertificate(t testing.TB, user string, groups ...string) *clientcmdapi.AuthInfo {
	t.Helper()
	pair := cp.CA.Client(t, user, groups...)
	return &clientcmdapi.AuthInfo{ClientCertificateData: pair.CertPEM, ClientKeyData: pair.KeyPEM}
}

// getProblem is "" when the URL answers 200.
func getProblem(client *http.Client, url string) string {
	response, err := client.Get(url)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return url + ": " + response.Status
	}
	return ""
}
