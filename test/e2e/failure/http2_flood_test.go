package failure

import (
	"bytes"
	"crypto/tls"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"vicinal/test/e2e/harness"
)

// What HTTP/2 lets a client have done at little cost, by one that has a certificate. Each
// flood sends until vicinal ends its connection, and then connects again.
var http2Floods = map[string]func(f *http2.Framer, stream uint32) error{
	"requests that are reset at once": func(f *http2.Framer, stream uint32) error {
		if err := beginRequest(f, stream, true, true); err != nil {
			return err
		}
		return f.WriteRSTStream(stream, http2.ErrCodeCancel)
	},
	"requests whose body never comes": func(f *http2.Framer, stream uint32) error {
		return beginRequest(f, stream, false, true)
	},
	"bodies in empty pieces": func(f *http2.Framer, stream uint32) error {
		if err := beginRequest(f, stream, false, true); err != nil {
			return err
		}
		for range 1000 {
			if err := f.WriteData(stream, false, nil); err != nil {
				return err
			}
		}
		return nil
	},
	"headers without an end": func(f *http2.Framer, stream uint32) error {
		if err := beginRequest(f, stream, true, false); err != nil {
			return err
		}
		for range 1000 {
			if err := f.WriteContinuation(stream, false, field("a", "b")); err != nil {
				return err
			}
		}
		return nil
	},
	"pings": func(f *http2.Framer, _ uint32) error { return f.WritePing(false, [8]byte{}) },
	"settings": func(f *http2.Framer, stream uint32) error {
		return f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: stream & 0xffff})
	},
	"priorities": func(f *http2.Framer, stream uint32) error {
		return f.WritePriority(stream, http2.PriorityParam{StreamDep: stream + 2, Weight: 1})
	},
	"answers for which there is no window": func(f *http2.Framer, stream uint32) error {
		if stream == 1 {
			if err := f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
				return err
			}
		}
		return beginRequest(f, stream, true, true)
	},
}

func field(name, value string) []byte {
	var block bytes.Buffer
	_ = hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: name, Value: value})
	return block.Bytes()
}

func beginRequest(f *http2.Framer, stream uint32, endStream, endHeaders bool) error {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, header := range [][2]string{{":method", "POST"}, {":scheme", "https"}, {":authority", "vicinal"}, {":path", "/filter"}} {
		_ = encoder.WriteField(hpack.HeaderField{Name: header[0], Value: header[1]})
	}
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndStream: endStream, EndHeaders: endHeaders})
}

func TestHTTP2IsFlooded(t *testing.T) {
	run := harness.NewRun(t)
	ca := harness.NewAuthority(t, run)
	v := harness.StartTLSVicinal(t, run, ca)
	v.WaitReady(t)
	wantGoodAnswer(t, v)
	memory := v.Gauge(t, residentMemory)
	peak := watchMemory(v)
	config := ca.TLSConfig(t, ca.Client(t, "flood"))
	config.NextProtos = []string{"h2"}
	end := time.Now().Add(10 * time.Second)
	var flooding sync.WaitGroup
	sent := map[string]*atomic.Int64{}
	connections := map[string]*atomic.Int64{}
	for name, flood := range http2Floods {
		count, opened := new(atomic.Int64), new(atomic.Int64)
		sent[name], connections[name] = count, opened
		flooding.Go(func() {
			for time.Now().Before(end) {
				conn, err := tls.Dial("tcp", v.ExtenderAddress, config)
				if err != nil {
					t.Errorf("%s: no connection: %v", name, err)
					return
				}
				opened.Add(1)
				_ = conn.SetDeadline(end)
				if _, err := io.WriteString(conn, http2.ClientPreface); err == nil {
					framer := http2.NewFramer(conn, conn)
					_ = framer.WriteSettings()
					for stream := uint32(1); err == nil && time.Now().Before(end) && stream < 1<<30; stream += 2 {
						err = flood(framer, stream)
						count.Add(1)
						// Not more than the machine can bear beside the questions.
						if stream%200 == 1 {
							time.Sleep(time.Millisecond)
						}
					}
				}
				conn.Close()
				time.Sleep(time.Millisecond)
			}
		})
	}
	asked, slowest := askUntil(t, v, end)
	flooding.Wait()
	most := peak()
	total := int64(0) // Each may be refused, and each 100th of these is logged.
	for name, count := range sent {
		t.Logf("%s: %d on %d connections", name, count.Load(), connections[name].Load())
		if count.Load() < 20 {
			t.Errorf("%s: that was no flood", name)
		}
		total += count.Load() + connections[name].Load()
	}
	t.Logf("%d questions meanwhile, the slowest took %v; memory %.1f MB before, at most %.1f MB", asked, slowest.Round(time.Millisecond), memory/1e6, most/1e6)
	if most > memory+harness.MemoryLimit(128e6) {
		t.Errorf("it took %.1f MB more", (most-memory)/1e6)
	}
	wantGoodAnswer(t, v)
	wantMemoryBack(t, v, memory)
	wantFewLogLines(t, v, 20+int(total)/100)
}
