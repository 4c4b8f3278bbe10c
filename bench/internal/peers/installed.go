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

// adapters are the peers that come with a script.
var adapters = []struct {
	name, script, argument string
	needs                  string // that an interpreter of the script has to run
	debian                 string // what to install
}{
	{"liblinear", "liblinear.py", "", "import numpy, scipy.sparse, ctypes, ctypes.util; ctypes.CDLL(ctypes.util.find_library('linear')).train", "liblinear4, python3-scipy"},
	{"sklearn liblinear", "scikit_learn.py", "liblinear", needsSklearn, "python3-sklearn"},
	{"sklearn saga", "scikit_learn.py", "saga", needsSklearn, "python3-sklearn"},
	{"sklearn lbfgs", "scikit_learn.py", "lbfgs", needsSklearn, "python3-sklearn"},
	{"sklearn newton", "scikit_learn.py", "newton-cholesky", needsSklearn + "; assert tuple(map(int, sklearn.__version__.split('.')[:2])) >= (1, 2)", "python3-sklearn (1.2)"},
	{"glmnet", "glmnet.R", "", "library(Matrix); library(glmnet)", "r-cran-glmnet"},
	{"cvxopt", "cvxopt_cp.py", "", "import cvxopt, scipy.sparse", "python3-cvxopt, python3-scipy"},
}

const needsSklearn = "import numpy, scipy.sparse, sklearn.linear_model"

// interpreters run scripts by their ending: the first on which what it needs runs.
var interpreters = map[string][]string{
	".py": {"python3", "/usr/bin/python3"},
	".R":  {"Rscript"},
}

// Installed writes the adapters into dir and returns those that can be run here, and
// of each other one what is missing. Those whose names match leave are not looked for;
// it may be nil.
func Installed(ctx context.Context, dir string, leave *regexp.Regexp) (found []Peer, missing []string, err error) {
	files, err := adapterFiles.ReadDir("adapters")
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		text, err := adapterFiles.ReadFile("adapters/" + f.Name())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name()), text, 0o600)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	probed := map[string]string{} // the interpreter that runs a text
	for _, a := range adapters {
		if leave != nil && leave.MatchString(a.name) {
			continue
		}
		ending := filepath.Ext(a.script)
		if _, done := probed[a.needs]; !done {
			probed[a.needs] = probe(ctx, interpreters[ending], a.needs)
		}
		interpreter := probed[a.needs]
		if interpreter == "" {
			missing = append(missing, fmt.Sprintf("%s: not installed (Debian: %s)", a.name, a.debian))
			continue
		}
		args := []string{interpreter, filepath.Join(dir, a.script)}
		if a.argument != "" {
			args = append(args, a.argument)
		}
		found = append(found, &Command{a.name, args})
	}
	return found, missing, nil
}

// probe returns the first interpreter that runs a text, or nothing.
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
