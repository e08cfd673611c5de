package harness

import (
	"context"
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// APIProxy stands before the API server and sees the requests, unlike Proxy, which only
// sees bytes. It forwards them as admin.
type APIProxy struct {
	URL string

	mu        sync.Mutex
	tls       *tls.Config                                   // guarded by mu; for new connections
	intercept func(http.ResponseWriter, *http.Request) bool // guarded by mu
	conns     map[net.Conn]bool                             // guarded by mu
}

// StartAPIProxy listens with a certificate of the control plane's authority.
func (cp *ControlPlane) StartAPIProxy(t testing.TB) *APIProxy {
	t.Helper()
	target, err := url.Parse(cp.URL)
	if err != nil {
		t.Fatal(err)
	}
	pair := cp.CA.Server(t, "api-proxy")
	certificate, err := tls.X509KeyPair(pair.CertPEM, pair.KeyPEM)
	if err != nil {
		t.Fatal(err)
	}
	p := &APIProxy{tls: &tls.Config{Certificates: []tls.Certificate{certificate}}, conns: map[net.Conn]bool{}}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{GetConfigForClient: p.tlsConfig})
	if err != nil {
		t.Fatal(err)
	}
	p.URL = "https://" + listener.Addr().String()
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     &http.Transport{TLSClientConfig: cp.CA.TLSConfig(t, cp.AdminPair)},
		FlushInterval: -1, // a watch is a stream
		ErrorLog:      log.New(discard{}, "", 0),
	}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p.mu.Lock()
			intercept := p.intercept
			p.mu.Unlock()
			r = r.WithContext(context.WithValue(r.Context(), forwardKey{}, http.Handler(forward)))
			if intercept == nil || !intercept(w, r) {
				forward.ServeHTTP(w, r)
			}
		}),
		ErrorLog:  log.New(discard{}, "", 0),
		ConnState: p.remember,
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	return p
}

type forwardKey struct{}

// ForwardOf has a request of Intercept carried out by the API server.
func ForwardOf(r *http.Request) http.Handler {
	return r.Context().Value(forwardKey{}).(http.Handler)
}

func (p *APIProxy) tlsConfig(*tls.ClientHelloInfo) (*tls.Config, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tls, nil
}

// UseAuthority has new connections get a certificate of authority, and want one of it.
func (p *APIProxy) UseAuthority(t testing.TB, authority *Authority) {
	t.Helper()
	config := authority.TLSConfig(t, authority.Server(t, "api-proxy"))
	config.ClientCAs, config.ClientAuth = config.RootCAs, tls.RequireAndVerifyClientCert
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tls = config
}

// Intercept lets f answer requests in place of the API server; false: it does not want
// to. Nil ends it.
func (p *APIProxy) Intercept(f func(http.ResponseWriter, *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.intercept = f
}

// CloseConnections ends all connections of clients, and what runs on them.
func (p *APIProxy) CloseConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		conn.Close()
	}
}

func (p *APIProxy) remember(conn net.Conn, state http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(p.conns, conn)
	} else {
		p.conns[conn] = true
	}
}

// discard: what clients do to the proxy is not an error of the test.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
