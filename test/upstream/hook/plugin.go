//go:build plugin

package util

import (
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"vicinal/scheduler-plugin/plugin"
)

func pluginRegistry() frameworkruntime.Registry { return plugin.Registry() }
