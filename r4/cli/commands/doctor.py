"""``r4 doctor``: what is installed, active, missing; one line each."""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal, TypeAlias

import click

from r4 import __version__
from r4.extras import PURPOSES, advice, requirements, version_of

State: TypeAlias = Literal["ok", "missing", "wrong"]

_MARKS: dict[State, str] = {"ok": "ok", "missing": "--", "wrong": "!!"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: a subject, how it stands, and what to do where something can be done.

    A thing that is ``missing`` costs an option, one that is ``wrong`` hinders R4 itself.
    """

    subject: str
    state: State
    text: str

    def __str__(self) -> str:
        return f"{_MARKS[self.state]:3} {self.subject:16} {self.text}"


@click.command()
@click.option(
    "--memory",
    metavar="FILE",
    help="Say instead who has the memory of a run, by the FILE of its --status.",
)
def command(memory: str | None) -> int:
    """Say what is installed, active and missing. Exit 1 if R4 cannot work."""
    if memory is not None:
        for line in memory_lines(memory):
            click.echo(line)
        return 0
    findings = list(examine())
    for finding in findings:
        click.echo(str(finding))
    return int(any(finding.state == "wrong" for finding in findings))


_OWNERS: Final = {
    "terms": "the dictionary of terms",
    "nodes": "rows that joins and operators remember",
    "facts": "derived facts",
    "asserted": "what is asserted, to be retracted or explained",
}


def memory_lines(path: str) -> Iterator[str]:
    """Who has the memory of a run, largest first.

    Raises:
        click.UsageError: ``path`` is no status of a run.
    """
    try:
        status = json.loads(Path(path).read_text("utf-8"))
        owners = {str(name): int(count) for name, count in status["memory_by_owner"].items()}
        rows, terms, resident = (status[name] for name in ("rows", "terms", "memory_bytes"))
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
        raise click.UsageError(message) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        message = f"{path} is no status of a run: r4 run --status {path} writes one every second"
        raise click.UsageError(message) from None
    yield f"{rows:,} rows and {terms:,} terms"
    for name, count in sorted(owners.items(), key=itemgetter(1), reverse=True):
        yield f"{count / 1e6:10,.1f} MB  {_OWNERS.get(name, name)}"
    if resident is not None:
        yield f"{resident / 1e6:10,.1f} MB  the whole process, as far as it is resident"


def examine() -> Iterator[Finding]:
    """All findings, the most basic first."""
    yield _python()
    yield _r4()
    yield from _core()
    yield _kernels()
    yield _compiler()
    yield from _extras()
    yield _java()
    yield from _functions()


def _functions() -> Iterator[Finding]:
    from r4.functions import installed_names

    for iri in sorted(installed_names()):
        yield Finding("function", "ok", iri)


def _python() -> Finding:
    text = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info < (3, 11):  # noqa: UP036 - told apart here, where it is the question
        return Finding("python", "wrong", f"{text}; R4 needs 3.11 or later")
    return Finding("python", "ok", text)


def _r4() -> Finding:
    where = Path(__file__).parents[2]
    if requirements():
        return Finding("r4", "ok", f"{__version__} ({where})")
    return Finding("r4", "missing", f"{__version__} runs from {where}, not installed: {advice()}")


def _core() -> Iterator[Finding]:
    for package in requirements().get("", ()):
        if found := version_of(package):
            yield Finding(package, "ok", found)
        else:
            yield Finding(package, "wrong", f"not installed: {advice()}")


def _kernels() -> Finding:
    """Which back end is in use, and why not the other."""
    try:
        from rete import kernels
    except ImportError as error:
        return Finding("kernels", "wrong", str(error))
    if kernels.BACKEND == "compiled":
        return Finding("kernels", "ok", "compiled")
    if os.environ.get("R4_KERNELS") == "pure":
        return Finding("kernels", "ok", "pure, as R4_KERNELS asks")
    try:
        kernels.load("compiled")
    except ImportError as error:
        return Finding("kernels", "missing", f"pure, which is slower; no compiled ones: {error}")
    return Finding("kernels", "missing", "pure, although the compiled ones load")


def _compiler() -> Finding:
    if found := c_compiler():
        return Finding("C compiler", "ok", found)
    return Finding("C compiler", "missing", "without one the kernels cannot be compiled")


def c_compiler() -> str | None:
    """The C compiler that an extension would be built with, ``None`` if it compiles nothing.

    It is found as setuptools finds it, ``CC`` of the environment first, and tried on a line of C.
    """
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    path = shutil.which(command[0])
    if path is None:
        return None
    with TemporaryDirectory() as folder:
        source = Path(folder, "try.c")
        source.write_text("int main(void) { return 0; }\n", "utf-8")
        tried = subprocess.run(  # noqa: S603 - the compiler that pip would start as well
            [path, *command[1:], "-c", str(source), "-o", str(source.with_suffix(".o"))],
            capture_output=True,
            check=False,
        )
    return path if tried.returncode == 0 else None


def _java() -> Finding:
    from r4.spark.jobs.session import NoJava, java_version

    try:
        return Finding("java", "ok", f"{java_version()}, for Spark")
    except NoJava as error:
        return Finding("java", "missing", f"without it there is no `r4 load`; {error}")


def _extras() -> Iterator[Finding]:
    named = requirements()
    for extra, purpose in PURPOSES.items():
        packages = named.get(extra, ())
        lacking = [package for package in packages if version_of(package) is None]
        subject = f"[{extra}]"
        if lacking or not packages:
            without = "its packages are not known to this installation: "
            if lacking:
                without = f"without {', '.join(lacking)}: "
            yield Finding(subject, "missing", f"{purpose}; {without}{advice(extra)}")
        else:
            yield Finding(subject, "ok", purpose)
