"""The package keeps its shape: rooms that import one way, small modules, names that differ."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src/ctbnlab"
ROOMS = sorted(path.parent for path in PACKAGE.glob("*/__init__.py"))
SOURCES = sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".pyx", ".pxd"))
MODULES = [path for path in SOURCES if path.suffix != ".pxd"]
TEST_MODULES = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
CONTRACTS = {
    contract["type"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}

# Names that several modules share, and why that helps. Modules of commands are not compared: each has the
# name that users type, whatever other rooms call theirs.
SHARED_NAMES = {
    "__init__": "every package has one",
    "base": "the contract of a family: independence tests, scores",
    "learner": "each learner's package has its class here",
    "search": "each learner's package has its search here",
}

# An import or cimport statement of Cython, its names in parentheses or on one line.
_IMPORT = re.compile(
    r"^[ \t]*(from[ \t]+\S+[ \t]+c?import[ \t]+(?:\([^)]*\)|[^\n#]+)|c?import[ \t]+[^\n#]+)", re.MULTILINE
)


def copy_of_imports(folder: Path, added: dict[str, str] | None = None) -> Path:
    """Copy the package, with a Python module that has only the imports in place of each compiled one.

    import-linter reads Python alone: it sees neither what a compiled module imports nor who imports it.
    `added` maps the path of a file in the package to text that is appended to it.
    """
    sources = {path.relative_to(PACKAGE).as_posix(): path.read_text() for path in SOURCES}
    for name, text in (added or {}).items():
        sources[name] = sources.get(name, "") + text
    package = folder / "src/ctbnlab"
    for name, text in sorted(sources.items()):
        target = (package / name).with_suffix(".py")
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("a") as file:  # a .pxd and a .pyx of the same name are one module
            file.write(text if name.endswith(".py") else python_imports(text))
    return package


def python_imports(cython: str) -> str:
    """Return the imports and cimports of a Cython source as Python."""
    return "".join(re.sub(r"\bcimport\b", "import", found) + "\n" for found in _IMPORT.findall(cython))


def lint_imports(package: Path) -> subprocess.CompletedProcess[str]:
    """Check a copy of the package by the contracts of pyproject.toml."""
    command = [Path(sys.executable).with_name("lint-imports"), "--config", ROOT / "pyproject.toml"]
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    return subprocess.run(
        [*map(str, command), "--no-cache", "--no-logo"],
        cwd=package.parent,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_imports_point_one_way(tmp_path):
    done = lint_imports(copy_of_imports(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    for name in CONTRACTS.values():
        assert f"{name} KEPT" in done.stdout


FOR_TYPES = "\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    "
# Where, the text added there, the kind of contract it breaks, and how the report names the fault.
FAULTS = {
    "module": (
        "model/network.py",
        "\nfrom ctbnlab.cli import main\n",
        "layers",
        "ctbnlab.model.network -> ctbnlab.cli.main",
    ),
    "type": (
        "model/variables.py",
        FOR_TYPES + "from ctbnlab.learning.graph import LearnedGraph\n",
        "layers",
        "ctbnlab.model.variables -> ctbnlab.learning.graph",
    ),
    "sibling room": (
        "simulation/simulate.py",
        "\ndef late():\n    import ctbnlab.counting.node\n",
        "layers",
        "ctbnlab.simulation.simulate -> ctbnlab.counting.node",
    ),
    "compiled module": (
        "data/trajectories.py",
        "\nfrom ctbnlab.counting import _scan\n",
        "layers",
        "ctbnlab.data.trajectories -> ctbnlab.counting._scan",
    ),
    "cimport": (
        "model/_rates.pyx",
        "\nfrom ctbnlab.counting._scan cimport (\n    Events,\n)\n",
        "layers",
        "ctbnlab.model._rates -> ctbnlab.counting._scan",
    ),
    "unlisted room": ("extras/__init__.py", "", "layers", "not listed as layers:\n\n- ctbnlab.extras"),
    "Snakemake": (
        "cli/main.py",
        "\ndef run():\n    import snakemake.api\n",
        "forbidden",
        "ctbnlab.cli.main -> snakemake",
    ),
    "type of Snakemake": (
        "workflow/plan.py",
        FOR_TYPES + "from snakemake.io import Wildcards\n",
        "forbidden",
        "ctbnlab.workflow.plan -> snakemake",
    ),
}


@pytest.mark.parametrize(("name", "text", "contract", "reported"), FAULTS.values(), ids=FAULTS)
def test_a_forbidden_import_breaks_the_contract(name, text, contract, reported, tmp_path):
    done = lint_imports(copy_of_imports(tmp_path, {name: text}))
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{CONTRACTS[contract]} BROKEN" in done.stdout
    assert reported in done.stdout


def test_no_room_imports_what_the_package_re_exports(tmp_path):
    """`from ctbnlab import learn` inside a room would lead to any other, unseen by the contract."""
    package = copy_of_imports(tmp_path)
    members = {path.stem for path in package.iterdir()}
    for path in package.rglob("*.py"):
        if path == package / "__init__.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "ctbnlab":
                assert {alias.name for alias in node.names} <= members, path.relative_to(package)
            if isinstance(node, ast.Import):
                assert "ctbnlab" not in {alias.name for alias in node.names}, path.relative_to(package)


def test_the_architecture_page_lists_the_rooms():
    page = (ROOT / "docs/architecture.md").read_text()
    listed = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    assert sorted(listed) == [room.name for room in ROOMS]


def test_every_room_documents_what_it_decides_and_imports():
    for room in ROOMS:
        docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
        assert "Decides" in docstring, room.name
        assert "Imports" in docstring, room.name


def test_few_files_are_beside_the_rooms():
    assert len([path for path in PACKAGE.iterdir() if path.is_file() and path.suffix != ".so"]) <= 8


def test_no_module_is_long():
    lengths = {path.relative_to(PACKAGE): len(path.read_text().splitlines()) for path in MODULES}
    assert not {str(path): length for path, length in lengths.items() if length > 400}


def test_module_names_differ():
    counts = Counter(path.stem for path in MODULES if path.parent != PACKAGE / "cli/commands")
    assert {name for name, count in counts.items() if count > 1} == set(SHARED_NAMES)


def test_no_test_module_imports_another():
    """What tests share is in `tests/support`, or beside them in a module without tests."""
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                names = set(f"{prefix}{alias.name}".split("."))
                assert not names & TEST_MODULES, f"{path.relative_to(ROOT)} imports {prefix}{alias.name}"
