# scas: make demo, make test; the rest is for developers.

GO          ?= go
TESTFLAGS   ?= -short
FUZZTIME    ?= 30s
STATICCHECK ?= $(shell command -v staticcheck || ls "$$($(GO) env GOPATH)/bin/staticcheck" 2>/dev/null)

.PHONY: help demo test lint bench bench-full peers paper-quick paper data generate same-bits mutate attack
.PHONY: test-packages test-purego test-v3 test-full test-long test-random test-race test-emulated test-mpi test-supply test-fuzz

help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: ## train on real data that comes with the project, and explain the result
	@$(GO) run ./solver/cmd/scas demo

test: ## prove the package: parsers, known optima, equal bits; a few minutes
	@$(MAKE) --no-print-directory -j test-packages test-purego test-v3

test-packages: # without vet, because make lint runs it
	$(GO) test $(TESTFLAGS) -vet=off ./...

test-purego: # without assembly there is only the reference, and its results have the same bits
	$(GO) test $(TESTFLAGS) -vet=off -tags purego -run '^Test(Available|Equal|StartSet|Use)$$' ./kernels

# At GOAMD64=v3 the compiler may use FMA for a product and a sum. The results must not change by that.
V3_TEST = $(GO) test $(TESTFLAGS) -vet=off -run '^Test(Equal|Forms|Tile)$$' ./kernels
test-v3:
	@if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then \
	  echo "GOAMD64=v3 $(V3_TEST)"; GOAMD64=v3 $(V3_TEST); \
	else echo "test-v3: skipped, no avx2 in /proc/cpuinfo"; fi

lint: ## check the form of the code: gofmt, go vet, staticcheck
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-clean:" $$unformatted; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags mutate ./kernels
	$(GO) vet -tags purego ./kernels
	$(if $(STATICCHECK),$(STATICCHECK) ./...,@echo "staticcheck is not installed: skipped")

bench: ## time the kernels and outer iterations at each level, in a minute
	$(GO) run ./bench kernels --quick
	$(GO) run ./bench end-to-end --quick

bench-full:
	$(GO) run ./bench kernels --results bench/results
	$(GO) run ./bench end-to-end --results bench/results

PEERS = liblinear4 python3-numpy python3-scipy python3-sklearn python3-cvxopt r-cran-glmnet
peers: ## compare with other solvers, installed first if Debian has them; results into OUT (default bench/results)
	@if command -v apt-get >/dev/null; then \
	  for p in $(PEERS); do \
	    dpkg -s $$p >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$p >/dev/null 2>&1 || true; \
	  done; \
	fi # bench peers says what is missing, and how to install it
	$(GO) run ./bench peers --data "$(SCAS_DATA)" --results "$(or $(OUT),bench/results)"

paper-quick: ## the paper's experiments on a9a alone, in two minutes, into OUT (default a temporary directory)
	$(GO) run ./bench paper --quick --data "$(SCAS_DATA)" --out "$(or $(OUT),$${TMPDIR:-/tmp}/scas-paper-quick)"

paper: ## the paper's experiments on the data sets in SCAS_DATA, in about four hours, into OUT (default bench/results/paper)
	$(GO) run ./bench paper --data "$(SCAS_DATA)" --out "$(or $(OUT),bench/results/paper)"

data: ## fetch the public data sets into DIR (default SCAS_DATA)
	@.ci/data "$(or $(DIR),$(SCAS_DATA))"

generate: ## write the assembly again from the generators
	$(GO) generate ./...

same-bits: ## compare what scas writes at the commit BASE and here, bit for bit, in some minutes
	@GO="$(GO)" .ci/same-bits

mutate: ## plant faults in the kernels and check that the tests find them, in some minutes
	$(GO) test -tags mutate -v -run '^TestMutations$$' -timeout 60m ./kernels

attack: ## kill the program, fill its disk, fail its system calls, for FOR (default 3m); table into OUT if set
	$(GO) run ./bench attack --for $(or $(FOR),3m) $(if $(FIRST),--first $(FIRST)) $(if $(OUT),--results "$(OUT)")

test-full: lint test test-long test-random test-race test-emulated test-mpi test-supply test-fuzz ## everything: long tests, races, other processors, ranks, FUZZTIME for each fuzz test

test-long:
	$(GO) test -timeout 40m ./...

test-random: # 300 random problems, seeded by the clock, against an independent reference; memory on larger text
	SCAS_FULL=1 $(GO) test -count=1 -v -run TestRandomProblems ./solver/internal/oracle
	SCAS_FULL=1 $(GO) test -count=1 -timeout 30m -run TestTextMemory ./solver/cmd/scas

test-race:
	$(GO) test -short -race ./kernels ./sparse/... ./solver/...

test-emulated: # arm64 and older x86-64 under QEMU, for the packages EMULATED (default ./kernels ./solver/cmd/scas)
	SCAS_EMULATE=1 $(GO) test -run TestEmulated -timeout 60m -v $(or $(EMULATED),./kernels ./solver/cmd/scas)

test-mpi: # ranks under mpirun: equal bits, and FAULTS (default 2) kills, stops and cuts of the network
	@if ! command -v mpirun >/dev/null || ! pkg-config --exists ompi-c; then \
	  echo "test-mpi: skipped, no Open MPI here (Debian: apt-get install openmpi-bin libopenmpi-dev pkg-config)"; \
	else \
	  $(GO) vet -tags mpi ./solver/dist/mpi && \
	  SCAS_MPI=$(or $(FAULTS),2) $(GO) test -count=1 -timeout 2h -run '^TestMPI' -v ./solver/cmd/scas; \
	fi

test-supply: # licences and checksums of linked modules; two builds, one with an empty cache, give equal bytes
	@$(GO) run ./bench licences
	$(GO) mod verify
	SCAS_SUPPLY=full $(GO) test -count=1 -run '^TestReproducible$$' -v ./bench

test-fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "fuzzing $$pkg $$f"; \
	    $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; \
	done
