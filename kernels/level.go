package kernels

import (
	"fmt"
	"os"
	"strings"

	"github.com/scas-admm/scas/kernels/pkgerr"
)

// A Level names one implementation of all kernels. A higher level needs a newer
// processor. All levels give the same bits.
type Level int

const (
	Generic Level = iota // portable Go, the definition of every kernel
	AVX2                 // 256-bit vectors with FMA
	AVX512               // 512-bit vectors with opmasks, x86-64-v4
	numLevels
)

var levelNames = [numLevels]string{"generic", "avx2", "avx512"}

// String returns the name of the level, such as avx2.
func (l Level) String() string {
	if l < 0 || l >= numLevels {
		return fmt.Sprintf("Level(%d)", int(l))
	}
	return levelNames[l]
}

// ParseLevel returns the level with the given name: generic, avx2 or avx512.
func ParseLevel(name string) (Level, error) {
	for l, n := range levelNames {
		if n == name {
			return Level(l), nil
		}
	}
	return Generic, pkgerr.Errorf("kernels", "unknown level %q; want one of %s",
		name, strings.Join(levelNames[:], ", "))
}

// levelEnv is the environment variable that chooses the level. It is read once, at the program's start.
const levelEnv = "SCAS_LEVEL"

// sets holds the implementations that this machine can run, in ascending order of level.
var sets = availableSets()

// active is the implementation in use. Use changes it.
var active, envErr = startSet(os.Getenv(levelEnv))

// startSet returns the implementation with the given level name, or the highest one if the name is
// empty. If the name is unknown or this machine cannot run the level, it returns the generic
// implementation and an error.
func startSet(name string) (*set, error) {
	if name == "" {
		return sets[len(sets)-1], nil
	}
	l, err := ParseLevel(name)
	if err == nil {
		var s *set
		s, err = lookup(l)
		if err == nil {
			return s, nil
		}
	}
	return sets[0], fmt.Errorf("%w (from the environment variable %s)", err, levelEnv)
}

func lookup(l Level) (*set, error) {
	for _, s := range sets {
		if s.level == l {
			return s, nil
		}
	}
	return nil, pkgerr.Errorf("kernels", "level %v is not available on this machine; available: %v",
		l, Available())
}

// Available returns the levels this machine and build can run, ascending.
// Generic is always the first.
func Available() []Level {
	ls := make([]Level, len(sets))
	for i, s := range sets {
		ls[i] = s.level
	}
	return ls
}

// Active returns the level in use.
func Active() Level { return active.level }

// Use makes l the level of every kernel. It returns an error, and changes nothing, if this machine
// cannot run l. It must not be called while kernels run.
func Use(l Level) error {
	s, err := lookup(l)
	if err != nil {
		return err
	}
	active = s
	return nil
}

// EnvError returns nil if SCAS_LEVEL is empty or the name of a level that this machine can run, and
// otherwise an error. After an error the package runs at Generic; programs should report the error
// and stop.
func EnvError() error { return envErr }
