// Package shrink reduces a case to what makes it differ.
package shrink

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Case removes objects, fields and list elements from a case for as long as
// differs holds of what is left, and returns the smallest such case. The id stays.
// It fails if the text is not a JSON object, or if differs does not hold of it.
func Case(text []byte, differs func([]byte) bool) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a number stays as it was written
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	s := &shrinker{root: root, differs: differs}
	if !s.holds() {
		return nil, fmt.Errorf("the case does not differ")
	}
	for before := -1; before != s.removed; {
		before = s.removed
		s.fields(root, "id")
	}
	return s.text(), nil
}

type shrinker struct {
	root    map[string]any
	differs func([]byte) bool
	removed int
}

func (s *shrinker) text() []byte {
	text, err := json.Marshal(s.root)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return text
}

func (s *shrinker) holds() bool { return s.differs(s.text()) }

// value shrinks what is inside v, which put replaces in its parent.
func (s *shrinker) value(v any, put func(any)) {
	switch v := v.(type) {
	case map[string]any:
		s.fields(v, "")
	case []any:
		s.elements(v, put)
	}
}

func (s *shrinker) fields(m map[string]any, keep string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if key == keep {
			continue
		}
		old := m[key]
		delete(m, key)
		if s.holds() {
			s.removed++
			continue
		}
		m[key] = old
		s.value(old, func(v any) { m[key] = v })
	}
}

// elements removes halves, quarters and so on down to single elements.
func (s *shrinker) elements(all []any, put func(any)) {
	for size := max(1, len(all)/2); size >= 1; size /= 2 {
		for i := 0; i+size <= len(all); {
			fewer := slices.Delete(slices.Clone(all), i, i+size)
			put(fewer)
			if s.holds() {
				s.removed++
				all = fewer
				continue
			}
			put(all)
			i += size
		}
	}
	for i := range all {
		s.value(all[i], func(v any) { all[i] = v })
	}
}
