package apiserver

import (
	"encoding/json"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Protobuf is the media type that kube-scheduler asks for.
const Protobuf = "application/vnd.kubernetes.protobuf"

// encoding is a form of pages.
type encoding interface {
	contentType() string
	// item is an object as it stands in a page; separator stands between two.
	item(object any) ([]byte, error)
	separator() string
	// around is what stands before and after the items of a page, which have that size.
	around(l *list, next string, left, size int) (head, tail []byte, err error)
}

type jsonEncoding struct{}

func (jsonEncoding) contentType() string             { return "application/json" }
func (jsonEncoding) item(object any) ([]byte, error) { return json.Marshal(object) }
func (jsonEncoding) separator() string               { return "," }

func (jsonEncoding) around(l *list, next string, left, _ int) (head, tail []byte, err error) {
	if next != "" {
		next = fmt.Sprintf(`,"continue":%q,"remainingItemCount":%d`, next, left)
	}
	head = fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":%q%s},"items":[`, l.kind, l.apiVersion, resourceVersion, next)
	return head, []byte("]}\n"), nil
}

// protobufEncoding is what k8s.io/apimachinery/pkg/runtime/serializer/protobuf makes:
// "k8s\0" and a runtime.Unknown {typeMeta = 1, raw = 2, contentEncoding = 3,
// contentType = 4} with the list {metadata = 1, items = 2}.
type protobufEncoding struct{}

func (protobufEncoding) contentType() string { return Protobuf }
func (protobufEncoding) separator() string   { return "" }

func (protobufEncoding) item(object any) ([]byte, error) {
	message, err := object.(interface{ Marshal() ([]byte, error) }).Marshal()
	return field(nil, 2, message), err
}

func (protobufEncoding) around(l *list, next string, left, size int) (head, tail []byte, err error) {
	meta := metav1.ListMeta{ResourceVersion: resourceVersion, Continue: next}
	if next != "" {
		count := int64(left)
		meta.RemainingItemCount = &count
	}
	metadata, err := meta.Marshal()
	if err != nil {
		return nil, nil, err
	}
	typeMeta, err := (&runtime.TypeMeta{APIVersion: l.apiVersion, Kind: l.kind}).Marshal()
	if err != nil {
		return nil, nil, err
	}
	metadata = field(nil, 1, metadata)
	head = field([]byte("k8s\x00"), 1, typeMeta)
	head = append(head, 2<<3|2)
	head = append(appendVarint(head, len(metadata)+size), metadata...)
	return head, field(field(nil, 3, nil), 4, nil), nil
}

func field(to []byte, number byte, content []byte) []byte {
	return append(appendVarint(append(to, number<<3|2), len(content)), content...)
}

func appendVarint(to []byte, value int) []byte {
	for ; value >= 0x80; value >>= 7 {
		to = append(to, byte(value)|0x80)
	}
	return append(to, byte(value))
}

const resourceVersion = "5000000"

// ContinueToken is that of a page which begins so, "" if it is the last: a number here.
func ContinueToken(contentType string, head []byte) string {
	mark := []byte(`"continue":"`)
	if contentType == Protobuf {
		// The version comes before it, in metadata.
		mark = field(nil, 2, []byte(resourceVersion))
	}
	for i := range head {
		if len(head)-i < len(mark) || string(head[i:i+len(mark)]) != string(mark) {
			continue
		}
		rest := head[i+len(mark):]
		if contentType == Protobuf {
			if len(rest) < 2 || rest[0] != 3<<3|2 || int(rest[1]) > len(rest)-2 {
				return ""
			}
			return string(rest[2 : 2+rest[1]])
		}
		end := 0
		for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
			end++
		}
		if _, err := strconv.Atoi(string(rest[:end])); err != nil {
			return ""
		}
		return string(rest[:end])
	}
	return ""
}
