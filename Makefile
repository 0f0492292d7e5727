# One word each. Needs Python 3.11 or newer, git and make; everything else is installed into .venv and
# frontend/node_modules, Node too.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
REQUIREMENTS := requirements.txt requirements-web.txt requirements-dev.txt
NODE := $(BIN)/node
WEB := $(BIN)/python frontend/tools/web.py
QUICK := -q -m "pure and not slow" -n auto --dist loadgroup

.PHONY: help setup web run demo quick affected pure test mutants e2e check check-web lint format client wheel bench clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

setup: $(STAMP) ## install everything into .venv and frontend/node_modules
	@$(WEB) packages

$(STAMP): $(REQUIREMENTS) .ci/setup
	@.ci/setup $(VENV)
	@touch $@

# Where the tools of development are not installed, as in production, Node is all that it needs.
$(NODE): requirements-web.txt
	@.ci/setup $(VENV) requirements-web.txt
	@touch $@

web: $(if $(wildcard $(STAMP)),$(STAMP),$(NODE)) ## build the dashboard, if its sources have changed
	@$(WEB) build

run: $(STAMP) ## start everything on this machine: dashboard, database, web server, worker, emulated devices
	@$(WEB) build || echo "Walle starts without its dashboard."
	@$(BIN)/python -m walleweb.embedded.run

demo: $(STAMP) ## a task goes from git to devices, two releases are stopped; each step checked
	@$(BIN)/python -m walleweb.demo.journey

quick: $(STAMP) ## the linters of Python, and the quick tests that your change can affect, without database and processes
	@$(MAKE) --no-print-directory --jobs --output-sync=target lint affected

affected: $(STAMP)
	@WALLE_EXAMPLES=$${WALLE_EXAMPLES:-0.3} $(BIN)/python -m tests.tiers.affected $(QUICK)

pure: $(STAMP) ## all quick tests without database and processes
	@WALLE_EXAMPLES=$${WALLE_EXAMPLES:-0.3} $(BIN)/python -m pytest $(QUICK)

test: $(STAMP) ## run all tests but the browser's
	@$(BIN)/python -m pytest -q -n auto --dist loadgroup --again --budgets

mutants: $(STAMP) ## put bugs in and see whether tests notice: make mutants ONLY=release SEED=3 COUNT=50
	@$(BIN)/python -m tests.mutants $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(if $(BUG),--bug "$(BUG)") $(if $(N),-n $(N))

e2e: $(STAMP) ## the dashboard's journeys in a real Chromium; some of them: make e2e ONLY=1-login
	@$(WEB) build
	@$(BIN)/python -m walleweb.dashboard.journeys $(ONLY)

check: $(STAMP) ## format, lint, types, import contracts; the dashboard's units
	@$(MAKE) --no-print-directory --jobs --output-sync=target lint check-web

check-web: $(STAMP)
	@$(WEB) check

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(STAMP) ## format and fix what can be fixed
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(WEB) format

client: $(STAMP) ## generate the dashboard's API client, after a change of the API
	@$(WEB) client

wheel: $(STAMP) ## build what devices install, walle-device, into dist/
	@$(BIN)/python deploy/device/build.py dist
	@ls dist/walle_device-*.whl

bench: $(STAMP) ## run one benchmark: make bench NAME=checkin; in seconds, not judged: BENCH_SCALE=tiny beside it
	@test -n "$(NAME)" || { echo "make bench NAME=x, where x is one of: $(patsubst benchmarks/%.py,%,$(filter-out %/__init__.py,$(wildcard benchmarks/*.py)))"; exit 2; }
	@$(BIN)/python -m benchmarks.$(subst -,_,$(NAME))

clean: ## remove what was installed and cached; .walle stays
	rm -rf $(VENV) frontend/node_modules frontend/dist dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
