"""Every .pyx under src/ctbnlab is an extension module; everything else is said in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            f"ctbnlab.{source.stem}",
            [str(source)],
            depends=[str(header) for header in sorted(Path("src/ctbnlab").glob("*.pxd"))],
            # No fused multiply-add and no -march: the same bytes on every x86-64 or ARM machine. No debugging
            # symbols: with them the wheel is more than four times as large.
            extra_compile_args=["-O3", "-ffp-contract=off", "-g0"],
        )
        for source in sorted(Path("src/ctbnlab").glob("*.pyx"))
    ]
)
