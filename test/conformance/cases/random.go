package cases

import "math/rand/v2"

// object is JSON in the making: encoding/json sorts its keys, so that a case's
// text depends on its seed and index only.
type object = map[string]any

type list = []any

// dice is the random source of one case.
type dice struct{ *rand.Rand }

// chance is true with a probability of percent.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// between is in [low, high].
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

func pick[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

// some is a random subset of from, in from's order.
func some[T any](d dice, percent int, from ...T) []T {
	var out []T
	for _, v := range from {
		if d.chance(percent) {
			out = append(out, v)
		}
	}
	return out
}

// set puts value under key if it is neither nil nor empty.
func set(o object, key string, value any) {
	switch v := value.(type) {
	case nil:
		return
	case object:
		if len(v) == 0 {
			return
		}
	case list:
		if len(v) == 0 {
			return
		}
	}
	o[key] = value
}
