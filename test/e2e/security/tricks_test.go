package security

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// tricks are requests of a client with the scheduler's certificate that abuse HTTP or JSON.
func tricks() []abuse {
	// Of raw text behind `POST /bind HTTP/1.1`, and what may be answered.
	raw := func(name, text string, statuses ...int) abuse {
		return abuse{name, func(w *world) (string, bool) {
			answers, err := w.exchange(w.scheduler, w.vicinal.ExtenderAddress, text)
			ok := len(answers) <= 1
			for _, a := range answers {
				ok = ok && slices.Contains(statuses, a.status)
			}
			return fmt.Sprint(answers, err), ok
		}}
	}
	const bind = "POST /bind HTTP/1.1\r\nHost: v\r\n"
	chunked := func(name, chunks string) abuse {
		return raw("chunked: "+name, bind+"Transfer-Encoding: chunked\r\n\r\n"+chunks, 400, 413, 431)
	}
	json := func(name, path, body string) abuse {
		return raw("JSON: "+name, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: v\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", path, len(body), body), 400)
	}
	const pod = `{"metadata":{"name":"small","namespace":"default","uid":"x"},"spec":{"schedulerName":"default-scheduler"}}`
	return []abuse{
		raw("HTTP/2 with prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", 400),
		raw("an upgrade to h2c", bind+"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: 2\r\n\r\n{}", 400),
		raw("an upgrade to a web socket", "GET /bind HTTP/1.1\r\nHost: v\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", 405, 404),
		raw("HTTP/0.9", "POST /bind\r\n\r\n", 400),
		raw("HTTP/9.9", "POST /bind HTTP/9.9\r\nHost: v\r\n\r\n", 400),
		raw("a NUL byte in the path", "POST /bind\x00 HTTP/1.1\r\nHost: v\r\nContent-Length: 2\r\n\r\n{}", 400, 404),
		raw("a NUL byte in a header", bind+"X: a\x00b\r\nContent-Length: 2\r\n\r\n{}", 400),
		raw("line ends without a return", "POST /bind HTTP/1.1\nHost: v\nContent-Length: 2\n\n{}", 400),
		raw("a folded header", bind+"X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}", 400),
		raw("a header without a name", bind+": x\r\nContent-Length: 2\r\n\r\n{}", 400),
		raw("a negative length", bind+"Content-Length: -1\r\n\r\n{}", 400),
		raw("a length that is no number", bind+"Content-Length: 0x2\r\n\r\n{}", 400),
		raw("ten thousand headers", bind+strings.Repeat("X: y\r\n", 10_000)+"\r\n", 431, 400),
		raw("a path of 100,000 bytes", "POST /"+strings.Repeat("b", 100_000)+" HTTP/1.1\r\nHost: v\r\n\r\n", 431, 400, 414),
		chunked("a size that overflows", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
		chunked("a negative size", "-2\r\n{}\r\n0\r\n\r\n"),
		chunked("a size with 0x", "0x2\r\n{}\r\n0\r\n\r\n"),
		chunked("an extension of 100,000 bytes", "2;"+strings.Repeat("x", 100_000)+"\r\n{}\r\n0\r\n\r\n"),
		chunked("more than the size says", "2\r\n{}{}\r\n0\r\n\r\n"),
		chunked("trailers of 100,000 bytes", "2\r\n{}\r\n0\r\nX: "+strings.Repeat("x", 100_000)+"\r\n\r\n"),
		json("the nesting of 100,000 arrays", "/bind", strings.Repeat("[", 100_000)),
		json("two documents", "/bind", `{} {}`),
		json("a list for an object", "/bind", `[]`),
		json("a number for a name", "/bind", `{"PodName":1,"PodNamespace":"default","PodUID":"x","Node":"n1"}`),
		json("a name of 1,000,000 bytes", "/bind", `{"PodName":"`+strings.Repeat("x", 1_000_000)+`","PodNamespace":"default","PodUID":"x","Node":"n1"}`),
		json("an escaped NUL in a name", "/bind", `{"PodName":"small\u0000","PodNamespace":"default","PodUID":"x","Node":"n1"}`),
		json("half a surrogate in a name", "/bind", `{"PodName":"\ud800","PodNamespace":"default","PodUID":"x","Node":"n1"}`),
		json("full nodes, not their names", "/filter", `{"Pod":`+pod+`,"Nodes":{"items":[]}}`),
		json("a quantity with two exponents", "/filter", strings.Replace(`{"Pod":`+pod+`,"NodeNames":["n1"]}`, `"spec":{`, `"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1e9e9"}}}],`, 1)),
		json("a quantity that is none", "/filter", strings.Replace(`{"Pod":`+pod+`,"NodeNames":["n1"]}`, `"spec":{`, `"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"much"}}}],`, 1)),
		{"slowloris: 300 connections with half a request", func(w *world) (string, bool) {
			for range 300 {
				conn, err := dial(w.scheduler, w.vicinal.ExtenderAddress)
				if err != nil {
					return err.Error(), false
				}
				defer conn.Close()
				if _, err := io.WriteString(conn, "POST /bind HTTP/1.1\r\nHost: "); err != nil {
					return err.Error(), false
				}
			}
			start := time.Now()
			got := w.filter(w.hypothetical())
			return fmt.Sprintf("others are answered meanwhile, in %v: %s", time.Since(start).Round(time.Millisecond), got), strings.Contains(got, `["n`)
		}},
		{"3,000 connections without a handshake", func(w *world) (string, bool) {
			closed := 0
			for range 3000 {
				conn, err := dial(nil, w.vicinal.ExtenderAddress)
				if err != nil {
					closed++
					continue
				}
				defer conn.Close()
			}
			// They are given up after the time of a handshake; then others are answered.
			for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
				if got := w.filter(w.hypothetical()); strings.Contains(got, `["n`) {
					return fmt.Sprintf("%d refused at once, then answered: %s", closed, got), true
				}
			}
			return "nobody is answered any more", false
		}},
	}
}
