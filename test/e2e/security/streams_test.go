package security

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"vicinal/test/e2e/harness"
)

// A client that opens more streams on one connection than it may gets no answer to
// them, and others are answered meanwhile and afterwards.
func TestOneConnectionHasAHundredStreamsAndNoMore(t *testing.T) {
	const limit = 100
	v := harness.StartVicinal(t, harness.NewRun(t))
	conn, err := net.Dial("tcp", v.GRPCAddress)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(60 * time.Second))
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	said := awaitSettings(t, framer)
	if said != limit {
		t.Errorf("vicinal says that it takes %d streams, want %d", said, limit)
	}
	if err := framer.WriteSettingsAck(); err != nil {
		t.Fatal(err)
	}
	// Each lasts until one of both ends it.
	for i := range uint32(limit) {
		watchHealth(t, framer, 2*i+1)
	}
	answered := map[uint32]bool{}
	for len(answered) < limit {
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatalf("after the answers to %d streams: %v", len(answered), err)
		}
		if headers, ok := frame.(*http2.HeadersFrame); ok {
			answered[headers.StreamID] = true
		}
	}
	others(t, v, "while one connection has all of its streams")
	const extra = 2*limit + 1
	watchHealth(t, framer, extra)
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			break // the connection is closed
		}
		if reset, ok := frame.(*http2.RSTStreamFrame); ok && reset.StreamID == extra {
			break
		}
		if _, ok := frame.(*http2.HeadersFrame); ok && frame.Header().StreamID == extra {
			t.Fatal("one more stream is answered")
		}
	}
	others(t, v, "afterwards")
}

func awaitSettings(t *testing.T, framer *http2.Framer) uint32 {
	t.Helper()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		settings, ok := frame.(*http2.SettingsFrame)
		if !ok || settings.IsAck() {
			continue
		}
		value, _ := settings.Value(http2.SettingMaxConcurrentStreams)
		return value
	}
}

// watchHealth asks for the health and each change of it.
func watchHealth(t *testing.T, framer *http2.Framer, stream uint32) {
	t.Helper()
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":path", "/grpc.health.v1.Health/Watch"}, {":authority", "v"},
		{"content-type", "application/grpc"}, {"te", "trailers"},
	} {
		if err := encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true}); err != nil {
		t.Fatal(err)
	}
	empty := make([]byte, 5) // a message without fields
	if err := framer.WriteData(stream, true, empty); err != nil {
		t.Fatal(err)
	}
}

// others have a connection of their own.
func others(t *testing.T, v *harness.Vicinal, when string) {
	t.Helper()
	client, err := v.DialGRPCWith(nil, 20*time.Second)
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	defer client.Close()
	if err := client.Snapshot(); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}
