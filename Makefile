# Every target does its own set-up; only Python (3.11 to 3.13), pip and make have to be there.

PYTHON ?= python3
PORT ?= 8080
ARGS ?=
CONVERSATION ?=
FILE ?=
PERSON ?=
REGION ?=
NAME ?= aizuchi
SUITE ?=
REPEATS ?= 0
RECORD ?=
SEEDS ?= 20000
FROM ?= 0
CORES ?= 2
VENV := .venv
BIN := $(VENV)/bin
FUNCTIONS := webhook agent_worker unsend feeds
CODE := shared functions operations selfhost simulator tests benchmarks evals checks
TOOLS := .terraform-tools
TOOL_SERVERS := .tool-servers
PROCESSES := --numprocesses auto --max-worker-restart 0
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes
UV := 0.13.9
PIP_AUDIT := 2.10.1
PYTHONS := 3.11 3.12 3.13 3.14
# With a file .env the commands are for the process of `make serve`, unless the environment names a bucket.
OPERATIONS := $(if $(HISTORY_BUCKET),operations,$(if $(wildcard .env),selfhost,operations))
OPERATIONS_INSTALLED := $(VENV)/.$(if $(filter selfhost,$(OPERATIONS)),serve,run)-installed

.DEFAULT_GOAL := help
.PHONY: help run serve test test-fast check format bench eval simulate mutants screenshots fuzz load-test package-test foreign-bots audit wheels tf-test tf-mutants tf-plan tf-docs tf-lock line-webhook rich-menu dead-letters invite admit revoke admitted handover waiting forget export backup restore roll-back release cost lock upgrade clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.run-installed $(if $(findstring --mcp,$(ARGS)),$(TOOL_SERVERS)/.installed) ## Chat with the bot in a browser: make run [PORT=8080] [ARGS="--locale en"] [ARGS=--mcp]
	@$(BIN)/python -m simulator --port $(PORT) $(ARGS)

serve: $(VENV)/.serve-installed ## Serve a real LINE channel from this machine: make serve, with .env (docs/self-host.md) [ARGS="--tunnel cloudflared"]
	@$(BIN)/python -m selfhost $(ARGS)

test: $(VENV)/.dev-installed ## Run every test, in several processes: make test [ARGS="-k unsend"] [ARGS=-n0]
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest $(PROCESSES) $(ARGS)

test-fast: $(VENV)/.dev-installed ## Run the unit tests of what changed against main, in half a minute: make test-fast [ARGS="--against HEAD"]
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m checks.fast_tests $(ARGS)

check: $(VENV)/.dev-installed ## Check format, style, types and layers
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy shared operations selfhost simulator tests benchmarks evals checks
	@for function in $(FUNCTIONS); do \
		echo "mypy functions/$$function"; MYPYPATH=.:functions/$$function $(BIN)/mypy functions/$$function || exit 1; \
	done
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m checks.vocabulary

format: $(VENV)/.dev-installed ## Format the code, and fix what can be fixed automatically
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

eval: $(VENV)/.dev-installed ## Play the evals; with GEMINI_API_KEY they ask Gemini: make eval [SUITE=injection] [REPEATS=3] [RECORD=1] [HELD_OUT=1]
	$(BIN)/python -m evals --suite "$(SUITE)" --repeats $(REPEATS) $(if $(RECORD),--record) $(if $(HELD_OUT),--held-out) $(ARGS)

bench: $(VENV)/.dev-installed ## Measure speed and memory, as ratios to the least possible work
	$(BIN)/python -m benchmarks $(ARGS)

simulate: $(VENV)/.dev-installed ## Play seeded schedules of the product: make simulate SEEDS=100000 [FROM=20000] [CORES=2]
	$(BIN)/python -m tests.simulation $(SEEDS) --from $(FROM) --processes $(CORES) $(ARGS)

mutants: $(VENV)/.dev-installed ## Look for mistakes that no test catches; takes hours: make mutants [ARGS="--module PATH --sample 50 --seed 1"]
	$(BIN)/python -m tests.mutants $(ARGS)

screenshots: $(VENV)/.dev-installed ## Retake the pictures in docs/, with headless Chromium
	SCREENSHOTS=docs/pictures $(BIN)/pytest tests/browser/test_cards.py tests/browser/test_manners.py tests/browser/test_pictures.py tests/browser/test_texts.py tests/browser/test_access.py tests/browser/test_line_simulator.py tests/browser/test_reminders.py tests/browser/test_group_features.py

fuzz: $(VENV)/.dev-installed ## Send 20,000 odd bodies to the LINE platform, and a million altered tokens to a hook
	$(BIN)/pytest -s -m fuzz tests/contract/simulator/line tests/unit/shared/hooks $(ARGS)

load-test: $(VENV)/.dev-installed ## A thousand reminders of one minute over real wires, with workers that are killed, and with half the quota; SQLite under kills and cuts of power
	$(BIN)/pytest -s -m load tests/e2e $(ARGS)

package-test: $(VENV)/.dev-installed ## Build the LINE platform's package and drive a foreign bot with it; ask the reference server of MCP; read feeds as Thunderbird and Radicale do
	$(BIN)/pytest -m package tests/contract/simulator/line tests/contract/test_everything_server.py tests/contract/test_calendar_clients.py tests/e2e/test_tool_servers.py $(ARGS)

foreign-bots: $(VENV)/.dev-installed ## Install bots and frameworks from registries, drive them unmodified, and print a table
	$(BIN)/pytest -s -m foreign tests/contract/simulator/line $(ARGS)

tf-test: $(VENV)/.dev-installed $(TOOLS)/.stub-installed ## Check infra/terraform, offline: its tests, its plan, each function's archive
	$(BIN)/pytest -m "terraform or not terraform" tests/infra $(ARGS)

tf-mutants: $(VENV)/.dev-installed $(TOOLS)/.stub-installed ## Play mistakes in infra/terraform, and print which test finds each: make tf-mutants [ARGS=NAME]
	$(BIN)/python -m tests.infra.mutants $(ARGS)

tf-plan: $(VENV)/.dev-installed $(TOOLS)/.stub-installed ## Write the plan that tests/infra keeps anew
	$(BIN)/python -m tests.infra.offline

line-webhook: $(OPERATIONS_INSTALLED) ## Tell LINE the webhook's address and test it (docs/operations.md)
	@$(BIN)/python -m $(OPERATIONS) line-webhook

rich-menu: $(OPERATIONS_INSTALLED) ## Show a menu of six areas below 1:1 chats; take it back: make rich-menu ARGS=--remove
	@$(BIN)/python -m $(OPERATIONS) rich-menu $(ARGS)

dead-letters: $(OPERATIONS_INSTALLED) ## List and explain dead letters; replay them: make dead-letters ARGS=--replay
	@$(BIN)/python -m $(OPERATIONS) dead-letters $(ARGS)

invite: $(OPERATIONS_INSTALLED) ## Print a new invitation code: make invite [ARGS="--days 30 --many"]
	@$(BIN)/python -m $(OPERATIONS) invite $(ARGS)

admit: $(OPERATIONS_INSTALLED) ## Admit a chat: make admit CONVERSATION=U...
	@$(BIN)/python -m $(OPERATIONS) admit "$(CONVERSATION)"

revoke: $(OPERATIONS_INSTALLED) ## Stop answering a chat: make revoke CONVERSATION=U...
	@$(BIN)/python -m $(OPERATIONS) revoke "$(CONVERSATION)"

handover: $(OPERATIONS_INSTALLED) ## Let a person answer in a chat: make handover CONVERSATION=U... [ARGS="--minutes 30" or ARGS=--end]
	@$(BIN)/python -m $(OPERATIONS) handover "$(CONVERSATION)" $(ARGS)

waiting: $(OPERATIONS_INSTALLED) ## List the chats that are handed over to a person
	@$(BIN)/python -m $(OPERATIONS) waiting

admitted: $(OPERATIONS_INSTALLED) ## List the chats: admitted or not, and their pseudonyms in the logs
	@$(BIN)/python -m $(OPERATIONS) admitted

forget: $(OPERATIONS_INSTALLED) ## Erase a chat for good: make forget CONVERSATION=U..., or PERSON=U... in every chat
	@$(BIN)/python -m $(OPERATIONS) forget $(if $(CONVERSATION),"$(CONVERSATION)") $(if $(PERSON),--person "$(PERSON)") $(ARGS)

export: $(OPERATIONS_INSTALLED) ## Write all of a chat as JSON lines: make export CONVERSATION=U... [PERSON=U...] [ARGS="--to FILE"], or of every chat: ARGS="--all --to FILE"
	@$(BIN)/python -m $(OPERATIONS) export $(if $(CONVERSATION),"$(CONVERSATION)") $(if $(PERSON),--person "$(PERSON)") $(ARGS)

backup: $(VENV)/.serve-installed ## Copy the database and the media of `make serve` (docs/self-host.md)
	@$(BIN)/python -m selfhost backup

restore: $(OPERATIONS_INSTALLED) ## Write the objects of an export that are missing: make restore FILE=chat.jsonl; or a backup of `make serve`: FILE=FOLDER
	@$(BIN)/python -m $(OPERATIONS) restore $(if $(FILE),"$(FILE)")

roll-back: ## Route all requests to the previous revisions: make roll-back REGION=asia-northeast1 [NAME=aizuchi] [ARGS=--to-latest]
	@operations/roll-back "$(REGION)" "$(NAME)" $(ARGS)

release: $(VENV)/.run-installed ## Write dist/: release notes, each function's package, bill of materials and licences: make release [ARGS="--tag v0.1.0"]
	$(BIN)/python -m operations.release $(ARGS)

cost: $(OPERATIONS_INSTALLED) ## Estimate a month's cost, from no messages to 100,000 a day: make cost [ARGS="--messages-a-day 5000"]
	@$(BIN)/python -m operations.cost $(if $(filter selfhost,$(OPERATIONS)),--profile self-hosted) $(ARGS)

tf-docs: $(VENV)/.dev-installed ## Rewrite the README of the Terraform module, and the table of situations and alerts in docs/operations.md
	$(BIN)/python -m tests.infra.module_readme
	$(BIN)/python -m tests.infra.situations

audit: $(TOOLS)/.audit-installed ## Look up known vulnerabilities of everything that is installed; needs the network
	$(TOOLS)/audit/bin/pip-audit --strict --disable-pip --require-hashes \
		$(foreach list,requirements/dev.txt $(FUNCTIONS:%=functions/%/requirements.txt),--requirement $(list))

wheels: $(BIN)/pip ## Look up a wheel of everything that is installed for each Python; needs the network
	@for version in $(PYTHONS); do for list in requirements/dev.txt $(FUNCTIONS:%=functions/%/requirements.txt); do \
		echo "$$list on Python $$version"; \
		$(PIP_INSTALL) --dry-run --ignore-installed --no-deps --target .wheels --only-binary :all: --python-version $$version \
			--requirement $$list || exit 1; \
	done; done

tf-lock: ## Write the providers' lock file, with the hashes of every platform; needs the network
	cd infra/terraform && terraform init -backend=false && terraform providers lock \
		-platform=darwin_amd64 -platform=darwin_arm64 -platform=linux_amd64 -platform=linux_arm64 -platform=windows_amd64

lock: $(TOOLS)/.uv-installed ## Rewrite every requirements.txt, with hashes, from requirements.in and constraints.txt
	requirements/lock $(TOOLS)/uv/bin/uv

upgrade: ## Raise everything that the requirements pull in to its newest version, then run `make lock`
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements/dev.in
	{ echo "# Exact versions of everything that requirements/dev.in pulls in; refreshed by \`make upgrade\`."; \
		$(BIN)/pip freeze; } > requirements/constraints.txt
	$(MAKE) lock

clean: ## Remove the virtual environments, caches and the local stack's data
	rm -rf $(VENV) $(TOOLS) $(TOOL_SERVERS) .data .evals dist .hypothesis .import_linter_cache .mutants .mypy_cache .pytest_cache .ruff_cache

$(BIN)/pip: requirements/pip.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) --requirement requirements/pip.txt

$(VENV)/.serve-installed: requirements/serve.txt | $(BIN)/pip
	$(PIP_INSTALL) --requirement requirements/serve.txt
	@touch $@

$(VENV)/.run-installed: requirements/run.txt | $(BIN)/pip
	$(PIP_INSTALL) --requirement requirements/run.txt
	@touch $(VENV)/.serve-installed $@

$(VENV)/.dev-installed: requirements/dev.txt | $(BIN)/pip
	$(PIP_INSTALL) --requirement requirements/dev.txt
	@touch $(VENV)/.serve-installed $(VENV)/.run-installed $@

$(TOOL_SERVERS)/.installed: simulator/tool_servers/package.json simulator/tool_servers/package-lock.json
	@command -v npm >/dev/null || { echo "ARGS=--mcp needs Node.js and npm: on Debian, apt-get install nodejs npm"; exit 1; }
	@mkdir -p $(TOOL_SERVERS)
	@cp $^ $(TOOL_SERVERS)/
	npm ci --prefix $(TOOL_SERVERS) --ignore-scripts --no-audit --no-fund
	@touch $@

$(TOOLS)/.stub-installed: tests/infra/stub/requirements.txt
	$(PYTHON) -m venv --clear $(TOOLS)/stub
	$(TOOLS)/stub/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement tests/infra/stub/requirements.txt
	@touch $@

$(TOOLS)/.audit-installed:
	$(PYTHON) -m venv --clear $(TOOLS)/audit
	$(TOOLS)/audit/bin/pip install --quiet --disable-pip-version-check pip-audit==$(PIP_AUDIT)
	@touch $@

$(TOOLS)/.uv-installed:
	$(PYTHON) -m venv --clear $(TOOLS)/uv
	$(TOOLS)/uv/bin/pip install --quiet --disable-pip-version-check uv==$(UV)
	@touch $@
