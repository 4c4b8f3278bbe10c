package kernels

import (
	"os"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Info describes the processor and the choice made for it.
type Info struct {
	CPU       string  // brand name, empty if the processor does not tell
	Vendor    string  // vendor, empty if unknown
	Level     Level   // level in use
	Available []Level // levels this machine and build can run, ascending
	Gather    string  // what the system says of the mitigation against gather data sampling, empty if nothing
}

// gatherFile is where Linux tells the state of that mitigation, which makes
// hardware gathers slow on the processors that need it.
const gatherFile = "/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"

// Describe returns what the package knows of this machine. No kernel uses a
// hardware gather; Gather is there for those who compare measurements.
func Describe() Info {
	info := Info{
		CPU:       cpuid.CPU.BrandName,
		Vendor:    cpuid.CPU.VendorString,
		Level:     Active(),
		Available: Available(),
	}
	if state, err := os.ReadFile(gatherFile); err == nil {
		info.Gather = strings.TrimSpace(string(state))
	}
	return info
}
