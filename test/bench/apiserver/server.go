// Package apiserver serves a generated cluster as an API server would: lists by
// pages, and watches in which nothing happens.
package apiserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"vicinal/test/bench/cluster"
	"vicinal/test/watched"
)

// list is a resource's objects, and after Prepare also their JSON.
type list struct {
	apiVersion, kind string
	objects          []any
	json             []byte // joined by commas
	ends             []int  // of each object's JSON, without the comma after it
}

// Server is an http.Handler.
type Server struct {
	lists    map[string]*list // by path
	prepared bool
}

// New makes up a cluster of that size. Each page is encoded when it is asked for,
// object by object, as kube-apiserver does.
func New(size cluster.Size) *Server {
	c := cluster.New(size)
	s := &Server{lists: map[string]*list{}}
	for _, resource := range watched.Resources {
		s.lists["/"+resource.Path()] = &list{apiVersion: resource.APIVersion, kind: resource.Kind + "List"}
	}
	// In a list the items do not repeat their kind.
	for _, node := range c.Nodes {
		node.TypeMeta.Reset()
		s.lists["/api/v1/nodes"].add(node)
	}
	for _, namespace := range c.Namespaces {
		namespace.TypeMeta.Reset()
		s.lists["/api/v1/namespaces"].add(namespace)
	}
	for _, set := range c.ReplicaSets {
		set.TypeMeta.Reset()
		s.lists["/apis/apps/v1/replicasets"].add(set)
	}
	for i, pod := range c.Pods() {
		pod.TypeMeta.Reset()
		pod.ResourceVersion = strconv.Itoa(1000000 + i)
		fillIn(pod)
		s.lists["/api/v1/pods"].add(pod)
	}
	return s
}

func (l *list) add(object any) { l.objects = append(l.objects, object) }

// Prepare encodes all objects at once, so that a page is then only copied from
// memory: faster than any API server. No request may be under way.
func (s *Server) Prepare() error {
	for _, l := range s.lists {
		for i, object := range l.objects {
			text, err := json.Marshal(object)
			if err != nil {
				return err
			}
			if i > 0 {
				l.json = append(l.json, ',')
			}
			l.json = append(l.json, text...)
			l.ends = append(l.ends, len(l.json))
		}
		l.objects = make([]any, len(l.objects)) // only how many there are
	}
	s.prepared = true
	return nil
}

// Pods is how many pods the cluster has.
func (s *Server) Pods() int { return len(s.lists["/api/v1/pods"].objects) }

// Paths are those of the resources.
func (s *Server) Paths() []string {
	var paths []string
	for path := range s.lists {
		paths = append(paths, path)
	}
	return paths
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l := s.lists[r.URL.Path]
	if l == nil {
		http.NotFound(w, r)
		return
	}
	query := r.URL.Query()
	w.Header().Set("Content-Type", "application/json")
	if query.Get("sendInitialEvents") != "" {
		http.Error(w, `{"kind":"Status","message":"lists come in pages here"}`, http.StatusUnprocessableEntity)
		return
	}
	if watch := query.Get("watch"); watch == "1" || watch == "true" {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	limit, err := strconv.Atoi(query.Get("limit"))
	if err != nil || limit <= 0 {
		limit = len(l.objects)
	}
	first, err := strconv.Atoi(query.Get("continue"))
	if err != nil {
		first = 0
	}
	s.writePage(w, l, min(first, len(l.objects)), limit)
}

func (s *Server) writePage(w http.ResponseWriter, l *list, first, limit int) {
	last := min(first+limit, len(l.objects))
	next := ""
	if last < len(l.objects) {
		next = fmt.Sprintf(`,"continue":"%d","remainingItemCount":%d`, last, len(l.objects)-last)
	}
	head := fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"5000000"%s},"items":[`, l.kind, l.apiVersion, next)
	const tail = "]}\n"
	if !s.prepared {
		page := bufio.NewWriterSize(w, 64<<10)
		page.WriteString(head)
		for i, object := range l.objects[first:last] {
			text, err := json.Marshal(object)
			if err != nil {
				panic(err) // it is made up here
			}
			if i > 0 {
				page.WriteByte(',')
			}
			page.Write(text)
		}
		page.WriteString(tail)
		_ = page.Flush() // the client may have gone
		return
	}
	var items []byte
	if first < last {
		begin := 0
		if first > 0 {
			begin = l.ends[first-1] + 1
		}
		items = l.json[begin:l.ends[last-1]]
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(items)+len(tail)))
	for _, part := range [][]byte{[]byte(head), items, []byte(tail)} {
		if _, err := w.Write(part); err != nil {
			return // the client has gone
		}
	}
}
