package failure

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

// Handshakes are the most costly thing that a stranger can ask for.
func TestTLSHandshakesAreFlooded(t *testing.T) {
	run := harness.NewRun(t)
	ca := harness.NewAuthority(t, run)
	v := harness.StartTLSVicinal(t, run, ca)
	v.WaitReady(t)
	wantGoodAnswer(t, v)
	memory, files := v.Gauge(t, residentMemory), v.Gauge(t, "process_open_fds")
	peak := watchMemory(v)
	stranger := &tls.Config{InsecureSkipVerify: true} // and shows no certificate
	end := time.Now().Add(15 * time.Second)
	var flooding sync.WaitGroup
	var handshakes, broken atomic.Int64
	dial := func() net.Conn {
		conn, err := net.DialTimeout("tcp", v.ExtenderAddress, 10*time.Second)
		if err != nil {
			t.Errorf("no connection: %v", err)
			return nil
		}
		return conn
	}
	// Handshakes to their end, one after the other.
	for range 8 {
		flooding.Go(func() {
			for time.Now().Before(end) {
				conn := dial()
				if conn == nil {
					return
				}
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				if tls.Client(conn, stranger).HandshakeContext(ctx) == nil {
					handshakes.Add(1)
				}
				cancel()
				conn.Close()
			}
		})
	}
	// Those that stop after a few bytes, and those that are none.
	hello := clientHello(t)
	for _, start := range [][]byte{hello[:5], hello[:len(hello)/2], hello, append([]byte("\x16\x03\x01\xff\xff"), make([]byte, 4000)...), []byte("GET / HTTP/1.1\r\n\r\n")} {
		flooding.Go(func() {
			var held []net.Conn
			for time.Now().Before(end) {
				conn := dial()
				if conn == nil {
					break
				}
				_, _ = conn.Write(start)
				broken.Add(1)
				if held = append(held, conn); len(held) > 100 {
					held[0].Close()
					held = held[1:]
				}
				time.Sleep(2 * time.Millisecond)
			}
			for _, conn := range held {
				conn.Close()
			}
		})
	}
	asked, slowest := askUntil(t, v, end)
	flooding.Wait()
	most := peak()
	t.Logf("%d whole handshakes, %d broken ones; %d questions meanwhile, the slowest took %v; memory %.1f MB before, at most %.1f MB",
		handshakes.Load(), broken.Load(), asked, slowest.Round(time.Millisecond), memory/1e6, most/1e6)
	whole := int64(100)
	if harness.Sanitized() {
		whole = 20
	}
	if handshakes.Load() < whole || broken.Load() < 1000 {
		t.Error("that was no flood")
	}
	if most > memory+harness.MemoryLimit(128e6) {
		t.Errorf("it took %.1f MB more", (most-memory)/1e6)
	}
	wantGoodAnswer(t, v)
	wantMemoryBack(t, v, memory)
	harness.Eventually(t, 60*time.Second, "the connections are closed", func() string {
		if now := v.Gauge(t, "process_open_fds"); now > files+2 {
			return fmt.Sprintf("%v open files before, %v after", files, now)
		}
		return ""
	})
	wantFewLogLines(t, v, 10+int(handshakes.Load()+broken.Load())/100)
}

// clientHello is how a handshake begins.
func clientHello(t *testing.T) []byte {
	t.Helper()
	client, server := net.Pipe()
	go func() {
		_ = tls.Client(client, &tls.Config{InsecureSkipVerify: true}).Handshake() // it is cut off
	}()
	header := make([]byte, 5)
	if _, err := io.ReadFull(server, header); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, int(header[3])<<8|int(header[4]))
	if _, err := io.ReadFull(server, body); err != nil {
		t.Fatal(err)
	}
	server.Close()
	return append(header, body...)
}
