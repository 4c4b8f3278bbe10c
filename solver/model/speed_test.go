package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/scas-admm/scas/solver"
	"github.com/scas-admm/scas/sparse"
	"github.com/scas-admm/scas/sparse/graph"
)

func used() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano())
}

func TestDense(t *testing.T) {
	for _, c := range [][2]int{{2000, 200}, {500, 2000}} {
		n, p := c[0], c[1]
		rng := rand.New(rand.NewPCG(1, 1))
		data, y, yc := make([]float64, n*p), make([]float64, n), make([]float64, n)
		for i := range n {
			common := rng.NormFloat64()
			sum := 0.0
			for j := range p {
				v := rng.NormFloat64() + 0.7*common
				data[i*p+j] = v
				if j < 20 {
					sum += v * float64(j%5-2)
				}
			}
			y[i] = sum + 2*rng.NormFloat64()
			if y[i] > 0 {
				yc[i] = 1
			}
		}
		x, _ := sparse.FromDense(n, p, data)
		writeTable(t, "/tmp/wt/model-r/dense.x", n, func(i int) []float64 { return data[i*p : (i+1)*p] })
		writeTable(t, "/tmp/wt/model-r/dense.y", n, func(i int) []float64 { return []float64{y[i], yc[i]} })
		for range 2 {
			start := used()
			a, err := FitPath(context.Background(), &Spec{Loss: solver.Squared{}, Settings: Settings{Threads: 1}}, x, y, nil)
			fmt.Println("gaussian", n, p, used()-start, len(a), len(a[99].Indices), err)
			start = used()
			a, err = FitPath(context.Background(), &Spec{Settings: Settings{Threads: 1}}, x, yc, nil)
			fmt.Println("binomial", n, p, used()-start, len(a), len(a[99].Indices), err)
			fmt.Println(run(t, "Rscript", "-e", fmt.Sprintf(`suppressMessages(library(glmnet)); x <- as.matrix(read.table("/tmp/wt/model-r/dense.x")); y <- as.matrix(read.table("/tmp/wt/model-r/dense.y")); glmnet.control(fdev=0,devmax=1)
r <- if (%d > %d) 1e-4 else 1e-2
for (th in c(1e-7,1e-9,1e-11)) { t1 <- system.time(f <- glmnet(x,y[,1],thresh=th,lambda.min.ratio=r)); t2 <- system.time(g <- glmnet(x,y[,2],family="binomial",thresh=th,lambda.min.ratio=r)); cat(th, t1[1], f$df[100], t2[1], g$df[100], "\n") }`, n, p)))
		}
	}
}

func TestGraphSpeed(t *testing.T) {
	x, y := load(t, "paper/a9a.zst", 123)
	g, err := graph.ReadEdgesFile(dataFile(t, "graphs/a9a_glasso_0.1.edges"), 123)
	if err != nil {
		t.Fatal(err)
	}
	start := used()
	a, err := FitPath(context.Background(), &Spec{Graph: g, Settings: Settings{Threads: 1}}, x, y, nil)
	fmt.Println("graph", used()-start, len(a), len(a[99].Indices), err)
	steps := 0
	for _, s := range a {
		steps += s.run.NewtonSteps
	}
	fmt.Println(steps)
	start = used()
	r, err := CV(context.Background(), &Spec{Settings: Settings{Threads: 1}}, x, y, nil)
	fmt.Println("cv", used()-start, r.Best, r.OneSE, err)
}
