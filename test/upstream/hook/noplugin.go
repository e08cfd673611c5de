//go:build !plugin

package util

import frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

// pluginRegistry: server/scheduler-plugin is a module of its own, which only
// test/upstream/run has beside this one.
func pluginRegistry() frameworkruntime.Registry { return nil }
