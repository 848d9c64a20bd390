# `make help` lists the targets. Each installs what it needs.
PYTHON ?= python3
CORES ?= $(shell env -u OMP_NUM_THREADS nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps
LOCKED := --no-deps --require-hashes --no-build-isolation -r envs/requirements.lock
READY := .venv/.ready
AXE := .venv/axe.min.js
AXE_VERSION := 4.14.1
AXE_SHA256 := 29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c

.PHONY: run test coverage test-recipes test-newest test-browser lint docs found archive verify bench cluster schemas lock clean help

run: $(READY)  ## set up .venv and build the studies of config.yaml at its scale (the default)
	@$(BIN)/snakemake --cores $(CORES)

test: $(READY)  ## run the tests and the examples in the docstrings (ARGS="--durations=25")
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal $(ARGS)

coverage: $(READY)  ## run the same tests and report the lines that they run, also in htmlcov/
	$(MAKE) test ARGS="--cov --cov-report=term --cov-report=html"

test-recipes: $(READY)  ## build what the documentation shows, and test what compiles or builds for long
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m recipe --numprocesses auto tests

test-newest: $(READY)  ## build a small study with the newest Snakemake that pip offers
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m newest tests/test_newest_snakemake.py

test-browser: $(READY) $(AXE)  ## drive the report with Chromium (Debian: chromium chromium-driver)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m browser tests/browser

lint: $(READY)  ## check style, types, spelling, the workflow and YAML files
	@$(BIN)/pre-commit run --all-files

docs: $(READY)  ## build the documentation site in docs/_build/html/
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -n -q docs docs/_build/html
	@echo "docs/_build/html/index.html"

found: $(READY)  ## update docs/found/ and the tables of the README from the record
	$(BIN)/python docs/found.py

archive: $(READY)  ## bring results/archive/ up to date with what is built at scale paper
	$(BIN)/nldr archive

verify: $(READY)  ## compute a sample of results/archive/ again (ARGS="--cells 50" or --full)
	$(BIN)/nldr recompute $(ARGS)

bench: $(READY)  ## run the benchmarks of running time and memory
	@set -e; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script; done

cluster: $(READY)  ## check runs on a private Slurm (Debian or Ubuntu)
	PYTHONPATH=src $(BIN)/python tests/cluster/check_run.py

schemas: $(READY)  ## update workflow/schemas/ from the models
	$(BIN)/python -m nldr schemas

# One set of versions for all supported Pythons. Pins that still satisfy envs/*.in are kept.
lock: $(READY)  ## pin envs/*.in in envs/requirements.lock (ARGS=--upgrade: to the newest versions)
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
	    --generate-hashes --custom-compile-command "make lock" $(ARGS) \
	    envs/*.in --output-file envs/requirements.lock

clean:  ## remove .venv and caches, but not results/
	rm -rf .venv docs/_build htmlcov .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache src/*.egg-info
	find benchmarks src tests workflow -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

# The accessibility checks of the browser tests, as published on npm.
$(AXE): $(READY)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	npm pack --silent --pack-destination "$$folder" axe-core@$(AXE_VERSION) >/dev/null && \
	tar -xzf "$$folder"/axe-core-*.tgz -C "$$folder" package/axe.min.js && \
	echo "$(AXE_SHA256)  $$folder/package/axe.min.js" | sha256sum --check --quiet && \
	cp "$$folder/package/axe.min.js" $@

# setuptools is installed first: it builds this package and those of the lock file without a wheel.
# uv installs in a third of pip's time, but does not read pip's settings: pip takes over if it fails.
# Byte code is compiled on all cores, which pip does not do. Files for other Pythons fail, harmlessly.
$(READY): envs/requirements.lock
	@$(PYTHON) -c 'import sys; (3, 11) <= sys.version_info[:2] <= (3, 13) or sys.exit("nldr needs \
	Python 3.11, 3.12 or 3.13, not %d.%d: make PYTHON=python3.12" % tuple(sys.version_info[:2]))'
	@echo "setting up .venv from envs/requirements.lock, which takes a minute or two"
	@$(PYTHON) -m venv --clear .venv
	@awk '/^(setuptools|uv)==/,/[^\\]$$/' envs/requirements.lock > .venv/tools.lock
	@$(PIP) --require-hashes -r .venv/tools.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python $(LOCKED) 2>/dev/null || \
	$(PIP) --no-compile $(LOCKED)
	@$(PIP) --no-build-isolation --editable .
	@$(BIN)/python -m compileall -qq -j 0 -x /tests/ .venv/lib || true
	@touch $@
