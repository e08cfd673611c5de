// Command gates prints the feature gates that kube-scheduler of this release knows, each
// with its letter in core/model/feature_gate_table.cc: stage, default, and whether they are
// locked.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

type state struct{ on, locked bool }

var letters = map[string]map[state]string{
	string(featuregate.Alpha):      {{}: "a"},
	string(featuregate.Beta):       {{}: "b", {on: true}: "B"},
	string(featuregate.GA):         {{on: true}: "G", {on: true, locked: true}: "L"},
	string(featuregate.Deprecated): {{}: "d", {on: true}: "D", {locked: true}: "x", {on: true, locked: true}: "X"},
}

func main() {
	gates := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		spec := gates[name]
		letter := letters[string(spec.PreRelease)][state{spec.Default, spec.LockToDefault}]
		if letter == "" {
			fmt.Fprintf(os.Stderr, "gates: no letter for %s: %+v\n", name, spec)
			os.Exit(1)
		}
		fmt.Println(name, letter)
	}
}
