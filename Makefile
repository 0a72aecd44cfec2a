PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL := CMakeLists.txt $(shell find src/elcs/engines -name '*.cpp' -o -name '*.hpp' -o -name '*.inc')

.PHONY: demo test lint types check docs wheel clean

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

wheel: $(VENV)/installed
	$(BIN)/pip wheel --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) build dist

# The package is installed in place: an edit of a Python file needs nothing, an edit of the kernel a new `make`.
$(VENV)/installed: pyproject.toml $(KERNEL)
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/developing: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(VENV)/documenting: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@
