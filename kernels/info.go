package kernels

import "github.com/klauspost/cpuid/v2"

// Info describes the processor and the level in use.
type Info struct {
	CPU       string  // brand name, empty if unknown
	Vendor    string  // vendor, empty if unknown
	Level     Level   // level in use
	Available []Level // levels this machine and build can run, ascending
}

// Describe returns the Info of this machine.
func Describe() Info {
	return Info{
		CPU:       cpuid.CPU.BrandName,
		Vendor:    cpuid.CPU.VendorString,
		Level:     Active(),
		Available: Available(),
	}
}
