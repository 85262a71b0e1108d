"""How long a proof holds, and what it is that ends it.

All that a proof rests on may hold longer than the proof needs it; each step holds as long as that
lets it, which for metric operators lies at other times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from r4.explain.ground import Ground
from r4.explain.grounding import Leaf
from r4.explain.proof import Goal, Piece, Proof
from r4.explain.spans import Pair, closure, dilated, meet, operated, run_at, since, united
from r4.explain.tree import Ending
from r4.explain.ways import Absent, Fact, Held, Moved, Way
from rete.delta import POS_INF
from rete.plan import Dilate, Since

Lack: TypeAlias = tuple[Absent, int]
"""What is absent at a cell."""


class Timing:
    """The times of a proof.

    Attributes:
        goals: per goal the interval around it in which its proof holds.
        pieces: the same of each piece, in their order.
        used: per leaf the elements that assert it where it is needed.
        lacks: what must be absent at a cell, and how long it is so.
        ends: of what ends the proof, when and how it does.
    """

    def __init__(self, ground: Ground, proof: Proof, held: Mapping[Fact, Sequence[Held]]) -> None:
        self._ground = ground
        self._held = held
        self.proof = proof
        self.goals: dict[Goal, Pair] = {}
        self.pieces: dict[Goal, list[Pair]] = {}
        self.used: dict[Leaf, dict[Held, None]] = {}
        self.lacks: dict[Lack, Pair] = {}
        for goal in proof.order:
            self.pieces[goal] = [self._of_piece(goal, piece) for piece in proof.pieces[goal]]
            found = self.pieces[goal]
            self.goals[goal] = min(lo for lo, _ in found), max(hi for _, hi in found)
        self.ends: dict[Leaf | Lack, Ending] = dict(self._endings())

    @property
    def whole(self) -> Pair:
        """When all of it holds."""
        return self.goals[self.proof.root]

    def absent(self, absent: Absent, cell: int) -> Pair:
        """How long something is absent around a cell, as far as is known."""
        if (absent, cell) not in self.lacks:
            self.lacks[absent, cell] = self._ground.interval(absent, cell)
        return self.lacks[absent, cell]

    def _of_piece(self, goal: Goal, piece: Piece) -> Pair:
        needs = [self.goals[each] for each in piece.goals]
        if isinstance(piece.by, Leaf):
            return self._of_leaf(piece.by, piece)
        if isinstance(piece.by, Way):
            return meet(*needs, *(self.absent(each, piece.lo) for each in piece.by.absent))
        assert isinstance(goal.node, Moved)
        plan = goal.node.plan
        if isinstance(plan, Dilate):
            return dilated(needs[0], plan.rho, future=plan.future)
        if isinstance(plan, Since):
            found = since(plan, needs[1] if len(needs) > 1 else None, needs[0])
        else:
            found = operated(plan, (needs[0],))
        run = run_at(found, piece.lo)
        assert run is not None
        return run

    def _of_leaf(self, leaf: Leaf, piece: Piece) -> Pair:
        held = self._held.get(leaf.node, ()) if isinstance(leaf.node, Fact) else ()
        needed = [each for each in held if each.lo < piece.hi and piece.lo < each.hi]
        if not needed:
            self.used.setdefault(leaf, {})
            return leaf.lo, leaf.hi
        self.used.setdefault(leaf, {}).update(dict.fromkeys(needed))
        return united((each.lo, each.hi) for each in needed)[0]

    def _endings(self) -> Iterator[tuple[Leaf | Lack, Ending]]:
        """What it is that ends the proof, from its root down."""
        waiting = [(self.proof.root, Ending.ENDS)] if self.whole[1] < POS_INF else []
        seen = set(waiting)
        while waiting:
            goal, how = waiting.pop()
            for piece, span in zip(self.proof.pieces[goal], self.pieces[goal], strict=True):
                if span[1] != self.goals[goal][1]:
                    continue
                if isinstance(piece.by, Leaf):
                    yield piece.by, how
                elif isinstance(piece.by, Way):
                    for absent in piece.by.absent:
                        if self.absent(absent, piece.lo)[1] == span[1]:
                            yield (absent, piece.lo), how
                for each in reversed(list(self._last(piece, span))):
                    passes = piece.by is None and span[1] > closure(self.goals[each])[1]
                    found = each, Ending.PASSES if passes else how
                    if found not in seen:
                        seen.add(found)
                        waiting.append(found)

    def _last(self, piece: Piece, span: Pair) -> Iterator[Goal]:
        """The goals of a piece whose end is its own."""
        if isinstance(piece.by, Way):
            yield from (each for each in piece.goals if self.goals[each][1] == span[1])
        elif piece.by is None:
            *right, left = piece.goals
            chained = bool(right) and closure(self.goals[left])[1] == span[1]
            yield left if chained or not right else right[0]
