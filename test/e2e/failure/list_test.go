package failure

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vicinal/test/e2e/harness"
)

// startListing starts vicinal with pages of ten objects. Before each further page of pods
// there is a call, with the number of the page.
func (f *fixture) startListing(t *testing.T, between func(page int, w http.ResponseWriter) bool) *harness.Vicinal {
	t.Helper()
	proxy := f.cp.StartAPIProxy(t)
	var page atomic.Int64
	proxy.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		query := r.URL.Query()
		if query.Get("limit") == "" {
			return refuseStream(w, r)
		}
		query.Set("limit", "10")
		r.URL.RawQuery = url.Values(query).Encode()
		if query.Get("continue") == "" || r.URL.Path != "/api/v1/pods" {
			return false
		}
		return between(int(page.Add(1)), w)
	})
	v := f.start(t, proxy.URL)
	if pages := page.Load(); pages < 5 {
		t.Fatalf("the pods were listed in %d pages: this part shows nothing", pages+1)
	}
	return v
}

// refuseStream answers as an API server that streams no lists.
func refuseStream(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Query().Get("sendInitialEvents") == "" {
		return false
	}
	answer(w, http.StatusUnprocessableEntity, "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
	return true
}

// listsAreStreams: the real API server sends lists as the first events of the watch, also
// after a 410; a list that breaks off goes on in pages.
func (f *fixture) listsAreStreams(t *testing.T) {
	f.change(t, 50)
	proxy := f.cp.StartAPIProxy(t)
	var streams, pages, expired atomic.Int64
	proxy.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		query := r.URL.Query()
		if r.URL.Path != "/api/v1/pods" {
			return false
		}
		if query.Get("limit") != "" {
			pages.Add(1)
		}
		if query.Get("sendInitialEvents") != "" && streams.Add(1) == 3 {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush() // The list has begun.
			panic(http.ErrAbortHandler)
		}
		if query.Get("resourceVersion") != "" && expired.Add(-1) >= 0 {
			answer(w, http.StatusGone, "too old resource version")
			return true
		}
		return false
	})
	v := f.start(t, proxy.URL)
	f.wantRight(t, v)
	if streams.Load() != 1 || pages.Load() != 0 {
		t.Errorf("%d streams and %d pages at first", streams.Load(), pages.Load())
	}
	lists := func() int { return int(v.WatchMetric(t, "vicinal_watch_lists_total")["pods"]) }
	for list := 2; list <= 3; list++ { // The third stream is cut.
		expired.Store(1)
		proxy.CloseConnections()
		harness.Eventually(t, 30*time.Second, "the pods are listed again", func() string {
			if n := lists(); n != list {
				return fmt.Sprintf("%d lists", n)
			}
			return ""
		})
		f.change(t, 5)
		f.wantRight(t, v)
	}
	if streams.Load() != 3 || pages.Load() != 1 {
		t.Errorf("%d streams and %d pages at the end", streams.Load(), pages.Load())
	}
}

// listChangesBetweenPages: the pages are of one moment, the first page's, and what
// has changed since comes with the watch.
func (f *fixture) listChangesBetweenPages(t *testing.T) {
	v := f.startListing(t, func(int, http.ResponseWriter) bool {
		f.change(t, 5)
		return false
	})
	f.wantRight(t, v)
	f.wantMemoryOfOther(t, v)
	if lists := v.WatchMetric(t, "vicinal_watch_lists_total")["pods"]; lists != 1 {
		t.Errorf("%v lists of pods", lists)
	}
}

// listExpiresBetweenPages: etcd has been compacted while the list went on.
func (f *fixture) listExpiresBetweenPages(t *testing.T) {
	refused := 0
	v := f.startListing(t, func(page int, w http.ResponseWriter) bool {
		f.change(t, 5)
		if page != 3 && page != 7 {
			return false
		}
		refused++
		answer(w, http.StatusGone, "The provided continue parameter is too old, page "+strconv.Itoa(page))
		return true
	})
	f.wantRight(t, v)
	f.wantMemoryOfOther(t, v)
	if refused != 2 {
		t.Errorf("%d pages were refused", refused)
	}
	wantLogged(t, v, "continue parameter is too old")
}

// pagesFail: 5 % of the answers to a list of 300 pages are 429, 500, or cut short.
func (f *fixture) pagesFail(t *testing.T) {
	const pages = 300
	f.change(t, pages) // Of three, two stay; some were there before.
	proxy := f.cp.StartAPIProxy(t)
	var asked atomic.Int64
	proxy.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		query := r.URL.Query()
		if query.Get("limit") == "" || r.URL.Path != "/api/v1/pods" {
			return refuseStream(w, r)
		}
		query.Set("limit", "1")
		r.URL.RawQuery = url.Values(query).Encode()
		n := asked.Add(1)
		if n%20 != 0 {
			return false
		}
		switch n / 20 % 4 {
		case 0:
			w.Header().Set("Retry-After", "1")
			answer(w, http.StatusTooManyRequests, "too many requests")
		case 1:
			answer(w, http.StatusInternalServerError, "etcdserver: request timed out")
		case 2:
			panic(http.ErrAbortHandler) // Cuts the connection before the answer.
		case 3:
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"kind":"PodList",`))
			panic(http.ErrAbortHandler)
		}
		return true
	})
	v := f.start(t, proxy.URL)
	list, err := f.cp.Admin.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	count := int64(len(list.Items))
	if count < pages || asked.Load() > count*11/10 {
		t.Errorf("%d requests for %d pages, want at most a tenth more, and %d pages at least", asked.Load(), count, pages)
	}
	harness.Tell(t, "each twentieth request of a list is answered 429 or 500, or cut", fmt.Sprintf("%d requests for %d pages", asked.Load(), count), "the page is retried")
	if lists := v.WatchMetric(t, "vicinal_watch_lists_total")["pods"]; lists != 1 {
		t.Errorf("%v lists of pods", lists)
	}
	f.wantRight(t, v)
}
