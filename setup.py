"""The compiled back end: one extension for each Cython file among the kernels.

All else is in pyproject.toml, where extension modules are still an experiment of setuptools.

The environment variable ``R4_KERNELS`` means to a build what it means to a run: with ``pure``
nothing is compiled, with ``compiled`` a kernel that cannot be compiled is an error. Without it the
pure back end takes over where there is no compiler. A wheel has all kernels, and is tagged for one
Python and one system; or it has none, and is tagged ``py3-none-any``.
"""

from os import environ
from pathlib import Path

from Cython.Build import cythonize
from numpy import get_include
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

KERNELS = Path("rete", "kernels")
BACKEND = environ.get("R4_KERNELS", "")

# No -march=native: a wheel must run on the next machine too. A build for a sanitizer, whose flags
# come first, keeps its own: where a kernel reads amiss is said by line (make sanitize).
FLAGS = [] if "-fsanitize" in environ.get("CFLAGS", "") else ["-O3", "-g0"]


class Build(build_ext):
    """Extensions, compiled beside each other; nothing stays of one that cannot be compiled now."""

    def build_extensions(self) -> None:
        """Translate to C one after the other, then compile on all processors."""
        translated = cythonize(self.extensions, force=self.force, quiet=not self.verbose)
        for extension, c in zip(self.extensions, translated, strict=True):
            extension.sources = c.sources
        self.parallel = self.parallel or True
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        """Compile one, or leave nothing of it."""
        try:
            super().build_extension(ext)
        except Exception:
            Path(self.get_ext_fullpath(ext.name)).unlink(missing_ok=True)
            raise


class Wheel(bdist_wheel):
    """A wheel with all kernels or with none; its tag says which."""

    def run(self) -> None:
        """Compile first: the tag and the place of the files follow from what there is then."""
        extensions = self.distribution.ext_modules
        if extensions:
            self.run_command("build_ext")
            build = self.get_finalized_command("build_ext")
            built = [Path(build.get_ext_fullpath(extension.name)) for extension in extensions]
            if not all(path.exists() for path in built):
                self.warn("not every kernel can be compiled: the wheel has none of them")
                for path in built:
                    path.unlink(missing_ok=True)
                self.distribution.ext_modules = []
                self.root_is_pure = True
        super().run()


setup(
    cmdclass={"build_ext": Build, "bdist_wheel": Wheel},
    ext_modules=[
        Extension(
            ".".join(source.with_suffix("").parts),
            [source.as_posix()],
            # What kernels share is compiled into each of them.
            depends=sorted(path.as_posix() for path in KERNELS.rglob("_*.pxd")),
            include_dirs=[get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            # Where it cannot be compiled, the pure back end does the same work, slower.
            optional=BACKEND != "compiled",
            extra_compile_args=FLAGS,
        )
        for source in sorted(KERNELS.rglob("_*.pyx"))
        if BACKEND != "pure"
    ],
)
