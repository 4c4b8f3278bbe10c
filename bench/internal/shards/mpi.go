package shards

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

const module = "github.com/scas-admm/scas/"

// MPI starts ranks under mpirun, from a directory that has what they run.
type MPI struct{ Dir string }

// A Ran is what scas train --json tells of a run; times are of rank 0.
type Ran struct {
	Passes   float64 `json:"passes"`
	Outer    float64 `json:"outer_iterations"`
	Seconds  float64 `json:"seconds"` // reading aside
	Messages float64 `json:"messages"`
	Numbers  float64 `json:"message_numbers"`
	Told     float64 `json:"message_seconds"`
	CPU      float64 `json:"cpu_seconds"` // messages aside
}

// Fastest has the least times of two runs that did the same.
func (r Ran) Fastest(other Ran) Ran {
	cpu := min(r.CPU, other.CPU)
	if other.Seconds < r.Seconds {
		r = other
	}
	r.CPU = cpu
	return r
}

// Less is what a run did beyond another one.
func (r Ran) Less(o Ran) Ran {
	return Ran{r.Passes - o.Passes, r.Outer - o.Outer, r.Seconds - o.Seconds, r.Messages - o.Messages, r.Numbers - o.Numbers, r.Told - o.Told, r.CPU - o.CPU}
}

// NewMPI builds, from within the module, what ranks run. It needs Open MPI.
func NewMPI(ctx context.Context, dir string) (*MPI, error) {
	m := &MPI{dir}
	if _, err := exec.LookPath("mpirun"); err != nil {
		return nil, fmt.Errorf("no mpirun: install Open MPI (Debian: openmpi-bin libopenmpi-dev): %w", err)
	}
	for _, build := range [][]string{
		{"build", "-tags", "mpi", "-o", m.file("scas"), module + "solver/cmd/scas"},
		{"test", "-c", "-tags", "mpi", "-o", m.file("sums"), module + "solver/dist/mpi"},
	} {
		if _, err := output(ctx, "go", build...); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *MPI) file(name string) string { return filepath.Join(m.Dir, name) }

// output runs a program and returns what it prints.
func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %v: %w\n%s%s", filepath.Base(program), args, err, &errs, &out)
	}
	return out.Bytes(), nil
}

// run runs a program on ranks of one thread each.
func (m *MPI) run(ctx context.Context, ranks int, args ...string) ([]byte, error) {
	line := []string{"--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-x", "GOMAXPROCS=1", "-n", strconv.Itoa(ranks)}
	return output(ctx, "mpirun", append(line, args...)...)
}

// Copies writes a .scas file of data, and so many names for it, and returns the pattern
// that ranks read.
func (m *MPI) Copies(ctx context.Context, data string, copies int) (string, error) {
	whole := m.file("whole.scas")
	if _, err := output(ctx, m.file("scas"), "convert", data, whole); err != nil {
		return "", err
	}
	for k := range copies {
		if err := os.Symlink(whole, m.file(fmt.Sprintf("part-%d.scas", k))); err != nil {
			return "", err
		}
	}
	return m.file("part-*.scas"), nil
}

// Train trains on ranks.
func (m *MPI) Train(ctx context.Context, ranks int, args ...string) (r Ran, err error) {
	out, err := m.run(ctx, ranks, append([]string{m.file("scas"), "train", "--dist", "mpi", "--json"}, args...)...)
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	return r, err
}

var sumLine = regexp.MustCompile(`the sum of (\d+) numbers takes (\S+) ms`)

// Sums measures sums on ranks, and sets latency and bandwidth to what makes the model right
// for one number and for the most of them.
func (m *MPI) Sums(ctx context.Context, ranks int, c *Costs) error {
	out, err := m.run(ctx, ranks, m.file("sums"), "-test.v")
	if err != nil {
		return err
	}
	if !c.fit(out, float64(ranks)) {
		return fmt.Errorf("%d ranks: no times of sums, or odd ones: %s", ranks, out)
	}
	return nil
}

// fit makes the model right for the first and the last sum in what a test printed, and
// reports whether that could be.
func (c *Costs) fit(printed []byte, ranks float64) bool {
	lines := sumLine.FindAllSubmatch(printed, -1)
	if len(lines) < 2 {
		return false
	}
	number := func(b []byte) float64 {
		v, err := strconv.ParseFloat(string(b), 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	first, last := lines[0], lines[len(lines)-1]
	if number(first[1]) != 1 {
		return false
	}
	c.Latency = number(first[2]) / 1e3 / math.Ceil(math.Log2(ranks))
	c.Bytes = 16 * (ranks - 1) * number(last[1]) / ranks / (number(last[2])/1e3 - 2*(ranks-1)*c.Latency)
	return c.Latency > 0 && c.Bytes > 0
}
