"""Builds every .pyx under src/ctbnlab as an extension module; pyproject.toml has everything else."""

import os
from multiprocessing import cpu_count
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")

# Kernels check their input once, before the loops; the loops themselves check nothing.
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}
# No fused multiply-add and no -march: the same bytes on every x86-64 or ARM machine. No debugging symbols:
# with them the wheel is more than four times as large.
FLAGS = ["-O3", "-ffp-contract=off", "-g0"]


class ParallelBuild(build_ext):
    """Compiles as many modules at a time as there are cores."""

    def finalize_options(self) -> None:
        """Set the number of compilers unless `--parallel` has."""
        super().finalize_options()
        self.parallel = self.parallel or cpu_count()


def extensions() -> list[Extension]:
    """Return one extension per .pyx file, named by its path."""
    return [
        Extension(
            ".".join(path.relative_to(SOURCE).with_suffix("").parts), [str(path)], extra_compile_args=FLAGS
        )
        for path in sorted(SOURCE.rglob("*.pyx"))
    ]


setup(
    # Cython translates in processes of its own: a pool of one would only cost its start.
    ext_modules=cythonize(
        extensions(),
        compiler_directives=DIRECTIVES,
        build_dir="build/cython",
        nthreads=cpu_count() if cpu_count() > 1 and os.name == "posix" else 0,
    ),
    cmdclass={"build_ext": ParallelBuild},
)
