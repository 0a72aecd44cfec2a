PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL := CMakeLists.txt $(shell find src/elcs/engines -name '*.cpp' -o -name '*.hpp' -o -name '*.inc')

.PHONY: demo test lint types check browser java docs wheel clean minima fuzz kill sanitize kernel-check release-check

demo: $(VENV)/installed  ## answer a question about the packaged sample table
	@$(BIN)/elcs demo

test: lint types check  ## all checks

lint: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/developing
	$(BIN)/mypy

check: $(VENV)/developing
	$(BIN)/pytest

docs: $(VENV)/documenting  ## the documents as a site, in build/site
	$(BIN)/mkdocs build --strict --quiet

browser:  ## install Chromium for the tests of the page, where that can be done without asking
	tools/install_chromium.sh

java:  ## install Java for the test of Spark, where that can be done without asking
	tools/install_java.sh

minima: $(VENV)/developing  ## a part of the tests with the oldest dependencies that are permitted
	tools/test_minima.sh $(BIN)/uv

SECONDS ?= 60
SEED ?= 0
CASES ?= 1000000000

fuzz: $(VENV)/developing  ## random input for SECONDS, at most CASES of it, from SEED on
	$(BIN)/python tools/fuzz.py --seconds $(SECONDS) --cases $(CASES) --seed $(SEED)

kill: $(VENV)/developing  ## kill and interrupt long commands at random moments, for SECONDS
	$(BIN)/python tools/kill.py --seconds $(SECONDS) --seed $(SEED)

kernel-check:  ## the kernel without Python, as gcc compiles it, and as MSVC would get it
	@mkdir -p build
	for how in "" -DELCS_PORTABLE; do \
	    $(CXX) -std=c++17 -O1 $$how -pthread -Isrc/elcs/engines tools/kernel_check.cpp -o build/kernel_check && build/kernel_check || exit 1; \
	done

sanitize: $(VENV)/developing  ## the tests of the kernel with the sanitizers of the compiler
	tools/sanitize.sh $(BIN)/uv

PYTHONS ?= $(PYTHON)

release-check: $(VENV)/developing  ## the sdist, and from it a wheel for each of PYTHONS, installed and run where nothing else is
	tools/release_check.sh $(BIN)/uv $(PYTHONS)

wheel: $(VENV)/installed
	$(BIN)/pip wheel --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) build dist

# The package is installed in place: an edit of a Python file needs nothing, an edit of the kernel a new `make`. Once it is
# there, pip fetches what it lacks by its name, without compiling it again.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check

$(VENV)/installed: pyproject.toml $(KERNEL)
	@test -d $(VENV) || { echo "making the environment $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "compiling the kernel; this takes a minute"
	@$(PIP) --no-deps --editable .
	@echo "fetching numpy, scipy and a few more"
	@$(PIP) elcs
	@touch $@

$(VENV)/developing: $(VENV)/installed
	@echo "fetching what the checks need, PyTorch and Spark among it"
	@$(PIP) 'elcs[dev]'
	@touch $@

$(VENV)/documenting: $(VENV)/installed
	@echo "fetching what the site needs"
	@$(PIP) 'elcs[docs]'
	@touch $@
