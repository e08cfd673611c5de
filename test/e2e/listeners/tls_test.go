// Package listeners tests what vicinal's listeners do around the answers: TLS,
// certificates that change, where they may listen, how they stop.
package listeners

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"vicinal/test/e2e/harness"
)

// The real scheduler, configured as its operators do it: enableHTTPS and tlsConfig.
func TestTheSchedulerAsksOverTLS(t *testing.T) {
	controlPlane := harness.StartControlPlane(t, harness.NewRun(t))
	observer := controlPlane.StartObserver(t)
	vicinal := harness.StartTLSVicinal(t, controlPlane.Run, controlPlane.CA,
		"--kubeconfig="+controlPlane.VicinalKubeconfig(t, controlPlane.URL))
	cluster := controlPlane.StartCluster(t, observer, vicinal)
	cluster.Apply(t, harness.SixNodes()...)
	pod := harness.PodOf("web")
	pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{harness.TermTo("web", corev1.LabelHostname)},
	}}
	for i := range 2 {
		pod := pod.DeepCopy()
		pod.Name = fmt.Sprint("web-", i)
		if placed := cluster.CreatePod(t, pod); placed.Spec.NodeName == "" {
			t.Errorf("%s: %s", placed.Name, harness.PendingMessage(placed))
		}
	}
	cluster.Scheduler.WantNoPrioritizeError(t)
	metrics, err := vicinal.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	if n := metrics.SumWhere("vicinal_requests_total", map[string]string{"verb": "filter"}); n < 2 {
		t.Errorf("filter was asked %v times", n)
	}
}

// As the scheduler's extender client, which offers HTTP/2 where there is TLS.
func TestTheQuestionsOfAClientShareOneConnection(t *testing.T) {
	run := harness.NewRun(t)
	ca := harness.NewAuthority(t, run)
	v := harness.StartTLSVicinal(t, run, ca)
	transport := utilnet.SetTransportDefaults(&http.Transport{TLSClientConfig: ca.TLSConfig(t, ca.Client(t, "scheduler"))})
	defer transport.CloseIdleConnections()
	client := &http.Client{Timeout: 10 * time.Second, Transport: transport}
	var opened atomic.Int64
	ask := func() {
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if !info.Reused {
				opened.Add(1)
			}
		}}
		request, err := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), trace), http.MethodGet, v.ExtenderURL()+"/healthz", nil)
		if err != nil {
			t.Error(err)
			return
		}
		response, err := client.Do(request)
		if err != nil {
			t.Error(err)
			return
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.ProtoMajor != 2 {
			t.Errorf("%s, %v", response.Proto, err)
		}
	}
	ask()
	var asking sync.WaitGroup
	for range 50 {
		asking.Go(func() {
			for range 20 {
				ask()
			}
		})
	}
	asking.Wait()
	if opened.Load() != 1 {
		t.Errorf("%d connections", opened.Load())
	}
}

// fixture is a vicinal on its sample cluster whose listeners have TLS.
type fixture struct {
	run     *harness.Run
	ca      *harness.Authority
	vicinal *harness.Vicinal
	server  harness.Pair
	client  harness.Pair
}

func startTLS(t *testing.T, flags ...string) *fixture {
	t.Helper()
	f := &fixture{run: harness.NewRun(t)}
	f.ca = harness.NewAuthority(t, f.run)
	f.server, f.client = f.ca.Server(t, "server"), f.ca.Client(t, "client")
	f.vicinal = harness.StartVicinal(t, f.run, append(flags,
		"--tls-cert-file="+f.server.CertFile, "--tls-private-key-file="+f.server.KeyFile)...)
	return f
}

// withoutCertificate trusts the server and has no certificate of its own.
func (f *fixture) withoutCertificate(t *testing.T) *tls.Config {
	config := f.ca.TLSConfig(t, f.client)
	config.Certificates = nil
	return config
}

// get asks over a new connection, and returns the status code and the serial number of
// the server's certificate.
func get(config *tls.Config, url string) (int, string, error) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	return getWith(client, url)
}

func getWith(client *http.Client, url string) (int, string, error) {
	response, err := client.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, response.TLS.PeerCertificates[0].SerialNumber.String(), err
}

// dial connects anew.
func dial(t *testing.T, config *tls.Config, address string) grpc_health_v1.HealthClient {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(config)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return grpc_health_v1.NewHealthClient(connection)
}

// check asks for the health until the answer is no error, or the time is over.
func check(health grpc_health_v1.HealthClient) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	answer, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err == nil && answer.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		return fmt.Errorf("health is %v", answer.Status)
	}
	return err
}

func TestClientsNeedACertificateOfTheClientAuthority(t *testing.T) {
	run := harness.NewRun(t)
	ca := harness.NewAuthority(t, run)
	v := harness.StartTLSVicinal(t, run, ca)
	known := ca.TLSConfig(t, ca.Client(t, "known"))
	unknown := known.Clone()
	unknown.Certificates = nil
	strangers := harness.NewRun(t)
	stranger := known.Clone()
	stranger.Certificates = harness.NewAuthority(t, strangers).TLSConfig(t, harness.NewAuthority(t, strangers).Client(t, "stranger")).Certificates

	for name, config := range map[string]*tls.Config{"none": unknown, "a stranger's": stranger} {
		if code, _, err := get(config, v.ExtenderURL()+"/filter"); err == nil {
			t.Errorf("certificate %s: the extender answers %d", name, code)
		}
		if err := check(dial(t, config, v.GRPCAddress)); status.Code(err) != codes.Unavailable && status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("certificate %s: gRPC answers %v", name, err)
		}
	}
	if code, _, err := get(known, v.ExtenderURL()+"/filter"); code != http.StatusMethodNotAllowed || err != nil {
		t.Errorf("the extender answers %d %v", code, err)
	}
	if err := check(dial(t, known, v.GRPCAddress)); err != nil {
		t.Error(err)
	}
	// The kubelet has none.
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401} {
		if code, _, err := get(unknown, v.AdminURL()+path); code != want || err != nil {
			t.Errorf("%s without a certificate: %d %v, want %d", path, code, err, want)
		}
	}
	if code, _, err := get(known, v.AdminURL()+"/metrics"); code != 200 || err != nil {
		t.Errorf("/metrics with a certificate: %d %v", code, err)
	}
}

func TestWithoutAClientAuthorityNobodyNeedsACertificate(t *testing.T) {
	f := startTLS(t)
	config := f.withoutCertificate(t)
	if code, _, err := get(config, "https://"+f.vicinal.ExtenderAddress+"/filter"); code != http.StatusMethodNotAllowed || err != nil {
		t.Errorf("the extender answers %d %v", code, err)
	}
	if code, _, err := get(config, "https://"+f.vicinal.AdminAddress+"/metrics"); code != 200 || err != nil {
		t.Errorf("/metrics: %d %v", code, err)
	}
	if err := check(dial(t, config, f.vicinal.GRPCAddress)); err != nil {
		t.Error(err)
	}
	// Plain HTTP is no TLS.
	if response, err := http.Get("http://" + f.vicinal.ExtenderAddress + "/filter"); err == nil {
		response.Body.Close()
		t.Errorf("plain HTTP is answered %d", response.StatusCode)
	}
}

func TestChangedCertificatesAreUsedAndNoConnectionIsDropped(t *testing.T) {
	f := startTLS(t)
	config := f.withoutCertificate(t)
	url := "https://" + f.vicinal.ExtenderAddress + "/filter"
	kept := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: config}}
	_, first, err := getWith(kept, url)
	if err != nil {
		t.Fatal(err)
	}
	keptGRPC := dial(t, config, f.vicinal.GRPCAddress)
	if err := check(keptGRPC); err != nil {
		t.Fatal(err)
	}

	second := f.ca.Server(t, "second")
	replace(t, second.CertFile, f.server.CertFile)
	replace(t, second.KeyFile, f.server.KeyFile)
	harness.Eventually(t, 20*time.Second, "new connections get the new certificate", func() string {
		if _, serial, err := get(config, url); err != nil || serial == first {
			return fmt.Sprint("HTTP: ", serial, err)
		}
		connection, err := tls.Dial("tcp", f.vicinal.GRPCAddress, &tls.Config{RootCAs: config.RootCAs, NextProtos: []string{"h2"}})
		if err != nil {
			return fmt.Sprint("gRPC: ", err)
		}
		defer connection.Close()
		if connection.ConnectionState().PeerCertificates[0].SerialNumber.String() == first {
			return "gRPC: still the old one"
		}
		return ""
	})
	if _, serial, err := getWith(kept, url); serial != first || err != nil {
		t.Errorf("the connection that was open: certificate %s %v, want %s", serial, err, first)
	}
	if err := check(keptGRPC); err != nil {
		t.Errorf("the gRPC connection that was open: %v", err)
	}
	if err := check(dial(t, config, f.vicinal.GRPCAddress)); err != nil {
		t.Error(err)
	}
}

// replace puts a file in the place of another, as a mounted secret does.
func replace(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestTheMinimumVersionHoldsOnEveryListener(t *testing.T) {
	for flag, accepts12 := range map[string]bool{"VersionTLS12": true, "VersionTLS13": false} {
		f := startTLS(t, "--tls-min-version="+flag)
		for name, address := range map[string]string{
			"extender": f.vicinal.ExtenderAddress, "admin": f.vicinal.AdminAddress, "gRPC": f.vicinal.GRPCAddress,
		} {
			for version, want := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: accepts12, tls.VersionTLS13: true} {
				config := f.withoutCertificate(t)
				config.MinVersion, config.MaxVersion, config.NextProtos = version, version, []string{"h2", "http/1.1"}
				connection, err := tls.Dial("tcp", address, config)
				if err == nil {
					connection.Close()
				}
				if (err == nil) != want {
					t.Errorf("%s: %s with %s: %v", flag, name, tls.VersionName(version), err)
				}
			}
		}
	}
}

// startError is the output of a `vicinal serve` that is to fail at once.
func startError(t *testing.T, flags ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	output, err := exec.CommandContext(ctx, harness.VicinalBinary(t), harness.ServeArgs(t, flags)...).CombinedOutput()
	if err == nil || ctx.Err() != nil {
		t.Errorf("%v: %v: %s", flags, err, output)
	}
	return string(output)
}

func TestWhatCannotBeServedIsSaidAtTheStart(t *testing.T) {
	run := harness.NewRun(t)
	ca := harness.NewAuthority(t, run)
	one, other := ca.Server(t, "one"), ca.Server(t, "other")
	for _, c := range []struct {
		want  string
		flags []string
	}{
		{one.CertFile + " with --tls-private-key-file " + other.KeyFile + ": the key does not belong to the certificate",
			[]string{"--tls-cert-file=" + one.CertFile, "--tls-private-key-file=" + other.KeyFile}},
		{"--tls-cert-file /nonexistent: ", []string{"--tls-cert-file=/nonexistent", "--tls-private-key-file=" + one.KeyFile}},
		{"--client-ca-file " + one.KeyFile + ": contains no PEM certificate",
			[]string{"--tls-cert-file=" + one.CertFile, "--tls-private-key-file=" + one.KeyFile, "--client-ca-file=" + one.KeyFile}},
		{"--tls-private-key-file", []string{"--tls-cert-file=" + one.CertFile}},
		{"--tls-cert-file", []string{"--client-ca-file=" + ca.CAFile}},
		{"--tls-min-version", []string{"--tls-min-version=VersionTLS14"}},
		{"--listen-address: 0.0.0.0:0 can be reached from other machines", []string{"--listen-address=0.0.0.0:0"}},
		{"--admin-listen-address: [::]:0 can be reached from other machines", []string{"--admin-listen-address=[::]:0"}},
		{"--grpc-listen-address: 0.0.0.0:0 can be reached from other machines", []string{"--grpc-listen-address=0.0.0.0:0"}},
		{"--grpc-listen-address: address \"localhost:1\"", []string{"--grpc-listen-address=localhost:1"}},
		{"--client-ca-file is missing", []string{"--kubeconfig=/nonexistent", "--allow-anonymous-clients=false"}},
		{"exactly one of --kubeconfig", []string{"--sample=false"}},
		{"--grpc-state needs --grpc-listen-address", []string{"--grpc-state", "--grpc-listen-address=none"}},
	} {
		if output := startError(t, c.flags...); !strings.Contains(output, c.want) {
			t.Errorf("%v: %q is not in: %s", c.flags, c.want, output)
		}
	}
}
