# make setup   everything into .venv          make play    the table in the browser
# make test    every check                    make check   the quick ones
# make bench   the benchmark table            make golden  record matches and what is seen in them

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup play test check lint bench golden million

setup: $(VENV)/installed

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

play: setup
	$(BIN)/teerling serve

test: lint
	sh tests/install-system.sh
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
	$(BIN)/python -m tests.golden

million: $(VENV)/installed-dev
	$(BIN)/python -m tests.million
