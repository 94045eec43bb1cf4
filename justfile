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

# Run the tests of the kernels with every index and division checked
bounds *options:
    .ci/kernels bounds "$@"

# Run the tests of the kernels with the sanitizers of addresses and undefined behaviour
sanitize *options:
    .ci/kernels sanitize "$@"

# Fuzz all readers or the named ones, two at a time: just fuzz 600 arrow-store; needs the extra `fuzz`
fuzz seconds='60' *readers:
    python -m tests.fuzz.campaign --seconds "$@"

# Make the mutants that some test must kill, or those whose name has a text
mutants *text:
    python -m tests.mutation.named "$@"

# List small changes that no test notices in docs/results/mutants.txt
survey *modules:
    python -m tests.mutation.survey "$@"

# Compile the Cython modules in place
compile:
    python setup.py build_ext --inplace

# Build the wheel and the source distribution into dist/
build:
    python -m build

# Run everything that must pass before a merge, in a fresh clone of the last commit
gate:
    .ci/run
