package rows

import "testing"

type memoryCheckpoint struct{ b []byte }

func (c *memoryCheckpoint) Save(b []byte) error { c.b = b; return nil }

func (c *memoryCheckpoint) Load() ([]byte, error) { return c.b, nil }

// TestDamagedState checks that Load refuses a state of which a bit has changed or the end is missing.
func TestDamagedState(t *testing.T) {
	var team *Team
	state := []float64{1, 2, 3}
	var c memoryCheckpoint
	if err := team.Save(&c, state); err != nil {
		t.Fatal(err)
	}
	var loaded []float64
	if ok, err := team.Load(&c, &loaded); !ok || err != nil || loaded[2] != 3 {
		t.Fatalf("%v, %t, %v", loaded, ok, err)
	}
	for i := range c.b {
		damaged := append([]byte(nil), c.b...)
		damaged[i] ^= 4
		for _, b := range [][]byte{damaged, c.b[:i]} {
			if ok, err := team.Load(&memoryCheckpoint{b}, &loaded); len(b) > 0 && (ok || err == nil) {
				t.Errorf("byte %d of %d: no error", i, len(c.b))
			}
		}
	}
}
