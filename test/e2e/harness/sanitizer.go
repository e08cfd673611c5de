package harness

import "os"

// Sanitized says whether vicinal is built with a sanitizer (test/e2e/sanitized), which
// makes it slow.
func Sanitized() bool { return os.Getenv("VICINAL_SANITIZER") != "" }

// MemoryLimit is so many bytes, or more for a sanitizer: it keeps what is freed for a while,
// and a shadow of all there is.
func MemoryLimit(bytes float64) float64 {
	if Sanitized() {
		return 8 * bytes
	}
	return bytes
}
