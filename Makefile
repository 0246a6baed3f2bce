# Each target sets up what it needs: a virtual environment in .venv, Node packages in node_modules, a browser for the tests.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000

.PHONY: help book test serve lint mutants bench clean
.DEFAULT_GOAL := help

help:
	@echo "make book     build the site into _build/html"
	@echo "make test     build it and run every test"
	@echo "make serve    build it and serve it on 127.0.0.1:$(PORT)"
	@echo "make lint     check style, types, spelling and notebooks"
	@echo "make mutants  change the reference functions one by one: do the tests notice?"
	@echo "make bench    measure speed, memory and page weight"
	@echo "make clean    remove what the other targets made"

.venv/.reader: requirements.txt constraints.txt code/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

.venv/.developer: .venv/.reader requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

node_modules/.installed: .venv/.reader package.json package-lock.json
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# A build that failed on warnings would pass unchanged when run again, so a failure takes its traces away.
book: node_modules/.installed
	$(BIN)/python _ext/execution.py
	$(BIN)/jupyter-book build . -W -n --keep-going || { rm -rf _build/.doctrees _build/html; exit 1; }

test: .venv/.developer book
	$(BIN)/python tests/browser.py
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

serve: book
	@echo "The book is at http://127.0.0.1:$(PORT)/ (stop with Ctrl-C)"
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

lint: .venv/.developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/nbstripout --verify chapters/*.ipynb

mutants: .venv/.developer
	$(BIN)/python tests/mutants.py

bench/node_modules/.installed: .venv/.developer bench/package.json bench/package-lock.json
	cd bench && PATH="$(CURDIR)/$(BIN):$$PATH" ../$(BIN)/npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

bench: .venv/.developer bench/node_modules/.installed book
	$(BIN)/python tests/browser.py
	for script in bench/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf _build .venv node_modules bench/node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis code/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
