package noopapi

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	bench "vicinal/test/bench/process"
	"vicinal/test/load/noop"
)

// vicinal is the process, which has no other API server than noop's, or none.
type vicinal struct {
	server                *bench.Server
	extenderURL, adminURL string
	socket                string // with the scheduler's plugin, and no extender
	certificates          string // folder of the scheduler's certificate; "": no TLS
	client                *http.Client
}

func startVicinal(o *options, mode string, api *noop.API, folder string) (*vicinal, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go http.Serve(listener, api.Handler()) // ends with the process
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(kubeconfig, fmt.Appendf(nil, kubeconfigFormat, listener.Addr()), 0o600); err != nil {
		return nil, err
	}
	v, scheme := &vicinal{client: http.DefaultClient}, "http://"
	args := []string{"serve", "--mode=" + strings.TrimSuffix(mode, "-tls"), "--kubeconfig=" + kubeconfig, "--listen-address=127.0.0.1:0", "--admin-listen-address=127.0.0.1:0", "--grpc-listen-address=none"}
	if mode != "advise" {
		args = append(args, "--scheduler-config="+manifestOf(o, mode))
	}
	if mode == decideTLS {
		scheme = "https://"
		if err := v.makeCertificates(o, filepath.Join(folder, "tls")); err != nil {
			return nil, err
		}
		args = append(args, "--tls-cert-file="+v.certificates+"/server.crt", "--tls-private-key-file="+v.certificates+"/server.key", "--client-ca-file="+v.certificates+"/ca.crt")
	} else {
		args = append(args, "--allow-anonymous-clients")
	}
	server, err := bench.Start(o.vicinal, args...)
	if err != nil {
		return nil, err
	}
	v.server = server
	var extender, admin string
	if _, err := fmt.Sscanf(server.FirstLine, "listening extender=%s admin=%s", &extender, &admin); err != nil {
		server.Kill()
		return nil, fmt.Errorf("vicinal does not say where it listens: %q", server.FirstLine)
	}
	v.extenderURL, v.adminURL = scheme+extender, scheme+admin
	if err := v.waitSeen(1); err != nil {
		server.Kill()
		return nil, err
	}
	return v, nil
}

// makeCertificates has vicinal make them, as the overlays do.
func (v *vicinal) makeCertificates(o *options, folder string) error {
	if _, err := bench.Output(o.vicinal, "certificates", "--directory="+folder); err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(folder+"/client.crt", folder+"/client.key")
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(folder + "/ca.crt")
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	v.certificates = folder
	v.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}}}}
	return nil
}

const kubeconfigFormat = `apiVersion: v1
kind: Config
clusters: [{name: noop, cluster: {server: "http://%s"}}]
users: [{name: noop, user: {}}]
contexts: [{name: noop, context: {cluster: noop, user: noop}}]
current-context: noop
`

// startPluginVicinal is one that knows what the scheduler's plugin tells.
func startPluginVicinal(o *options, folder string) (*vicinal, error) {
	v := &vicinal{client: http.DefaultClient, socket: filepath.Join(folder, "plugin.sock")}
	text, err := configFor(manifestOf(o, "plugin"), v)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(folder, "kube-scheduler-config.yaml")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		return nil, err
	}
	if v.server, err = bench.Start(o.vicinal, "serve-plugin", "--socket="+v.socket, "--scheduler-config="+config, "--admin-listen-address=127.0.0.1:0"); err != nil {
		return nil, err
	}
	var socket, admin string
	if _, err := fmt.Sscanf(v.server.FirstLine, "listening plugin=%s admin=%s", &socket, &admin); err != nil {
		v.server.Kill()
		return nil, fmt.Errorf("vicinal does not say where it listens: %q", v.server.FirstLine)
	}
	v.adminURL = "http://" + admin
	return v, nil
}

// waitSeen waits until vicinal is ready and knows the pods as of a resourceVersion. What
// the plugin tells comes before its questions.
func (v *vicinal) waitSeen(version int64) error {
	if v.socket != "" {
		return nil
	}
	return eventually(5*time.Minute, func() error {
		ready, err := v.client.Get(v.adminURL + "/readyz")
		if err != nil {
			return err
		}
		ready.Body.Close()
		if ready.StatusCode != http.StatusOK {
			return fmt.Errorf("/readyz: %s", ready.Status)
		}
		seen, err := v.metric("vicinal_watch_resource_version", "resource", "pods")
		if err == nil && seen < float64(version) {
			err = fmt.Errorf("vicinal has seen the pods as of %v, not %d", seen, version)
		}
		return err
	})
}

// metric is a gauge of a name, with this label if there is one.
func (v *vicinal) metric(name, label, value string) (float64, error) {
	response, err := v.client.Get(v.adminURL + "/metrics")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return 0, err
	}
	for _, metric := range families[name].GetMetric() {
		has := label == ""
		for _, pair := range metric.GetLabel() {
			has = has || pair.GetName() == label && pair.GetValue() == value
		}
		if has {
			return metric.GetGauge().GetValue(), nil
		}
	}
	return 0, fmt.Errorf("vicinal's metrics have no %s", name)
}
