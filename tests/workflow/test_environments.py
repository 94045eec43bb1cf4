"""Where jobs run and what they run: conda, containers, limits on their rate, and what must be installed.

No conda, Apptainer or image is available to these tests. Stand-ins answer Snakemake as the real programs do,
and record what they are asked for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctbnlab import __version__
from ctbnlab.workflow.config import load
from ctbnlab.workflow.plan import Plan
from tests.support.runs import ROOT, base_command, snakemake, tiny

pytestmark = pytest.mark.slow  # each test runs Snakemake several times
TARGET = "results/tiny/metrics.parquet"
CONDA = """#!/bin/sh
case "$1 $2" in
"info --json") echo '{"conda_prefix": "'"$STAND_IN"'/base", "platform": "linux-64"}' ;;
"config --get") echo '{"get": {"channel_priority": "strict"}}' ;;
"env create")
    echo "$@" >> "$STAND_IN/asked"
    for prefix; do true; done
    mkdir -p "$prefix/bin" "$prefix/conda-meta"
    printf '#!/bin/sh\\necho "pip $*" >> "$STAND_IN/asked"\\n' > "$prefix/bin/pip"
    cp "$STAND_IN/ctbnlab" "$prefix/bin/ctbnlab"
    chmod +x "$prefix/bin/pip"
    ;;
*) echo "conda 24.7.1" ;;
esac
"""
APPTAINER = """#!/bin/bash
case "$1" in
--version) echo "apptainer version 1.3.0" ;;
pull) echo "$@" >> "$STAND_IN/asked"; touch "$3" ;;
*)
    while [ "$1" != sh ] && [ "$1" != bash ]; do image=$1; shift; done
    echo "exec" >> "$STAND_IN/asked"
    test -f "$image" || exit 1
    PATH="$STAND_IN/image:/usr/bin:/bin" exec "$@"
    ;;
esac
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A folder first on the path, for commands that stand in for others, and a recording `ctbnlab`."""
    folder = tmp_path / "stand-in"
    folder.mkdir()
    monkeypatch.setenv("STAND_IN", str(folder))
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    command = f'#!/bin/sh\necho "$1" >> "$STAND_IN/ran"\nexec {sys.executable} -m ctbnlab "$@"\n'
    write(folder / "ctbnlab", command)
    return folder


def write(path, text):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text)
    path.chmod(0o755)


def one_network(**changes):
    config = tiny(learners={"ctss": {"algorithm": "ctss"}}, **changes)
    config["design"] |= {"states": [2], "replicates": 1}
    return config


def test_conda_makes_the_environment_with_this_ctbnlab_and_jobs_use_it(stand_in, tmp_path):
    write(stand_in / "conda", CONDA)
    write(stand_in / "base/bin/activate", 'export PATH="$1/bin:$PATH"\n')
    snakemake(tmp_path / "run", one_network(), "--sdm", "conda", "--", TARGET)
    asked = (stand_in / "asked").read_text().splitlines()
    assert asked[0].startswith("env create --quiet --no-default-packages --file")
    assert asked[1:] == [f"pip install --no-deps --no-build-isolation {ROOT}"]
    made = next((tmp_path / "run/.snakemake/conda").glob("*.yaml"))
    assert made.read_text() == (ROOT / "envs/environment.yaml").read_text()
    ran = (stand_in / "ran").read_text().split()
    assert sorted(ran[1:]) == sorted(
        ["generate", "simulate", "learn", "merge", "evaluate", "config", "collect"]
    )
    assert ran[0] == "--version"


@pytest.mark.parametrize("image", ["docker://example/ctbnlab:1", "ctbnlab.sif"])
def test_apptainer_runs_jobs_in_the_image_of_the_config(stand_in, tmp_path, image):
    write(stand_in / "apptainer", APPTAINER)
    write(stand_in / "image/ctbnlab", (stand_in / "ctbnlab").read_text())
    write(tmp_path / "run/ctbnlab.sif", "an image")
    config = one_network(container=image)
    snakemake(tmp_path / "run", config, "--sdm", "apptainer", "--", TARGET)
    asked = (stand_in / "asked").read_text().splitlines()
    pulled = [line for line in asked if line.startswith("pull")]
    assert [line.split()[-1] for line in pulled] == ([image] if "://" in image else [])
    assert len((stand_in / "ran").read_text().split()) == asked.count("exec") == 7


def test_with_only_snakemake_the_message_says_what_to_install(tmp_path):
    """Hide the package from Snakemake's process."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfrom importlib.abc import MetaPathFinder\n\n\n"
        "class Hidden(MetaPathFinder):\n    def find_spec(self, name, path, target=None):\n"
        "        if name.partition('.')[0] == 'ctbnlab':\n"
        "            raise ModuleNotFoundError(\"No module named 'ctbnlab'\", name=name)\n\n\n"
        "sys.meta_path.insert(0, Hidden())\n"
    )
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "1"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "No module named 'ctbnlab'. The environment of Snakemake needs ctbnlab" in result.stderr
    assert "pip install 'ctbnlab[workflow]'" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("own", [False, True], ids=["the workflow's", "the working folder's"])
def test_a_key_on_the_command_line_changes_the_default_config(tmp_path, own):
    if own:
        (tmp_path / "config").mkdir()
        (tmp_path / "config/config.yaml").write_text(json.dumps(one_network()))
    name = "tiny" if own else "quick"
    command = [
        *base_command()[:-2],
        "--cores",
        "1",
        "--config",
        "seed=7",
        "--",
        f"results/{name}/config.json",
    ]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    config = json.loads((tmp_path / f"results/{name}/config.json").read_text())
    assert (config["seed"], config["experiment"]) == (7, name)
    assert len(config["design"]["nodes"]) == (1 if own else 2)


def test_a_limit_on_the_rate_of_jobs_is_kept(tmp_path):
    """The second of two jobs, which depends on the first, starts ten seconds after it."""
    target = f"results/tiny/{Plan(load(one_network())).runs()[0].path}/data.arrow"
    began = time.monotonic()
    snakemake(tmp_path, one_network(), "--max-jobs-per-timespan", "1/10s", "--", target)
    assert time.monotonic() - began > 10


def test_the_image_is_that_of_this_version():
    assert load(one_network()).container.endswith(f":{__version__}")
    assert Path(ROOT, "envs/environment.post-deploy.sh").stat().st_mode & 0o100
