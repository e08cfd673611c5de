// Command throughput is test/load/noopapi with the scheduler's plugins. It is here because
// only this module has both.
package main

import (
	"vicinal/scheduler-plugin/plugin"
	"vicinal/test/load/noopapi"
)

func main() { noopapi.Main(plugin.Registry) }
