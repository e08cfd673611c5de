// Package page looks at the pages that vicinal draws in a real browser.
package page

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

// browser is a headless Chromium with one page, spoken to over a pipe in the
// DevTools protocol: JSON messages that end with a NUL.
type browser struct {
	t       *testing.T
	write   *os.File
	read    *bufio.Reader
	session string
	lastID  int
	// Addresses that the page has asked for.
	requests []string
}

type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// open starts Chromium and opens a file in it.
func open(t *testing.T, file string) *browser {
	t.Helper()
	return openAddress(t, "file://"+file)
}

// openAddress starts Chromium and opens a page in it.
func openAddress(t *testing.T, address string) *browser {
	t.Helper()
	commandsOut, commandsIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answersOut, answersIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "vicinal-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it has children
	cmd.ExtraFiles = []*os.File{commandsOut, answersIn}   // 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v (test/install installs it)", err)
	}
	commandsOut.Close()
	answersIn.Close()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		// Its children may write for a moment yet.
		for range 100 {
			if os.RemoveAll(profile) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	if err := answersOut.SetReadDeadline(time.Now().Add(3 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, write: commandsIn, read: bufio.NewReader(answersOut)}
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.call("Network.enable", nil, nil)
	b.resize(1280, 900)
	b.call("Page.navigate", map[string]any{"url": address}, nil)
	harness.Eventually(t, time.Minute, "the page is drawn", func() string {
		if b.eval(`document.readyState === "complete" && document.querySelector("h1") !== null`) != true {
			return "not yet"
		}
		return ""
	})
	return b
}

func (b *browser) call(method string, params any, result any) {
	b.t.Helper()
	b.lastID++
	command := map[string]any{"id": b.lastID, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	text, err := json.Marshal(command)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.write.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		answer, err := b.read.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var m message
		if err := json.Unmarshal(answer[:len(answer)-1], &m); err != nil {
			b.t.Fatal(err)
		}
		if m.Method == "Network.requestWillBeSent" {
			var sent struct{ Request struct{ URL string } }
			if err := json.Unmarshal(m.Params, &sent); err != nil {
				b.t.Fatal(err)
			}
			b.requests = append(b.requests, sent.Request.URL)
		}
		if m.ID != b.lastID {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

// eval is the value of a JavaScript expression.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	var result struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Text string }
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &result)
	if result.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, result.ExceptionDetails.Text)
	}
	return result.Result.Value
}

func (b *browser) text(expression string) string {
	b.t.Helper()
	return fmt.Sprint(b.eval(expression))
}

// press is a key on the keyboard.
func (b *browser) press(key string, code int) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}, nil)
	}
}

func (b *browser) resize(width, height int) {
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

func (b *browser) darkMode() {
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
}

// screenshot also keeps the picture in $VICINAL_SCREENSHOTS, if that is set.
func (b *browser) screenshot(name string) []byte {
	b.t.Helper()
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if folder := os.Getenv("VICINAL_SCREENSHOTS"); folder != "" {
		if err := os.WriteFile(folder+"/"+strings.ReplaceAll(name, " ", "-")+".png", png, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	return png
}
