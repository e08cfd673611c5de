package apiserver

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// FillIn gives a generated pod what a running pod of a real cluster has beside
// what the scheduler looks at: defaults, environment, probes, volumes, managed
// fields, status. It is then about 5 KB of JSON.
func FillIn(pod *v1.Pod) {
	created := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	pod.GenerateName = pod.OwnerReferences[0].Name + "-"
	pod.CreationTimestamp = created
	pod.Annotations = map[string]string{
		"kubectl.kubernetes.io/restartedAt": "2026-01-02T03:04:05Z",
		"prometheus.io/scrape":              "true", "prometheus.io/port": "9090",
		"checksum/config": "8b1a9953c4611296a827abf8c47804d7e6c49c6b97a8e8fb1d6f0c0a4a0f1a2b",
	}
	pod.ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "kube-controller-manager", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &created, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(controllerFields)}},
		{Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &created, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(kubeletFields)}, Subresource: "status"},
	}
	yes, no, grace, projected := true, false, int64(30), int32(420)
	spec := &pod.Spec
	spec.RestartPolicy, spec.DNSPolicy, spec.ServiceAccountName = v1.RestartPolicyAlways, v1.DNSClusterFirst, "default"
	spec.TerminationGracePeriodSeconds, spec.EnableServiceLinks = &grace, &yes
	spec.SecurityContext = &v1.PodSecurityContext{RunAsNonRoot: &yes}
	spec.Volumes = []v1.Volume{
		{Name: "config", VolumeSource: v1.VolumeSource{ConfigMap: &v1.ConfigMapVolumeSource{LocalObjectReference: v1.LocalObjectReference{Name: pod.Labels["app"] + "-config"}, DefaultMode: &projected}}},
		{Name: "kube-api-access-x7k2p", VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{DefaultMode: &projected, Sources: []v1.VolumeProjection{
			{ServiceAccountToken: &v1.ServiceAccountTokenProjection{Path: "token"}},
			{ConfigMap: &v1.ConfigMapProjection{LocalObjectReference: v1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []v1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		}}}},
	}
	probe := &v1.Probe{ProbeHandler: v1.ProbeHandler{HTTPGet: &v1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: v1.URISchemeHTTP}}, TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3}
	main := &spec.Containers[0]
	main.Ports = []v1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: v1.ProtocolTCP}, {Name: "metrics", ContainerPort: 9090, Protocol: v1.ProtocolTCP}}
	main.Resources.Limits = v1.ResourceList{v1.ResourceMemory: resource.MustParse("1Gi")}
	main.LivenessProbe, main.ReadinessProbe = probe, probe
	main.TerminationMessagePath, main.TerminationMessagePolicy, main.ImagePullPolicy = "/dev/termination-log", v1.TerminationMessageReadFile, v1.PullIfNotPresent
	main.SecurityContext = &v1.SecurityContext{AllowPrivilegeEscalation: &no, Capabilities: &v1.Capabilities{Drop: []v1.Capability{"ALL"}}}
	main.VolumeMounts = []v1.VolumeMount{{Name: "config", MountPath: "/etc/app", ReadOnly: true}, {Name: "kube-api-access-x7k2p", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}}
	for i := range 6 {
		main.Env = append(main.Env, v1.EnvVar{Name: fmt.Sprintf("SERVICE_%d_URL", i), Value: fmt.Sprintf("http://service-%d.%s.svc.cluster.local:8080", i, pod.Namespace)})
	}
	main.Env = append(main.Env, v1.EnvVar{Name: "POD_IP", ValueFrom: &v1.EnvVarSource{FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}})

	started := true
	status := &pod.Status
	status.HostIP, status.PodIP, status.StartTime, status.QOSClass = "10.40.1.2", "10.128.3.4", &created, v1.PodQOSBurstable
	status.HostIPs, status.PodIPs = []v1.HostIP{{IP: "10.40.1.2"}}, []v1.PodIP{{IP: "10.128.3.4"}}
	for _, condition := range []v1.PodConditionType{v1.PodReadyToStartContainers, v1.PodInitialized, v1.PodReady, v1.ContainersReady, v1.PodScheduled} {
		status.Conditions = append(status.Conditions, v1.PodCondition{Type: condition, Status: v1.ConditionTrue, LastTransitionTime: created})
	}
	status.ContainerStatuses = []v1.ContainerStatus{{
		Name: main.Name, Ready: true, Started: &started, Image: main.Image,
		ImageID:     "registry.example.com/" + pod.Labels["app"] + "@sha256:8b1a9953c4611296a827abf8c47804d7e6c49c6b97a8e8fb1d6f0c0a4a0f1a2b",
		ContainerID: "containerd://9e107d9d372bb6826bd81d3542a419d6a1b2c3d4e5f60718293a4b5c6d7e8f90",
		State:       v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: created}},
	}}
}

const (
	controllerFields = `{"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{},"f:prometheus.io/port":{},"f:prometheus.io/scrape":{}},"f:generateName":{},"f:labels":{".":{},"f:app":{},"f:pod-template-hash":{},"f:tier":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"0b7c9d5e-1111-4222-8333-444455556666\"}":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"POD_IP\"}":{".":{},"f:name":{},"f:valueFrom":{}}},"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{},"f:name":{},"f:ports":{},"f:readinessProbe":{},"f:resources":{},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{},"f:volumeMounts":{}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{},"f:volumes":{}}}`
	kubeletFields    = `{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Initialized\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:hostIPs":{},"f:phase":{},"f:podIP":{},"f:podIPs":{},"f:startTime":{}}}`
)
