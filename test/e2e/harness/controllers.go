package harness

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// StartControllerManager starts kube-controller-manager as itself with the controllers of
// workloads and disruption budgets, each with its own service account, and returns once it
// is healthy. It does then what Cluster plays for tests without it: such a test creates
// Deployments with the client.
func (cp *ControlPlane) StartControllerManager(t testing.TB) *Process {
	t.Helper()
	kubeconfig := cp.Kubeconfig(t, "kube-controller-manager", cp.URL, cp.ClientCertificate(t, "system:kube-controller-manager"))
	server := cp.CA.Server(t, "kube-controller-manager-server")
	port := FreePort(t)
	p := startProcess(t, cp.Run, nil, KubeBinary(t, "kube-controller-manager"), "kube-controller-manager",
		"--kubeconfig="+kubeconfig, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig,
		"--use-service-account-credentials",
		"--controllers=deployment-controller,replicaset-controller,disruption-controller,garbage-collector-controller",
		"--leader-elect=false",
		"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(port),
		"--tls-cert-file="+server.CertFile, "--tls-private-key-file="+server.KeyFile)
	admin := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: cp.CA.TLSConfig(t, cp.AdminPair)}}
	p.await(t, startTimeout, "kube-controller-manager is healthy", func() string {
		return getProblem(admin, fmt.Sprintf("https://127.0.0.1:%d/healthz", port))
	})
	return p
}
