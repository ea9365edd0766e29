# Two commands for a newcomer: `make demo` and `make test`. Both need only Python 3.11+, pip and make.
PYTHON ?= python3
BIN := .venv/bin
# CPython 3.11+ must be found before anything is installed, so that the error names the cause.
HAVE_PYTHON = $(PYTHON) -c 'import sys; sys.exit("Holdfast needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 demo") if sys.version_info < (3, 11) else 0'

.PHONY: demo test test-train test-scale test-page check docs results bench picture openapi screenshots axe clean

demo: .venv/core
	$(BIN)/holdfast kb get open
	$(BIN)/holdfast link docs/sample_abstract.txt

test: .venv/dev
	$(BIN)/python -m pytest -n 2

# The training code needs torch, which is large: it has an environment of its own.
test-train: .venv-train/done
	.venv-train/bin/python -m pytest tests/encoders tests/names $(shell find tests -type d -name training)

# Ray, DuckDB and polars are large too.
test-scale: .venv-scale/done
	.venv-scale/bin/python -m pytest tests/batch

# The pages in a real browser; needs Chromium, its chromedriver and npm.
test-page: .venv/dev axe
	$(BIN)/python -m pip install --quiet --editable '.[browser]'
	$(BIN)/python -m pytest tests/server/test_page.py tests/systems/bier/test_diagnosis.py

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/core
	$(BIN)/holdfast kb get open mesh
	$(BIN)/holdfast bench pipeline --results results

# Warnings are errors. Open build/site/index.html.
docs: .venv-docs/done
	.venv-docs/bin/python docs/site/make_site.py

# Pages, plots and README's tables are made from the JSON files in results/.
results: .venv/core
	$(BIN)/python results/make_pages.py

picture: .venv/core
	$(BIN)/python docs/make_picture.py

# The pictures of docs/page.md; needs Chromium, its chromedriver and the knowledge base `open`.
screenshots: .venv/dev
	$(BIN)/python -m pip install --quiet --editable '.[browser]'
	$(BIN)/python docs/make_screenshots.py

# axe-core looks at the page's accessibility in tests/server/test_page.py; it needs npm.
axe: build/axe/axe.min.js

build/axe/axe.min.js:
	mkdir -p build/axe
	cd build/axe && npm pack --silent axe-core@4 && tar -xzf axe-core-*.tgz --strip-components=1 package/axe.min.js

# The description of the service's routes; a test says when it is out of date.
openapi: .venv/dev
	$(BIN)/python docs/make_openapi.py

.venv/core: pyproject.toml
	$(HAVE_PYTHON)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/dev: pyproject.toml
	$(HAVE_PYTHON)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch .venv/core $@

.venv-train/done: pyproject.toml
	$(HAVE_PYTHON)
	$(PYTHON) -m venv .venv-train
	.venv-train/bin/python -m pip install --quiet --editable '.[dev,train]'
	touch $@

.venv-scale/done: pyproject.toml
	$(HAVE_PYTHON)
	$(PYTHON) -m venv .venv-scale
	.venv-scale/bin/python -m pip install --quiet --editable '.[dev,scale]' duckdb polars
	touch $@

.venv-docs/done: pyproject.toml
	$(HAVE_PYTHON)
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv .venv-train .venv-scale .venv-docs dist build .pytest_cache .mypy_cache .ruff_cache
