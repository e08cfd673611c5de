package harness

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// PlayKubelets does what the kubelets would until t ends: pods on nodes get ready at once,
// and those that terminate are gone at once.
func (cp *ControlPlane) PlayKubelets(t testing.TB, observer *Observer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var playing sync.WaitGroup
	t.Cleanup(func() { cancel(); playing.Wait() })
	playing.Go(func() {
		for ctx.Err() == nil {
			pods, err := observer.pods.List(labels.Everything())
			if err != nil {
				t.Error(err)
			}
			for _, pod := range pods {
				if err := cp.playKubelet(ctx, pod); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
			time.Sleep(pollInterval)
		}
	})
}

func (cp *ControlPlane) playKubelet(ctx context.Context, pod *corev1.Pod) error {
	var err error
	pods := cp.Admin.CoreV1().Pods(pod.Namespace)
	switch {
	case pod.Spec.NodeName == "":
	case pod.DeletionTimestamp != nil:
		err = pods.Delete(ctx, pod.Name, metav1.DeleteOptions{
			GracePeriodSeconds: ptr.To[int64](0), Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
		})
	case pod.Status.Phase == corev1.PodPending:
		now := time.Now().UTC().Format(time.RFC3339)
		patch := fmt.Sprintf(`{"metadata":{"uid":%q},"status":{"phase":"Running","startTime":%q,"conditions":[{"type":"Ready","status":"True","lastTransitionTime":%q}]}}`,
			pod.UID, now, now)
		_, err = pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	}
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // it has gone meanwhile
	}
	return err
}
