package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
)

// WriteFile writes the cluster as a List with one object per line: as a whole it
// is what `vicinal serve --cluster-file` takes, and it can be read by lines.
func (c *Cluster) WriteFile(path string) error {
	var objects []any
	for _, o := range c.Namespaces {
		objects = append(objects, o)
	}
	for _, o := range c.Nodes {
		objects = append(objects, o)
	}
	for _, o := range c.ReplicaSets {
		objects = append(objects, o)
	}
	for _, pod := range c.Pods() {
		objects = append(objects, pod)
	}
	return writeTo(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, `{"apiVersion":"v1","kind":"List","items":[`+"\n"); err != nil {
			return err
		}
		for i, object := range objects {
			line, err := json.Marshal(object)
			if err != nil {
				return err
			}
			if i+1 < len(objects) {
				line = append(line, ',')
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, "]}\n")
		return err
	})
}

// WriteSteps writes one step per line, its words separated by tabs: `add JSON`,
// `remove NAMESPACE NAME`, `ask QUESTION JSON`.
func WriteSteps(path string, steps []Step) error {
	return writeTo(path, func(w io.Writer) error {
		for _, step := range steps {
			var err error
			switch {
			case step.Remove != nil:
				_, err = fmt.Fprintf(w, "remove\t%s\t%s\n", step.Remove.Namespace, step.Remove.Name)
			case step.Add != nil:
				err = writeWithPod(w, "add", step.Add)
			default:
				err = writeWithPod(w, "ask\t"+step.Question, step.Ask)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func writeWithPod(w io.Writer, words string, pod *v1.Pod) error {
	object, err := json.Marshal(pod)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\t%s\n", words, object)
	return err
}

func writeTo(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 1<<20)
	if err := write(buffered); err != nil {
		file.Close()
		return err
	}
	if err := buffered.Flush(); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// ReadFile calls use with each object of a file of WriteFile, as JSON with its
// kind, from several goroutines at once.
func ReadFile(path string, use func(kind string, object []byte) error) error {
	type line struct{ data []byte }
	lines := make(chan line, 1024)
	errs := make(chan error, runtime.NumCPU())
	var readers sync.WaitGroup
	for range runtime.NumCPU() {
		readers.Go(func() {
			for l := range lines {
				var meta struct{ Kind string }
				err := json.Unmarshal(l.data, &meta)
				if err == nil {
					err = use(meta.Kind, l.data)
				}
				if err != nil {
					errs <- err
					for range lines { // the writer must not wait for ever
					}
					return
				}
			}
		})
	}
	err := forEachLine(path, func(data []byte) error {
		if !bytes.HasPrefix(data, []byte(`{"apiVersion":"v1","kind":"List"`)) && !bytes.HasPrefix(data, []byte("]")) {
			lines <- line{bytes.Clone(bytes.TrimSuffix(data, []byte(",")))}
		}
		return nil
	})
	close(lines)
	readers.Wait()
	select {
	case failed := <-errs:
		return failed
	default:
		return err
	}
}

// ReadSteps reads a file of WriteSteps. Of a pod to remove, only namespace and
// name are set.
func ReadSteps(path string) ([]Step, error) {
	var steps []Step
	err := forEachLine(path, func(data []byte) error {
		words := strings.Split(string(data), "\t")
		step, object := Step{}, ""
		pod := &v1.Pod{}
		switch {
		case words[0] == "remove" && len(words) == 3:
			pod.Namespace, pod.Name = words[1], words[2]
			step.Remove = pod
		case words[0] == "add" && len(words) == 2:
			step.Add, object = pod, words[1]
		case words[0] == "ask" && len(words) == 3:
			step.Ask, step.Question, object = pod, words[1], words[2]
		default:
			return fmt.Errorf("%s: cannot read %q", path, data)
		}
		steps = append(steps, step)
		if object == "" {
			return nil
		}
		return json.Unmarshal([]byte(object), pod)
	})
	return steps, err
}

func forEachLine(path string, use func([]byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(make([]byte, 1<<20), 1<<26)
	for scanner.Scan() {
		if err := use(scanner.Bytes()); err != nil {
			return err
		}
	}
	return scanner.Err()
}
