# Everything needs only Python 3.11+, make and the package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check fix docs bench quality clean

demo: $(VENV)/.core            ## a small corpus, four questions, their verdicts
	$(BIN)/recollect demo

test: $(VENV)/.dev             ## everything that passes without extra servers
	$(BIN)/python -m pytest

check: $(VENV)/.dev            ## lint, format, types
	$(BIN)/ruff check src tests benchmarks examples docs
	$(BIN)/ruff format --check src tests benchmarks examples docs
	$(BIN)/mypy

fix: $(VENV)/.dev              ## what can be mended by itself
	$(BIN)/ruff check --fix src tests benchmarks examples docs
	$(BIN)/ruff format src tests benchmarks examples docs

docs: $(VENV)/.dev             ## regenerate docs/cli.md, docs/settings.md and sync.pyi
	$(BIN)/python docs/generate.py

bench: $(VENV)/.dev            ## the figures in docs/benchmarks.md
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/store_scale.py

quality: $(VENV)/.dev          ## the figures in docs/quality.md; DATA=FOLDER adds the labelled sets in it
	$(BIN)/python benchmarks/quality.py $(DATA)

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Recollect needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.core: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.core
