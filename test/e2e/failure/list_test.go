package failure

import (
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"

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
			return false
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
