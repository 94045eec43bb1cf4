"""A copy of the tree in which mutants are made and tested, so that no run can leave one behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import ctbnlab

ROOT = Path(__file__).resolve().parents[2]
# How pytest ends: all passed, some failed, and what is no answer (interrupted, wrong usage, no tests).
PASSED, FAILED = 0, 1


class BrokenRun(RuntimeError):
    """A run of tests that says nothing about a mutant."""


class ScratchTree:
    """A copy of the repository, with the compiled modules of the ctbnlab that runs this."""

    def __init__(self, root: Path):
        self.root = root
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in listed.stdout.splitlines():
            if (ROOT / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / name)
        package = Path(ctbnlab.__file__).parent
        for module in package.rglob("*.so"):
            shutil.copy2(module, root / "src/ctbnlab" / module.relative_to(package))

    def build(self, kind: str) -> Path:
        """Compile what has changed into a separate folder; return the folder to import ctbnlab from."""
        base = self.root / "build" / kind
        if not base.exists() and (ROOT / "build" / kind / "lib").exists() and kind != "release":
            shutil.copytree(ROOT / "build" / kind, base)  # what .ci/kernels made: saves most of the time
        command = [sys.executable, "setup.py", "-q", "build", "--build-base", f"build/{kind}"]
        done = subprocess.run(
            [*command, "--build-lib", f"build/{kind}/lib"],
            cwd=self.root,
            env={**os.environ, "CTBNLAB_BUILD": kind},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise BrokenRun(f"the {kind} build failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return base / "lib"

    def run_tests(self, tests: list[str], library: Path, kind: str = "release", limit: float = 300) -> str:
        """Run tests up to the first failure; return passed, failed, crashed, timed out or broken."""
        environment = {**os.environ, "CI": "1", "PYTHONPATH": str(library), "PYTHONDONTWRITEBYTECODE": "1"}
        if kind == "sanitize":
            environment |= sanitizer_variables()
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider"]
        existing = [name for name in tests if (self.root / name).exists()]
        if not existing:
            raise BrokenRun(f"none of the tests exists: {', '.join(tests)}")
        process = subprocess.Popen(
            [*command, *existing],
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "timed out"
        self.output = output.decode(errors="replace")
        if process.returncode in (PASSED, FAILED):
            return "passed" if process.returncode == PASSED else "failed"
        # A signal ends Python with a negative status; the sanitizers abort.
        return "crashed" if process.returncode < 0 or process.returncode > 128 else "broken"


def sanitizer_variables() -> dict[str, str]:
    """Return the variables that .ci/kernels sets for the sanitizers."""
    compiler = os.environ.get("CC", "gcc")
    libraries = [
        subprocess.check_output([compiler, f"-print-file-name={name}.so"], text=True).strip()
        for name in ("libasan", "libubsan")
    ]
    return {"LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
