# make setup   everything into .venv          make play    the table in the browser
# make test    every check                    make check   the quick ones
# make bench   the benchmark table            make golden  record matches and what is seen in them
# make lint    linters, types and formats     make format  put every source into its format
# make docs    the documentation as a site, in build/site
# make attacks what others feel while one visitor misbehaves
# make several what a second server process adds, with PostgreSQL and Redis
# make chaos   300 faults while people play, and what they were told afterwards
# make fuzz    spoiled input for an hour, or MINUTES=600
# make audit   known holes in what is installed (needs the network)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STYLES_AND_SCRIPTS := 'src/**/*.css' 'src/**/*.js'
TEMPLATES := src

# What Python compiles is kept for the next process, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup play test check lint format bench golden docs million attacks several chaos fuzz audit

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
	@$(BIN)/ruff format --check . \
		&& $(BIN)/djangofmt --check $(TEMPLATES) \
		&& $(BIN)/oxfmt --check $(STYLES_AND_SCRIPTS) \
		|| { echo 'Some sources are not in their format; `make format` rewrites them.'; exit 1; }
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/installed-dev
	$(BIN)/ruff format .
	$(BIN)/djangofmt $(TEMPLATES)
	$(BIN)/oxfmt $(STYLES_AND_SCRIPTS)

bench: $(VENV)/installed-dev
	$(BIN)/teerling bench
	$(BIN)/teerling bench --web
	$(BIN)/teerling bench --page
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/teerling bench --field

golden: $(VENV)/installed-dev
	$(BIN)/python -m tests.golden

$(VENV)/installed-docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	touch $@

docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "build/site/index.html is ready; $(BIN)/mkdocs serve shows it with search, and follows changes"

million: $(VENV)/installed-dev
	$(BIN)/python -m tests.million

attacks: $(VENV)/installed-dev
	$(BIN)/python -m tests.attacks

several: $(VENV)/installed-dev
	$(BIN)/python -m tests.several

chaos: $(VENV)/installed-dev
	$(BIN)/python -m tests.chaos

MINUTES ?= 60
fuzz: $(VENV)/installed-dev
	$(BIN)/python -m tests.fuzz $(MINUTES)

# In a place of its own: what audits is not what is audited. What cannot be asked about counts as a failure.
audit:
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	build/audit/bin/pip-audit --strict --disable-pip --no-deps -r constraints.txt
