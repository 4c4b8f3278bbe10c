package paper

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/scas-admm/scas/solver"
)

// TestOtherProtocol checks that Open returns an error if the records have another number of passes or an
// unknown line, and accepts another number of splits.
func TestOtherProtocol(t *testing.T) {
	pr, _ := tinySetup(t)
	dir := t.TempDir()
	s, err := Open(dir, pr)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	pr.Passes++
	if _, err := Open(dir, pr); err == nil || !strings.Contains(err.Error(), "another protocol") {
		t.Errorf("other passes: %v", err)
	}
	pr.Passes--
	pr.Splits++ // more splits may be added
	if _, err := Open(dir, pr); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, pointsFile), []byte("{\"point\":{}}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, pr); err == nil {
		t.Error("a line of nothing known is accepted")
	}
}

// TestCompressedPoints compresses the file of records. It checks that Open and OpenAny can read it, and that the
// same records are then in a file without compression. It also checks that OpenAny returns an error if the first
// line, which has the protocol, is missing.
func TestCompressedPoints(t *testing.T) {
	pr, _ := tinySetup(t)
	key := Key{"tiny", 0, solver.SCAS{}.Info().Name, 0, Sampled, Last}
	plainDir, packedDir := t.TempDir(), t.TempDir()
	s, err := Open(plainDir, pr)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.add(line{Run: &TunedRun{Key: key, Points: []Point{{Objective: 0.7}, {Passes: 2, Objective: 0.5}}}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	text := mustRead(t, filepath.Join(plainDir, pointsFile))
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packedFile := filepath.Join(packedDir, pointsFile+".zst")
	if err := os.WriteFile(packedFile, w.EncodeAll(text, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	packedRecords, err := Open(packedDir, pr)
	if err != nil {
		t.Fatal(err)
	}
	if u := packedRecords.Runs[key]; u == nil || len(u.Points) != 2 {
		t.Errorf("read %+v", u)
	}
	_, noProtocol, _ := bytes.Cut(text, []byte("\n"))
	noProtocolDir := t.TempDir()
	if err := os.WriteFile(filepath.Join(noProtocolDir, pointsFile), noProtocol, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenAny(noProtocolDir); err == nil || !strings.Contains(err.Error(), "no protocol line") {
		t.Errorf("results without a protocol: %v", err)
	}
	anyRecords, err := OpenAny(packedDir)
	if err != nil {
		t.Fatal(err)
	}
	if m := anyRecords.Methods(); anyRecords.Runs[key] == nil || len(m) != 1 ||
		m[0].Info.Name != key.Method || anyRecords.Protocol.Passes != pr.Passes {
		t.Errorf("a report would be of %v, %+v", m, anyRecords.Protocol)
	}
	if !bytes.Equal(mustRead(t, filepath.Join(packedDir, pointsFile)), text) {
		t.Error("the text is another")
	}
}
