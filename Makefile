# Every target sets up what it needs: a virtual environment in .venv, with the project and its tools.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
export OPENBLAS_NUM_THREADS ?= 1 # the tests run in parallel themselves, and nothing here gains by threads

.PHONY: help run test check test-slow test-lowest bench bench-lsgo cec2013lsgo clean

help: ## this list
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: .venv/ready ## take bms/f12 apart, 1000 variables, optimize it, draw its structure and the convergence
	$(BIN)/separable minimize bms/f12 --dim 1000 --budget 3e5 --plot structure.png --curve convergence.png

test: check .venv/originals ## everything but the slow statistical tests
	$(BIN)/pytest -q -n 2 -m "not slow"

check: .venv/ready ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

PIP_TOOLS = -m pip install -q --disable-pip-version-check "setuptools<81" wheel cython numpy
PIP_ORIGINAL = -m pip install -q --disable-pip-version-check --no-build-isolation cec2013lsgo

cec2013lsgo: .venv/ready ## install the original of the suite cec2013, to test against; it needs a C++ compiler
	$(BIN)/python $(PIP_TOOLS)
	$(BIN)/python $(PIP_ORIGINAL)

.venv/originals: .venv/ready # the same if it can be had; tried once
	@$(MAKE) -s cec2013lsgo >/dev/null 2>&1 || echo "cec2013lsgo could not be installed (is there a C++ compiler?): the tests of cec2013" \
		"against the originals are SKIPPED; \`make cec2013lsgo\` tries again" >&2
	@touch $@

test-slow: .venv/ready ## the statistical tests, over many instances
	$(BIN)/pytest -q -n 2 -m slow

test-lowest: ## the tests on the oldest versions of everything the package depends on
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install -q --disable-pip-version-check -c tests/lowest.txt -e '.[dev]'
	.venv-lowest/bin/pytest -q -n 2 -m "not slow" -W default::DeprecationWarning # of old packages about new ones

bench: .venv/ready ## the benchmarks that stand behind docs/
	$(BIN)/python benchmarks/csg.py
	$(BIN)/python benchmarks/csg.py --dims 2000,3000,4000,5000 --instances 0-1
	$(BIN)/python benchmarks/csg.py --functions 10-15 --instances 100-119
	$(BIN)/python benchmarks/complexity.py docs/complexity.png
	$(BIN)/separable reproduce decomposition --instances 0-4 --workers 2
	$(BIN)/separable reproduce decomposition --by-dimension 1000,2000,3000,4000,5000 --instances 0 --workers 2
	$(BIN)/separable reproduce decomposition --grouping --instances 0-4 --workers 2
	$(BIN)/python benchmarks/decomposers.py
	for table in bms "bms --dim 5000 --instances 0-1" kinds thresholds compositions noise suites time; do \
		$(BIN)/python benchmarks/curves.py $$table; done
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/minimize.py cost
	$(BIN)/python benchmarks/minimize.py paper
	$(BIN)/python benchmarks/peers.py speed
	$(BIN)/python benchmarks/peers.py quality

bench-lsgo: ## the CEC suites against other implementations, which get an environment of their own
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python $(PIP_TOOLS)
	.venv-bench/bin/python $(PIP_ORIGINAL)
	.venv-bench/bin/python -m pip install -q --disable-pip-version-check -e . opfunu
	.venv-bench/bin/python benchmarks/lsgo.py

.venv/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "separable needs Python 3.11 or newer; say which: make PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	touch $@

clean: ## remove what the targets made
	rm -rf .venv .venv-lowest .venv-bench .mypy_cache .ruff_cache .pytest_cache .hypothesis structure.png convergence.png
