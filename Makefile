# make setup   everything into .venv          make play    the table in the browser
# make test    every check                    make check   the quick ones
# make bench   the benchmark table            make golden  record the golden playthroughs anew

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup play test check lint bench golden million

setup: $(VENV)/installed

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

# Most of what is installed here is never imported, so it is not compiled beforehand.
$(VENV)/installed-dev: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	touch $(VENV)/installed $@

play: setup
	$(BIN)/teerling serve

test: lint
	sh tests/install-system.sh & $(BIN)/python -m tests.warm_up && wait
	$(BIN)/python -m pytest -n auto --dist worksteal

check: lint
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/installed-dev
	$(BIN)/teerling bench
	$(BIN)/teerling bench --web

golden: $(VENV)/installed-dev
	$(BIN)/python -m tests.golden.record

million: $(VENV)/installed-dev
	$(BIN)/python -m tests.million
