package listeners

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

const question = `{"Pod":{"metadata":{"name":"p"}},"NodeNames":["n1"]}`

// half asks once, so that the connection is surely open, and then sends a request
// without the last byte of its body.
func half(t *testing.T, v *harness.Vicinal) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", v.ExtenderAddress)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	request := fmt.Sprintf("POST /filter HTTP/1.1\r\nHost: v\r\nContent-Length: %d\r\n\r\n%s", len(question), question)
	if _, err := io.WriteString(connection, request); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, request[:len(request)-1]); err != nil {
		t.Fatal(err)
	}
	return connection
}

func terminate(v *harness.Vicinal) chan string {
	ended := make(chan string, 1)
	go func() {
		code, err := v.Terminate(20 * time.Second)
		ended <- fmt.Sprint(code, err)
	}()
	return ended
}

func waitStopping(t *testing.T, v *harness.Vicinal) {
	t.Helper()
	harness.Eventually(t, 10*time.Second, "vicinal is not ready any more", func() string {
		if code, err := v.Get("/readyz"); code != http.StatusServiceUnavailable {
			return fmt.Sprint(code, err)
		}
		return ""
	})
}

func TestARequestUnderWayIsFinishedBeforeTheEnd(t *testing.T) {
	v := harness.StartVicinal(t, harness.NewRun(t))
	v.WaitReady(t)
	connection := half(t, v)
	ended := terminate(v)
	waitStopping(t, v)
	if _, err := io.WriteString(connection, question[len(question)-1:]); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK || err != nil || !strings.Contains(string(body), "n1") {
		t.Errorf("%s %s %v", response.Status, body, err)
	}
	if end := <-ended; end != "0 <nil>" {
		t.Errorf("exit: %s", end)
	}
}

func TestARequestThatNeverEndsDoesNotHoldUpTheEnd(t *testing.T) {
	v := harness.StartVicinal(t, harness.NewRun(t), "--shutdown-timeout=1")
	v.WaitReady(t)
	half(t, v)
	begin := time.Now()
	ended := terminate(v)
	waitStopping(t, v)
	if end := <-ended; end != "0 <nil>" {
		t.Errorf("exit: %s", end)
	}
	if took := time.Since(begin); took < 900*time.Millisecond || took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestIdleConnectionsDoNotHoldUpTheEnd(t *testing.T) {
	v := harness.StartVicinal(t, harness.NewRun(t), "--shutdown-timeout=60")
	v.WaitReady(t)
	for range 100 {
		connection, err := net.Dial("tcp", v.ExtenderAddress)
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
	}
	if end := <-terminate(v); end != "0 <nil>" {
		t.Errorf("exit: %s", end)
	}
}
