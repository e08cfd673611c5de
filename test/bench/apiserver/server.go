// Package apiserver serves a generated cluster as an API server would: lists by
// pages, and watches in which nothing happens.
package apiserver

import (
	"net/http"
	"strconv"
	"strings"

	"vicinal/test/bench/cluster"
	"vicinal/test/watched"
)

// list is a resource's objects, and after Prepare only what they are encoded.
type list struct {
	apiVersion, kind string
	objects          []any
	encoded          map[encoding]*items
}

// items are all objects of a list as they stand in pages, one after another.
type items struct {
	bytes []byte
	ends  []int // of each, without the separator after it
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
		FillIn(pod)
		s.lists["/api/v1/pods"].add(pod)
	}
	return s
}

func (l *list) add(object any) { l.objects = append(l.objects, object) }

// Prepare encodes all objects at once, so that a page is then only copied from
// memory: faster than any API server. No request may be under way.
func (s *Server) Prepare() error {
	for _, l := range s.lists {
		l.encoded = map[encoding]*items{}
		for _, e := range []encoding{jsonEncoding{}, protobufEncoding{}} {
			all, err := encode(e, l.objects)
			if err != nil {
				return err
			}
			l.encoded[e] = all
		}
		l.objects = make([]any, len(l.objects)) // only how many there are
	}
	s.prepared = true
	return nil
}

func encode(e encoding, objects []any) (*items, error) {
	all := &items{}
	for i, object := range objects {
		item, err := e.item(object)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			all.bytes = append(all.bytes, e.separator()...)
		}
		all.bytes = append(all.bytes, item...)
		all.ends = append(all.ends, len(all.bytes))
	}
	return all, nil
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
	var e encoding = jsonEncoding{}
	if strings.HasPrefix(r.Header.Get("Accept"), Protobuf) {
		e = protobufEncoding{}
	}
	w.Header().Set("Content-Type", e.contentType())
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
	s.writePage(w, e, l, min(first, len(l.objects)), limit)
}

func (s *Server) writePage(w http.ResponseWriter, e encoding, l *list, first, limit int) {
	last := min(first+limit, len(l.objects))
	var content []byte
	switch {
	case !s.prepared:
		page, err := encode(e, l.objects[first:last])
		if err != nil {
			panic(err) // it is made up here
		}
		content = page.bytes
	case first < last:
		all, begin := l.encoded[e], 0
		if first > 0 {
			begin = all.ends[first-1] + len(e.separator())
		}
		content = all.bytes[begin:all.ends[last-1]]
	}
	next := ""
	if last < len(l.objects) {
		next = strconv.Itoa(last)
	}
	head, tail, err := e.around(l, next, len(l.objects)-last, len(content))
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(head)+len(content)+len(tail)))
	for _, part := range [][]byte{head, content, tail} {
		if _, err := w.Write(part); err != nil {
			return // the client has gone
		}
	}
}
