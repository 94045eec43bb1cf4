"""The workflow as a module of another one: under a key of its config, moved, renamed, and as deployed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ctbnlab.evaluation.results_table import read_metrics
from tests.support.runs import ROOT, tiny

pytestmark = pytest.mark.slow  # each test runs Snakemake several times
LEARNER = (ROOT / "examples/bivariate_learner.py").read_text()
FORMS = {
    "under a key": ("", "results/tiny"),
    "prefix": ('prefix: "study"', "study/results/tiny"),
    "replaced prefix": ('replace_prefix: {"results/": "elsewhere/"}', "elsewhere/tiny"),
}
# The outer workflow has wildcards and a global of the names that the module uses.
SNAKEFILE = """
plan = "the outer workflow's own"


module ctbn:
    snakefile:
        {snakefile!r}
    config:
        config["ctbn"]
    {form}


use rule * from ctbn as ctbn_*


rule count:
    input:
        {table!r},
    output:
        "counted-{{nodes}}.txt",
    shell:
        "echo {{wildcards.nodes}} > {{output}}"


rule everything:
    default_target: True
    input:
        "counted-many.txt",
        rules.ctbn_all.input,
"""


def small(**changes):
    """Return a config of one network and two learners, one of them the user's own file."""
    config = tiny(learners={"ctss": {"algorithm": "ctss"}, "mine": {"algorithm": "mine.py"}}, **changes)
    config["design"] |= {"states": [2], "replicates": 1}
    return config


def run(folder, *arguments):
    """Run Snakemake in a folder as its user would, without a file of configs on the command line."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


def check(folder, root):
    """Check what a run has made, that it was made there alone, and that nothing is left to do."""
    metrics = read_metrics(folder / root / "metrics.parquet")
    assert metrics["status"].tolist() == ["done", "done"]
    for name in ("report.html", "environment.json", "tables/summary.md", "figures/f1.png"):
        assert (folder / root / name).stat().st_size > 0, name
    assert {path.parent for path in folder.rglob("metrics.parquet")} == {folder / root}


@pytest.mark.parametrize("form", FORMS)
def test_a_module_runs_to_the_end(tmp_path, form):
    statement, root = FORMS[form]
    text = SNAKEFILE.format(
        snakefile=str(ROOT / "Snakefile"), form=statement, table=f"{root}/metrics.parquet"
    )
    (tmp_path / "Snakefile").write_text(text)
    (tmp_path / "mine.py").write_text(LEARNER)
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"ctbn": small()}))
    run(tmp_path, "--configfile", "config.yaml")
    check(tmp_path, root)
    assert (tmp_path / "counted-many.txt").read_text() == "many\n"
    again = run(tmp_path, "--configfile", "config.yaml", "--dry-run")
    assert "Nothing to be done" in again


def test_two_modules_do_not_share_anything(tmp_path):
    module = "module {name}:\n    snakefile:\n        {file!r}\n    config:\n        config[{name!r}]\n\n\n"
    module += "use rule * from {name} as {name}_*\n\n\n"
    names = ("first", "second")
    text = "".join(module.format(name=name, file=str(ROOT / "Snakefile")) for name in names)
    targets = ", ".join(f'"results/{name}/metrics.parquet"' for name in names)
    (tmp_path / "Snakefile").write_text(f"{text}rule both:\n    default_target: True\n    input: {targets}\n")
    (tmp_path / "mine.py").write_text(LEARNER)
    second = small(experiment="second", seed=8)
    second["design"]["nodes"] = [4]
    configs = {"first": small(experiment="first"), "second": second}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(configs))
    run(tmp_path, "--configfile", "config.yaml")
    for name, nodes in (("first", 3), ("second", 4)):
        assert set(read_metrics(tmp_path / f"results/{name}/metrics.parquet")["nodes"]) == {nodes}


def test_as_snakedeploy_lays_it_out(tmp_path):
    """Deploy a clone, as the catalog of workflows tells its users to, and run the copied config."""
    deploy = pytest.importorskip("snakedeploy.deploy")
    source, folder = tmp_path / "ctbnlab", tmp_path / "deployed"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)
    deploy.deploy(str(source), name="ctbn", tag=None, branch=None, dest_path=folder, force=True)
    snakefile = folder / "workflow/Snakefile"
    # For a local source snakedeploy writes a path relative to that source; for one on a host, its address.
    snakefile.write_text(snakefile.read_text().replace('"Snakefile"', f'"{ROOT / "Snakefile"}"'))
    assert (folder / "config/paper.yaml").exists() and (folder / "profiles/default/config.yaml").exists()
    (folder / "config/config.yaml").write_text(yaml.safe_dump(small()))
    (folder / "mine.py").write_text(LEARNER)
    run(folder)
    check(folder, "results/tiny")


def test_the_shell_of_no_rule_names_the_folder_of_results():
    """Paths in a shell command or in params stay as they are when a module's outputs are moved."""
    for path in sorted(Path(ROOT, "workflow/rules").glob("*.smk")):
        for line in path.read_text().splitlines():
            assert not ('"ctbnlab' in line and "plan.root" in line), f"{path.name}: {line}"
