"""The compiled back end: one extension for each Cython file among the kernels.

All else is in pyproject.toml, where extension modules are still an experiment of setuptools.
"""

from os import environ
from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("rete", "kernels")

# No -march=native: a wheel must run on the next machine too. A build for a sanitizer, whose flags
# come first, keeps its own: where a kernel reads amiss is said by line (make sanitize).
FLAGS = [] if "-fsanitize" in environ.get("CFLAGS", "") else ["-O3", "-g0"]

setup(
    ext_modules=[
        Extension(
            f"rete.kernels.{source.stem}",
            [source.as_posix()],
            # What kernels share is compiled into each of them.
            depends=sorted(path.as_posix() for path in KERNELS.glob("_*.pxd")),
            # Where it cannot be compiled, the pure back end does the same work, slower.
            optional=True,
            extra_compile_args=FLAGS,
        )
        for source in sorted(KERNELS.glob("_*.pyx"))
    ]
)
