"""The report of `r4 bench`: the findings of each benchmark, and the machine they are from."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Final

from bench.harness.benchmark import Findings
from bench.harness.tables import Json, TextTable
from r4 import __version__
from r4.extras import version_of
from rete.kernels import BACKEND

_PEERS: Final = ("clipspy", "owlrl", "reasonable", "meteor_reasoner")


def united(findings: Sequence[Findings]) -> Findings:
    """All findings as one, with the machine they are from."""
    return sum(findings, Findings(figures={"machine": describe_machine()}))


def machine_table() -> TextTable:
    """The machine, and the versions."""
    rows = tuple((name, str(value)) for name, value in describe_machine().items())
    return TextTable("Machine and versions.", ("", ""), rows, 2)


def describe_machine() -> dict[str, Json]:
    """The machine and the versions that figures depend on besides the code."""
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
