# Everything on a machine that has python3 and make: `make demo`, `make test`. The plain pip commands are in README.md.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint types imports tests fast slow bench graph-picture pictures format clean

OLDEST := 3.11
CANDIDATES := python3.13 python3.12 python3.11 python3
IS_NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
# Each candidate is run, not only looked up: a version manager may offer a name for a version that is not there.
PYTHON ?= $(shell for name in $(CANDIDATES); do \
	if "$$name" -c '$(IS_NEW_ENOUGH)' >/dev/null 2>&1; then echo "$$name"; break; fi; done)

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# uv installs in seconds what takes pip minutes. It does not read pip's own settings, so where those alone name an index
# that can be reached, pip does the work.
install = { $(PIP) uv && $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt $(1); } || \
	{ echo "uv could not install it; pip does, which takes longer"; $(PIP) $(1); }
EXTRAS ?= dev,studio,ray,harness
# Types are checked on one core while tests begin on the other.
MAKEFLAGS += --jobs=2
# One more than CI has cores: many of the slow tests wait for processes that they started.
WORKERS ?= 3

help:  ## Show this list.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

demo: $(VENV)/runtime.stamp  ## Watch a simulated person talk with a supporter and rate it: no key, no network.
	@$(BIN)/emoharbor demo

test: lint types imports tests  ## What CI runs on each change: lint, types, imports, all tests, the wheel.

lint: $(VENV)/dev.stamp  ## Check style and formatting.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev.stamp  ## Check types, strictly, in code and tests.
	$(BIN)/mypy

imports: $(VENV)/dev.stamp  ## Check that imports only go down: eval, graphs, nodes, profiles, state.
	$(BIN)/lint-imports

tests: $(VENV)/dev.stamp  ## Run all tests.
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

fast: $(VENV)/dev.stamp  ## Run the fast tests.
	$(BIN)/python -m pytest -q -m "not slow" -n $(WORKERS) --dist worksteal

slow: $(VENV)/dev.stamp  ## Run the slow tests: whole runs, real servers, a real browser, the wheel in an empty environment.
	$(BIN)/python -m pytest -q -m slow -n $(WORKERS) --dist worksteal

bench: $(VENV)/dev.stamp  ## Measure our own time against a bare LangGraph loop.
	$(BIN)/python benchmarks/overhead.py

pictures: $(VENV)/dev.stamp  ## Take the screenshots of docs/ again (needs chromium).
	$(BIN)/python docs/pictures/make.py

format: $(VENV)/dev.stamp  ## Format the code and mend what ruff can mend.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

graph-picture: $(VENV)/runtime.stamp  ## Draw docs/graph.svg again.
	$(BIN)/emoharbor graph --format svg > docs/graph.svg

clean:  ## Remove the environment, caches and builds; run folders stay.
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .langgraph_api
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Environments. A stamp is newer than what it was made from, so a second call does nothing.

$(BIN)/python:
	@test -n "$(PYTHON)" || { \
		echo "EmoHarbor needs Python $(OLDEST) or newer; tried $(CANDIDATES). Install one, or name it: make PYTHON=/path/to/python"; \
		exit 1; }
	@"$(PYTHON)" -c '$(IS_NEW_ENOUGH)' || { echo "$(PYTHON) is older than Python $(OLDEST), or does not run"; exit 1; }
	@echo "creating $(VENV) with $$($(PYTHON) --version)"
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
		echo "cannot create $(VENV); on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

$(VENV)/runtime.stamp: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing EmoHarbor"
	@$(call install,-e .)
	@touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing EmoHarbor with its development tools"
	@$(call install,-e '.[$(EXTRAS)]')
	@touch $(VENV)/runtime.stamp $@
