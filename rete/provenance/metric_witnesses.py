"""Witnesses: the rows of metric operators, found backwards from some of their terms and a time.

Whether an operator holds at a time depends on its source at some, or all, distances from it; these
are the times that the source is asked about. SteMs have maximal intervals, so a box or Since can be
evaluated on one stored row at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rete import kernels
from rete.arrays.delta import NEG_INF, POS_INF, Rows, columns, concat
from rete.nodes.graph import Stream
from rete.nodes.metric import erode_stem, right_columns
from rete.planning.plan import Dilate, Erode, Shift, Since
from rete.storage.row_algebra import coalesce, join_rows, project

KnownColumns: TypeAlias = tuple[int, ...]
"""The known columns of a stream, in the order of the columns of the questions."""
RowsOf: TypeAlias = Callable[[Stream, Rows, KnownColumns], Rows]
"""Finds the rows of a stream that agree with questions, as `BackwardEvaluation.rows` does."""


def find_witnesses(
    rows_of: RowsOf,
    stream: Stream,
    plan: Dilate | Erode | Since | Shift,
    asked: Rows,
    known: KnownColumns,
) -> Rows:
    """The rows of ``stream``, (n, width + 2), that agree with ``asked``.

    As of `rete.provenance.backward_evaluation.BackwardEvaluation.derived`.
    """
    match plan:
        case Dilate():
            source_questions = coalesce(kernels.dilate(asked, *plan.rho, not plan.future))
            rows = rows_of(stream.sources[0], source_questions, known)
            found = kernels.dilate(rows, *plan.rho, plan.future)
        case Erode():
            stem = stream.sources[0].stem
            assert stem is not None
            return erode_stem(stem, asked, known, plan.rho, future=plan.future)
        case Since():
            found = _since(stream, plan, asked, known)
        case Shift():
            return _shifted(rows_of, stream, plan, asked, known)
    width = plan.width
    return join_rows(found, known, asked, range(len(known)), range(width))


def _shifted(
    rows_of: RowsOf, stream: Stream, plan: Shift, asked: Rows, known: KnownColumns
) -> Rows:
    """The rows of a shift: its source is asked for the numbers before they were moved."""
    source_questions = asked.copy()
    for place, column in enumerate(known):
        if column == plan.column:
            source_questions[:, place] -= plan.by
    assert stream.node is not None
    return stream.node.apply(rows_of(stream.sources[0], source_questions, known))


def _since(stream: Stream, plan: Since, asked: Rows, known: KnownColumns) -> Rows:
    """The rows of a Since: its right rows within reach, and the left ones that lead from them."""
    phi, psi = (source.stem for source in stream.sources)
    assert phi is not None
    assert psi is not None
    left, right = _places(plan, known)
    source_questions = kernels.dilate(asked, *plan.rho, not plan.future)
    width = psi.width
    taken = columns([*(~c for c in range(width)), *left.values()])
    index = psi.index(tuple(right))
    rows = psi.probe(source_questions, columns(right.values()), psi.n, index, taken)
    index = phi.index((*(mine for mine, _ in plan.on), *left))
    phi.ready(index)
    always = rows.copy()
    always[:, -2:] = NEG_INF, POS_INF
    key = columns([*(theirs for _, theirs in plan.on), *range(width, width + len(left))])
    keep = columns([~column for column in plan.keep])
    times = np.ascontiguousarray(rows[:, -2:])
    where = key, phi.rows, phi.n, index, keep
    psi_is_stored = False
    found = kernels.probe_since(always, times, *where, *plan.rho, plan.future, psi_is_stored)
    return concat([found, project(rows, right_columns(plan))]) if plan.rho[0] == 0 else found


def _places(plan: Since, known: KnownColumns) -> tuple[dict[int, int], dict[int, int]]:
    """Per column of the left side, and of the right, which of those ``known`` gives it.

    Of the left side only columns that are not in the key: the right row gives those.
    """
    lefts: dict[int, int] = {}
    rights: dict[int, int] = {}
    same = dict(plan.on)
    for place, column in enumerate(known):
        kept = plan.keep[column]
        if kept >= 0 and kept not in same:
            lefts.setdefault(kept, place)
        else:
            rights.setdefault(same[kept] if kept >= 0 else ~kept, place)
    return lefts, rights
