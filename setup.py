"""Build every .pyx under src/ctbnlab as an extension module; everything else is in pyproject.toml.

`CTBNLAB_BUILD` selects another build, slower and for tests only: `bounds`, whose kernels check every index
and every division, or `sanitize`, with the compiler's sanitizers of addresses and undefined behaviour.
.ci/kernels runs the tests with either.
"""

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

# For tests: indices of memory views, and divisions by zero. Not `overflowcheck`: random numbers and hashes
# wrap around on purpose, and Cython raises that error without holding the GIL. The sanitizer of undefined
# behaviour finds the overflow of signed integers.
BOUNDS_DIRECTIVES = {**DIRECTIVES, "boundscheck": True, "initializedcheck": True, "cdivision": False}
# For tests: pointers too. `undefined` leaves out conversions of doubles to integers, and kernels have some.
SANITIZERS = "-fsanitize=address,undefined,float-cast-overflow"
SANITIZE_FLAGS = [
    SANITIZERS,
    "-fno-sanitize-recover=undefined,float-cast-overflow",
    "-O1",
    "-g",
    "-fno-omit-frame-pointer",
    "-ffp-contract=off",
    "-fno-wrapv",  # Python's own flags define the overflow of signed integers, which then is no fault
]

# The directives, the compiler's flags and the linker's flags of each build.
BUILDS: dict[str, tuple[dict[str, object], list[str], list[str]]] = {
    "release": (DIRECTIVES, FLAGS, []),
    "bounds": (BOUNDS_DIRECTIVES, ["-O1", "-ffp-contract=off", "-g0"], []),
    "sanitize": (DIRECTIVES, SANITIZE_FLAGS, [SANITIZERS]),
}
BUILD = os.environ.get("CTBNLAB_BUILD") or "release"
if BUILD not in BUILDS:
    raise SystemExit(f"setup.py: CTBNLAB_BUILD={BUILD}: unknown build; use one of {', '.join(BUILDS)}")


class ParallelBuild(build_ext):
    """Compile one module per core at the same time."""

    def finalize_options(self) -> None:
        """Use all cores unless `--parallel` gives a number."""
        super().finalize_options()
        self.parallel = self.parallel or cpu_count()


def extensions(compile_flags: list[str], link_flags: list[str]) -> list[Extension]:
    """Return one extension per .pyx file, named by its path, and the one that they share."""
    sources = {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts): path for path in SOURCE.rglob("*.pyx")
    }
    sources[SHARED] = SOURCE / f"{SHARED.replace('.', '/')}.c"  # cythonize writes it into its build folder
    return [
        Extension(name, [str(path)], extra_compile_args=compile_flags, extra_link_args=link_flags)
        for name, path in sorted(sources.items())
    ]


directives, compile_flags, link_flags = BUILDS[BUILD]
setup(
    # Cython translates in a pool of processes, which on a single core would only cost its start-up.
    ext_modules=cythonize(
        extensions(compile_flags, link_flags),
        compiler_directives=directives,
        shared_utility_qualified_name=SHARED,
        # One folder per build: Cython translates a file again if it is newer, not if a directive differs.
        build_dir="build/cython" if BUILD == "release" else f"build/{BUILD}/cython",
        nthreads=cpu_count() if cpu_count() > 1 and os.name == "posix" else 0,
    ),
    cmdclass={"build_ext": ParallelBuild},
)
