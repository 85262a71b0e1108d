"""Who follows a change of a small model how fast: R4 and a peer, whose models are compared.

A slice is a part of published facts, of which some are deleted and inserted again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.benchmark import Findings, Request
from bench.harness.peer import NotInstalled, Peer
from bench.harness.process_usage import python
from bench.harness.rounds import Series, paired_median, read_json, run_rounds
from bench.harness.tables import format_milliseconds, tabled
from bench.peers.mtl_dred import SOURCES
from bench.suites.mtl import compare_models, programs
from bench.workloads.temporal.metric_programs import WHOLE, fact_lines, found

SEED: Final = 7
CHANGES: Final = ("delete", "insert")
"""In this order."""


class Slice(NamedTuple):
    """A part of the facts of a program, and how many of them go and come."""

    name: str  # of the program
    share: float  # of its facts, the first of each file
    changed: int  # facts, drawn at random
    thinned: bool = False  # the share is of facts all over the file, evenly


SLICES: Final[Sequence[Slice]] = (
    Slice("lubm_t 10^4", 0.01, 10),
    Slice("lubm_t 10^4", 0.1, 10),
    Slice("itemporal 10^4", 0.0134, 10),
    Slice("itemporal 10^4", 0.04, 20),
    Slice("weather", 1 / 60, 100, thinned=True),
    Slice("weather", 1 / 6, 100, thinned=True),
)
"""Those of which `MAINTAINERS` give models that are right, in seconds."""


@dataclass(frozen=True, slots=True)
class DredPeer(Peer):
    """DREDmtl, from the folder that has its repository and that of its MeTeoR."""

    def version(self, path: Path) -> str:
        """A digest of its code, which has no version."""
        code, reasoner = (path / part for part in SOURCES)
        for needed in (code / "DRED_mtl.py", reasoner / "meteor_reasoner" / "__init__.py"):
            if not needed.is_file():
                message = f"{path} has no {needed.relative_to(path)}"
                raise NotInstalled(message)
        if find_spec("networkx") is None:
            message = "it needs the package networkx"
            raise NotInstalled(message)
        digest = sha256((code / "DRED_mtl.py").read_bytes()).hexdigest()[:12]
        return f"DRED_mtl.py with SHA-256 {digest}"


MAINTAINERS: Final[Mapping[str, Peer]] = {
    "dredmtl": DredPeer(
        "mtl_dred",
        "DREDmtl brings a model with metric time up to date, in Python; on small slices of "
        "mtl-update; --peer dredmtl=FOLDER",
        path="FOLDER",
    ),
}
"""The peers that bring a model up to date, by name."""


class SliceKey(NamedTuple):
    """Who follows which change of how many facts."""

    runner: str
    name: str
    facts: int
    changed: int

    def __str__(self) -> str:
        return f"{self.runner} {self.name}"


class SliceReport(NamedTuple):
    """The report of a program on its own run, in seconds of processor time."""

    load: float  # to read rules and facts
    derive: float  # to derive the model
    delete: float  # to follow the deletion
    insert: float  # to follow the insertion
    wrong: bool = False  # of R4, whether a model then was another than one derived anew
    # of a peer, the interval in which it has all that holds, after each change
    within: Sequence[str] = ()


@dataclass(slots=True)
class SliceRuns(Series[SliceKey, SliceReport]):
    """The runs of one program on one slice."""

    compared: int = 0  # intervals of facts on which the models of a peer were compared with R4's

    def times(self, what: str) -> list[float]:
        """The seconds of ``derive``, ``delete`` or ``insert`` of each run."""
        return [getattr(report, what) for report in self.reports]


class _Files(NamedTuple):
    """Of a slice: the program, the facts, those that go and come, and what R4 has without them."""

    program: str
    facts: str
    changed: str
    rest: str


def run(request: Request) -> Findings:
    """Run R4 and each installed peer, and compare the models of the peer with R4's."""
    installed = {name: at for name, at in request.installations.items() if name in MAINTAINERS}
    paths = {name: at.path for name, at in installed.items() if name in request.peers}
    return findings(follow(request, paths), {name: at.version for name, at in installed.items()})


def follow(request: Request, paths: Mapping[str, Path]) -> list[SliceRuns]:
    """The runs of everybody on each slice whose program is there."""
    names, files, series = programs(request.data), dict[tuple[str, int, int], _Files](), []
    for part in SLICES if paths else ():
        if part.name in names:
            key, written = _write(part, request.data, request.folder)
            files[key] = written
            series += [
                SliceRuns(SliceKey(who, *key), may_fail=who != "r4") for who in ("r4", *paths)
            ]
    prefix = str(request.folder / "updated")

    def command(each: SliceRuns, _: int) -> tuple[str, ...]:
        who = each.key.runner
        program, facts, changed, rest = files[each.key[1:]]
        if who == "r4":
            return python("bench.programs.follow_change", program, facts, changed, rest)
        return python(MAINTAINERS[who].program, paths[who], program, facts, changed, prefix)

    def check(each: SliceRuns, number: int) -> str:
        if each.key.runner == "r4":
            return "another model than one derived anew" if each.reports[-1].wrong else ""
        return "" if number else _compare(request, each, files[each.key[1:]], prefix)

    run_rounds(request, series, command, read_json(SliceReport), check=check)
    return series


def _write(part: Slice, data: Path, folder: Path) -> tuple[tuple[str, int, int], _Files]:
    share = WHOLE if part.thinned else part.share
    program, facts = found(part.name, data, share, folder)
    lines = list(fact_lines(Path(facts)))
    if part.thinned:
        lines = lines[:: round(1 / part.share)]
    changed = random.Random(SEED).sample(lines, min(part.changed, len(lines) // 2))  # noqa: S311
    key = part.name, len(lines), len(changed)
    place = folder / "slices" / "-".join(map(str, key)).replace(" ", "-")
    place.mkdir(parents=True, exist_ok=True)
    for name, some in (("facts", lines), ("changed", changed)):
        (place / name).write_text("".join(f"{line}\n" for line in some), encoding="utf-8")
    paths = (str(place / name) for name in ("facts", "changed", "rest"))
    return key, _Files(program, *paths)


def _compare(request: Request, each: SliceRuns, files: _Files, prefix: str) -> str:
    """In what the models of a peer differ from those of R4 after each change."""
    faults = []
    data, within = (files.rest, files.facts), each.reports[0].within
    for change, facts, interval in zip(CHANGES, data, within, strict=True):
        arguments = files.program, facts, f"{prefix}-{change}", interval
        compared, wrong = compare_models(request, *arguments)
        each.compared += compared
        if wrong:
            faults.append(f"after {change}: {wrong}")
    return "; ".join(faults)


def findings(series: Sequence[SliceRuns], versions: Mapping[str, str]) -> Findings:
    """Who follows changes of slices how fast."""
    tables = tabled(
        "A change of a small slice, right after its model is derived: least milliseconds of"
        " processor time. How many times as fast as that R4 is: the median.",
        (
            *("", "facts", "changed", "derive", "delete", "times", "insert", "times"),
            *("compared", "answers"),
        ),
        _rows(series),
    )
    peers = tabled("Peers that the user installed.", ("", ""), versions.items(), texts=2)
    return Findings(
        [*tables, *(peers if series else ())],
        {
            "slice_updates": [each.json(compared=each.compared) for each in series],
            "update_installations": dict(versions),
        },
        next((f"{each.key}: {each.wrong}" for each in series if each.wrong), ""),
    )


def _rows(series: Sequence[SliceRuns]) -> Iterator[tuple[str, ...]]:
    ours = {each.key[1:]: each for each in series if each.key.runner == "r4"}
    for each in series:
        who = str(each.key), f"{each.key.facts:,}", f"{each.key.changed:,}"
        if each.failure:
            yield *who, *[""] * 6, each.failure
            continue
        base = ours[each.key[1:]]
        is_peer = each is not base
        cells = []
        for change in CHANGES:
            faster = paired_median(each.times(change), base.times(change))
            is_told = is_peer and not each.wrong
            cells += [format_milliseconds(min(each.times(change))), f"{faster:.0f}" * is_told]
        yield (
            *who,
            format_milliseconds(min(each.times("derive"))),
            *cells,
            f"{each.compared:,}" if is_peer else "",
            f"wrong: {each.wrong}" if each.wrong else "as R4" if is_peer else "as anew",
        )
