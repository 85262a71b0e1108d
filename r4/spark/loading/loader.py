"""A load from its files to `_SUCCESS`: the stages in order, and what is known between them."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from secrets import randbits
from typing import Any, Final

from r4.errors import SAMPLES, InputError, Sample
from r4.path_lock import FolderLock
from r4.spark.loading.inputs import NamedInputs, splits
from r4.spark.loading.predicate_parts import shares
from r4.spark.loading.stages import Stages, UnitRunner
from r4.spark.loading.work_folder import WorkFolder
from r4.store.index import FolderIndex
from r4.store.layout import PLACES, WORK, FolderLayout
from r4.store.term_columns import ROOM, checksums, lay_out

BUCKET_TERMS: Final = 1 << 19
"""So many terms of portions are merged in one bucket, about."""


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The counts of a load.

    Attributes:
        triples, terms, predicates, files: how many.
        bad: what was left out, by code.
        samples: the first of each code.
        cpu: seconds of processor time of all units.
    """

    triples: int
    terms: int
    predicates: int
    files: int
    cpu: float
    bad: Mapping[str, int]
    samples: Sequence[Sample]


@dataclass(frozen=True, slots=True)
class SplitReports:
    """The reports of the first stage.

    Attributes:
        names: the documents, from number 1 on.
        document: of each split, its number among them, from 0.
        reports: of each split, as `r4.spark.loading.split_reader` has it.
    """

    names: Sequence[str]
    document: Sequence[int]
    reports: Sequence[Mapping[str, Any]]

    @property
    def bad(self) -> Counter[str]:
        """The counts of what was left out, by code."""
        return sum((Counter(report["bad"]) for report in self.reports), Counter[str]())

    @property
    def lines(self) -> list[int]:
        """How many lines of its document come before each split."""
        before = [0] * len(self.names)
        found = []
        for at, report in zip(self.document, self.reports, strict=True):
            found.append(before[at])
            before[at] += report["lines"]
        return found

    @property
    def samples(self) -> list[Sample]:
        """The first of each code."""
        seen: Counter[str] = Counter()
        found = []
        for at, report, before in zip(self.document, self.reports, self.lines, strict=True):
            for line, code, message in report["samples"]:
                seen[code] += 1
                if seen[code] <= SAMPLES:
                    place = f"{self.names[at]}:{line + before}" if line else self.names[at]
                    found.append(Sample(code, place, message))
        return found


class BulkLoad:
    """One load into a folder.

    Attributes:
        seed: of the hashes of terms: drawn, so that nobody can know which terms share one.
    """

    def __init__(self, into: Path, runner: UnitRunner) -> None:
        """Start; raises `InputError` if the folder cannot be loaded into."""
        self._into = FolderLayout(into)
        self.seed = randbits(62)
        self.work = WorkFolder(into.absolute() / WORK)
        self.stages = Stages(runner, self.work)
        self._lock = self._clear()

    def _clear(self) -> FolderLock:
        """Make an empty folder to work in, in one that has nothing but what a load has made."""
        into = self._into.path
        try:
            into.mkdir(parents=True, exist_ok=True)
            lock = FolderLock(into)
            known = {*PLACES, self.work.path.name, self._into.success.name}
            strange = sorted({path.name for path in into.iterdir()} - known)
            if strange:
                message = f"{into}: there is something else in this folder, such as {strange[0]}"
                raise InputError(message)
            shutil.rmtree(self.work.path, ignore_errors=True)
            self.work.path.mkdir()
        except BlockingIOError:
            message = f"{into}: another load into this folder is not done yet"
            raise InputError(message) from None
        except OSError as error:
            message = f"{into}: {error.strerror or error}"
            raise InputError(message) from error
        return lock

    def abandon(self) -> None:
        """Remove what was not brought to its end; what was loaded before stays."""
        shutil.rmtree(self.work.path, ignore_errors=True)
        self._lock.release()

    def read(self, found: NamedInputs) -> SplitReports:
        """Stage 1."""
        parts = list(splits(found.documents, self.stages.cores))
        says = f"1 of 4: read {len(found.documents)} file(s) in {len(parts)} part(s)"
        reports = self.stages.run("read", says, list(map(asdict, parts)), self.seed)
        names = [document.path for document in found.documents]
        return SplitReports(names, [split.number - 1 for split in parts], reports)

    def finish(self, read: SplitReports) -> LoadReport:
        """Stages 2 to 4, and everything in its place."""
        run, made = self.stages.run, self.work.made
        portions = [portion for report in read.reports for portion in report["portions"]]
        names = [name for name, _, _ in portions]
        rows = [count for _, count, _ in portions]
        words = sum(count for _, _, count in portions)
        buckets = max(-(-words // BUCKET_TERMS), 1)
        says = f"2 of 4: merge {words:,} terms of {len(names)} portion(s) in {buckets} bucket(s)"
        merged = run("merge", says, [buckets] * buckets, names)
        firsts = [1, *accumulate((each["terms"] for each in merged), initial=1)][1:]
        at = list(accumulate((each["size"] for each in merged), initial=0))
        terms, size = firsts[-1] - 1, at[-1]
        lay_out(made, terms, size)
        says = f"3 of 4: name {terms:,} terms"
        blanks = sum(run("name", says, list(zip(firsts, at, strict=True))[:-1]))
        says = f"3 of 4: rewrite {sum(rows):,} triples"
        reports = run("rewrite", says, names, firsts[:-1])
        self._reject(read)
        units = [asdict(share) for share in shares(names, rows, reports)]
        says = f"4 of 4: write {sum(rows):,} triples by predicate"
        predicates: dict[int, dict[str, int]] = {}
        sums: dict[str, int] = {}
        for each in run("part", says, units):
            sums |= each["sums"]
            for term, parts in each["rows"].items():
                predicates.setdefault(int(term), {}).update(parts)
        index = FolderIndex(
            *(self.seed, terms, blanks, size, ROOM, sum(rows)),
            files=read.names,
            predicates=predicates,
            bad=dict(read.bad),
            columns=checksums(made, terms, size),
            parts=sums,
        )
        self._put(index.write(made.index))
        return LoadReport(
            sum(rows),
            terms,
            len(predicates),
            len(read.names),
            self.stages.cpu,
            read.bad,
            read.samples,
        )

    def _reject(self, read: SplitReports) -> None:
        """Write the lines of what was left out."""
        units = [
            (number, read.names[at], before)
            for number, (at, before, report) in enumerate(
                zip(read.document, read.lines, read.reports, strict=True)
            )
            if report["bad"]
        ]
        self.stages.run("reject", "3 of 4: tell what is left out", units)

    def _put(self, mark: str) -> None:
        """Replace what was there by what was made; the mark comes last."""
        into = self._into
        into.success.unlink(missing_ok=True)
        for place in PLACES:
            shutil.rmtree(into.path / place, ignore_errors=True)
            made = self.work.made.path / place
            if made.exists():
                made.rename(into.path / place)
        shutil.rmtree(self.work.path)
        into.success.write_text(mark, "utf-8")
