"""Stage 3: a portion with global ids, its rows by predicate; what was left out, by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from r4.spark.jobs.atomic_files import Json, job_path, load, load_batch, save, save_arrow
from r4.spark.loading.work_folder import WorkFolder
from r4.store.index import checksum

MANY = 1 << 16
"""So many rows of one predicate in one portion are reported."""


def rewrite_portion(work: WorkFolder, portion: str, number: int, firsts: Sequence[int]) -> Json:
    """Write the rows of a portion; predicate → rows, where it has many.

    ``number`` is that of the portion among all, ``firsts`` are the first ids of the buckets.
    """
    words = load_batch(work.words(portion))
    local = words["id"].to_numpy()
    ids = np.zeros(int(local.max(initial=0)) + 1, np.int64)
    at = 0
    for bucket, first in enumerate(firsts):
        begin, end = load(work.starts(bucket), np.int64)[number : number + 2].tolist()
        ranks = load(work.ranks(bucket), np.int32)[begin:end]
        ids[local[at : at + len(ranks)]] = ranks.astype(np.int64) + first
        at += len(ranks)
    rows = load(work.rows(portion), np.int32)
    predicates = ids[rows[:, 1]]
    order = np.argsort(predicates, kind="stable")
    written = np.empty((3, len(rows)), np.int64)
    for place, column in enumerate((0, 2, 3)):
        np.take(ids, rows[order, column], out=written[place])
    found, begins = np.unique(predicates[order], return_index=True)
    save(work.rewritten(portion), written)
    save(work.runs(portion), np.stack([found, begins.astype(np.int64)]))
    counts = np.diff(np.append(begins, len(rows)))
    many = counts >= MANY
    return {str(term): int(n) for term, n in zip(found[many].tolist(), counts[many], strict=True)}


def write_rejected(work: WorkFolder, split: int, path: str, lines: int) -> Json:
    """Write what was left out of a split that so many lines of its file come before."""
    table = pa.ipc.open_file(pa.memory_map(str(work.faults(split)))).read_all()
    line = table["line"].to_numpy()
    rejected = pa.table(
        {
            "file": pa.array([path] * len(table), pa.string()).dictionary_encode(),
            "line": pa.array(line + lines, mask=line == 0),
            "code": table["code"],
            "reason": table["reason"],
        }
    )
    with job_path(work.made.rejected(split)) as temporary:
        pq.write_table(rejected, temporary)
    return None


PART_ROWS = 1 << 22
"""So many rows are in one part at most, and in the parts of one unit about."""
ROWS = pa.schema([("s", pa.int64()), ("o", pa.int64()), ("g", pa.int64())])

Columns = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PartUnit:
    """Which rows of portions a unit takes.

    Attributes:
        name: what its parts are called.
        only: of this predicate; 0: of those of the group.
        group, groups: predicates with ``id % groups == group``.
        others: predicates that are units of their own.
    """

    name: str
    portions: Sequence[str]
    only: int = 0
    group: int = 0
    groups: int = 1
    others: Sequence[int] = field(default=())


def shares(
    portions: Sequence[str], rows: Sequence[int], reports: Sequence[dict[str, int]]
) -> Iterator[PartUnit]:
    """The units: a predicate with very many rows is one, or several, the others share some.

    ``rows`` are those of each portion, ``reports`` its rows of predicates with many.
    """
    many: dict[int, int] = {}
    for each in reports:
        for name, count in each.items():
            many[int(name)] = many.get(int(name), 0) + count
    large = [term for term, count in many.items() if count > PART_ROWS]
    for term in large:
        number, held, begin = 0, 0, 0
        for end, each in enumerate(reports, 1):
            held += each.get(str(term), 0)
            if held >= PART_ROWS or end == len(reports):
                yield PartUnit(f"{number:05}", portions[begin:end], only=term)
                number, held, begin = number + 1, 0, end
    rest = sum(rows) - sum(many[term] for term in large)
    groups = -(-rest // PART_ROWS)
    for group in range(groups):
        yield PartUnit("00000", portions, group=group, groups=groups, others=large)


def write_parts(work: WorkFolder, share: PartUnit) -> Json:
    """Write the rows of a share; per predicate its parts, name and rows; their checksums."""
    predicates, columns = _gathered(work, share)
    found, begins = np.unique(predicates, return_index=True)
    ends = np.append(begins, len(predicates))[1:]
    report: dict[str, dict[str, int]] = {}
    sums: dict[str, int] = {}
    for term, begin, end in zip(found.tolist(), begins.tolist(), ends.tolist(), strict=True):
        report[str(term)] = {}
        for count, at in enumerate(range(begin, end, PART_ROWS)):
            name = share.name if not count else f"{share.name}-{count}"
            cut = slice(at, min(at + PART_ROWS, end))
            batch = pa.record_batch([pa.array(column[cut]) for column in columns], schema=ROWS)
            mapped = work.made.rows(term, name)
            save_arrow(mapped, batch)
            sums[mapped.stem] = checksum(mapped)
            with job_path(work.made.triples(term, name)) as temporary:
                pq.write_table(pa.Table.from_batches([batch]), temporary)
            report[str(term)][name] = batch.num_rows
    return {"rows": report, "sums": sums}


def _gathered(work: WorkFolder, share: PartUnit) -> tuple[Columns, Columns]:
    """Predicates, ascending, and the columns s, o, g of all rows."""
    terms, parts = [np.empty(0, np.int64)], [np.empty((3, 0), np.int64)]
    for portion in share.portions:
        found, begins = load(work.runs(portion), np.int64)
        columns = load(work.rewritten(portion), np.int64)
        ends = np.append(begins, columns.shape[1])[1:]
        if share.only:
            wanted = found == share.only
        else:
            wanted = (found % share.groups == share.group) & ~np.isin(found, share.others)
        for at in np.flatnonzero(wanted).tolist():
            terms.append(np.full(ends[at] - begins[at], found[at]))
            parts.append(columns[:, begins[at] : ends[at]])
    predicates, gathered = np.concatenate(terms), np.concatenate(parts, axis=1)
    if share.only:
        return predicates, gathered
    order = np.argsort(predicates, kind="stable")
    return predicates[order], gathered[:, order]
