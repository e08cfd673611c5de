// Command oracle reads scheduling cases from standard input, one JSON document a
// line, and writes what the stock scheduler's plugins answer to standard output.
package main

import (
	"context"
	"fmt"
	"os"

	"vicinal/test/conformance/stock"
)

func main() {
	if err := stock.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}
