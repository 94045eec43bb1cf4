# Shortcuts for contributors. `pip install -c constraints.txt -e '.[dev]'` in an activated environment brings every
# tool, `just` among them; `just` alone lists the recipes.

set positional-arguments

_list:
    @{{just_executable()}} --list

# Format, lint, check types and the direction of imports
check:
    pre-commit run --all-files
    mypy
    lint-imports
    snakemake --lint

# Run the tests; `just test -m 'not slow'` leaves out the slow ones
test *options:
    pytest -n auto "$@"

# Measure coverage, which must not fall below the floor in pyproject.toml
coverage:
    pytest -n auto -m 'not slow' --ignore=tests/workflow/test_workflow.py --cov

# Build the documentation into site/
docs:
    NO_MKDOCS_2_WARNING=1 mkdocs build --strict

# Run a benchmark: just bench startup
bench name='learners':
    python benchmarks/{{name}}.py

# Compile the Cython modules in place
compile:
    python setup.py build_ext --inplace

# Build the wheel and the source distribution into dist/
build:
    python -m build

# Run everything that must pass before a merge, in a fresh clone of the last commit
gate:
    .ci/run
