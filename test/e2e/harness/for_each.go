package harness

import (
	"context"
	"errors"
	"testing"

	"k8s.io/client-go/util/workqueue"
)

// sideBySide is of how many objects ForEach does something at a time.
const sideBySide = 16

// ForEach does something to each object, several at a time, and ends the test if it fails
// for one.
func ForEach[T any](t testing.TB, objects []T, do func(context.Context, T) error) {
	t.Helper()
	failures := make([]error, len(objects))
	workqueue.ParallelizeUntil(t.Context(), sideBySide, len(objects), func(i int) { failures[i] = do(t.Context(), objects[i]) })
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
}
