// Package fits compares `vicinal explain` with the stock scheduler on pods with ports,
// volumes, gates and claims.
package fits

import (
	"fmt"
	"math/rand/v2"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const driver = "csi.example.com"

// world is a cluster and the pods that are asked about.
type world struct {
	nodes   []*v1.Node
	running []*v1.Pod
	storage []runtime.Object
	asked   []*v1.Pod
}

type dice struct{ *rand.Rand }

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func of[T any](d dice, choices ...T) T { return choices[d.IntN(len(choices))] }

func meta(kind, name, namespace string) (metav1.TypeMeta, metav1.ObjectMeta) {
	version := "v1"
	switch kind {
	case "StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment":
		version = "storage.k8s.io/v1"
	}
	return metav1.TypeMeta{APIVersion: version, Kind: kind},
		metav1.ObjectMeta{Name: name, Namespace: namespace, UID: types.UID(kind + "-" + namespace + "-" + name)}
}

// generate makes a world of a few nodes and many storage objects.
func generate(d dice, pods int) *world {
	w := &world{}
	w.addNodes(d)
	w.addClasses(d)
	w.addVolumes(d)
	for i := range 6 {
		pod := w.pod(d, fmt.Sprintf("running-%d", i))
		pod.Spec.SchedulingGates = nil
		pod.Spec.NodeName = of(d, w.nodes...).Name
		pod.Status.Phase = v1.PodRunning
		w.running = append(w.running, pod)
	}
	for i := range pods {
		w.asked = append(w.asked, w.pod(d, fmt.Sprintf("asked-%d", i)))
	}
	return w
}

func (w *world) addNodes(d dice) {
	zoned := d.chance(80)
	for i := range 2 + d.IntN(4) {
		node := &v1.Node{}
		node.TypeMeta, node.ObjectMeta = meta("Node", fmt.Sprintf("n%d", i), "")
		node.Labels = map[string]string{v1.LabelHostname: node.Name}
		if zoned && d.chance(90) {
			node.Labels[v1.LabelTopologyZone] = of(d, "a", "b")
		}
		node.Status.Allocatable = v1.ResourceList{"cpu": resource.MustParse("4"), "memory": resource.MustParse("8Gi"), "pods": resource.MustParse("20")}
		if d.chance(15) {
			node.Spec.Taints = []v1.Taint{{Key: "dedicated", Value: "x", Effect: v1.TaintEffectNoSchedule}}
		}
		w.nodes = append(w.nodes, node)
		if d.chance(85) {
			csi := &storagev1.CSINode{}
			csi.TypeMeta, csi.ObjectMeta = meta("CSINode", node.Name, "")
			if d.chance(85) {
				one := storagev1.CSINodeDriver{Name: driver, NodeID: node.Name}
				if d.chance(70) {
					one.Allocatable = &storagev1.VolumeNodeResources{Count: ptr.To(int32(1 + d.IntN(3)))}
				}
				csi.Spec.Drivers = append(csi.Spec.Drivers, one)
			}
			w.storage = append(w.storage, csi)
		}
	}
}

func (w *world) addClasses(d dice) {
	add := func(name, provisioner string, mode storagev1.VolumeBindingMode, topologies ...v1.TopologySelectorTerm) {
		class := &storagev1.StorageClass{Provisioner: provisioner, VolumeBindingMode: &mode, AllowedTopologies: topologies}
		class.TypeMeta, class.ObjectMeta = meta("StorageClass", name, "")
		w.storage = append(w.storage, class)
	}
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	add("fast", driver, wait)
	add("now", driver, storagev1.VolumeBindingImmediate)
	add("local", "kubernetes.io/no-provisioner", wait)
	add("zone-a", driver, wait, v1.TopologySelectorTerm{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
		{Key: v1.LabelTopologyZone, Values: []string{"a"}}}})
	if d.chance(30) {
		add("cloud", "kubernetes.io/aws-ebs", wait)
	}
	if d.chance(80) {
		one := &storagev1.CSIDriver{}
		one.TypeMeta, one.ObjectMeta = meta("CSIDriver", driver, "")
		one.Spec.StorageCapacity = ptr.To(d.chance(50))
		one.Spec.PreventPodSchedulingIfMissing = ptr.To(d.chance(30))
		w.storage = append(w.storage, one)
	}
	for i := range d.IntN(3) {
		one := &storagev1.CSIStorageCapacity{StorageClassName: of(d, "fast", "zone-a")}
		one.TypeMeta, one.ObjectMeta = meta("CSIStorageCapacity", fmt.Sprintf("c%d", i), "csi")
		one.NodeTopology = &metav1.LabelSelector{MatchLabels: map[string]string{v1.LabelTopologyZone: of(d, "a", "b")}}
		one.Capacity = ptr.To(resource.MustParse(of(d, "1Gi", "100Gi")))
		w.storage = append(w.storage, one)
	}
}

func (w *world) volume(d dice, name, class string) *v1.PersistentVolume {
	pv := &v1.PersistentVolume{}
	pv.TypeMeta, pv.ObjectMeta = meta("PersistentVolume", name, "")
	pv.Spec.StorageClassName = class
	pv.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce, v1.ReadWriteOncePod}
	pv.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: resource.MustParse(of(d, "1Gi", "5Gi", "20Gi"))}
	pv.Spec.VolumeMode = ptr.To(of(d, v1.PersistentVolumeFilesystem, v1.PersistentVolumeFilesystem, v1.PersistentVolumeBlock))
	switch {
	case class == "local":
		pv.Spec.Local = &v1.LocalVolumeSource{Path: "/data"}
		pv.Spec.NodeAffinity = reachable(v1.LabelHostname, of(d, w.nodes...).Name)
	case d.chance(8):
		pv.Spec.GCEPersistentDisk = &v1.GCEPersistentDiskVolumeSource{PDName: name}
		pv.Labels = map[string]string{v1.LabelTopologyZone: of(d, "a", "b")}
	default:
		pv.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "handle-" + name}
		if d.chance(40) {
			pv.Spec.NodeAffinity = reachable(v1.LabelTopologyZone, of(d, "a", "b"))
		}
		if d.chance(30) {
			pv.Labels = map[string]string{v1.LabelTopologyZone: of(d, "a", "b", "a__b", "")}
		}
	}
	pv.Status.Phase = v1.VolumeAvailable
	return pv
}

func reachable(key, value string) *v1.VolumeNodeAffinity {
	return &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: []string{value}}}}}}}
}

const claims = 14

func (w *world) addVolumes(d dice) {
	for i := range claims {
		claim := &v1.PersistentVolumeClaim{}
		claim.TypeMeta, claim.ObjectMeta = meta("PersistentVolumeClaim", fmt.Sprintf("data-%d", i), "shop")
		class := of(d, "fast", "fast", "now", "local", "local", "zone-a", "cloud", "missing", "")
		claim.Spec.StorageClassName = &class
		claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{of(d, v1.ReadWriteOnce, v1.ReadWriteOnce, v1.ReadWriteOncePod, v1.ReadWriteMany)}
		claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse(of(d, "1Gi", "4Gi", "50Gi"))}
		claim.Status.Phase = v1.ClaimPending
		if d.chance(55) { // bound
			pv := w.volume(d, fmt.Sprintf("pv-%d", i), class)
			pv.Spec.ClaimRef = &v1.ObjectReference{Namespace: "shop", Name: claim.Name, UID: claim.UID}
			pv.Status.Phase = v1.VolumeBound
			claim.Spec.VolumeName = pv.Name
			claim.Status.Phase = v1.ClaimBound
			if d.chance(92) {
				claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
			}
			if d.chance(95) {
				w.storage = append(w.storage, pv)
			}
			if d.chance(30) {
				attached := &storagev1.VolumeAttachment{}
				attached.TypeMeta, attached.ObjectMeta = meta("VolumeAttachment", fmt.Sprintf("va-%d", i), "")
				attached.Spec = storagev1.VolumeAttachmentSpec{Attacher: driver, NodeName: of(d, w.nodes...).Name,
					Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &pv.Name}}
				w.storage = append(w.storage, attached)
			}
		} else if d.chance(15) {
			claim.Annotations = map[string]string{"volume.kubernetes.io/selected-node": of(d, w.nodes...).Name}
		}
		if d.chance(4) {
			claim.Status.Phase = v1.ClaimLost
		}
		if d.chance(4) {
			claim.DeletionTimestamp = ptr.To(metav1.Now())
			claim.Finalizers = []string{"kubernetes.io/pvc-protection"}
		}
		w.storage = append(w.storage, claim)
	}
	for i := range d.IntN(5) {
		w.storage = append(w.storage, w.volume(d, fmt.Sprintf("free-%d", i), of(d, "local", "local", "fast")))
	}
}

func (w *world) pod(d dice, name string) *v1.Pod {
	pod := &v1.Pod{}
	pod.TypeMeta, pod.ObjectMeta = meta("Pod", name, "shop")
	pod.Labels = map[string]string{"app": of(d, "web", "db")}
	pod.Spec.SchedulerName = "default-scheduler"
	container := v1.Container{Name: "main", Image: "i"}
	container.Resources.Requests = v1.ResourceList{"cpu": resource.MustParse(of(d, "100m", "100m", "2", "8"))}
	if d.chance(35) {
		container.Ports = append(container.Ports, v1.ContainerPort{ContainerPort: 80, HostPort: of(d, int32(0), 8080, 8081),
			Protocol: of(d, v1.ProtocolTCP, v1.ProtocolTCP, v1.ProtocolUDP), HostIP: of(d, "", "", "10.0.0.1", "10.0.0.2", "0.0.0.0")})
	}
	if d.chance(10) {
		always := v1.ContainerRestartPolicyAlways
		sidecar := v1.Container{Name: "side", Image: "i", Ports: []v1.ContainerPort{{ContainerPort: 81, HostPort: 8080, Protocol: v1.ProtocolTCP}}}
		if d.chance(50) {
			sidecar.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, sidecar)
	}
	if d.chance(3) {
		container.RestartPolicyRules = []v1.ContainerRestartRule{{Action: v1.ContainerRestartRuleActionRestartAllContainers}}
	}
	pod.Spec.Containers = []v1.Container{container}
	if d.chance(50) {
		for i := range 1 + d.IntN(2) {
			w.addVolume(d, pod, fmt.Sprintf("v%d", i))
		}
	}
	if d.chance(8) {
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/quota"}}
	}
	if d.chance(4) {
		pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: ptr.To("gpu")}}
	}
	if d.chance(30) {
		pod.Spec.Tolerations = []v1.Toleration{{Key: "dedicated", Operator: v1.TolerationOpExists}}
	}
	if d.chance(15) {
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
			LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels}, TopologyKey: v1.LabelHostname}}}}
	}
	return pod
}

func (w *world) addVolume(d dice, pod *v1.Pod, name string) {
	volume := v1.Volume{Name: name}
	switch {
	case d.chance(78):
		volume.PersistentVolumeClaim = &v1.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprintf("data-%d", d.IntN(claims+1))}
	case d.chance(50):
		template := &v1.PersistentVolumeClaimTemplate{}
		template.Spec.StorageClassName = ptr.To(of(d, "fast", "local"))
		template.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
		volume.Ephemeral = &v1.EphemeralVolumeSource{VolumeClaimTemplate: template}
		if d.chance(70) {
			claim := &v1.PersistentVolumeClaim{Spec: template.Spec}
			claim.TypeMeta, claim.ObjectMeta = meta("PersistentVolumeClaim", pod.Name+"-"+name, "shop")
			owner := types.UID(of(d, string(pod.UID), string(pod.UID), string(pod.UID), "another"))
			claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: owner, Controller: ptr.To(true)}}
			claim.Spec.Resources.Requests = v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
			w.storage = append(w.storage, claim)
		}
	case d.chance(50):
		volume.GCEPersistentDisk = &v1.GCEPersistentDiskVolumeSource{PDName: of(d, "disk-1", "disk-2")}
	default:
		volume.RBD = &v1.RBDVolumeSource{CephMonitors: []string{"m"}, RBDPool: "p", RBDImage: of(d, "i", "j")}
	}
	pod.Spec.Volumes = append(pod.Spec.Volumes, volume)
}
