package badinput

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// connection is one TCP connection on which requests are written and answers read by
// hand: no client opens another one behind the test's back.
type connection struct {
	t      *testing.T
	conn   net.Conn
	reader *bufio.Reader
}

func dial(t *testing.T, address string) *connection {
	t.Helper()
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &connection{t: t, conn: conn, reader: bufio.NewReader(conn)}
}

type answer struct {
	t      *testing.T
	status int
	body   []byte
}

// exchange sends a request and reads the answer, which may come before the request
// has been sent. Whatever the status, the answer has a Content-Length and is not
// chunked.
func (c *connection) exchange(method, path, body string) *answer {
	c.t.Helper()
	if err := c.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		c.t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		_, err := io.Copy(c.conn, io.MultiReader(
			strings.NewReader(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: vicinal\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", method, path, len(body))),
			strings.NewReader(body)))
		sent <- err
	}()
	response, err := http.ReadResponse(c.reader, &http.Request{Method: method})
	if err != nil {
		c.t.Fatalf("no answer: %v (sending: %v)", err, <-sent)
	}
	defer response.Body.Close()
	a := &answer{t: c.t, status: response.StatusCode}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		c.t.Fatal(err)
	}
	if response.ContentLength != int64(len(a.body)) || len(response.TransferEncoding) != 0 {
		c.t.Errorf("Content-Length %d, Transfer-Encoding %v, body of %d bytes", response.ContentLength, response.TransferEncoding, len(a.body))
	}
	if a.status != http.StatusRequestEntityTooLarge {
		if err := <-sent; err != nil {
			c.t.Errorf("the request was not read to its end: %v", err)
		}
		if response.Close {
			c.t.Error("the server announces that it closes the connection")
		}
	}
	return a
}

func (a *answer) wantStatus(want int) {
	a.t.Helper()
	if a.status != want {
		a.t.Errorf("status %d, want %d: %.300s", a.status, want, a.body)
	}
}

// decode reads the answer strictly; nothing, not even a newline, may follow it.
func (a *answer) decode(result any) {
	a.t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(result); err != nil {
		a.t.Fatalf("%v: %.300s", err, a.body)
	}
	if rest := a.body[decoder.InputOffset():]; len(rest) != 0 {
		a.t.Errorf("%q after the JSON value", rest)
	}
}

func (c *connection) filter(pod *corev1.Pod, nodes ...string) *extenderv1.ExtenderFilterResult {
	c.t.Helper()
	a := c.exchange("POST", "/filter", filterBody(c.t, pod, nodes...))
	a.wantStatus(http.StatusOK)
	result := &extenderv1.ExtenderFilterResult{}
	a.decode(result)
	if result.NodeNames == nil {
		result.NodeNames = &[]string{}
	}
	return result
}

func (c *connection) prioritize(pod *corev1.Pod, nodes ...string) extenderv1.HostPriorityList {
	c.t.Helper()
	a := c.exchange("POST", "/prioritize", filterBody(c.t, pod, nodes...))
	a.wantStatus(http.StatusOK)
	scores := extenderv1.HostPriorityList{}
	a.decode(&scores)
	return scores
}

// answersGoodRequests: web avoids db's zone, where n1 and n2 are.
func (c *connection) answersGoodRequests() {
	c.t.Helper()
	result := c.filter(awayFromDB(), "n1", "n2", "n3")
	const reason = "node(s) didn't match pod anti-affinity rules"
	if result.Error != "" || strings.Join(*result.NodeNames, ",") != "n3" || result.FailedAndUnresolvableNodes["n1"] != reason || result.FailedAndUnresolvableNodes["n2"] != reason {
		c.t.Errorf("the good filter request was answered %+v", result)
	}
	if scores := c.prioritize(awayFromDB(), "n3", "n1"); len(scores) != 2 {
		c.t.Errorf("the good prioritize request was answered %v", scores)
	}
}
