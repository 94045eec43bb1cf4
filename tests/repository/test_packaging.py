"""What is said in several places about versions and names is the same in all of them."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import yaml

import ctbnlab

ROOT = Path(__file__).resolve().parents[2]
# Conda's name of a package, where it differs from its name elsewhere.
CONDA_NAMES = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}
NOT_PINNED = {"python", "pip", "c-compiler", "setuptools"}


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.lower().split("==") for line in lines if line and not line.startswith("#"))


def required(*extras: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    names = {re.match(r"[\w-]+", entry).group().lower() for entry in wanted}
    return names - {"ctbnlab"}


def test_everything_required_is_pinned():
    assert required("workflow", "cluster", "test", "docs", "peers") <= set(pinned())


def test_conda_environment_is_in_step_with_the_constraints():
    environment = yaml.safe_load((ROOT / "envs/environment.yaml").read_text())
    versions = dict(entry.partition("=")[::2] for entry in environment["dependencies"])
    listed = {CONDA_NAMES.get(name, name): version for name, version in versions.items()}
    assert required("workflow") <= set(listed)
    for name, version in listed.items():
        if name not in NOT_PINNED:
            assert pinned()[name] == version, name


def test_constraints_name_versions_and_nothing_else():
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[\w.-]+==[\w.]+", line), line


def test_the_citation_has_the_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == ctbnlab.__version__


def test_the_changelog_begins_with_the_version():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == ctbnlab.__version__


def test_the_source_distribution_takes_every_part_of_the_repository():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tracked = {line.split("/")[0] for line in listed.splitlines()}
    taken = {"MANIFEST.in", "README.md", "LICENSE", "pyproject.toml", "setup.py"}  # setuptools' own choice
    for line in (ROOT / "MANIFEST.in").read_text().splitlines():
        verb, *names = line.split()
        taken |= set(names) if verb in ("include", "graft") else set()
    assert tracked <= taken


def test_containers_install_what_the_constraints_say():
    for recipe in ("envs/Dockerfile", "envs/apptainer.def"):
        text = (ROOT / recipe).read_text()
        assert "PIP_CONSTRAINT=/source/constraints.txt" in text, recipe
        assert re.search(r"[Ff](ROM|rom:) python:3\.11-slim", text), recipe
        assert "[workflow]" in text, recipe


def test_github_workflows_run_what_is_here():
    for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
        jobs = yaml.safe_load(path.read_text())["jobs"]
        assert jobs, path.name
        for job in jobs.values():
            assert job["runs-on"], path.name
            for step in job["steps"]:
                assert ("run" in step) != ("uses" in step), path.name
                assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/checkout@v4"))
                for file in re.findall(r"[\w./-]*/run\b|constraints\.txt", step.get("run", "")):
                    assert (ROOT / file).is_file(), file
                for extras in re.findall(r"\.\[(\w+)\]", step.get("run", "")):
                    assert required(extras), extras


def test_the_workflow_catalog_has_its_keys():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    assert usage["report"] is True
