package manifests

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vicinal/test/e2e/harness"
)

// isolated are the pods that network policies count for: those on the host's network are
// beyond them.
func isolated(t *testing.T) map[string]*corev1.Pod {
	t.Helper()
	pods := map[string]*corev1.Pod{pluginVariant.overlay: pluginVariant.pod(t)}
	for _, v := range variants {
		if v.staticPod == "" {
			pods[v.overlay] = v.pod(t)
		}
	}
	for _, folder := range deschedulers {
		pods[folder], _ = deschedulerPod(t, folder)
	}
	return pods
}

// Only the namespace monitoring gets in, and only to vicinal's admin listener; only API
// servers are got to.
func TestNetworkPoliciesAreForThePodsThatRun(t *testing.T) {
	for folder, pod := range isolated(t) {
		t.Run(folder, func(t *testing.T) {
			policies := 0
			for _, object := range harness.ParseManifest(t, kustomize(t, folder)) {
				policy, ok := object.(*networkingv1.NetworkPolicy)
				if !ok {
					continue
				}
				selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
				if err != nil {
					t.Fatal(err)
				}
				if !selector.Matches(labels.Set(pod.Labels)) {
					t.Errorf("%s does not select the pod with the labels %v", policy.Name, pod.Labels)
				}
				policies++
				wantPolicy(t, pod, &policy.Spec)
			}
			if policies != 1 {
				t.Errorf("%d network policies, want one", policies)
			}
		})
	}
}

func wantPolicy(t *testing.T, pod *corev1.Pod, policy *networkingv1.NetworkPolicySpec) {
	t.Helper()
	for _, direction := range []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress} {
		if !slices.Contains(policy.PolicyTypes, direction) {
			t.Errorf("%s is not limited", direction)
		}
	}
	var admin []corev1.ContainerPort
	for _, port := range container(t, pod, "vicinal").Ports {
		if port.Name == "admin" {
			admin = append(admin, port)
		}
	}
	for _, rule := range policy.Ingress {
		if len(rule.From) != 1 || rule.From[0].PodSelector != nil || rule.From[0].IPBlock != nil || rule.From[0].NamespaceSelector == nil || rule.From[0].NamespaceSelector.MatchLabels[corev1.LabelMetadataName] != "monitoring" {
			t.Errorf("others than the namespace monitoring get in: %+v", rule.From)
		}
		if len(rule.Ports) != 1 {
			t.Errorf("they get to the ports %v", rule.Ports)
			continue
		}
		port := rule.Ports[0].Port
		for _, a := range admin {
			if port.StrVal != a.Name && port.IntVal != a.ContainerPort {
				t.Errorf("they get to port %s, want %d", port.String(), a.ContainerPort)
			}
		}
	}
	for _, rule := range policy.Egress {
		if len(rule.Ports) == 0 {
			t.Error("all ports are got to")
		}
		for _, port := range rule.Ports {
			if port.EndPort != nil || !slices.Contains([]int32{443, 6443}, port.Port.IntVal) {
				t.Errorf("port %s is got to", port.Port.String())
			}
		}
	}
}

// Beside what the restricted pod security standard wants: every container of vicinal has
// a read-only root, and a user that is not root by its number.
func TestEveryContainerOfVicinalIsConfined(t *testing.T) {
	pods := isolated(t)
	for _, v := range variants {
		if v.staticPod != "" {
			pods[v.staticPod] = v.pod(t)
		}
	}
	for folder, pod := range pods {
		containers := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
		seen := 0
		for i := range containers {
			c := &containers[i]
			if c.Name == "kube-scheduler" && pod.Spec.HostNetwork {
				continue // kubeadm's own
			}
			seen++
			wantConfined(t, folder+" "+c.Name, pod, c)
		}
		if seen == 0 {
			t.Errorf("%s: no container of vicinal", folder)
		}
	}
}

func wantConfined(t *testing.T, name string, pod *corev1.Pod, c *corev1.Container) {
	t.Helper()
	context := c.SecurityContext
	if context == nil {
		t.Errorf("%s: no security context", name)
		return
	}
	whole := pod.Spec.SecurityContext
	if whole == nil {
		whole = &corev1.PodSecurityContext{}
	}
	isTrue := func(flags ...*bool) bool {
		return slices.ContainsFunc(flags, func(flag *bool) bool { return flag != nil && *flag })
	}
	if !isTrue(context.ReadOnlyRootFilesystem) {
		t.Errorf("%s: the root filesystem is writable", name)
	}
	if !isTrue(context.RunAsNonRoot, whole.RunAsNonRoot) {
		t.Errorf("%s: may run as root", name)
	}
	if user := context.RunAsUser; (user == nil || *user == 0) && (whole.RunAsUser == nil || *whole.RunAsUser == 0) {
		t.Errorf("%s: no user other than root", name)
	}
	if escalation := context.AllowPrivilegeEscalation; escalation == nil || *escalation || isTrue(context.Privileged) {
		t.Errorf("%s: may get privileges", name)
	}
	if caps := context.Capabilities; caps == nil || !slices.Equal(caps.Drop, []corev1.Capability{"ALL"}) || len(caps.Add) > 0 {
		t.Errorf("%s: capabilities %+v", name, caps)
	}
	profile := context.SeccompProfile
	if profile == nil {
		profile = whole.SeccompProfile
	}
	if profile == nil || profile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%s: seccomp profile %+v", name, profile)
	}
	for _, volume := range pod.Spec.Volumes {
		if volume.HostPath != nil && !pod.Spec.HostNetwork {
			t.Errorf("%s: the volume %s is of the host", name, volume.Name)
		}
	}
}
