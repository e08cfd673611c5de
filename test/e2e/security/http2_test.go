package security

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A request over HTTP/2, frame by frame.
type http2Request struct {
	framer *http2.Framer
	block  bytes.Buffer
}

func (r *http2Request) fields(nameAndValue ...string) []byte {
	r.block.Reset()
	encoder := hpack.NewEncoder(&r.block)
	for i := 0; i < len(nameAndValue); i += 2 {
		_ = encoder.WriteField(hpack.HeaderField{Name: nameAndValue[i], Value: nameAndValue[i+1]})
	}
	return r.block.Bytes()
}

// post is a binding that would be read, and answered with status 400, if it had more than `{}`.
func (r *http2Request) post(more ...string) []byte {
	return r.fields(append([]string{":method", "POST", ":scheme", "https", ":authority", "v", ":path", "/bind"}, more...)...)
}

func (r *http2Request) headers(stream uint32, block []byte, end bool) error {
	return r.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block, EndHeaders: true, EndStream: end})
}

// headersAndBody sends `{}` behind the header.
func (r *http2Request) headersAndBody(stream uint32, block []byte) error {
	if err := r.headers(stream, block, false); err != nil {
		return err
	}
	return r.framer.WriteData(stream, true, []byte("{}"))
}

// http2Tricks are requests of a client with the scheduler's certificate that abuse HTTP/2.
// Status 400 is the handler's, which has read `{}`.
func http2Tricks() []abuse {
	trick := func(name string, send func(r *http2Request) error, statuses ...string) abuse {
		return abuse{"HTTP/2: " + name, func(w *world) (string, bool) {
			got, err := w.http2Exchange(w.scheduler, w.vicinal.ExtenderAddress, send)
			if err != nil {
				return err.Error(), false
			}
			for _, status := range append(statuses, "RST_STREAM", "GOAWAY", "closed") {
				if strings.HasPrefix(got, status) {
					return got, true
				}
			}
			return got, false
		}}
	}
	header := func(name string, fields ...string) abuse {
		return trick(name, func(r *http2Request) error { return r.headersAndBody(1, r.fields(fields...)) })
	}
	more := func(name string, fields ...string) abuse {
		return trick(name, func(r *http2Request) error { return r.headersAndBody(1, r.post(fields...)) })
	}
	return []abuse{
		trick("a body that is no binding", func(r *http2Request) error { return r.headersAndBody(1, r.post()) }, "400"),
		header("no path", ":method", "POST", ":scheme", "https", ":authority", "v"),
		header("two paths", ":method", "POST", ":scheme", "https", ":authority", "v", ":path", "/healthz", ":path", "/bind"),
		header("a path without a slash", ":method", "POST", ":scheme", "https", ":authority", "v", ":path", "bind"),
		header("an unknown pseudo header", ":method", "POST", ":scheme", "https", ":authority", "v", ":path", "/bind", ":user", "root"),
		more("a pseudo header behind the others", "a", "b", ":path", "/bind"),
		more("a connection header", "connection", "close"),
		more("a transfer encoding", "transfer-encoding", "chunked"),
		more("a name in capitals", "Content-Type", "application/json"),
		more("a line end in a value", "a", "b\r\nc: d"),
		more("a NUL byte in a value", "a", "b\x00c"),
		more("a longer body than it has", "content-length", "3"),
		more("a shorter body than it has", "content-length", "1"),
		more("a length that is no number", "content-length", "two"),
		more("two lengths", "content-length", "2", "content-length", "1"),
		trick("CONNECT", func(r *http2Request) error {
			return r.headers(1, r.fields(":method", "CONNECT", ":authority", "v:443"), true)
		}, "404", "405"),
		trick("an even stream", func(r *http2Request) error { return r.headersAndBody(2, r.post()) }),
		trick("stream 0", func(r *http2Request) error {
			return r.framer.WriteRawFrame(http2.FrameHeaders, http2.FlagHeadersEndHeaders|http2.FlagHeadersEndStream, 0, r.post())
		}),
		trick("a body without a header", func(r *http2Request) error { return r.framer.WriteData(1, true, []byte("{}")) }),
		trick("a body behind its end", func(r *http2Request) error {
			if err := r.headersAndBody(1, r.post()); err != nil {
				return err
			}
			return r.framer.WriteData(1, true, []byte("{}"))
		}, "400"),
		trick("another frame among headers", func(r *http2Request) error {
			if err := r.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: r.post()}); err != nil {
				return err
			}
			return r.framer.WritePing(false, [8]byte{})
		}),
		trick("more padding than frame", func(r *http2Request) error {
			return r.framer.WriteRawFrame(http2.FrameHeaders, http2.FlagHeadersEndHeaders|http2.FlagHeadersPadded, 1, append([]byte{255}, r.post()...))
		}),
		trick("a compression that refers to nothing", func(r *http2Request) error {
			return r.framer.WriteRawFrame(http2.FrameHeaders, http2.FlagHeadersEndHeaders|http2.FlagHeadersEndStream, 1, []byte{0xff, 0xff, 0xff, 0xff, 0x0f})
		}),
		trick("a window of more than 2^31", func(r *http2Request) error {
			return r.framer.WriteRawFrame(http2.FrameSettings, 0, 0, []byte{0, 4, 0xff, 0xff, 0xff, 0xff})
		}),
		trick("a frame that is too long", func(r *http2Request) error {
			return r.framer.WriteRawFrame(http2.FrameData, 0, 1, make([]byte, 1<<20))
		}),
		trick("a header of 100,000 bytes", func(r *http2Request) error {
			return r.headersAndBody(1, r.post("a", strings.Repeat("b", 100_000)))
		}, "431"),
		trick("ten thousand headers", func(r *http2Request) error {
			var many []string
			for range 10_000 {
				many = append(many, "a", "b")
			}
			return r.headersAndBody(1, r.post(many...))
		}, "431"),
	}
}

// http2Exchange sends frames on a connection of its own, and returns the first answer: a
// status, the frame that refuses the request, or "closed".
func (w *world) http2Exchange(config *tls.Config, address string, send func(r *http2Request) error) (string, error) {
	config = config.Clone()
	config.NextProtos = []string{"h2"}
	conn, err := tls.Dial("tcp", address, config)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		return "", err
	}
	r := &http2Request{framer: http2.NewFramer(conn, conn)}
	r.framer.AllowIllegalWrites = true
	r.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if err := r.framer.WriteSettings(); err != nil {
		return "", err
	}
	_ = send(r) // vicinal may close before it has all
	for {
		frame, err := r.framer.ReadFrame()
		if err != nil {
			if timeout, ok := err.(interface{ Timeout() bool }); ok && timeout.Timeout() {
				return "", fmt.Errorf("no answer: %w", err)
			}
			return "closed: " + err.Error(), nil
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			return frame.PseudoValue("status"), nil
		case *http2.RSTStreamFrame:
			return "RST_STREAM " + frame.ErrCode.String(), nil
		case *http2.GoAwayFrame:
			return fmt.Sprintf("GOAWAY %v %s", frame.ErrCode, frame.DebugData()), nil
		}
	}
}
