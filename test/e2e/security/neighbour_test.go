package security

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"vicinal/test/e2e/harness"
)

// certificates runs `vicinal certificates` as the overlays' init container does.
func certificates(t *testing.T, directory string) {
	t.Helper()
	if output, err := exec.Command(harness.VicinalBinary(t), "certificates", "--directory="+directory).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
}

// clientOf shows the client's certificate of a directory, and trusts its authority.
func clientOf(t *testing.T, directory string) *tls.Config {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(directory, "client.crt"), filepath.Join(directory, "client.key"))
	if err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(filepath.Join(directory, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		t.Fatal("ca.crt holds no certificate")
	}
	return &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}
}

func tlsFlags(directory string) []string {
	return []string{"--sample", "--tls-cert-file=" + directory + "/server.crt", "--tls-private-key-file=" + directory + "/server.key", "--client-ca-file=" + directory + "/ca.crt"}
}

// Another user of this host, and so a hostNetwork pod, reaches the ports, and nothing
// behind them but the health.
func TestAnotherUserOfTheHostGetsNothing(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("becoming another user needs root")
	}
	run := harness.NewRun(t)
	directory := run.Path("tls")
	certificates(t, directory)
	v := harness.StartVicinal(t, run, tlsFlags(directory)...)
	nobody := func(command ...string) (string, error) {
		output, err := exec.Command("setpriv", append([]string{"--reuid=65534", "--regid=65534", "--clear-groups"}, command...)...).CombinedOutput()
		return string(output), err
	}
	if output, err := nobody("curl", "-sSk", "--max-time", "10", "https://"+v.AdminAddress+"/healthz"); err != nil || output != "ok\n" {
		t.Errorf("/healthz: %q %v", output, err)
	}
	for _, command := range [][]string{
		{"cat", directory + "/client.key"},
		{"cat", directory + "/server.key"},
		{"cat", directory + "/ca.crt"},
		{"ls", directory},
		{"curl", "-sSkf", "--max-time", "10", "-d", "{}", "https://" + v.ExtenderAddress + "/bind"},
		{"curl", "-sSkf", "--max-time", "10", "-d", "{}", "https://" + v.ExtenderAddress + "/filter"},
		{"curl", "-sSf", "--max-time", "10", "-d", "{}", "http://" + v.ExtenderAddress + "/filter"},
		{"curl", "-sSkf", "--max-time", "10", "https://" + v.AdminAddress + "/metrics"},
		{"curl", "-sSkf", "--max-time", "10", "--http2-prior-knowledge", "https://" + v.GRPCAddress + "/vicinal.v1.ClusterState/Snapshot"},
		{"sh", "-c", "kill -0 " + fmt.Sprint(v.PID())},
		{"cat", fmt.Sprintf("/proc/%d/environ", v.PID())},
	} {
		if output, err := nobody(command...); err == nil {
			t.Errorf("nobody gets from %v: %s", command, output)
		}
	}
}

// New certificates, as of a pod that was made anew: the old ones are worth nothing.
func TestARestartWithNewCertificatesRevokesTheOldOnes(t *testing.T) {
	run := harness.NewRun(t)
	directory := run.Path("tls")
	certificates(t, directory)
	old := clientOf(t, directory)
	w := &world{vicinal: harness.StartVicinal(t, run, tlsFlags(directory)...)}
	if code, got := w.post(old, "/filter", `{"Pod":{},"NodeNames":[]}`); code != 200 {
		t.Fatalf("the client's certificate: %d %s", code, got)
	}
	certificates(t, directory)
	if code, got := w.post(old, "/filter", `{"Pod":{},"NodeNames":[]}`); code != 200 {
		t.Errorf("made again, good certificates are not kept: %d %s", code, got)
	}
	w.vicinal.Kill()
	if err := os.RemoveAll(directory); err != nil {
		t.Fatal(err)
	}
	certificates(t, directory)
	w.vicinal = harness.StartVicinal(t, run, tlsFlags(directory)...)
	if code, got := w.post(clientOf(t, directory), "/filter", `{"Pod":{},"NodeNames":[]}`); code != 200 {
		t.Errorf("the new certificate: %d %s", code, got)
	}
	// It still trusts the server: what is refused is its own certificate.
	trusting := clientOf(t, directory)
	trusting.Certificates = old.Certificates
	if code, got := w.post(trusting, "/filter", "{}"); code != 0 {
		t.Errorf("the old certificate: %d %s", code, got)
	}
	if _, err := w.vicinal.DialGRPCWith(trusting, 2*time.Second); err == nil {
		t.Error("gRPC takes the old certificate")
	}
}

// What is revoked while vicinal runs is refused, over connections that stand too.
func TestARevokedCertificateIsRefusedFromThenOn(t *testing.T) {
	run := harness.NewRun(t)
	ca := harness.NewAuthority(t, run)
	server, client, other := ca.Server(t, "server"), ca.Client(t, "client"), ca.Client(t, "other")
	v := harness.StartVicinal(t, run, "--sample", "--tls-cert-file="+server.CertFile, "--tls-private-key-file="+server.KeyFile,
		"--client-ca-file="+ca.CAFile, "--client-crl-file="+ca.WriteCRL(t))
	config := ca.TLSConfig(t, client)
	conn, err := dial(config, v.ExtenderAddress)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	reader := bufio.NewReader(conn)
	// ask sends a question over the connection that stands.
	ask := func() (int, error) {
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.WriteString(conn, "POST /filter HTTP/1.1\r\nHost: v\r\nContent-Length: 25\r\n\r\n{\"Pod\":{},\"NodeNames\":[]}"); err != nil {
			return 0, err
		}
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return 0, err
		}
		_, err = io.ReadAll(response.Body)
		return response.StatusCode, err
	}
	if code, err := ask(); code != 200 {
		t.Fatalf("before: %d %v", code, err)
	}
	grpcClient, err := v.DialGRPCWith(config, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer grpcClient.Close()
	if err := call("Extender/Filter")(grpcClient); status.Code(err) == codes.Unauthenticated {
		t.Fatalf("before: %v", err)
	}
	ca.WriteCRL(t, client)
	harness.Eventually(t, 30*time.Second, "the connection that stands is closed", func() string {
		if code, err := ask(); err == nil {
			return fmt.Sprint("still answered: ", code)
		}
		return ""
	})
	w := &world{vicinal: v}
	if code, got := w.post(config, "/filter", "{}"); code != 0 {
		t.Errorf("a new connection: %d %s", code, got)
	}
	if err := call("Extender/Filter")(grpcClient); status.Code(err) != codes.Unauthenticated || !strings.Contains(err.Error(), "certificate revoked") {
		t.Errorf("gRPC: %v", err)
	}
	if code, got := w.post(ca.TLSConfig(t, other), "/filter", `{"Pod":{},"NodeNames":[]}`); code != 200 {
		t.Errorf("another certificate: %d %s", code, got)
	}
}

// A certificate of vicinal's own authority, without a file of roles: asking and nothing else.
func TestWithoutRolesAClientOverGRPCMayAskOnly(t *testing.T) {
	run := harness.NewRun(t)
	directory := run.Path("tls")
	certificates(t, directory)
	v := harness.StartVicinal(t, run, tlsFlags(directory)...)
	client, err := v.DialGRPCWith(clientOf(t, directory), 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := call("Extender/Filter")(client); status.Code(err) == codes.PermissionDenied {
		t.Error(err)
	}
	for name, refused := range map[string]error{"bind": call("Extender/Bind")(client), "read": client.Snapshot(), "feed": feed(client)} {
		if refused == nil || !strings.Contains(refused.Error(), `client "system:kube-scheduler" does not have the role `+name) {
			t.Errorf("%s: %v", name, refused)
		}
	}
}

// They tell the names of pods and nodes, which the metrics do not.
func TestDecisionsAreNotForThoseWhoReadOnlyTheMetrics(t *testing.T) {
	run := harness.NewRun(t)
	directory := run.Path("tls")
	certificates(t, directory)
	readers := harness.NewAuthority(t, harness.NewRun(t))
	roles := run.Path("roles.yaml")
	if err := os.WriteFile(roles, []byte("system:kube-scheduler: [ask, bind]\noperator: [read]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	trusting := func(config *tls.Config, name string) *tls.Config {
		config = config.Clone()
		config.Certificates = readers.TLSConfig(t, readers.Client(t, name)).Certificates
		return config
	}
	scheduler := clientOf(t, directory)
	prometheus, operator := trusting(scheduler, "prometheus"), trusting(scheduler, "operator")
	type want struct {
		who    *tls.Config
		path   string
		status int
	}
	for _, test := range []struct {
		name  string
		flags []string
		wants []want
	}{
		{"who may ask", nil, []want{{scheduler, "/metrics", 200}, {scheduler, "/decisions", 200}}},
		{"roles", []string{"--grpc-roles-file=" + roles}, []want{{scheduler, "/metrics", 200}, {scheduler, "/decisions", 403}}},
		{"an authority of the metrics", []string{"--metrics-client-ca-file=" + readers.CAFile}, []want{
			{prometheus, "/metrics", 200}, {prometheus, "/decisions", 403}, {operator, "/decisions", 403}, {scheduler, "/decisions", 0},
		}},
		{"both", []string{"--metrics-client-ca-file=" + readers.CAFile, "--grpc-roles-file=" + roles}, []want{
			{prometheus, "/metrics", 200}, {prometheus, "/decisions", 403}, {operator, "/metrics", 200}, {operator, "/decisions", 200},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{vicinal: harness.StartVicinal(t, run, append(tlsFlags(directory), append(test.flags, "--grpc-listen-address=none")...)...)}
			for i, want := range test.wants {
				if status, got, err := w.call(want.who, "GET", w.vicinal.AdminAddress, want.path, ""); status != want.status {
					t.Errorf("%d: %s: %d %s %v, want %d", i, want.path, status, got, err, want.status)
				}
				if want.path != "/decisions" {
					continue
				}
				// The page tells the same and more.
				if status, got, err := w.call(want.who, "GET", w.vicinal.AdminAddress, "/page", ""); status != want.status {
					t.Errorf("%d: /page: %d %s %v, want %d", i, status, got, err, want.status)
				}
			}
		})
	}
}
