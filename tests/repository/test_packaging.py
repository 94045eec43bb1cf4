"""Versions, names and commands that are written in several places agree."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import ctbnlab

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# Names of packages in conda that differ from those in constraints.txt.
CONDA_NAMES = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}
NOT_PINNED = {"python", "pip", "c-compiler", "setuptools"}
# Packages of commands that have another name.
PACKAGE_OF = {
    "end-of-file-fixer": "pre-commit-hooks",
    "lint-imports": "import-linter",
    "trailing-whitespace-fixer": "pre-commit-hooks",
}
JUST = shutil.which("just", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))


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


def is_installed_by_dev(program: str) -> bool:
    """Return whether the extra `dev`, with what it includes, brings the package of a command."""
    return PACKAGE_OF.get(program, program) in required("dev", "docs", "test", "workflow")


def test_everything_required_is_pinned():
    assert required("workflow", "cluster", "test", "docs", "dev", "fuzz", "peers") <= set(pinned())


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


def test_the_image_runs_as_a_user_with_a_fixed_number():
    """Whatever needs root comes before the last USER, and nothing after it makes the user root again."""
    stages = re.split(r"^FROM ", (ROOT / "envs/Dockerfile").read_text(), flags=re.MULTILINE)
    lines = [line for line in stages[-1].splitlines() if line and not line.startswith("#")]
    verbs = [line.split()[0] for line in lines]
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert len(users) == 1
    number = int(users[0].partition(":")[0])  # a number: Kubernetes can tell that it is not root
    assert number >= 1000
    assert f"--uid {number} " in stages[-1]
    assert verbs.index("USER") > max(k for k, verb in enumerate(verbs) if verb in ("RUN", "COPY"))
    assert "%environment" in (ROOT / "envs/apptainer.def").read_text()


def test_the_lowest_versions_are_those_of_pyproject():
    printed = subprocess.run([ROOT / ".ci/lowest"], capture_output=True, text=True, check=True).stdout
    lowest = dict(line.split("==") for line in printed.lower().splitlines())
    assert set(lowest) == required("pandas", "workflow") | {"cython", "setuptools"}
    for name, version in lowest.items():
        assert [int(part) for part in version.split(".")] <= [int(p) for p in pinned()[name].split(".")], name


def test_the_gate_runs_every_kind_of_check():
    gate = (ROOT / ".ci/run").read_text()
    for command in (
        ".ci/kernels bounds",
        ".ci/kernels sanitize",
        "tests.mutation.named",
        "tests.fuzz.campaign",
        ".ci/dependencies lowest",
        ".ci/dependencies newest 3.13",
    ):
        assert command in gate, command


def test_github_workflows_run_what_is_here():
    assert WORKFLOWS
    for path in WORKFLOWS:
        jobs = yaml.safe_load(path.read_text())["jobs"]
        assert jobs, path.name
        for job in jobs.values():
            assert job["runs-on"], path.name
            for step in job["steps"]:
                assert ("run" in step) != ("uses" in step), path.name
                for file in re.findall(r"[\w./-]*/run\b|constraints\.txt", step.get("run", "")):
                    assert (ROOT / file).is_file(), file
                for extras in re.findall(r"\.\[(\w+)\]", step.get("run", "")):
                    assert required(extras), extras


def test_github_actions_are_pinned_by_commit():
    """A tag can be moved to other code; a commit cannot. The comment has the version, for Dependabot too."""
    pins = set()
    for path in WORKFLOWS:
        for line in re.findall(r"uses:.*", path.read_text()):
            assert re.fullmatch(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), (
                f"{path.name}: {line}"
            )
            pins.add(line)
    assert len(pins) == len({line.partition("@")[0] for line in pins}), "one version of each action"
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text())["updates"]
    assert "github-actions" in {update["package-ecosystem"] for update in updates}


def test_github_jobs_may_only_read_unless_they_publish():
    publishing = {}
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text())
        assert workflow["permissions"] == {"contents": "read"}, path.name
        publishing |= {
            (path.name, name): job for name, job in workflow["jobs"].items() if "permissions" in job
        }
        for job in workflow["jobs"].values():
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] is False, path.name
    assert set(publishing) == {("docs.yml", "publish"), ("wheels.yml", "publish")}
    for job in publishing.values():
        assert job["environment"]
        assert job["permissions"].pop("id-token") == "write"
        assert not any("checkout" in step.get("uses", "") for step in job["steps"])
    assert publishing["docs.yml", "publish"]["permissions"] == {"pages": "write"}
    release = publishing["wheels.yml", "publish"]
    assert not release["permissions"]
    assert "startsWith(github.ref, 'refs/tags/v')" in release["if"]
    assert set(release["needs"]) == {"wheels", "sdist"}


def test_issue_forms_are_complete():
    forms = [path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
    assert len(forms) == 3
    for path in forms:
        form = yaml.safe_load(path.read_text())
        assert form["name"], path.name
        assert form["description"], path.name
        ids = [field["id"] for field in form["body"]]
        assert len(ids) == len(set(ids)), path.name
        for field in form["body"]:
            assert field["type"] in ("input", "textarea", "dropdown", "checkboxes"), path.name
            assert field["attributes"]["label"], path.name


def test_hooks_are_tools_of_the_environment():
    """Hooks of other repositories would have other versions than constraints.txt."""
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [entry["repo"] for entry in config["repos"]] == ["local"]
    for hook in config["repos"][0]["hooks"]:
        assert hook["language"] == "system", hook["id"]
        assert is_installed_by_dev(hook["entry"].split()[0]), hook["id"]


@pytest.mark.skipif(JUST is None, reason="just is not installed: pip install rust-just")
def test_recipes_run_what_is_here():
    def just(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([JUST, *arguments], cwd=ROOT, capture_output=True, text=True, check=True)

    guide = (ROOT / "CONTRIBUTING.md").read_text()
    recipes = just("--summary").stdout.split()
    assert {"check", "test", "coverage", "docs", "bench", "compile", "build", "gate"} | {
        "bounds",
        "sanitize",
        "fuzz",
        "mutants",
        "survey",
    } == set(recipes)
    for recipe in recipes:
        for line in just("--dry-run", recipe).stderr.splitlines():
            assert "`" + line.removesuffix(' "$@"') + "`" in guide, line
            words = [word for word in shlex.split(line) if not re.match(r"[A-Z_0-9]+=", word)]
            for word in words:
                path = word.rpartition("=")[2]
                assert (ROOT / path).is_file() or not re.search(r"/|\.py$", path), line
            assert words[0] == "python" or (ROOT / words[0]).is_file() or is_installed_by_dev(words[0]), line


def test_the_workflow_catalog_has_its_keys():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    assert usage["report"] is True
