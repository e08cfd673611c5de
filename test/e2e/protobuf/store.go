package protobuf

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"

	"vicinal/test/conformance/cases"
	"vicinal/test/e2e/harness"
)

type object = map[string]any

// sideBySide is how much is asked of the API server at a time.
const sideBySide = 8

// store writes the objects of conformance clusters to an API server, side by side: the
// names of nodes and namespaces begin with that of the cluster.
type store struct {
	client rest.Interface

	mu       sync.Mutex
	accepted map[string]int      // by kind
	refused  map[string][]string // by kind
}

func newStore(cp *harness.ControlPlane) *store {
	return &store{client: cp.Admin.CoreV1().RESTClient(), accepted: map[string]int{}, refused: map[string][]string{}}
}

// addClusters adds n of them; an object that the API server refuses is left out, since the
// generator makes those on purpose, too.
func (s *store) addClusters(t *testing.T, n int) {
	t.Helper()
	workqueue.ParallelizeUntil(t.Context(), sideBySide, n, func(i int) {
		var line struct {
			Objects []object
			Pod     object
		}
		if json.Unmarshal(cases.Generate(11, uint64(i)).Line, &line) != nil {
			return // no case at all, on purpose
		}
		objects := append(line.Objects, line.Pod)
		prefix := fmt.Sprintf("c%d-", i)
		namespaces := map[string]bool{}
		for _, o := range objects {
			place(o, prefix, namespaces)
		}
		// Namespaces come first.
		slices.SortStableFunc(objects, func(a, b object) int { return order(a) - order(b) })
		for name := range namespaces {
			objects = append([]object{{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name}}}, objects...)
		}
		for _, o := range objects {
			s.add(t.Context(), o)
		}
	})
}

func order(o object) int {
	switch o["kind"] {
	case "Namespace":
		return 0
	case "Node":
		return 1
	}
	return 2
}

// child is the object in a field, made if there is none.
func child(o object, name string) object {
	inner, ok := o[name].(object)
	if !ok {
		inner = object{}
		o[name] = inner
	}
	return inner
}

// place moves an object of a case to its own names, and completes what vicinal does not
// need but the API server does.
func place(o object, prefix string, namespaces map[string]bool) {
	if o["kind"] == nil {
		o["kind"], o["apiVersion"] = "Pod", "v1"
	}
	meta := child(o, "metadata")
	for _, name := range []string{"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"} {
		delete(meta, name)
	}
	name, _ := meta["name"].(string)
	if owners, ok := meta["ownerReferences"].([]any); ok {
		for _, owner := range owners {
			if owner, ok := owner.(object); ok && owner["uid"] == nil {
				owner["uid"] = "u1"
			}
		}
	}
	if o["kind"] == "Node" || o["kind"] == "Namespace" {
		meta["name"] = prefix + name
		return
	}
	namespace, _ := meta["namespace"].(string)
	if namespace == "" {
		namespace = "default"
	}
	meta["namespace"] = prefix + namespace
	namespaces[prefix+namespace] = true
	spec := child(o, "spec")
	switch o["kind"] {
	case "Pod":
		completePod(spec)
		if node, ok := spec["nodeName"].(string); ok && node != "" {
			spec["nodeName"] = prefix + node
		}
		if status, ok := o["status"].(object); ok {
			if node, ok := status["nominatedNodeName"].(string); ok && node != "" {
				status["nominatedNodeName"] = prefix + node
			}
		}
	case "Service":
		spec["ports"] = []any{object{"port": 80}}
	case "ReplicationController":
		completeTemplate(spec, child(spec, "selector"))
	case "ReplicaSet", "StatefulSet":
		completeTemplate(spec, child(child(spec, "selector"), "matchLabels"))
	}
}

func completePod(spec object) {
	containers, _ := spec["containers"].([]any)
	if len(containers) == 0 {
		spec["containers"] = []any{object{}}
	}
	for _, list := range []string{"containers", "initContainers"} {
		containers, _ := spec[list].([]any)
		for i, container := range containers {
			if container, ok := container.(object); ok {
				container["name"] = fmt.Sprintf("%s%d", list[:1], i)
				if image, _ := container["image"].(string); image == "" {
					container["image"] = "i"
				}
			}
		}
	}
	// Only a class may say it.
	if _, ok := spec["priority"]; ok {
		delete(spec, "priority")
		spec["priorityClassName"] = "high"
	}
}

func completeTemplate(spec, selector object) {
	if len(selector) == 0 {
		selector["app"] = "web"
	}
	spec["template"] = object{
		"metadata": object{"labels": maps.Clone(selector)},
		"spec":     object{"containers": []any{object{"name": "c", "image": "i"}}},
	}
}

var resources = map[string]string{
	"Node": "nodes", "Pod": "pods", "Namespace": "namespaces", "Service": "services", "ReplicationController": "replicationcontrollers",
	"ReplicaSet": "replicasets", "StatefulSet": "statefulsets", "PodDisruptionBudget": "poddisruptionbudgets",
}

// collection is the path of the objects beside o.
func collection(o object) string {
	version := o["apiVersion"].(string)
	path := "/apis/" + version
	if version == "v1" {
		path = "/api/v1"
	}
	if namespace, ok := o["metadata"].(object)["namespace"].(string); ok {
		path += "/namespaces/" + namespace
	}
	return path + "/" + resources[o["kind"].(string)]
}

// add creates the object and then writes its status.
func (s *store) add(ctx context.Context, o object) {
	kind, _ := o["kind"].(string)
	if resources[kind] == "" {
		return
	}
	status, hasStatus := o["status"].(object)
	meta := o["metadata"].(object)
	path := collection(o)
	err := s.send(ctx, s.client.Post().AbsPath(path), o)
	if err == nil && hasStatus && kind != "Node" {
		request := s.client.Patch(types.MergePatchType).AbsPath(path, meta["name"].(string), "status")
		if err := s.send(ctx, request, object{"status": status}); err != nil {
			kind += " status"
			s.note(kind, err)
		}
	}
	s.note(kind, err)
}

func (s *store) send(ctx context.Context, request *rest.Request, body object) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return request.WarningHandler(rest.NoWarnings{}).Body(bytes.NewReader(content)).Do(ctx).Error()
}

func (s *store) note(kind string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.accepted[kind]++
	} else {
		s.refused[kind] = append(s.refused[kind], err.Error())
	}
}

// must adds an object that the API server has to take, and its status.
func (s *store) must(t *testing.T, text string) {
	t.Helper()
	var o object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	before := len(s.refused)
	s.add(t.Context(), o)
	if len(s.refused) != before {
		t.Fatalf("%s: %v", o["kind"], s.refused)
	}
}
