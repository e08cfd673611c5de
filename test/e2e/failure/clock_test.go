package failure

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"vicinal/test/e2e/harness"
)

// clockJumps gives vicinal a wall clock that the test can set. Certificates hold for a
// day from a minute ago.
func (f *fixture) clockJumps(t *testing.T) {
	set := shiftClockOfVicinal(t, f.cp.Run)
	proxy := harness.StartProxy(t, f.cp.URL)
	v := f.start(t, proxy.URL())
	memory := v.Gauge(t, residentMemory)
	load := startLoad(v)
	for _, offset := range []time.Duration{time.Hour, -30 * time.Second, 20 * time.Hour, 0} {
		set(offset)
		f.wantRight(t, v)
		// With a new connection, too.
		proxy.Cut()
		proxy.Mend()
		f.wantRight(t, v)
		wantClock(t, v, offset)
	}
	// A year later the API server's certificate has expired for vicinal: what it is
	// connected to, it keeps.
	set(365 * 24 * time.Hour)
	f.wantRight(t, v)
	set(0)
	f.wantRight(t, v)
	load.want(t, http.StatusOK)
	wantMemoryBack(t, v, memory)
	if lag := sumOf(t, v, "vicinal_event_lag_seconds", "pods"); lag < 0 {
		t.Errorf("the events' lag sums up to %v s", lag)
	}
}

// shiftClockOfVicinal has vicinals that are started from now on in t and run use a clock of
// their own; the function sets it.
func shiftClockOfVicinal(t *testing.T, run *harness.Run) func(time.Duration) {
	t.Helper()
	library, offset, wrapper := run.Path("clock.so"), run.Path("clock-offset"), run.Path("vicinal-with-clock")
	if output, err := exec.Command("gcc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, "testdata/clock.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	file, err := os.Create(offset)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	set := func(by time.Duration) {
		var seconds [8]byte
		binary.NativeEndian.PutUint64(seconds[:], uint64(int64(by/time.Second)))
		if _, err := file.WriteAt(seconds[:], 0); err != nil {
			t.Fatal(err)
		}
	}
	set(0)
	script := fmt.Sprintf("#!/bin/sh\nCLOCK_OFFSET_FILE='%s' LD_PRELOAD='%s' exec '%s' \"$@\"\n", offset, library, harness.VicinalBinary(t))
	if err := os.WriteFile(wrapper, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	run.Vicinal = wrapper
	t.Cleanup(func() { run.Vicinal = "" })
	return set
}

var logTime = regexp.MustCompile(`(?m)^[IWE](\d{8} \d\d:\d\d:\d\d)`)

// wantClock looks at the time of the last line in the log, which must be of just now: the
// clock is shifted indeed.
func wantClock(t *testing.T, v *harness.Vicinal, offset time.Duration) {
	t.Helper()
	lines := logTime.FindAllStringSubmatch(logOf(t, v), -1)
	if len(lines) == 0 {
		t.Fatal("no line in the log")
	}
	at, err := time.ParseInLocation("20060102 15:04:05", lines[len(lines)-1][1], time.Local)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := time.Until(at) - offset; wrong < -time.Minute || wrong > time.Minute {
		t.Errorf("the last line of the log is of %v, with a clock shifted by %v", at, offset)
	}
}
