"""Who follows a change of a small model how fast: R4 and a peer, and whether they agree.

A slice is a part of published facts, of which some are deleted and inserted again.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness.process_usage import RunFailed, measure_process
from bench.harness.rounds import OUTPUT, Series, paired_median, run_rounds
from bench.peers.mtl_dred import SOURCES
from bench.suites.peer import NotInstalled, Peer
from bench.workloads.temporal.metric_programs import WHOLE, fact_lines, found

SEED: Final = 7
CHANGES: Final = ("delete", "insert")
"""In this order."""


class Slice(NamedTuple):
    """A part of the facts of a program, and how many of them go and come.

    Attributes:
        name: of the program.
        share: of its facts, the first of each file.
        changed: facts, drawn at random.
        thinned: the share is of facts all over the file, evenly.
    """

    name: str
    share: float
    changed: int
    thinned: bool = False


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
    """What a program reports of its own run, in seconds of processor time.

    Attributes:
        load: to read rules and facts.
        derive: to derive the model.
        delete, insert: to follow each change.
        wrong: of R4, whether a model then was another than one derived anew.
        within: of a peer, the interval in which it has all that holds, after each change.
    """

    load: float
    derive: float
    delete: float
    insert: float
    wrong: bool = False
    within: Sequence[str] = ()

    def seconds(self, what: str) -> float:
        """Those of ``derive``, ``delete`` or ``insert``."""
        return float(getattr(self, what))

    @staticmethod
    def read_from(output: Path) -> SliceReport:
        """From the output of `bench.programs.temporal.follow_change`, or of a peer."""
        return SliceReport(**json.loads(output.read_text(encoding="utf-8")))


@dataclass(slots=True)
class SliceRuns(Series[SliceKey, SliceReport]):
    """The runs of one program on one slice.

    Attributes:
        compared: intervals of facts on which the models of a peer were compared with R4's.
        differs: in what they differ; empty if in nothing.
        failure: how a run of a peer ended that did not end well.
    """

    compared: int = 0
    differs: str = ""
    failure: str = ""

    @property
    def is_done(self) -> bool:
        """Whether it failed."""
        return bool(self.failure)

    def fail(self, error: RunFailed) -> bool:
        """A peer may fail: R4 goes on."""
        if self.key.runner == "r4":
            return False
        self.failure = error.summary
        return True

    @property
    def wrong(self) -> str:
        """In what it is wrong; empty if in nothing."""
        if any(report.wrong for report in self.reports):
            return "another model than one derived anew"
        return self.differs

    def least(self, what: str) -> float:
        """The least seconds of ``derive``, ``delete`` or ``insert``."""
        return min(report.seconds(what) for report in self.reports)

    def times_as_fast(self, change: str, ours: SliceRuns) -> float:
        """The seconds that it took over those of ``ours``; the median over the rounds."""
        return paired_median(
            [report.seconds(change) for report in self.reports],
            [report.seconds(change) for report in ours.reports],
        )


class _Files(NamedTuple):
    """Of a slice: the program, the facts, those that go and come, and what R4 has without them."""

    program: str
    facts: str
    changed: str
    rest: str


def run_slices(  # noqa: PLR0913, PLR0917 - what, who, and where
    names: Sequence[str],
    data: Path,
    installations: Mapping[str, Path],
    rounds: int,
    folder: Path,
    say: Callable[[str], None],
) -> list[SliceRuns]:
    """Run R4 and each installed peer round by round, and compare the models of the peer with R4's.

    Raises:
        RunFailed: a program of R4 ended with an error.
    """
    files: dict[tuple[str, int, int], _Files] = {}
    series = []
    for part in SLICES if installations else ():
        if part.name in names:
            key, written = _write(part, data, folder)
            files[key] = written
            series += [SliceRuns(SliceKey(who, *key)) for who in ("r4", *installations)]
    prefix = str(folder / "updated")

    def command(each: SliceRuns, _: int) -> tuple[str, ...]:
        who = each.key.runner
        program, facts, changed, rest = files[each.key[1:]]
        if who == "r4":
            module = "bench.programs.temporal.follow_change"
            return (sys.executable, "-m", module, program, facts, changed, rest)
        module = f"bench.peers.{MAINTAINERS[who].module}"
        place = str(installations[who])
        return (sys.executable, "-m", module, place, program, facts, changed, prefix)

    def compare(each: SliceRuns, number: int) -> None:
        if not number and each.key.runner != "r4":
            _compare(each, files[each.key[1:]], prefix, folder / OUTPUT)

    run_rounds(series, command, SliceReport.read_from, rounds, folder, say, after=compare)
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


def _compare(series: SliceRuns, files: _Files, prefix: str, output: Path) -> None:
    """Note in what the models of a peer differ from those of R4 after each change."""
    faults = []
    for change, data, within in zip(
        CHANGES, (files.rest, files.facts), series.reports[0].within, strict=True
    ):
        module = "bench.programs.temporal.compare_models"
        theirs = f"{prefix}-{change}"
        measure_process((sys.executable, "-m", module, files.program, data, theirs, within), output)
        values = json.loads(output.read_text(encoding="utf-8"))
        series.compared += values["compared"]
        if values["wrong"]:
            faults.append(f"after {change}: {values['wrong']}")
    series.differs = "; ".join(faults)


def slice_pairs(series: Sequence[SliceRuns]) -> Iterator[tuple[SliceRuns, SliceRuns]]:
    """Each series with that of R4 on its slice."""
    ours = {each.key[1:]: each for each in series if each.key.runner == "r4"}
    for each in series:
        yield each, ours[each.key[1:]]
