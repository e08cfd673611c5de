package apiserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"vicinal/test/bench/cluster"
)

// Both encodings of a page are what client-go understands, and say the same; encoded when
// asked and from memory.
func TestPagesAreListsInBothEncodings(t *testing.T) {
	server := New(cluster.Size{Nodes: 4, PodsPerNode: 30})
	for _, prepared := range []bool{false, true} {
		if prepared {
			if err := server.Prepare(); err != nil {
				t.Fatal(err)
			}
		}
		var lists []*v1.PodList
		for _, accept := range []string{"application/json", Protobuf + ",application/json"} {
			all := &v1.PodList{}
			for token, pages := "", 0; ; pages++ {
				if pages > 20 {
					t.Fatal("the pages do not end")
				}
				request := httptest.NewRequest(http.MethodGet, "/api/v1/pods?limit=50&continue="+token, nil)
				request.Header.Set("Accept", accept)
				recorder := httptest.NewRecorder()
				server.ServeHTTP(recorder, request)
				body, err := io.ReadAll(recorder.Result().Body)
				if err != nil {
					t.Fatal(err)
				}
				object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				page := object.(*v1.PodList)
				all.Items = append(all.Items, page.Items...)
				token = ContinueToken(recorder.Header().Get("Content-Type"), body[:min(len(body), 512)])
				if token != page.Continue {
					t.Fatalf("token %q, the page has %q", token, page.Continue)
				}
				if token == "" {
					break
				}
			}
			if len(all.Items) != server.Pods() {
				t.Errorf("%d pods, want %d", len(all.Items), server.Pods())
			}
			lists = append(lists, all)
		}
		for i := range lists[0].Items {
			a, b := lists[0].Items[i], lists[1].Items[i]
			if a.Name != b.Name || !reflect.DeepEqual(a.Labels, b.Labels) || !reflect.DeepEqual(a.Spec.Affinity, b.Spec.Affinity) || len(a.Spec.Volumes) != len(b.Spec.Volumes) {
				t.Fatalf("pod %d differs: %v, %v", i, a, b)
			}
		}
	}
}
