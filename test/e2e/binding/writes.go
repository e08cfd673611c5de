// Package binding makes the writing of bindings slow and unreliable, and asks about pods
// that nobody will ever bind.
package binding

import (
	"fmt"
	"net/http"
	"regexp"
	"sync/atomic"
	"time"

	"vicinal/test/e2e/harness"
)

var bindingPath = regexp.MustCompile(`^/api/v1/namespaces/[^/]+/pods/[^/]+/binding$`)

// badWrites delays every binding, and lets each twentieth fail: refused for a moment by
// 409, 429 or 500, or with its connection cut before or after it is written.
func badWrites(delay time.Duration) func(http.ResponseWriter, *http.Request) bool {
	var count atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !bindingPath.MatchString(r.URL.Path) {
			return false
		}
		n := count.Add(1)
		time.Sleep(delay)
		if n%20 != 0 {
			return false
		}
		switch n / 20 % 5 {
		case 0:
			refuse(w, http.StatusConflict, "Conflict")
		case 1:
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusTooManyRequests, "TooManyRequests")
		case 2:
			refuse(w, http.StatusInternalServerError, "InternalError")
		case 3:
			panic(http.ErrAbortHandler) // cut before
		default:
			panicAfter(w, r)
		}
		return true
	}
}

func refuse(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"made to fail","reason":%q,"code":%d}`, reason, status)
}

// panicAfter has the request carried out, and cuts the connection instead of the answer.
func panicAfter(w http.ResponseWriter, r *http.Request) {
	harness.ForwardOf(r).ServeHTTP(&nowhere{header: http.Header{}}, r)
	panic(http.ErrAbortHandler)
}

// nowhere is a ResponseWriter that drops what is written.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n *nowhere) WriteHeader(int)             {}
