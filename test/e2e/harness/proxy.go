package harness

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Proxy is a TCP proxy on loopback whose connections a test can cut, hold or slow
// down. TLS passes through it untouched.
type Proxy struct {
	listener        net.Listener
	network, target string

	mu    sync.Mutex
	moved *sync.Cond        // on mu: held or down has changed
	conns map[net.Conn]bool // guarded by mu; both ends of every connection
	held  bool              // guarded by mu; bytes wait inside
	noise bool              // guarded by mu; random bytes go to the client instead of the server's
	down  bool              // guarded by mu; connections are closed and refused
	// guarded by mu; how often Strand was called. What was opened before the last call is
	// open for ever, and silent.
	stranded int
	delay    time.Duration // guarded by mu; of each piece the target sends
	// guarded by mu; each piece the client sends is delayed by a random part of it
	requestDelay time.Duration

	accepted int // guarded by mu
}

// StartProxy listens on a free port and forwards to the server of serverURL.
func StartProxy(t testing.TB, serverURL string) *Proxy {
	t.Helper()
	target, err := url.Parse(serverURL)
	if err != nil {
		t.Fatal(err)
	}
	return startProxy(t, "tcp", fmt.Sprintf("127.0.0.1:%d", FreePort(t)), target.Host)
}

// StartUnixProxy listens on a Unix socket and forwards to another one.
func StartUnixProxy(t testing.TB, path, target string) *Proxy {
	t.Helper()
	return startProxy(t, "unix", path, target)
}

func startProxy(t testing.TB, network, address, target string) *Proxy {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: listener, network: network, target: target, conns: map[net.Conn]bool{}}
	p.moved = sync.NewCond(&p.mu)
	var accepting sync.WaitGroup
	accepting.Go(p.accept)
	t.Cleanup(func() {
		listener.Close()
		p.Cut()
		accepting.Wait()
	})
	return p
}

// URL of the proxy, for a kubeconfig.
func (p *Proxy) URL() string { return "https://" + p.listener.Addr().String() }

// Cut closes every connection and every new one until Mend.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = true
	for conn := range p.conns {
		conn.Close()
	}
	p.moved.Broadcast()
}

// Hold keeps all bytes, in both directions, and all connections until Mend.
func (p *Proxy) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = true
}

// Strand makes all connections silent for good, without closing them. New ones work.
func (p *Proxy) Strand() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stranded++
}

// Garble replaces all that the server sends by random bytes until Mend.
func (p *Proxy) Garble() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noise = true
}

// Mend ends Cut, Hold and Garble; held bytes go on in their order.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down, p.held, p.noise = false, false, false
	p.moved.Broadcast()
}

// Delay holds every piece of what the server sends for that long.
func (p *Proxy) Delay(delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

// DelayRequests holds every piece of what clients send for a random time up to that
// long.
func (p *Proxy) DelayRequests(most time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requestDelay = most
}

// Accepted is how many connections have been opened so far.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

func (p *Proxy) accept() {
	var serving sync.WaitGroup
	defer serving.Wait()
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.accepted++
		p.mu.Unlock()
		serving.Go(func() { p.serve(client) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.DialTimeout(p.network, p.target, 5*time.Second)
	if err != nil {
		return
	}
	defer server.Close()
	strands, ok := p.register(client, server)
	if !ok {
		return
	}
	defer p.forget(client, server)
	var copying sync.WaitGroup
	copying.Go(func() { p.copy(server, client, strands, p.ofRequest, nil) })
	copying.Go(func() { p.copy(client, server, strands, p.ofAnswer, p.garbled) })
	copying.Wait()
}

// register also returns how often Strand has been called.
func (p *Proxy) register(ends ...net.Conn) (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return 0, false
	}
	for _, end := range ends {
		p.conns[end] = true
	}
	return p.stranded, true
}

func (p *Proxy) forget(ends ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, end := range ends {
		delete(p.conns, end)
	}
}

// copy moves bytes until either end is closed, and then closes both.
func (p *Proxy) copy(to, from net.Conn, strands int, delay func() time.Duration, change func([]byte)) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			time.Sleep(p.pass(strands, delay))
			if change != nil {
				change(buffer[:n])
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// pass returns when bytes may go on, after the delay that it returns, on a connection
// that was opened after so many calls of Strand.
func (p *Proxy) pass(strands int, delay func() time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	for (p.held || strands < p.stranded) && !p.down {
		p.moved.Wait()
	}
	return delay()
}

func (p *Proxy) garbled(bytes []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range bytes {
		if p.noise {
			bytes[i] = byte(rand.N(256))
		}
	}
}

// With mu held.
func (p *Proxy) ofAnswer() time.Duration { return p.delay }

func (p *Proxy) ofRequest() time.Duration {
	if p.requestDelay == 0 {
		return 0
	}
	return rand.N(p.requestDelay)
}
