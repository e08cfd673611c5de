package noop

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"vicinal/test/watched"
)

// Handler is what vicinal talks to: lists by pages, watches, bindings, and patches of
// a pod's status.
func (a *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/pods", func(w http.ResponseWriter, r *http.Request) {
		if isWatch(r) {
			a.streamPods(w, r)
			return
		}
		a.mu.Lock()
		version := a.version
		a.mu.Unlock()
		writePage(w, r, "v1", "PodList", version, a.Pods())
	})
	for _, resource := range watched.Resources {
		switch resource.Name {
		case "pods": // see above
		case "nodes":
			still(mux, resource, a.cluster.Nodes)
		case "namespaces":
			still(mux, resource, a.cluster.Namespaces)
		case "replicasets":
			still(mux, resource, a.cluster.ReplicaSets)
		default:
			still(mux, resource, []any(nil))
		}
	}

	const pod = "/api/v1/namespaces/{namespace}/pods/{name}"
	mux.HandleFunc("GET "+pod, func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		found, err := a.find(pathKey(r), "")
		a.mu.Unlock()
		answer(w, http.StatusOK, found, http.StatusNotFound, err)
	})
	mux.HandleFunc("POST "+pod+"/binding", func(w http.ResponseWriter, r *http.Request) {
		var binding v1.Binding
		err := json.NewDecoder(r.Body).Decode(&binding)
		if err == nil {
			err = a.bind(pathKey(r), binding.UID, binding.Target.Name)
		}
		answer(w, http.StatusCreated, map[string]string{"kind": "Status", "apiVersion": "v1", "status": "Success"}, http.StatusConflict, err)
	})
	mux.HandleFunc("PATCH "+pod+"/status", func(w http.ResponseWriter, r *http.Request) {
		patch, err := io.ReadAll(r.Body)
		var patched *v1.Pod
		if err == nil {
			patched, err = a.patchStatus(pathKey(r), patch)
		}
		answer(w, http.StatusOK, patched, http.StatusConflict, err)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("sendInitialEvents") != "" {
			answer(w, http.StatusOK, nil, http.StatusUnprocessableEntity, errors.New("sendInitialEvents: Forbidden: lists come in pages here"))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func isWatch(r *http.Request) bool {
	watch := r.URL.Query().Get("watch")
	return watch == "1" || watch == "true"
}

func pathKey(r *http.Request) types.NamespacedName {
	return types.NamespacedName{Namespace: r.PathValue("namespace"), Name: r.PathValue("name")}
}

func answer(w http.ResponseWriter, status int, object any, failure int, err error) {
	if err != nil {
		status = failure
		object = map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": failure, "message": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object) // the client may have gone
}

// still serves a resource that does not change.
func still[T any](mux *http.ServeMux, resource watched.Resource, objects []T) {
	mux.HandleFunc("GET /"+resource.Path(), func(w http.ResponseWriter, r *http.Request) {
		if !isWatch(r) {
			writePage(w, r, resource.APIVersion, resource.Kind+"List", 1, objects)
			return
		}
		startStream(w)
		for {
			select {
			case <-time.After(bookmarkInterval):
				if writeBookmark(w, resource.APIVersion, resource.Kind, 1) != nil {
					return
				}
			case <-r.Context().Done():
				return
			}
		}
	})
}

// A watch without a word for longer is taken for dead.
const bookmarkInterval = 30 * time.Second

func writeBookmark(w http.ResponseWriter, apiVersion, kind string, version int64) error {
	if _, err := fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"%d"}}}`+"\n", kind, apiVersion, version); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

func startStream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
}

// writePage lists objects; the token of a page is the number of its first.
func writePage[T any](w http.ResponseWriter, r *http.Request, apiVersion, kind string, version int64, objects []T) {
	query := r.URL.Query()
	first, _ := strconv.Atoi(query.Get("continue"))
	last := len(objects)
	if limit, err := strconv.Atoi(query.Get("limit")); err == nil && limit > 0 {
		last = min(first+limit, last)
	}
	w.Header().Set("Content-Type", "application/json")
	page := bufio.NewWriterSize(w, 64<<10)
	fmt.Fprintf(page, `{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"%d"`, kind, apiVersion, version)
	if last < len(objects) {
		fmt.Fprintf(page, `,"continue":"%d"`, last)
	}
	page.WriteString(`},"items":[`)
	for i, object := range objects[first:last] {
		text, err := json.Marshal(object)
		if err != nil {
			panic(err) // it is made up by the harness
		}
		if i > 0 {
			page.WriteByte(',')
		}
		page.Write(text)
	}
	page.WriteString("]}\n")
	_ = page.Flush() // the client may have gone
}

// streamPods sends what has happened to pods after a resourceVersion, and goes on.
func (a *API) streamPods(w http.ResponseWriter, r *http.Request) {
	seen, err := strconv.ParseInt(r.URL.Query().Get("resourceVersion"), 10, 64)
	if err != nil {
		http.Error(w, "resourceVersion: "+err.Error(), http.StatusBadRequest)
		return
	}
	startStream(w)
	flush := http.NewResponseController(w)
	for {
		a.mu.Lock()
		at := len(a.events)
		for at > 0 && a.events[at-1].version > seen {
			at--
		}
		events, arrived := a.events[at:], a.arrived
		a.mu.Unlock()
		for _, e := range events {
			if _, err := w.Write(e.line); err != nil {
				return
			}
			seen = e.version
		}
		if len(events) > 0 {
			if flush.Flush() != nil {
				return
			}
		}
		select {
		case <-arrived:
		case <-time.After(bookmarkInterval):
			if writeBookmark(w, "v1", "Pod", seen) != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}
