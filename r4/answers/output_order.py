"""Output order: answers as columns, by time, deletions first, then by text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from r4.answers.ledger import AnswerBlock
from r4.program.program import COUNTED, STATE
from rete.arrays.delta import NEG_INF, Column, Rows
from rete.terms.dictionary import Dictionary
from rete.terms.relations import ERROR, TRIPLES

TRIPLE, ATOM, INCONSISTENT, COUNTED_TRIPLE, MARK = range(5)
Ops: TypeAlias = Literal["+", "-", "both"]
"""Which answers are written: those that begin, those that end, or both."""
_TRIPLES: Final = frozenset({TRIPLES, STATE, COUNTED})


@dataclass(frozen=True, slots=True)
class Changes:
    """Answers in order, as columns.

    Attributes:
        op: (n,) `INSERTED` or `DELETED`; of a report of what holds `STANDING`.
        at, start, end: (n,) ticks; ``at`` and ``start`` are `NEG_INF` for what always holds.
        rule: (n,) rule numbers.
        kind: (n,) `TRIPLE`, `ATOM`, `INCONSISTENT`; `COUNTED_TRIPLE`, which is not printed; or
            `MARK`: no answer holds at a mark, which stands alone.
        triples: (n, 3) ids, 0 where the answer is no triple.
        atoms: text of the atom where the answer is one, else empty; () if there is no atom at all.
        undone: how many of them, the first, were emitted before and proved untrue.
    """

    op: npt.NDArray[np.int8]
    at: Column
    start: Column
    end: Column
    rule: Column
    kind: npt.NDArray[np.int8]
    triples: Rows
    atoms: Sequence[str]
    undone: int = 0

    def __len__(self) -> int:
        return len(self.op)

    def of_ops(self, ops: Ops) -> Changes:
        """The changes where an answer begins, ``+``, or ends, ``-``; all, ``both``."""
        return self if ops == "both" else self.take(np.flatnonzero(self.op == "-+".index(ops)))

    def take(self, chosen: Column) -> Changes:
        """The rows at the positions ``chosen``, in that order; ascending if some are undone."""
        return Changes(
            self.op[chosen],
            self.at[chosen],
            self.start[chosen],
            self.end[chosen],
            self.rule[chosen],
            self.kind[chosen],
            self.triples[chosen],
            [self.atoms[i] for i in chosen.tolist()] if self.atoms else (),
            int(np.count_nonzero(chosen < self.undone)) if self.undone else 0,
        )


_NONE = np.empty(0, np.int64)
NO_CHANGES: Final = Changes(
    _NONE.astype(np.int8),
    _NONE,
    _NONE,
    _NONE,
    _NONE,
    _NONE.astype(np.int8),
    _NONE.reshape(0, 3),
    (),
)
"""No changes."""


def order_answers(blocks: Sequence[AnswerBlock], terms: Dictionary) -> Changes:
    """The answers of ``blocks`` as they are printed.

    By ``at``; at one ``at`` deletions before insertions; then by the text of the terms, atoms after
    triples and errors last, then by start. Costs a sort; texts are compared only between answers
    of the same kind at the same time.
    """
    if not blocks:
        return NO_CHANGES
    n = sum(len(block.facts) for block in blocks)
    triples = np.zeros((n, 3), np.int64)
    op, kind = np.empty(n, np.int8), np.zeros(n, np.int8)
    cells = np.empty((3, n), np.int64)
    rule = np.empty(n, np.int64)
    atoms: list[str] = []
    stop = 0
    for block in blocks:
        part = slice(stop, stop := stop + len(block.facts))
        op[part], rule[part] = block.op, block.rule
        cells[0, part], cells[1, part], cells[2, part] = block.at, block.start, block.end
        relation = block.relation.undivided
        if relation in _TRIPLES:
            triples[part] = block.facts
            kind[part] = COUNTED_TRIPLE if relation == COUNTED else TRIPLE
        else:
            kind[part] = INCONSISTENT if block.relation == ERROR else ATOM
            atoms = atoms or [""] * n
            atoms[part] = _atoms(block, terms)
    ticks = _ticks(cells)
    return in_order(Changes(op, ticks[0], ticks[1], ticks[2], rule, kind, triples, atoms), terms)


def in_order(changes: Changes, terms: Dictionary) -> Changes:
    """Answers in the order of `order_answers`."""
    moments = 2 * changes.at + changes.op
    if not np.count_nonzero(moments[1:] <= moments[:-1]):
        return changes
    return changes.take(_order(changes, moments, terms))


def put_undone_first(undone: Changes, new: Changes) -> Changes:
    """``undone``, emitted before and untrue, and after them what is ``new``."""
    if not len(undone):
        return new
    atoms: list[str] = []
    if undone.atoms or new.atoms:
        atoms = [*(undone.atoms or [""] * len(undone)), *(new.atoms or [""] * len(new))]
    return Changes(
        np.concatenate((undone.op, new.op)),
        np.concatenate((undone.at, new.at)),
        np.concatenate((undone.start, new.start)),
        np.concatenate((undone.end, new.end)),
        np.concatenate((undone.rule, new.rule)),
        np.concatenate((undone.kind, new.kind)),
        np.concatenate((undone.triples, new.triples)),
        atoms,
        len(undone),
    )


def _order(changes: Changes, moments: Column, terms: Dictionary) -> Column:
    order = moments.argsort(kind="stable")
    ordered = moments[order]
    same = ordered[1:] == ordered[:-1]
    if not same.any():
        return order
    tied = np.zeros(len(order), np.bool_)
    tied[1:] = same
    tied[:-1] |= same
    places = np.flatnonzero(tied)
    among = order[places]
    ids = changes.triples[among]
    ranks = np.zeros_like(ids)
    ranks[ids > 0] = terms.rank(ids[ids > 0])
    atom_rank = np.zeros(len(among), np.int64)
    if changes.atoms:
        texts = [changes.atoms[i] for i in among.tolist()]
        rank_of = {text: rank for rank, text in enumerate(sorted(set(texts)))}
        atom_rank = np.array([rank_of[text] for text in texts], np.int64)
    keys = (
        changes.start[among],
        atom_rank,
        ranks[:, 2],
        ranks[:, 1],
        ranks[:, 0],
        changes.kind[among],
        moments[among],
    )
    order[places] = among[np.lexsort(keys)]
    return order


def _atoms(block: AnswerBlock, terms: Dictionary) -> list[str]:
    texts = terms.decode_many(block.facts.ravel())
    arity = block.relation.arity
    return [
        f"{block.relation.op}({' '.join(texts[i * arity : (i + 1) * arity])})"
        for i in range(len(block.facts))
    ]


def _ticks(cells: Rows) -> Rows:
    """Cells of interval ends as ticks: the first tick in, and the first no longer in."""
    ticks = cells + 1
    ticks >>= 1
    endless = cells == NEG_INF
    if np.count_nonzero(endless):
        ticks[endless] = NEG_INF
    return ticks
