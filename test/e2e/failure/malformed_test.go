package failure

import (
	"net/http"
	"strings"
)

// A kind of malformed request, and the status of its answer.
type kind struct {
	name, request string
	want          int
}

// malformed requests: of HTTP, of JSON, of the question, of the pod in it.
func malformed() []kind {
	var kinds []kind
	add := func(name, request string, want int) { kinds = append(kinds, kind{name, request, want}) }

	for name, start := range map[string]string{
		"no HTTP":                  "hello\r\n\r\n",
		"binary":                   "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"no version":               "POST /filter\r\nHost: v\r\n\r\n",
		"another version":          "POST /filter HTTP/3.0\r\nHost: v\r\n\r\n",
		"a method of odd letters":  "P(ST /filter HTTP/1.1\r\nHost: v\r\n\r\n",
		"a header without a colon": "POST /filter HTTP/1.1\r\nHost v\r\n\r\n",
		"a header with a blank":    "POST /filter HTTP/1.1\r\nHo st: v\r\n\r\n",
		"a length that is none":    "POST /filter HTTP/1.1\r\nHost: v\r\nContent-Length: many\r\n\r\n",
		"a negative length":        "POST /filter HTTP/1.1\r\nHost: v\r\nContent-Length: -1\r\n\r\n",
		"two lengths":              "POST /filter HTTP/1.1\r\nHost: v\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
		"a chunk of no size":       "POST /filter HTTP/1.1\r\nHost: v\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
		"a line that ends wrongly": "POST /filter HTTP/1.1\rHost: v\r\r",
	} {
		add(name, start, http.StatusBadRequest)
	}
	add("a length that is too much", "POST /filter HTTP/1.1\r\nHost: v\r\nContent-Length: 99999999999\r\n\r\n", http.StatusRequestEntityTooLarge)
	add("an unknown verb", request("/ponder", "{}"), http.StatusNotFound)
	add("no verb", request("/", "{}"), http.StatusNotFound)
	add("another method", "DELETE /filter HTTP/1.1\r\nHost: v\r\n\r\n", http.StatusMethodNotAllowed)
	add("no body", request("/filter", ""), http.StatusBadRequest)

	for name, body := range map[string]string{
		"blanks":               "   ",
		"text":                 "hello",
		"a number":             "5",
		"a list":               "[]",
		"null":                 "null",
		"nothing in it":        "{}",
		"an open brace":        "{",
		"an open string":       `{"Pod`,
		"a comma too many":     `{"Pod":{},}`,
		"no comma":             `{"Pod":{} "NodeNames":[]}`,
		"no colon":             `{"Pod" {}}`,
		"text behind it":       `{"Pod":{},"NodeNames":[]}{`,
		"a byte that is none":  "{\"Pod\":{\"metadata\":{\"name\":\"\xff\"}},\"NodeNames\":[]}",
		"a bad escape":         `{"Pod":{"metadata":{"name":"\q"}},"NodeNames":[]}`,
		"a control character":  "{\"Pod\":{\"metadata\":{\"name\":\"\x01\"}},\"NodeNames\":[]}",
		"nested too deeply":    strings.Repeat(`{"Pod":`, 2000) + strings.Repeat("}", 2000),
		"no pod":               `{"NodeNames":["n1"]}`,
		"no node names":        `{"Pod":{}}`,
		"nodes, not names":     `{"Pod":{},"Nodes":{"items":[]}}`,
		"a pod that is text":   `{"Pod":"p","NodeNames":[]}`,
		"names that are text":  `{"Pod":{},"NodeNames":"n1"}`,
		"names that are lists": `{"Pod":{},"NodeNames":[["n1"]]}`,
	} {
		add(name, request("/filter", body), http.StatusBadRequest)
	}
	for name, pod := range map[string]string{
		"metadata that is a list":    `{"metadata":[]}`,
		"a name that is a number":    `{"metadata":{"name":5}}`,
		"labels that are a list":     `{"metadata":{"labels":["a"]}}`,
		"a label that is a number":   `{"metadata":{"labels":{"a":1}}}`,
		"owners that are text":       `{"metadata":{"ownerReferences":"me"}}`,
		"a spec that is text":        `{"spec":"s"}`,
		"containers that are none":   `{"spec":{"containers":{}}}`,
		"a quantity that is none":    `{"spec":{"containers":[{"resources":{"requests":{"cpu":"much"}}}]}}`,
		"a priority that is text":    `{"spec":{"priority":"high"}}`,
		"a priority that is large":   `{"spec":{"priority":99999999999}}`,
		"a skew that is text":        `{"spec":{"topologySpreadConstraints":[{"maxSkew":"one"}]}}`,
		"affinity that is a list":    `{"spec":{"affinity":[]}}`,
		"terms that are an object":   `{"spec":{"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}}}}}`,
		"a weight that is text":      `{"spec":{"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":"w"}]}}}}`,
		"a selector that is text":    `{"spec":{"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":"all"}]}}}}`,
		"values that are text":       `{"spec":{"topologySpreadConstraints":[{"labelSelector":{"matchExpressions":[{"key":"a","operator":"In","values":"b"}]}}]}}`,
		"tolerations that are true":  `{"spec":{"tolerations":true}}`,
		"a node selector with lists": `{"spec":{"nodeSelector":{"a":[]}}}`,
	} {
		add(name, request("/prioritize", `{"Pod":`+pod+`,"NodeNames":[]}`), http.StatusBadRequest)
	}
	return kinds
}
