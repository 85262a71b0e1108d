"""Published programs with metric time and their data, which are found in a folder of the user.

None of them is shipped. In a folder, or in the folder ``datalogmtl`` of it, lie ``lubm_t``,
``itemporal`` and ``weather``, each with its ``program.txt`` and its facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

FOLDER: Final = "datalogmtl"
"""Under this name the data may lie beside others."""
WHOLE: Final = 1.0
_TABLE: Final = ".csv"


@dataclass(frozen=True, slots=True)
class Published:
    """A program and its facts."""

    description: str  # one line on what it is
    program: str  # where it lies in the folder
    facts: str  # a file of facts, or a folder of tables, there
    # the modes in which the peer runs, each with its rounds
    modes: Mapping[str, int] = field(default_factory=dict)
    # from file to model, processor time, that R4 means to take at most; None: any
    seconds: float | None = None
    peak: int | None = None  # the most bytes that it means to occupy


PUBLISHED: Final[Mapping[str, Published]] = {
    "lubm_t 10^4": Published(
        "careers at a university, 10,000 facts; the model has no end",
        "lubm_t/program.txt",
        "lubm_t/lubm_10^4.txt",
        {"canonical": 0, "seminaive": 20},
    ),
    "lubm_t 10^5": Published(
        "the same with 100,000 facts",
        "lubm_t/program.txt",
        "lubm_t/lubm_10^5.txt",
        seconds=10,
    ),
    "itemporal 10^4": Published(
        "a generated program over five tables, 9,500 facts",
        "itemporal/program.txt",
        "itemporal/10^4",
        {"seminaive": 1000},
    ),
    "itemporal 10^5": Published(
        "the same with 94,000 facts; from them 30 million follow",
        "itemporal/program.txt",
        "itemporal/10^5",
        seconds=900,
        peak=16_000_000_000,
    ),
    "weather": Published(
        "heat and wind at stations, 60,000 facts",
        "weather/program.txt",
        "weather/weather_59981.txt",
        {"seminaive": 1000},
    ),
}
"""By name, in the order in which they run."""


def missing(name: str, folder: Path) -> Path | None:
    """A file that `found` would need and that is not there."""
    needed = (_root(folder) / PUBLISHED[name].program, _root(folder) / PUBLISHED[name].facts)
    return next((path for path in needed if not path.exists()), None)


def found(name: str, folder: Path, share: float, kept: Path) -> tuple[str, str]:
    """The program and the facts of that name, or the first ``share`` of each file, in ``kept``."""
    program, facts = _root(folder) / PUBLISHED[name].program, _root(folder) / PUBLISHED[name].facts
    if share == WHOLE:
        return str(program), str(facts)
    part = kept / f"{name.replace(' ', '-')}-{share:g}"
    part.mkdir(exist_ok=True)
    for path in tables(facts):
        _cut(path, part / path.name, share)
    return str(program), str(part if facts.is_dir() else part / facts.name)


def tables(facts: Path) -> list[Path]:
    """The files of a folder of tables, or the one file."""
    return sorted(facts.glob(f"*{_TABLE}")) if facts.is_dir() else [facts]


def is_table(path: Path) -> bool:
    """Whether a file is the table of the predicate it is named after."""
    return path.suffix == _TABLE


def fact_lines(facts: Path) -> Iterator[str]:
    """A fact each; of tables, too."""
    for path in tables(facts):
        lines = path.read_text(encoding="utf-8").splitlines()
        if not is_table(path):
            yield from lines
            continue
        for line in lines[1:]:
            *args, left, right = line.split(",")
            yield f"{path.stem}({','.join(args)})@[{left},{right}]"


def _root(folder: Path) -> Path:
    inner = folder / FOLDER
    return inner if inner.is_dir() else folder


def _cut(path: Path, part: Path, share: float) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    heads = int(is_table(path))
    with part.open("wb") as file:
        file.writelines(islice(lines, heads + max(1, round(share * (len(lines) - heads)))))
