"""Start-up is what a small job pays: importing the package and opening data loads little."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ctbnlab.data import arrow_file
from ctbnlab.model.variables import Variable
from tests.support.strategies import random_trajectories

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("pandas", "scipy", "sklearn", "matplotlib", "seaborn", "snakemake", "pydantic", "networkx", "tqdm")


def modules_after(program: str, *arguments: str) -> set[str]:
    """Return the names of all modules that a fresh process has loaded after a program."""
    code = f"import json, sys\n{program}\nprint(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", code, *arguments]
    return set(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


@pytest.fixture
def data_file(tmp_path):
    data = random_trajectories(np.random.default_rng(1), [Variable("A", ("0", "1"))], [50, 0, 3])
    arrow_file.write(data, tmp_path / "data.arrow")
    return str(tmp_path / "data.arrow")


def test_importing_alone_loads_neither_numpy_nor_pyarrow():
    loaded = modules_after("import ctbnlab")
    assert "ctbnlab" in loaded
    assert not loaded & {"numpy", "pyarrow", *HEAVY}


def test_opening_data_loads_nothing_heavy(data_file):
    program = "import ctbnlab\nfrom ctbnlab.data import arrow_file\narrow_file.read(sys.argv[1])"
    loaded = modules_after(program, data_file)
    assert {"numpy", "pyarrow", "ctbnlab.data.trajectories"} <= loaded
    assert not loaded & {"pyarrow.compute", *HEAVY}


def test_learning_loads_nothing_heavy(data_file):
    program = "import ctbnlab\nprint(ctbnlab.EmpiricalBayes().fit(sys.argv[1]).graph_, file=sys.stderr)"
    loaded = modules_after(program, data_file)
    assert {"ctbnlab.learning.empirical_bayes.learner", "ctbnlab.learning.graph_methods"} <= loaded
    assert not loaded & set(HEAVY)


def test_simulating_loads_nothing_heavy():
    loaded = modules_after("import ctbnlab\nctbnlab.simulate\nfrom ctbnlab.cli.progress import progress_bar")
    assert "ctbnlab.simulation.simulate" in loaded
    assert not loaded & set(HEAVY)


def test_help_needs_no_library():
    loaded = modules_after(
        "from ctbnlab.cli.parser import build_parser\nbuild_parser('simulate').format_help()"
    )
    assert "ctbnlab.cli.commands.simulate" in loaded
    assert not loaded & {"numpy", "pyarrow", *HEAVY}
    assert not modules_after("from ctbnlab.cli.parser import build_parser\nbuild_parser()") & set(HEAVY)


def test_a_command_that_lacks_an_optional_package_says_which_in_one_line(tmp_path):
    program = (
        "import sys\nsys.modules['matplotlib'] = None\n"
        "from ctbnlab.cli.main import entry_point\nentry_point()"
    )
    network = tmp_path / "network.json"
    subprocess.run(
        [sys.executable, "-m", "ctbnlab", "generate", "--nodes", "3", "-o", str(network)], check=True
    )
    command = [sys.executable, "-c", program, "plot", str(network), "-o", str(tmp_path / "graph.svg")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "ctbnlab: plot requires matplotlib, which is not installed; run: pip install 'ctbnlab[workflow]'\n"
    )
    assert not (tmp_path / "graph.svg").exists()


def test_daily_commands_need_no_optional_package(tmp_path):
    """What README and docs/report.md promise of `pip install ctbnlab` alone."""
    program = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(name, path=None, target=None):\n"
        f"        if name in {HEAVY[:-1]!r}:\n"  # tqdm is required
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Missing)\n"
        "from ctbnlab.cli.main import entry_point\n"
        "entry_point()"
    )
    for line in (
        "generate --nodes 4 --states 2 --density 0.4 --static 1 -o network.json",
        "simulate network.json --trajectories 30 --duration 20 -o data.csv",
        "inspect data.csv",
        "convert data.csv data.arrow",
        "show data.csv",
        "learn data.csv --static S1 --clock auto -o learned.json",
        "fit learned.json data.csv --static S1 -o fitted.json --rates rates.csv",
        "query fitted.json --at 1,2",
        "bootstrap data.csv --static S1 -n 2 -o bootstrap.json",
        "report data.csv --static S1 --compare ctpc-chi2 --folder files -o report.html",
        "compare network.json learned.json",
        "arcs learned.json -o arcs.csv",
    ):
        done = subprocess.run(
            [sys.executable, "-c", program, *line.split()], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, (line, done.stderr)


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem)
def test_benchmarks_import_what_is_here(path):
    """Nothing runs them in the gate: a module that moved would go unnoticed."""
    program = f"import runpy, sys\nsys.path[0] = {str(path.parent)!r}\nrunpy.run_path({str(path)!r})"
    subprocess.run([sys.executable, "-c", program], check=True)
