package cases

import (
	"fmt"
	"strconv"
)

// cpu writes so many millicores in one of the many ways a quantity can be
// written. Some of them carry a fraction that has to be rounded up.
func (d dice) cpu(milli int) any {
	switch d.IntN(16) {
	case 0:
		return fmt.Sprintf("%du", milli*1000)
	case 1:
		return fmt.Sprintf("%dn", milli*1000000)
	case 2:
		return fmt.Sprintf("%de-3", milli)
	case 3:
		return fmt.Sprintf("%dE-3", milli)
	case 4:
		return fmt.Sprintf("%s", decimal(milli, 3))
	case 5:
		return fmt.Sprintf("%sk", decimal(milli, 6))
	case 6:
		return fmt.Sprintf("+%dm", milli)
	case 7:
		if milli > 0 { // one nano less: rounds up to the same
			return fmt.Sprintf("%dn", milli*1000000-1)
		}
		return "0"
	case 8:
		return fmt.Sprintf("%d.1m", milli) // rounds up to one more
	case 9:
		return fmt.Sprintf("0%s0", decimal(milli, 3))
	case 10:
		if milli%1000 == 0 {
			return milli / 1000
		}
		return float64(milli) / 1000
	case 11:
		if milli%1000 == 0 {
			return fmt.Sprintf("%d.", milli/1000)
		}
		return fmt.Sprintf("%dm", milli)
	case 12:
		if milli < 1000 {
			return fmt.Sprintf(".%03d", milli)
		}
		return fmt.Sprintf("%dm", milli)
	default:
		if milli%1000 == 0 && d.chance(50) {
			return strconv.Itoa(milli / 1000)
		}
		return fmt.Sprintf("%dm", milli)
	}
}

// bytes writes so many MiB, or a little more or less than that.
func (d dice) bytes(mi int) any {
	switch d.IntN(18) {
	case 0:
		return strconv.Itoa(mi << 20)
	case 1:
		return mi << 20
	case 2:
		return fmt.Sprintf("%dKi", mi<<10)
	case 3:
		return fmt.Sprintf("%sGi", strconv.FormatFloat(float64(mi)/1024, 'f', -1, 64))
	case 4:
		return fmt.Sprintf("%dM", mi)
	case 5:
		return fmt.Sprintf("%dk", mi*1000)
	case 6:
		return fmt.Sprintf("%de6", mi)
	case 7:
		return fmt.Sprintf("%sE9", decimal(mi, 3))
	case 8:
		return fmt.Sprintf("%sG", decimal(mi, 3))
	case 9:
		return fmt.Sprintf("%dm", (mi<<20)*1000-1) // milli-bytes, rounds up
	case 10:
		return fmt.Sprintf("%d.3Ki", mi<<10)
	case 11:
		return fmt.Sprintf("%sTi", strconv.FormatFloat(float64(mi)/1024/1024, 'f', -1, 64))
	case 12:
		return fmt.Sprintf("%sT", decimal(mi, 6))
	default:
		if mi%1024 == 0 && d.chance(50) {
			return fmt.Sprintf("%dGi", mi/1024)
		}
		return fmt.Sprintf("%dMi", mi)
	}
}

// huge is a quantity at the far end of int64, where a score's products overflow.
func (d dice) huge() any {
	return pick[any](d, "1Ei", "7Ei", "8Ei", "9E", "1E", "1P", "1Pi", "100Pi", "9223372036854775807", "9223372036854775808", "1e18", "1e19", "0.5Ei")
}

// count writes a small number of things.
func (d dice) count(n int) any {
	switch d.IntN(8) {
	case 0:
		return n
	case 1:
		return fmt.Sprintf("%de0", n)
	case 2:
		return fmt.Sprintf("%sk", decimal(n, 3))
	case 3:
		if n > 0 {
			return fmt.Sprintf("%dm", n*1000-500) // rounds up
		}
		return "0"
	default:
		return strconv.Itoa(n)
	}
}

// decimal writes n / 10^places without an exponent.
func decimal(n, places int) string {
	s := fmt.Sprintf("%0*d", places+1, n)
	return s[:len(s)-places] + "." + s[len(s)-places:]
}
