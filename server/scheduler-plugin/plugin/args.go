package plugin

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"sigs.k8s.io/yaml"
)

const (
	modeAnswer  = "answer"
	modeCompare = "compare"
)

// settings is the `vicinal` block of a plugin's arguments, with its defaults.
type settings struct {
	address string
	timeout time.Duration
	narrow  bool
	mode    string
}

// vicinalArgs is that block as it is written.
type vicinalArgs struct {
	Address *string          `json:"address"`
	Timeout *metav1.Duration `json:"timeout"`
	Narrow  *bool            `json:"narrow"`
	Mode    *string          `json:"mode"`
}

// decodeArgs splits a plugin's arguments into those of its in-tree twin, defaulted and
// checked as the scheduler does, and the `vicinal` block (nil if there is none).
func decodeArgs(object runtime.Object, twin string) (runtime.Object, *settings, error) {
	content := map[string]json.RawMessage{}
	if err := frameworkruntime.DecodeInto(object, &content); err != nil {
		return nil, nil, err
	}
	var own *settings
	if block, ok := content["vicinal"]; ok {
		s, err := decodeSettings(block)
		if err != nil {
			return nil, nil, err
		}
		own = &s
		delete(content, "vicinal")
	}
	content["apiVersion"] = json.RawMessage(fmt.Sprintf("%q", configv1.SchemeGroupVersion.String()))
	content["kind"] = json.RawMessage(fmt.Sprintf("%q", twin+"Args"))
	text, err := json.Marshal(content)
	if err != nil {
		return nil, nil, err
	}
	args, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	return args, own, err
}

func decodeSettings(block []byte) (settings, error) {
	s := settings{address: "unix:/run/vicinal/plugin.sock", timeout: 20 * time.Millisecond, narrow: true, mode: modeAnswer}
	var written vicinalArgs
	path := field.NewPath("args", "vicinal")
	if err := yaml.UnmarshalStrict(block, &written); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	if written.Address != nil {
		s.address = *written.Address
	}
	if written.Timeout != nil {
		s.timeout = written.Timeout.Duration
	}
	if written.Narrow != nil {
		s.narrow = *written.Narrow
	}
	if written.Mode != nil {
		s.mode = *written.Mode
	}
	var wrong field.ErrorList
	if !strings.HasPrefix(s.address, "unix:") {
		wrong = append(wrong, field.Invalid(path.Child("address"), s.address, "must be the path of a Unix socket: unix:/path"))
	}
	if s.timeout <= 0 {
		wrong = append(wrong, field.Invalid(path.Child("timeout"), s.timeout.String(), "must be positive"))
	}
	if s.mode != modeAnswer && s.mode != modeCompare {
		wrong = append(wrong, field.NotSupported(path.Child("mode"), s.mode, []string{modeAnswer, modeCompare}))
	}
	return s, wrong.ToAggregate()
}
