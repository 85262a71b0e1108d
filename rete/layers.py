"""Networks that feed each other: rules of the user above rules of the background.

The background is a rule set that gives meaning to a vocabulary, such as OWL 2 RL. Its facts are
kept of representatives: terms that static data say to be the same are one term to it. Above it
each fact stands for every member of its classes, so the rules of the user see what they would if
the background had repeated it for each [OWL2-RL, Table 4: eq-sym, eq-trans, eq-rep-s, -p, -o].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from rete.asserted import Asserted
from rete.delta import NEG_INF, POS_INF, Column, Rows, columns, concat, empty
from rete.kernels import COVERS, Index, probe
from rete.network import Network
from rete.nodes.base import Stream
from rete.nodes.terminal import FactTable
from rete.plan import TRIPLES, Relation
from rete.representatives import Representatives
from rete.saved import Given, Mask, State
from rete.stem import MIXED, Stem
from rete.texts import KIND_LITERAL
from rete.unions import with_term
from rif.terms import RDF

if TYPE_CHECKING:
    from rete.components import Component

_WORD: Final = f"<{RDF}"


class Layers:
    """The way of facts between the networks of the user and the background beneath them.

    Attributes:
        background: the network of the background rules; None: there are none.
        generic: the networks whose tables are the answers, in the order they were added.
        same: which terms are the same for ever.
        asserts: the base table, if there is one; of representatives, once static data are in.
    """

    __slots__ = (
        "_by_relation",
        "_facts",
        "_kept",
        "_pairs",
        "_same_as",
        "asserts",
        "background",
        "generic",
        "same",
    )

    def __init__(
        self, generic: Network, background: Network | None = None, same_as: int = 0
    ) -> None:
        """Let them feed each other.

        Args:
            generic: the rules of the user.
            background: its nodes come before those of ``generic``.
            same_as: the id of the predicate that makes two terms the same; 0: none does.
        """
        self.background = background
        self.generic: list[Network] = []
        self.same = Representatives()
        self.asserts: Asserted | None = None
        self._same_as = same_as
        self._pairs: list[Rows] = []
        self._facts: list[Rows] | None = None
        self._by_relation: dict[Relation, list[FactTable]] = {}
        if background is not None:
            self._kept = background.constants()
            self._facts = []
        self.add(generic)

    @property
    def networks(self) -> list[Network]:
        """All of them, in the order in which their nodes act."""
        return ([] if self.background is None else [self.background]) + self.generic

    @property
    def tables(self) -> list[FactTable]:
        """The tables of answers, each once."""
        return list(dict.fromkeys(table for network in self.generic for table in network.tables))

    def add(self, network: Network) -> None:
        """Put ``network``, built after all others, above the background; nothing is pending."""
        self.generic.append(network)
        for each in self.networks:
            each.redirect()
            for table in each.tables:
                table.feeds |= self._feeds(table)
        self._by_relation.clear()

    def _feeds(self, table: FactTable) -> bool:
        """Whether a network other than its own may ask for its facts."""
        if len(self.networks) == 1:
            return False
        return table.relation == TRIPLES or (
            table.answers and any(each.reads(table.relation) for each in self.generic)
        )

    def asserted(self, relation: Relation, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        """Per stream that has any, the asserted facts that match its scan."""
        if relation != TRIPLES:
            yield from self._above(relation, rows)
            return
        if self.background is not None:
            rows = self.same.of(rows)
            if self._facts is not None:
                rows = self._noted(rows)
            yield from self.background.route(TRIPLES, rows)
            rows = self.same.expand(rows)
        yield from self._above(TRIPLES, rows)

    def derived(self, table: FactTable, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        """The same of what ``table`` gained."""
        if self.background is None or table.answers or table.relation == TRIPLES:
            return self.asserted(table.relation, rows)
        return self.background.route(table.relation, rows)

    def reaches(self, table: FactTable, network: Network) -> bool:
        """Whether the scans of ``network`` are shown the facts of ``table``."""
        if self.background is None or table.relation == TRIPLES:
            return True
        return table.answers == (network is not self.background)

    def withdrawn(self, relation: Relation, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        """Per stream the asserted facts that its scan matches no longer: what no table holds.

        What a recursive component derives may rest on them, so that it does not count.
        """
        rest = self._not_derived(relation, rows, None)
        return self._route(relation, rest)

    def lost(self, table: FactTable, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        """The same of facts that ``table`` holds no longer."""
        relation = table.relation
        rest = self.same.of(rows) if relation == TRIPLES else rows
        rest = self._not_derived(relation, rest, table)
        if self.asserts is not None and (relation == TRIPLES or table.answers):
            rest = self.asserts.left(relation, rest)
        if relation != TRIPLES and self.background is not None and not table.answers:
            return self.background.route(relation, rest)
        return self._route(relation, rest)

    def _route(self, relation: Relation, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        if relation == TRIPLES and self.background is not None:
            yield from self.background.route(relation, rows)
            rows = self.same.expand(rows)
        yield from self._above(relation, rows)

    def _not_derived(self, relation: Relation, rows: Rows, source: FactTable | None) -> Rows:
        """The pieces of ``rows``, of representatives, that no table holds that is settled."""
        for table in self._tables(relation):
            if table.component.recursive and (
                source is None or table.component is source.component
            ):
                continue
            stands_for = relation == TRIPLES and bool(self.same)
            if table is source and not stands_for:
                continue
            asked = self.same.expand(rows) if stands_for and table.answers else rows
            held = table.facts.meet(asked, NEG_INF)
            if len(held):
                stem = Stem(relation.arity, instances=table.facts.instances)
                stem.absorb(self.same.of(held) if stands_for else held, NEG_INF)
                rows = stem.missing(rows)
        return rows

    def held(
        self,
        stream: Stream,
        relation: Relation,
        asked: Rows,
        places: tuple[int, ...],
        component: Component | None = None,
    ) -> Rows:
        """The facts that are shown to a scan and agree with ``asked`` at ``places``.

        With a ``component``, each with its level there as a last term: 0 if it is asserted, or
        derived elsewhere.
        """
        beneath = stream.network is self.background
        stands_for = relation == TRIPLES and bool(self.same)
        if stands_for:
            questions, asked = asked, self.same.of(asked)
        parts = [empty(relation.arity + (component is not None))]
        if self.asserts is not None and (relation == TRIPLES or not beneath):
            parts.append(_leveled(self.asserts.matching(relation, asked, places), 0, component))
        key = columns(range(len(places)))
        every = columns([~c for c in range(relation.arity)])
        for table in self._tables(relation):
            if self.reaches(table, stream.network):
                mine = self.same.expand(asked) if stands_for and table.answers else asked
                stem = table.facts
                found = stem.probe(mine, key, stem.n, stem.index(places), every)
                settled = component is None or table.component is not component
                levels = 0 if settled or stem.levels is None else stem.levels_of(found)
                parts.append(_leveled(found, levels, component))
        rows = concat(parts)
        if not stands_for:
            return rows
        rows = self.same.of(rows, relation.arity)
        if beneath:
            return rows
        rows = self.same.expand(rows, relation.arity)
        index = Index(key)
        index.extend(questions, len(questions))
        keep = columns(range(rows.shape[1] - 2))
        return probe(rows, columns(places), questions, len(questions), index, keep)

    def stands_for(self, relation: Relation) -> bool:
        """Whether a fact of ``relation`` may stand for others."""
        return relation == TRIPLES and bool(self.same)

    def levels(
        self, stream: Stream, relation: Relation, facts: Rows, component: Component
    ) -> Column:
        """The levels in ``component`` of facts that are shown to ``stream``, as of `held`.

        `MIXED` where one is not held all the time by one assertion or table.
        """
        levels = np.full(len(facts), MIXED, np.int64)
        starts = np.ascontiguousarray(facts[:, :-1])
        for table in self._tables(relation):
            if self.reaches(table, stream.network):
                stem = table.facts
                found = stem.find(starts, COVERS)
                held = (found >= 0) & (stem.rows[found, -1] >= facts[:, -1])
                if table.component is component:
                    assert stem.levels is not None
                    own = np.where(held, stem.levels[found], MIXED)
                    np.minimum(levels, own, out=levels)
                else:
                    levels[held] = 0
        beneath = stream.network is self.background
        if self.asserts is not None and (relation == TRIPLES or not beneath):
            levels[self.asserts.holds(relation, facts)] = 0
        return levels

    def some(
        self, stream: Stream, relation: Relation, most: int, component: Component | None
    ) -> Rows:
        """Some facts that are shown to a scan, with their levels as of `held`: a few at least.

        None where a fact stands for others.
        """
        beneath = stream.network is self.background
        parts = [empty(relation.arity + 1)]
        if relation == TRIPLES and self.same:
            return parts[0]
        if self.asserts is not None and (relation == TRIPLES or not beneath):
            parts.append(with_term(self.asserts.some(relation, most), 0))
        parts += (
            table.facts.some(most, leveled=table.component is component)
            for table in self._tables(relation)
            if self.reaches(table, stream.network)
        )
        return concat(parts)

    def _tables(self, relation: Relation) -> list[FactTable]:
        found = self._by_relation.get(relation)
        if found is None:
            found = [table for table in self.all_tables if table.relation == relation]
            self._by_relation[relation] = found
        return found

    def _above(self, relation: Relation, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        for network in self.generic:
            yield from network.route(relation, rows)

    def facts(self) -> Iterator[tuple[Relation, Rows]]:
        """What was derived and is still held, as the generic networks see it."""
        for table in self.tables:
            yield table.relation, table.facts.content()
        if self.background is not None:
            for table in self.background.tables:
                if table.relation == TRIPLES:
                    yield TRIPLES, self.same.expand(self.same.of(table.facts.content()))

    def united(self) -> Rows:
        """Static facts to be asserted again, as their terms were found to be the same as others.

        None: nothing was found since the last call.
        """
        if not self._pairs:
            return empty(3)
        pairs = concat(self._pairs)
        self._pairs = []
        changed = self.same.unite(pairs)
        facts = self.static()
        self._facts = [facts]
        again = facts[np.isin(facts[:, :3], changed).any(axis=1)]
        themselves = np.empty((len(changed), 5), np.int64)
        themselves[:] = 0, self._same_as, 0, NEG_INF, POS_INF
        themselves[:, 0] = themselves[:, 2] = changed
        return np.concatenate([again, _distinct(self.same.of(themselves))])

    def static(self) -> Rows:
        """All static triples of representatives, (n, 5), each once; before `seal`."""
        assert self._facts is not None
        return _distinct(self.same.of(concat([empty(3), *self._facts])))

    def seal(self) -> None:
        """All static data are in; what says later that terms are the same is left to the rules."""
        self._facts = None

    def saved(self) -> State:
        """What all networks hold, and what is known of the terms; nothing is pending."""
        state: State = {
            "networks": [
                {"streams": [stream.saved() for stream in network.streams.values()]}
                for network in self.networks
            ],
            "tables": [table.saved() for table in self.all_tables],
            "same": self.same.saved(),
        }
        if self._facts is not None:
            state["static"] = {"facts": concat([empty(3), *self._facts])}
            state["pairs"] = concat([empty(0), *self._pairs])
        if self.asserts is not None:
            state["asserts"] = self.asserts.saved()
        return state

    def restore(self, given: Given, alive: Mask) -> None:
        """Hold what was saved of networks with the same plans."""
        for network, part in zip(
            self.networks, given.parts("networks", len(self.networks)), strict=True
        ):
            streams = part.parts("streams", len(network.streams))
            for stream, each in zip(network.streams.values(), streams, strict=True):
                stream.restore(each, alive)
        tables = self.all_tables
        for table, part in zip(tables, given.parts("tables", len(tables)), strict=True):
            table.restore(part, alive)
        self.same.restore(given.part("same"), alive)
        static = given.maybe("static")
        self._facts = None
        if static is not None:
            self._facts = [static.rows("facts", 3, alive)]
            pairs = given.array("pairs", np.int64, None, 2)
            given.living("pairs", pairs, alive)
            self._pairs = [pairs] if len(pairs) else []
        if self.asserts is not None:
            self.asserts.restore(given.part("asserts"), alive)

    @property
    def all_tables(self) -> list[FactTable]:
        """The tables of all networks, each once."""
        return list(dict.fromkeys(table for each in self.networks for table in each.tables))

    def _noted(self, rows: Rows) -> Rows:
        """Keep what is static, and take out what makes two terms the same."""
        assert self._facts is not None
        static = (rows[:, 3] == NEG_INF) & (rows[:, 4] == POS_INF)
        pairs = static & (rows[:, 1] == self._same_as) & (rows[:, 0] != rows[:, 2])
        if pairs.any():
            pairs[pairs] = self._may_unite(rows[pairs][:, [0, 2]])
            if pairs.any():
                self._pairs.append(rows[pairs][:, [0, 2]])
            rows, static = rows[~pairs], static[~pairs]
        self._facts.append(rows if static.all() else rows[static])
        return rows

    def _may_unite(self, pairs: Rows) -> npt.NDArray[np.bool_]:
        """Whether one of two terms may stand for both.

        Not a constant that some scan asks for, as it must go on to match; not a literal, as its
        value says what it is; not a word of RDF, as rules tell ``rdf:_2`` by its text: these are
        left to the rules.
        """
        assert self.background is not None
        terms = self.background.terms
        ids, place = np.unique(pairs.ravel(), return_inverse=True)
        words = np.array([text.startswith(_WORD) for text in terms.decode_many(ids)])
        kept = (terms.kinds(ids) == KIND_LITERAL) | words | np.isin(ids, self._kept)
        some: npt.NDArray[np.bool_] = kept[place].reshape(pairs.shape).any(axis=1)
        return ~some


def _leveled(rows: Rows, levels: Column | int, component: Component | None) -> Rows:
    if component is None:
        return rows
    return with_term(rows, levels)


def _distinct(rows: Rows) -> Rows:
    """Each row of facts that always hold once, in no order."""
    if len(rows) < 2:  # noqa: PLR2004 - nothing to compare with
        return rows
    ordered = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    first: npt.NDArray[np.bool_] = np.ones(len(rows), np.bool_)
    first[1:] = (ordered[1:, :3] != ordered[:-1, :3]).any(axis=1)
    return ordered[first]
