// Package security tries what somebody would who wants to bind, read or evict through
// vicinal: without a certificate, with a wrong one, without the role, and by forgery.
package security

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"vicinal/test/e2e/harness"
)

// world is a real API server with two nodes of 4 CPUs and some pods, and vicinal with
// TLS on all listeners. Nobody schedules: what is bound was bound by an abuse.
type world struct {
	cp      *harness.ControlPlane
	vicinal *harness.Vicinal
	// The scheduler's certificate, with the roles ask and bind.
	scheduler *tls.Config
	// Clients that are to be refused, by what they show.
	strangers map[string]*tls.Config
	// Clients of the authority, by their one role.
	ofRole map[string]*tls.Config

	pods map[string]*corev1.Pod
	// Where each pod was, or was nominated to be, before the abuse.
	before string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	run := harness.NewRun(t)
	w := &world{cp: harness.StartControlPlane(t, run), pods: map[string]*corev1.Pod{}}
	ca := w.cp.CA
	roles := run.Path("roles.yaml")
	if err := os.WriteFile(roles, []byte("system:kube-scheduler: [ask, bind]\nask: [ask]\nbind: [bind]\nfeed: [feed]\nread: [read]\nrevoked: [ask, bind, feed, read]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, scheduler := ca.Server(t, "vicinal-server"), ca.Client(t, "system:kube-scheduler")
	revoked := ca.Client(t, "revoked")
	w.scheduler = ca.TLSConfig(t, scheduler)
	config := run.Path("profile.yaml")
	profile := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: default-scheduler\n"
	if err := os.WriteFile(config, []byte(profile), 0o600); err != nil {
		t.Fatal(err)
	}
	w.vicinal = harness.StartVicinal(t, run, "--kubeconfig="+w.cp.VicinalKubeconfig(t, w.cp.URL), "--scheduler-config="+config,
		"--tls-cert-file="+server.CertFile, "--tls-private-key-file="+server.KeyFile, "--client-ca-file="+ca.CAFile,
		"--client-crl-file="+ca.WriteCRL(t, revoked), "--grpc-roles-file="+roles)
	w.strangers = strangers(t, w, revoked)
	w.ofRole = map[string]*tls.Config{}
	for _, role := range []string{"ask", "bind", "feed", "read", "unknown"} {
		w.ofRole[role] = ca.TLSConfig(t, ca.Client(t, role))
	}
	w.addObjects(t)
	harness.Eventually(t, 30*time.Second, "vicinal is ready", func() string {
		if status, _, err := w.call(w.scheduler, "GET", w.vicinal.AdminAddress, "/readyz", ""); status != 200 {
			return fmt.Sprint(status, err)
		}
		return ""
	})
	harness.Eventually(t, 30*time.Second, "vicinal has seen the pods", func() string {
		_, metrics, err := w.call(w.scheduler, "GET", w.vicinal.AdminAddress, "/metrics", "")
		if want := fmt.Sprintf("vicinal_index_pods %d\n", len(w.pods)-1); !strings.Contains(metrics, want) {
			return fmt.Sprintf("not %q %v", want, err)
		}
		return ""
	})
	w.before = w.placements(t)
	return w
}

// strangers are clients with certificates that are not to be believed.
func strangers(t *testing.T, w *world, revoked harness.Pair) map[string]*tls.Config {
	t.Helper()
	with := func(p harness.Pair) *tls.Config { return w.cp.CA.TLSConfig(t, p) }
	none := w.scheduler.Clone()
	none.Certificates = nil
	old := none.Clone()
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	return map[string]*tls.Config{
		"no certificate":         none,
		"TLS 1.1":                old,
		"a foreign one":          with(harness.NewAuthority(t, harness.NewRun(t)).Client(t, "system:kube-scheduler")),
		"an expired one":         with(w.cp.CA.ExpiredClient(t, "system:kube-scheduler")),
		"a revoked one":          with(revoked),
		"one signed by itself":   with(selfSigned(t)),
		"one signed by a client": with(signedByAClient(t, w.cp.CA.Client(t, "client-as-authority"))),
		"plain text":             nil,
	}
}

func selfSigned(t *testing.T) harness.Pair {
	return certify(t, nil, nil)
}

// signedByAClient misuses a client's certificate as that of an authority.
func signedByAClient(t *testing.T, client harness.Pair) harness.Pair {
	t.Helper()
	pair, err := tls.X509KeyPair(client.CertPEM, client.KeyPEM)
	if err != nil {
		t.Fatal(err)
	}
	parent, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	made := certify(t, parent, pair.PrivateKey)
	made.CertPEM = append(made.CertPEM, client.CertPEM...)
	return made
}

func certify(t *testing.T, parent *x509.Certificate, parentKey any) harness.Pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "system:kube-scheduler"},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if parent == nil {
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	if err != nil {
		t.Fatal(err)
	}
	return harness.PairOf(t, der, key)
}

func (w *world) addObjects(t *testing.T) {
	t.Helper()
	for _, node := range harness.SixNodes()[:2] {
		node.(*corev1.Node).Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("4")
		w.cp.Create(t, node)
	}
	big := harness.PodOf("big")
	big.Spec.NodeSelector = map[string]string{"disk": "none"}
	big.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64")}
	other := harness.PodOf("other")
	other.Spec.SchedulerName = "another-scheduler"
	bound := harness.PodOf("bound")
	bound.Spec.NodeName = "n1"
	bound2 := harness.PodOf("bound")
	bound2.Spec.NodeName = "n2"
	// The two that run keep it from both nodes.
	alone := harness.PodOf("alone")
	alone.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{harness.TermTo("bound", corev1.LabelHostname)},
	}}
	gated := harness.PodOf("gated")
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
	for name, pod := range map[string]*corev1.Pod{"big": big, "other": other, "bound": bound, "bound2": bound2, "alone": alone, "gated": gated, "small": harness.PodOf("small"), "gone": harness.PodOf("gone")} {
		pod.GenerateName, pod.Name = "", name
		created, err := w.cp.Admin.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		created.APIVersion, created.Kind = "v1", "Pod"
		w.pods[name] = created
	}
	now := int64(0)
	if err := w.cp.Admin.CoreV1().Pods("default").Delete(t.Context(), "gone", metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
}

// placements are where the API server has the pods.
func (w *world) placements(t *testing.T) string {
	t.Helper()
	list, err := w.cp.Admin.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, pod := range list.Items {
		all = append(all, fmt.Sprintf("%s on %q nominated %q deleted %v", pod.Name, pod.Spec.NodeName, pod.Status.NominatedNodeName, pod.DeletionTimestamp != nil))
	}
	return strings.Join(all, "\n")
}

// dial connects with these certificates; nil: without TLS.
func dial(config *tls.Config, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if config == nil {
		return dialer.Dial("tcp", address)
	}
	return tls.DialWithDialer(dialer, "tcp", address, config)
}

// call makes a request over a connection of its own. Status 0: there was no answer.
func (w *world) call(config *tls.Config, method, address, path, body string) (int, string, error) {
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: v\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", method, path, len(body), body)
	answers, err := w.exchange(config, address, text)
	if len(answers) == 0 {
		return 0, "", err
	}
	return answers[0].status, answers[0].body, nil
}

type answer struct {
	status int
	body   string
}

// exchange sends a text and reads answers until there is no other one.
func (w *world) exchange(config *tls.Config, address, text string) ([]answer, error) {
	conn, err := dial(config, address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	go func() { _, _ = io.WriteString(conn, text) }()
	reader := bufio.NewReader(conn)
	var answers []answer
	for {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return answers, err
		}
		body, err := io.ReadAll(response.Body)
		answers = append(answers, answer{response.StatusCode, string(body)})
		if err != nil || response.Close {
			return answers, err
		}
		_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	}
}

// post asks a verb of the extender as the scheduler does.
func (w *world) post(config *tls.Config, path string, args any) (int, string) {
	body, ok := args.(string)
	if !ok {
		var text bytes.Buffer
		_ = json.NewEncoder(&text).Encode(args)
		body = text.String()
	}
	status, got, _ := w.call(config, "POST", w.vicinal.ExtenderAddress, path, body)
	return status, got
}

// filter asks the question as if it were the scheduler's, whatever the pod is.
func (w *world) filter(pod *corev1.Pod) string {
	_, got := w.post(w.scheduler, "/filter", extenderv1.ExtenderArgs{Pod: pod, NodeNames: &[]string{"n1", "n2"}})
	return got
}
