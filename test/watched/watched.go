// Package watched has one row for each resource that vicinal lists and watches:
// kApiResources of core/model/api_resources.h, for the tests.
package watched

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource of the API server.
type Resource struct {
	Name       string // as in paths: "replicasets"
	APIVersion string // "apps/v1"
	Kind       string // "ReplicaSet"
}

// Resources in the order of kApiResources.
var Resources = []Resource{
	{"nodes", "v1", "Node"},
	{"pods", "v1", "Pod"},
	{"namespaces", "v1", "Namespace"},
	{"services", "v1", "Service"},
	{"replicationcontrollers", "v1", "ReplicationController"},
	{"replicasets", "apps/v1", "ReplicaSet"},
	{"statefulsets", "apps/v1", "StatefulSet"},
	{"poddisruptionbudgets", "policy/v1", "PodDisruptionBudget"},
}

// Path of all objects: "apis/apps/v1/replicasets".
func (r Resource) Path() string {
	if strings.Contains(r.APIVersion, "/") {
		return "apis/" + r.APIVersion + "/" + r.Name
	}
	return "api/" + r.APIVersion + "/" + r.Name
}

// Versioned is the resource as client-go names it.
func (r Resource) Versioned() schema.GroupVersionResource {
	group, version, found := strings.Cut(r.APIVersion, "/")
	if !found {
		group, version = "", r.APIVersion
	}
	return schema.GroupVersionResource{Group: group, Version: version, Resource: r.Name}
}
