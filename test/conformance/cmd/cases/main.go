// Command cases writes generated cases, one JSON document a line.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"

	"vicinal/test/conformance/cases"
)

func main() {
	count := flag.Uint64("cases", 1000, "number of cases")
	seed := flag.Uint64("seed", 1, "seed of the cases")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	for i := range *count {
		out.Write(cases.Generate(*seed, i).Line) // an error sticks and shows in Flush
		out.WriteByte('\n')
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "cases:", err)
		os.Exit(1)
	}
}
