"""Proof programs: rule bodies as numbers that a kernel can follow.

The code is that of `rete.kernels.support.pure_search.prove`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from rete.arrays.delta import Rows
from rete.network.layers import Layers
from rete.retraction.rule_bodies import BodyAtom, BodyVariable, RuleBody
from rete.storage.stem import Stem
from rete.terms.relations import Relation

if TYPE_CHECKING:
    from rete.graph.streams import Component

from rete.retraction.rule_bodies import BodyTerm

_ANY: Final = (-1, 0)
"""A place and term that every row has."""


class MissingConstants:
    """Terms that were not found in columns of SteMs, and whether they have come since.

    A row that ended counts as long as it is stored.
    """

    def __init__(self) -> None:
        self._terms: dict[Stem, dict[int, set[int]]] = {}
        self._found: dict[tuple[Stem, int, int], bool] = {}
        self._seen: dict[Stem, int] = {}

    def lacks(self, args: Sequence[BodyTerm | None], stem: Stem) -> bool:
        """Whether no row of ``stem`` can match an atom with ``args``, as none has some constant.

        Costs O(rows) for each constant that was not looked for there before.
        """
        constants = [(place, arg) for place, arg in enumerate(args) if isinstance(arg, int)]
        for place, term in (_ANY, *constants):
            if not self._has(stem, place, term):
                self._seen[stem] = stem.came
                self._terms.setdefault(stem, {}).setdefault(place, set()).add(term)
                return True
        return False

    def have_come(self) -> bool:
        """Whether any of the missing terms may be there now. Costs O(rows that came)."""
        for stem, seen in self._seen.items():
            if seen == stem.came:
                continue
            new = stem.store.rows(stem.end - (stem.came - seen), stem.end)
            if any(
                place == _ANY[0] or not terms.isdisjoint(new[:, place].tolist())
                for place, terms in self._terms[stem].items()
            ):
                return True
            self._seen[stem] = stem.came
        return False

    def _has(self, stem: Stem, place: int, term: int) -> bool:
        asked = stem, place, term
        if asked not in self._found:
            self._found[asked] = bool(stem.n) and (place == _ANY[0] or stem.store.has(place, term))
        return self._found[asked]


KnownPlaces: TypeAlias = tuple[int, ...]
LookupSource: TypeAlias = tuple[Stem, KnownPlaces, bool]
"""A SteM, the places of its rows that are known, and whether their levels count."""

_SAMPLE: Final = 1024
_QUESTIONS: Final = 8
"""So many rows and questions are sampled to estimate how many rows an atom has."""


class ProgramWriter:
    """Writes the programs of some bodies.

    Attributes:
        begins: where each program begins.
        sources: the SteMs and keys that they look up, in the order of their numbers.
        asserted: per relation that they look up the SteM of its asserted facts.
    """

    def __init__(
        self, layers: Layers, component: Component, facts: Rows, missing: MissingConstants
    ) -> None:
        """Begin; ``facts`` (n, arity + …) are a sample of the questions to come.

        Bodies that need ``missing`` constants, which no row has, are left out.
        """
        self._layers = layers
        self._component = component
        self._missing = missing
        self._facts = facts[:: max(1, len(facts) // _QUESTIONS)][:_QUESTIONS]
        self.sources: dict[LookupSource, int] = {}
        self.asserted: dict[Relation, Stem | None] = {}
        self.code = [0]
        self.begins: list[int] = []

    def add(self, body: RuleBody, since: int, last: tuple[BodyAtom, Stem] | None = None) -> None:
        """Write the program of ``body``, which derives nothing before the cell ``since``.

        The ``last`` atom is looked up in that SteM once all others are matched. Where no row can
        match some atom, nothing is written.
        """
        if not all(map(self._populated, body.atoms)):
            return
        if last is not None and self._missing.lacks(last[0].args, last[1]):
            return
        numbers: dict[BodyVariable, int] = {}
        constants: list[tuple[int, int]] = []
        bound: dict[BodyVariable, int] = {}
        equal: list[tuple[int, int]] = []
        for place, term in enumerate(body.head):
            if isinstance(term, int):
                constants.append((place, term))
            elif term is None:
                continue
            elif term.root in bound:
                equal.append((bound[term.root], place))
            else:
                bound[term.root] = place
                numbers[term.root] = len(numbers)
        binds = [(place, numbers[variable]) for variable, place in bound.items()]
        size = len(body.atoms) + (last is not None)
        counts = [len(constants), len(binds), len(equal), size]
        entries = [*_flat(constants), *_flat(binds), *_flat(equal)]
        self.begins.append(len(self.code))
        for left, first in reversed([*enumerate(self._firsts(body, bound))]):
            steps, decided = self._steps(body, bound, numbers.copy(), first, last)
            header = [int(not decided), since, *counts]
            other = len(self.code) + len(header) + 1 + len(entries) + len(steps) if left else 0
            self.code += [*header, other, *entries, *steps]

    def _populated(self, atom: BodyAtom) -> list[tuple[Stem, bool]]:
        """As `sources_of`, without SteMs that have no row which can match the atom."""
        sources_of = self.sources_of(atom)
        return [each for each in sources_of if not self._missing.lacks(atom.args, each[0])]

    def _firsts(self, body: RuleBody, bound: dict[BodyVariable, int]) -> Sequence[BodyAtom | None]:
        """The atoms to begin with, the best last: the kernel chooses among them for each fact."""
        candidates = [atom for atom in body.atoms if atom.mentions(bound)]
        candidates.sort(key=partial(self._row_estimate, bound, bound.keys()), reverse=True)
        return candidates or [None]

    def _steps(
        self,
        body: RuleBody,
        bound: dict[BodyVariable, int],
        numbers: dict[BodyVariable, int],
        first: BodyAtom | None,
        last: tuple[BodyAtom, Stem] | None,
    ) -> tuple[list[int], bool]:
        """The steps of a body in one order, and whether they are all its conditions."""
        differ = [(a.root, b.root) for a, b in body.differ]
        steps: list[int] = []
        atoms = list(body.atoms)
        while atoms:
            atom = first or min(atoms, key=partial(self._row_estimate, bound, numbers.keys()))
            first = None
            atoms.remove(atom)
            before = {*numbers}
            for arg in atom.args:
                if isinstance(arg, BodyVariable):
                    numbers.setdefault(arg.root, len(numbers))
            ready = [pair for pair in differ if {*pair} <= {*numbers}]
            differ = [pair for pair in differ if pair not in ready]
            steps += self._step(atom, before, numbers, ready, self._populated(atom))
        if last is not None:
            head, stem = last
            known = {*numbers}
            for arg in head.args:  # no atom has what a built-in computes
                if isinstance(arg, BodyVariable):
                    numbers.setdefault(arg.root, len(numbers))
            steps += self._step(head, known, numbers, (), [(stem, True)])
        self.code[0] = max(self.code[0], len(numbers))
        return steps, not (differ or body.tests or body.is_partial)

    def _step(
        self,
        atom: BodyAtom,
        known: set[BodyVariable],
        numbers: dict[BodyVariable, int],
        differ: Sequence[tuple[BodyVariable, BodyVariable]],
        sources_of: Sequence[tuple[Stem, bool]],
    ) -> list[int]:
        key: list[tuple[int, int]] = []
        binds: list[tuple[int, int]] = []
        checks: list[tuple[int, int]] = []
        places = atom.known_places(known)
        for place, arg in enumerate(atom.args):
            if isinstance(arg, int):
                key.append((1, arg))
            elif place in places and isinstance(arg, BodyVariable):
                key.append((0, numbers[arg.root]))
            elif isinstance(arg, BodyVariable):
                number = numbers[arg.root]
                fresh = all(number != bound for _, bound in binds)
                (binds if fresh else checks).append((place, number))
        differs = [(numbers[a], numbers[b]) for a, b in differ]
        sources = [
            self.sources.setdefault((of, places, leveled), len(self.sources))
            for of, leveled in sources_of
        ]
        parts = [key, binds, checks, differs]
        entries = [len(part) for part in parts]
        numbers_of = [number for part in parts for number in _flat(part)]
        size = 7 + len(numbers_of) + len(sources)
        return [size, *entries, len(sources), int(atom.apart), *numbers_of, *sources]

    def sources_of(self, atom: BodyAtom) -> list[tuple[Stem, bool]]:
        """The SteMs of the rows of an atom, and whether their levels count."""
        if atom.relation is None:
            assert atom.stream.stem is not None
            return [(atom.stream.stem, False)]
        found: list[tuple[Stem, bool]] = []
        if self._layers.shows_asserted(atom.stream, atom.relation):
            stem = self.asserted[atom.relation] = self._layers.asserted_stem(atom.relation)
            if stem is not None:  # of lower level than all others, so it comes first
                found.append((stem, False))
        return found + [
            (table.facts, table.component is self._component)
            for table in self._layers.tables_of(atom.stream, atom.relation)
        ]

    def _row_estimate(
        self, bound: Mapping[BodyVariable, int], known: AbstractSet[BodyVariable], atom: BodyAtom
    ) -> float:
        """About how many rows an atom has for a question, from a sample of both."""
        places = atom.known_places(known)
        if len(places) == sum(arg is not None for arg in atom.args):
            return 0.0
        return sum(self._rows_of(stem, atom, places, bound) for stem, _ in self.sources_of(atom))

    def _rows_of(
        self,
        stem: Stem,
        atom: BodyAtom,
        places: KnownPlaces,
        bound: Mapping[BodyVariable, int],
    ) -> float:
        step = max(1, stem.n // _SAMPLE)
        rows = stem.store.rows(0, stem.end, step)
        given: list[tuple[int, int]] = []
        varying: list[int] = []
        for place in places:
            arg = atom.args[place]
            if isinstance(arg, int):
                rows = rows[rows[:, place] == arg]
            elif arg is not None and arg.root in bound:
                given.append((place, bound[arg.root]))
            else:
                varying.append(place)
        count = float(len(rows))
        if given and len(self._facts):
            agree = np.ones((len(self._facts), len(rows)), np.bool_)
            for place, asked in given:
                agree &= self._facts[:, asked, None] == rows[:, place]
            count = float(agree.sum()) / len(self._facts)
        if varying and len(rows):
            count /= len(np.unique(rows[:, varying], axis=0))
        return step * (count + 1 / _QUESTIONS)


def _flat(pairs: Sequence[tuple[int, int]]) -> list[int]:
    return [number for pair in pairs for number in pair]
