"""Build every .pyx under src/ctbnlab as an extension module; everything else is in pyproject.toml."""

import os
from multiprocessing import cpu_count
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")
# Cython's own code, above all for memory views, is compiled once and shared by the extension modules. With a
# copy in each of them, a build takes more than twice as long and the wheel is twice as large.
SHARED = "ctbnlab._cyutility"

# Kernels check their input once, before the loops, so that the loops need no checks.
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}
# No fused multiply-add and no -march: results are the same bytes on every x86-64 or ARM machine. No debugging
# symbols: with them the wheel is more than four times as large. -O2 makes sums over tables a sixth slower and
# pairs of points twice as slow; unaligned loops cost the latter up to a quarter, depending on the rest of the
# file.
FLAGS = ["-O3", "-falign-loops=32", "-ffp-contract=off", "-g0"]


class ParallelBuild(build_ext):
    """Compile one module per core at the same time."""

    def finalize_options(self) -> None:
        """Use all cores unless `--parallel` gives a number."""
        super().finalize_options()
        self.parallel = self.parallel or cpu_count()


def extensions() -> list[Extension]:
    """Return one extension per .pyx file, named by its path, and the one that they share."""
    sources = {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts): path for path in SOURCE.rglob("*.pyx")
    }
    sources[SHARED] = SOURCE / f"{SHARED.replace('.', '/')}.c"  # cythonize writes it into its build folder
    return [Extension(name, [str(path)], extra_compile_args=FLAGS) for name, path in sorted(sources.items())]


setup(
    # Cython translates in a pool of processes, which on a single core would only cost its start-up.
    ext_modules=cythonize(
        extensions(),
        compiler_directives=DIRECTIVES,
        shared_utility_qualified_name=SHARED,
        build_dir="build/cython",
        nthreads=cpu_count() if cpu_count() > 1 and os.name == "posix" else 0,
    ),
    cmdclass={"build_ext": ParallelBuild},
)
