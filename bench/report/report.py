"""The report of `r4 bench`: what each benchmark found, and the machine it was found on."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from bench.harness.tables import Json, TextTable
from r4 import __version__
from r4.extras import version_of
from rete.kernels import BACKEND

_PEERS: Final = ("clipspy", "owlrl", "reasonable", "meteor_reasoner")


class Findings(Protocol):
    """What a benchmark found; nothing, if it did not run."""

    @property
    def wrong(self) -> str:
        """What is wrong with the answers; empty if nothing."""
        ...

    def tables(self) -> Iterator[TextTable]:
        """One for each kind of finding that there is."""
        ...

    def json(self) -> Mapping[str, Json]:
        """The same, complete; the keys are those of the whole report."""
        ...


@runtime_checkable
class Drawn(Protocol):
    """Findings that can be drawn."""

    def pictures(self) -> Iterator[tuple[str, str]]:
        """The name of a file, and the SVG that is in it."""
        ...


@dataclass(frozen=True, slots=True)
class BenchReport:
    """The findings of all benchmarks, in the order in which they are shown."""

    findings: Sequence[Findings]

    @property
    def wrong(self) -> bool:
        """Whether any answer was wrong."""
        return any(each.wrong for each in self.findings)

    def tables(self) -> Iterator[TextTable]:
        """The tables of all."""
        for each in self.findings:
            yield from each.tables()

    def pictures(self) -> Iterator[tuple[str, str]]:
        """The pictures of all."""
        for each in self.findings:
            if isinstance(each, Drawn):
                yield from each.pictures()

    def machine_table(self) -> TextTable:
        """The machine it was found on, and the versions."""
        rows = tuple((name, str(value)) for name, value in describe_machine().items())
        return TextTable("Machine and versions.", ("", ""), rows, 2)

    def json(self) -> dict[str, Json]:
        """The same, complete, with the machine it was found on."""
        found: dict[str, Json] = {"machine": describe_machine()}
        for each in self.findings:
            found |= each.json()
        return found


def describe_machine() -> dict[str, Json]:
    """What the figures depend on besides the code."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "r4": __version__,
        "kernels": BACKEND,
        **{name: metadata.version(name) for name in ("numpy", "pyoxigraph")},
        **{name: found for name in _PEERS if (found := version_of(name)) is not None},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
