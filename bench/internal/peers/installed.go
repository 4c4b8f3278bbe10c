package peers

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

//go:embed adapters
var adapterFiles embed.FS

// adapters are the peers for which this package has a script.
var adapters = []struct {
	name, script, argument string
	defaultTol             float64 // the peer's default tolerance
	probeText              string  // program text that runs without an error only if the peer is installed
	packages               string  // the packages that a user must install, or the command for it
}{
	{"liblinear", "liblinear.py", "primal", 1e-2, probeLiblinear, "Debian: liblinear4 (2.30), python3-scipy"},
	{
		"liblinear dual", "liblinear.py", "dual", 1e-1, probeLiblinear,
		"Debian: liblinear4 (2.30), python3-scipy",
	},
	{"sklearn liblinear", "scikit_learn.py", "liblinear", 1e-4, probeSklearn, "Debian: python3-sklearn"},
	{"sklearn saga", "scikit_learn.py", "saga", 1e-4, probeSklearn, "Debian: python3-sklearn"},
	{"sklearn lbfgs", "scikit_learn.py", "lbfgs", 1e-4, probeSklearn, "Debian: python3-sklearn"},
	{
		"sklearn newton", "scikit_learn.py", "newton-cholesky", 1e-4,
		probeSklearn + "; assert tuple(map(int, sklearn.__version__.split('.')[:2])) >= (1, 2)",
		"Debian: python3-sklearn (1.2)",
	},
	{"sklearn lasso_path", "lasso_path.py", "", 1e-4, probeSklearn, "Debian: python3-sklearn"},
	{"glmnet", "glmnet.R", "", 1e-7, "library(Matrix); library(glmnet)", "Debian: r-cran-glmnet"},
	{"celer", "celer_paths.py", "", 1e-6, "import celer", "pip install celer"},
	{"skglm", "skglm_paths.py", "", 1e-4, "import skglm", "pip install skglm"},
	{
		"cvxopt", "cvxopt_cp.py", "", 1e-7, "import cvxopt, scipy.sparse",
		"Debian: python3-cvxopt, python3-scipy",
	},
}

const (
	probeSklearn = "import numpy, scipy.sparse, sklearn.linear_model"
	// liblinear.py has the structures of version 2.30.
	probeLiblinear = "import numpy, scipy.sparse, ctypes, ctypes.util; lib = ctypes.CDLL(ctypes.util.find_library('linear')); lib.train; assert ctypes.c_int.in_dll(lib, 'liblinear_version').value == 230"
)

// interpreters maps the ending of a script's name to the commands that may run the script, in order of
// preference.
var interpreters = map[string][]string{
	".py": {"python3", "/usr/bin/python3"},
	".R":  {"Rscript"},
}

// FindInstalled writes the scripts of the adapters into dir and returns the peers that are installed.
// missingPeers has a line for each peer that is not installed, with the packages to install. FindInstalled
// leaves out peers whose names match skip.
func FindInstalled(ctx context.Context, dir string, skip *regexp.Regexp) (peers []Peer, missingPeers []string, err error) {
	if err := os.CopyFS(dir, adapterFiles); err != nil {
		return nil, nil, err
	}
	probeResults := map[string]string{} // results of probe, by the field probeText
	for _, a := range adapters {
		if skip.MatchString(a.name) {
			continue
		}
		extension := filepath.Ext(a.script)
		if _, done := probeResults[a.probeText]; !done {
			probeResults[a.probeText] = probe(ctx, interpreters[extension], a.probeText)
		}
		interpreter := probeResults[a.probeText]
		if interpreter == "" {
			missingPeers = append(missingPeers, fmt.Sprintf("%s: not installed (%s)", a.name, a.packages))
			continue
		}
		args := []string{interpreter, filepath.Join(dir, "adapters", a.script)}
		if a.argument != "" {
			args = append(args, a.argument)
		}
		peers = append(peers, Command(a.name, args, a.defaultTol))
	}
	return peers, missingPeers, nil
}

// probe returns the first interpreter that runs the program text without an error. It returns "" if none
// does, and ends the search after a minute.
func probe(ctx context.Context, interpreters []string, text string) string {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, name := range interpreters {
		flag := "-c"
		if strings.HasSuffix(name, "Rscript") {
			flag = "-e"
		}
		if exec.CommandContext(ctx, name, flag, text).Run() == nil {
			return name
		}
	}
	return ""
}
