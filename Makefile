# scas: make demo, make test; the rest is for developers.

GO          ?= go
FUZZTIME    ?= 30s
STATICCHECK ?= $(shell command -v staticcheck || ls "$$($(GO) env GOPATH)/bin/staticcheck" 2>/dev/null)
# How this machine runs code built for x86-64-v3, where the compiler may fuse
# products into sums: not at all without AVX2.
V3 = $(shell $(GO) run ./solver/cmd/scas info --json | grep -q '"avx2"' && echo GOAMD64=v3)

.PHONY: demo test test-full test-mpi attack licences supply lint generate bench bench-full peers paper paper-quick mutate same-bits data clean help

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: ## train on real data that comes with the project, and explain the result
	@$(GO) run ./solver/cmd/scas demo

test: lint ## everything that proves the package, in a few minutes
	$(GO) test ./...
	$(GO) test -tags purego ./kernels
	SCAS_LEVEL=generic $(GO) test -count=1 ./kernels ./solver ./solver/baseline ./solver/internal/... # read at start: not part of the cache's key
	$(if $(V3),$(V3) $(GO) test ./kernels ./sparse/... ./solver ./solver/baseline ./solver/internal/...,@echo "no AVX2 here: code for x86-64-v3 is not tested")

lint: ## gofmt, go vet, staticcheck if installed
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-clean:" $$unformatted; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags mutate ./kernels
	$(if $(STATICCHECK),$(STATICCHECK) ./...,@echo "staticcheck is not installed: skipped")

test-full: test ## test, and races, other processors under QEMU, fuzzing (FUZZTIME each)
	$(GO) test -race ./kernels ./sparse/... ./solver/...
	SCAS_FULL=1 $(GO) test -run 'Beyond' ./solver/cmd/scas
	SCAS_EMULATE=1 $(GO) test -run TestEmulated -timeout 60m -v ./kernels ./solver
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "fuzzing $$pkg $$f"; \
	    $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; \
	done

attack: ## attack the program for FOR (default 3m; FOR=2h for more), table into OUT if set
	$(GO) run ./bench attack --for $(or $(FOR),3m) $(if $(FIRST),--first $(FIRST)) $(if $(OUT),--results "$(OUT)")

test-mpi: ## train with ranks under mpirun: bits, and FAULTS (default 2) kills, stops and cut links; needs Open MPI
	@if ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then \
	  echo "test-mpi: skipped, no Open MPI here (Debian: apt-get install openmpi-bin libopenmpi-dev)"; \
	else \
	  $(GO) vet -tags mpi ./solver/dist/mpi && \
	  SCAS_MPI=$(or $(FAULTS),2) $(GO) test -count=1 -timeout 2h -run '^TestMPI' -v ./solver/cmd/scas; \
	fi

licences: ## list the linked modules and their licences, and fail on an unknown one
	@$(GO) run ./bench licences

supply: licences ## and verify the modules' checksums, and build twice from nothing: the same bytes
	$(GO) mod verify
	SCAS_SUPPLY=full $(GO) test -count=1 -run '^TestReproducible$$' -v ./bench/internal/supply

generate: ## write the assembly anew from the generators
	$(GO) generate ./...

bench: ## the kernels and outer iterations, quickly
	GOEXPERIMENT=simd $(GO) run ./bench kernels --quick
	$(GO) run ./bench end-to-end --quick

bench-full: ## the same in full, into bench/results
	GOEXPERIMENT=simd $(GO) run ./bench kernels --results bench/results
	$(GO) run ./bench end-to-end --results bench/results

PEERS = liblinear4 python3-numpy python3-scipy python3-sklearn python3-cvxopt r-cran-glmnet
peers: ## time to a gap beside other solvers, those of Debian being installed first, into OUT (default bench/results)
	@if command -v apt-get >/dev/null; then \
	  for p in $(PEERS); do \
	    dpkg -s $$p >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$p >/dev/null 2>&1 || \
	    echo "could not install $$p (try: sudo apt-get install $$p)"; \
	  done; \
	else echo "no apt-get here: compared with what is installed"; fi
	$(GO) run ./bench peers --data "$(SCAS_DATA)" --results "$(or $(OUT),bench/results)"

paper: ## the paper's experiments on the data sets in SCAS_DATA, into OUT (default bench/results/paper)
	$(GO) run ./bench paper --data "$(SCAS_DATA)" --out "$(or $(OUT),bench/results/paper)"

paper-quick: ## a9a alone, in under two minutes, into OUT (default a temporary directory)
	$(GO) run ./bench paper --quick --data "$(SCAS_DATA)" --out "$(or $(OUT),$${TMPDIR:-/tmp}/scas-paper-quick)"

mutate: ## put faults into the kernels and see that the tests catch them, in some minutes
	$(GO) test -tags mutate -v -run '^TestMutations$$' -timeout 60m ./kernels

same-bits: ## compare what scas writes at the commit BASE and here, bit for bit, in a minute
	@GO="$(GO)" .ci/same-bits

data: ## fetch the public data sets into DIR (default SCAS_DATA)
	@.ci/data "$(or $(DIR),$(SCAS_DATA))"

clean: ## remove what builds leave behind
	rm -rf scas bin
	$(GO) clean ./...
