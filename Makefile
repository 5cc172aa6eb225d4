# Every target does its own set-up; only Python (3.11 to 3.13), pip and make have to be there.

PYTHON ?= python3
PORT ?= 8080
ARGS ?=
SEEDS ?= 20000
VENV := .venv
BIN := $(VENV)/bin
FUNCTIONS := webhook agent_worker unsend
CODE := shared functions simulator tests benchmarks
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements/constraints.txt
PINS := requirements/constraints.txt requirements/run.txt $(FUNCTIONS:%=functions/%/requirements.txt)

.DEFAULT_GOAL := help
.PHONY: help run test check format bench simulate lock clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.run-installed ## Chat with the bot in a browser: make run [PORT=8080] [ARGS="--locale en"]
	@$(BIN)/python -m simulator --port $(PORT) $(ARGS)

test: $(VENV)/.dev-installed ## Run every test: make test [ARGS="-k unsend"]
	$(BIN)/pytest $(ARGS)

check: $(VENV)/.dev-installed ## Check format, style, types and layers
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy shared simulator tests benchmarks
	@for function in $(FUNCTIONS); do \
		echo "mypy functions/$$function"; MYPYPATH=.:functions/$$function $(BIN)/mypy functions/$$function || exit 1; \
	done
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev-installed ## Format the code and mend what can be mended
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

bench: $(VENV)/.dev-installed ## Measure, as ratios against the least that could be done
	$(BIN)/python -m benchmarks $(ARGS)

simulate: $(VENV)/.dev-installed ## Play seeded schedules of the turn, its model and the product: make simulate SEEDS=100000
	$(BIN)/python -m tests.simulation.model $(SEEDS)
	$(BIN)/python -m tests.simulation.product $(SEEDS)

lock: ## Pin everything that the requirements pull in anew
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements/dev.txt
	{ echo "# Exact versions of everything that requirements/dev.txt pulls in; refreshed by \`make lock\`."; \
		$(BIN)/pip freeze; } > requirements/constraints.txt

clean: ## Remove the virtual environment, caches and the local stack's data
	rm -rf $(VENV) .data .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run-installed: $(PINS) | $(BIN)/pip
	$(PIP_INSTALL) --requirement requirements/run.txt
	@touch $@

$(VENV)/.dev-installed: $(PINS) requirements/dev.txt | $(BIN)/pip
	$(PIP_INSTALL) --requirement requirements/dev.txt
	@touch $(VENV)/.run-installed $@
