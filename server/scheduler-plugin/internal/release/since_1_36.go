//go:build !kubernetes_1_34 && !kubernetes_1_35

package release

import fwk "k8s.io/kube-scheduler/framework"

// IsPodGroupCycle says whether the pods of a group are being tried together.
func IsPodGroupCycle(state fwk.CycleState) bool { return state.IsPodGroupSchedulingCycle() }

// Copied returns a status that shares nothing with this one, which is not nil.
func Copied(status *fwk.Status) *fwk.Status { return status.Clone() }
