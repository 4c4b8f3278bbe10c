package kernels

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestEmulated runs the tests of this package under QEMU for an amd64 processor with AVX2 but without
// AVX-512, for one without AVX, and for arm64. It takes minutes, so it runs only if SCAS_EMULATE is set.
func TestEmulated(t *testing.T) {
	if os.Getenv("SCAS_EMULATE") == "" {
		t.Skip("QEMU runs for Haswell, Nehalem and arm64 wait for SCAS_EMULATE=1")
	}
	for _, c := range []struct{ name, arch, requiredLevel, emulator, cpu string }{
		{"Haswell", "amd64", "avx2", "qemu-x86_64", "Haswell"},
		{"Nehalem", "amd64", "", "qemu-x86_64", "Nehalem"},
		{"arm64", "arm64", "", "qemu-aarch64", "max"},
	} {
		t.Run(c.name, func(t *testing.T) {
			emulator, err := exec.LookPath(c.emulator)
			if err != nil {
				t.Skipf("no %s here; install qemu-user", c.emulator)
			}
			bin := filepath.Join(t.TempDir(), "kernels.test")
			buildCmd := exec.Command("go", "test", "-c", "-o", bin, ".")
			buildCmd.Env = append(os.Environ(), "GOARCH="+c.arch, "GOOS=linux", "CGO_ENABLED=0")
			if out, err := buildCmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			testCmd := exec.Command(emulator, "-cpu", c.cpu, bin, "-test.v", "-test.skip", "TestEmulated")
			testCmd.Env = append(os.Environ(), "SCAS_REQUIRE="+c.requiredLevel, "SCAS_LEVEL=")
			out, err := testCmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}
