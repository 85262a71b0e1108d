"""Layers: networks that feed each other, the rules of the user above those of the background.

The background is a rule set that gives meaning to a vocabulary, such as OWL 2 RL. Its facts have
representatives as terms: terms that static data make equal are one term to it. Above it each fact
represents those of all members of its classes, so the rules of the user see what they would if the
background had repeated it for each [OWL2-RL, Table 4: eq-sym, eq-trans, eq-rep-s, -p, -o].
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from itertools import chain

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows, empty
from rete.arrays.state_codec import Mask, State, StateReader
from rete.graph.streams import Component, FactTable, NetworkView, Stream
from rete.kernels import concatenate
from rete.memo import Memo
from rete.network.network import Network
from rete.network.plan_migration import restore_orders, saved_orders
from rete.storage.base_table import BaseTable, of_relation, saved_relation
from rete.storage.row_algebra import all_columns, join_rows, probed_columns
from rete.storage.row_comparison import RowComparison
from rete.storage.stem import Stem
from rete.terms.equality_classes import EqualityClasses, StaticTriples, holds_always
from rete.terms.relations import TRIPLES, Head, Relation


class Layers:
    """The networks of the user above the background, and which facts each of them is shown.

    Attributes:
        background: the network of the background rules; None: there are none.
        user_networks: those whose tables are the answers, in the order they were added.
        classes: which terms are equal for ever.
        may_unite: whether a predicate makes terms equal.
        statics: the static facts, and the terms that they make equal; None: no background.
        base_table: the base table, if there is one; of representatives, once static data are in.
        retention: the most cells after their end that rows of any node are needed; see
            `rete.network.lookback`.
        history: how many cells longer they are kept, to explain the past.
        retractable: for how many cells after they begin asserted facts may be retracted; None:
            at any time.
        lateness: how many cells before the frontier asserted facts of a relation may begin.
        needed: how many cells after their end derived facts of a relation are needed elsewhere.
    """

    __slots__ = (
        "_by_relation",
        "background",
        "base_table",
        "classes",
        "history",
        "lateness",
        "may_unite",
        "needed",
        "retention",
        "retractable",
        "statics",
        "user_networks",
    )

    def __init__(self, user: Network, background: Network | None = None, same_as: int = 0) -> None:
        """Connect them; ``same_as`` is the id of the predicate that makes terms equal, or 0."""
        self.background = background
        self.user_networks: list[Network] = []
        self.classes = EqualityClasses()
        self.may_unite = same_as > 0
        self.retention = self.history = 0
        self.retractable: int | None = None
        self.lateness: Mapping[Relation, int] = {}
        self.needed: Mapping[Relation, int] = {}
        self.base_table: BaseTable | None = None
        self.statics: StaticTriples | None = None
        self._by_relation = Memo(self._tables_of)
        if background is not None:
            store = background.stores.get(TRIPLES)
            self.statics = StaticTriples(
                self.classes,
                background.terms,
                background.constants(),
                same_as,
                None if store is None else store.store,
            )
        self.add(user)

    @property
    def networks(self) -> list[Network]:
        """All of them, in the order in which their nodes act."""
        return ([] if self.background is None else [self.background]) + self.user_networks

    @property
    def held(self) -> int:
        """How many rows the SteMs of nodes, facts and the base table have; linear in the nodes."""
        networks = self.networks
        stems = [stem for network in networks for stem in network.stems_of_nodes]
        stems += [table.facts for network in networks for table in network.tables]
        held = sum(stem.n for stem in stems)
        return held if self.base_table is None else held + self.base_table.held

    def memory(self) -> dict[str, int]:
        """Bytes that the SteMs of nodes, derived and asserted facts have; linear in the nodes."""
        nodes = [stem for network in self.networks for stem in network.stems_of_nodes]
        return {
            "nodes": sum(stem.nbytes for stem in nodes),
            "facts": sum(stem.nbytes for table in self.all_tables for stem in table.stems),
            "asserted": 0 if self.base_table is None else self.base_table.nbytes,
        }

    @property
    def tables(self) -> list[FactTable]:
        """The tables of answers, each once."""
        return list(
            dict.fromkeys(table for network in self.user_networks for table in network.tables)
        )

    def add(self, network: Network) -> None:
        """Put ``network``, built after all others, above the background; nothing is pending."""
        self.user_networks.append(network)
        for each in self.networks:
            each.redirect()
            for table in each.tables:
                table.feeds |= self._feeds(table)
        self._by_relation.clear()

    def drop(self, rules: Container[int]) -> list[tuple[FactTable, int]]:
        """Take rules of these numbers out; each table that one fed, with its rule.

        Their facts stay; nodes are to be ranked anew.
        """
        return [each for network in self.user_networks for each in network.drop(rules)]

    def unshare(self) -> None:
        """Let each node have its own rows from now on, as facts may be lost, or are explained."""
        if self.statics is not None:
            self.statics.unshare()
        for network in self.networks:
            network.unshare()

    def clear(self) -> None:
        """Let all networks forget their rows, and see facts of all times from now on."""
        for network in self.networks:
            network.clear()

    def forget_names(self) -> None:
        """Drop rows of the background with terms that have a representative: it has the same rows.

        Nothing may be pending. O(rows of the background).
        """
        if self.background is not None and self.classes:
            for stem in self.background.stems:
                store = stem.store
                kept = np.ones(store.count, np.bool_)
                kept[store.mentioning(self.classes.represented) - store.first] = False
                store.keep(kept)

    def remembered(self) -> Iterator[Rows]:
        """All rows, (n, terms + 2), that are kept."""
        for network in self.networks:
            yield from (stem.content() for stem in network.stems)
        if self.base_table is not None:
            yield from self.base_table.rows()

    def _feeds(self, table: FactTable) -> bool:
        """Whether a network other than its own may scan its facts."""
        if len(self.networks) == 1:
            return False
        return table.relation == TRIPLES or (
            table.owner is None and any(each.reads(table.relation) for each in self.user_networks)
        )

    def route_asserted(
        self, relation: Relation, rows: Rows, *, stored: bool = False
    ) -> Iterator[tuple[Stream, Rows]]:
        """Per stream that has any, the asserted facts that match its scan.

        ``stored``: the store of the background has them, of representatives. While static data come
        in, the background alone is shown those that always hold.
        """
        if relation != TRIPLES or self.background is None:
            return self._route_to_user(relation, rows)
        rows = self.classes.of(rows)
        if self.statics is not None and self.statics.open:
            first = rows = self.statics.note(rows)
            rows = rows[~holds_always(rows)]
        else:
            first = rows
        shown = self._route_to_user(TRIPLES, self.classes.expand(rows))
        return chain(self.background.route(TRIPLES, first, stored=stored), shown)

    def route_derived(self, table: FactTable, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        """The same for facts that ``table`` gained."""
        if table.owner is not None:
            return table.owner.route(table.relation, rows, stored=table.shares)
        if not table.shares or not self.classes:
            return self.route_asserted(table.relation, rows, stored=table.shares)
        same = self.classes.are_of_representatives(rows)
        return chain(
            self.route_asserted(TRIPLES, rows[same], stored=True),
            self.route_asserted(TRIPLES, rows[~same]),
        )

    def reaches(self, table: FactTable, network: NetworkView) -> bool:
        """Whether the scans of ``network`` are shown the facts of ``table``.

        Triples are shown to all networks, other answers to those of the user; what is neither is a
        step of rules of its own network, though others may name the same relation.
        """
        if table.owner is not None:
            return table.owner is network
        return table.relation == TRIPLES or network is not self.background

    def withdrawn(self, relation: Relation, rows: Rows) -> Rows:
        """What of facts, of representatives, that are asserted no longer is in no table."""
        return self._not_derived(relation, rows, None)

    def lost(self, table: FactTable, rows: Rows, component: Component | None = None) -> Rows:
        """What of facts that ``table`` has no longer is neither asserted nor in another table.

        The facts are given and returned with representatives. With a ``component``, its tables do
        not count, as their facts are suspects.
        """
        relation, rest = table.relation, rows
        if relation == TRIPLES or len(self._by_relation[relation]) > 1:  # else it has them alone
            rest = self.as_representatives(relation, rows)
            rest = self._not_derived(relation, rest, table, component)
        if self.base_table is not None and (
            table.owner is None or table.owner is not self.background
        ):  # the background alone is not shown what is asserted of its own relations
            rest = self.base_table.not_asserted(relation, rest)
        return rest

    def as_representatives(self, relation: Relation, rows: Rows) -> Rows:
        """Facts of ``relation`` with representatives in place of their terms."""
        return self.classes.of(rows) if relation == TRIPLES else rows

    def route_from(
        self, relation: Relation, rows: Rows, source: FactTable | None
    ) -> Iterator[tuple[Stream, Rows]]:
        """Per stream that has any, the facts of ``source`` that its scan matches.

        The facts have representatives as terms; without a ``source`` they were asserted.
        """
        if source is not None and source.owner is not None:
            return source.owner.route(relation, rows)
        if self.background is None or relation != TRIPLES:
            return self._route_to_user(relation, rows)
        shown = self._route_to_user(relation, self.classes.expand(rows))
        return chain(self.background.route(relation, rows), shown)

    def may_be_suspect(self, relation: Relation, component: Component | None) -> bool:
        """Whether a recursive component but ``component`` has a table of ``relation``.

        Facts of that may depend on themselves, so they do not settle anything.
        """
        components = (table.component for table in self._by_relation[relation])
        return any(each.recursive and each is not component for each in components)

    def _not_derived(
        self,
        relation: Relation,
        rows: Rows,
        source: FactTable | None,
        component: Component | None = None,
    ) -> Rows:
        """The pieces of ``rows``, of representatives, that no table has but the ones excluded.

        Excluded are ``source``, the tables of ``component``, and what those who are shown the facts
        of ``source`` are not shown.
        """
        represents = relation == TRIPLES and bool(self.classes)
        owner = None if source is None else source.owner
        for table in self._by_relation[relation]:
            if (
                (table is source and not represents)
                or not table.facts.n
                or table.owner is not owner
                or table.component is component
            ):
                continue
            asked = self.classes.expand(rows) if represents and table.answers else rows
            found = table.facts.meet(asked, NEG_INF)
            if len(found):
                found = self.classes.of(found) if represents else found
                rows = RowComparison(instances=table.facts.instances).unsupported(rows, found)
        return rows

    def stored(
        self,
        stream: Stream,
        relation: Relation,
        asked: Rows,
        places: tuple[int, ...],
    ) -> Rows:
        """The facts that are shown to a scan and agree with ``asked`` at ``places``."""
        in_background = stream.network is self.background
        represents = relation == TRIPLES and bool(self.classes)
        if represents:
            questions, asked = asked, self.classes.of(asked)
        parts = []
        if self.base_table is not None and self.shows_asserted(stream, relation):
            parts.append(self.base_table.matching(relation, asked, places))
        key = all_columns(len(places))
        for table in self.tables_of(stream, relation):
            if table.facts.n:
                mine = self.classes.expand(asked) if represents and table.answers else asked
                stem = table.facts
                keep = probed_columns(stem.width)
                parts.append(stem.probe(mine, key, stem.end, stem.index(places), keep))
        if not parts:
            return empty(relation.arity)
        rows = stream.network.seen(concatenate(parts))
        if not represents:
            return rows
        rows = self.classes.of(rows, relation.arity)
        if in_background:
            return rows
        rows = self.classes.expand(rows, relation.arity)
        return join_rows(rows, places, questions, range(len(places)), range(rows.shape[1] - 2))

    def not_stored(
        self,
        stream: Stream,
        relation: Relation,
        asked: Rows,
        key: Column,
        places: tuple[int, ...],
    ) -> Rows:
        """The pieces of ``asked`` with which no fact agrees that a scan is shown; see `stored`.

        They agree if the columns ``key`` are the terms at ``places``. For relations whose facts
        represent no others.
        """
        for stem in self.stems_of(stream, relation):
            if not len(asked):
                break
            if stem.n:
                asked = stem.uncovered(asked, key, stem.index(places))
        return asked

    def stems_of(self, stream: Stream, relation: Relation) -> Iterator[Stem]:
        """The SteMs of all facts of ``relation`` that are shown to a scan."""
        base = self.asserted_stem(relation) if self.shows_asserted(stream, relation) else None
        if base is not None:
            yield base
        yield from (table.facts for table in self.tables_of(stream, relation))

    def tables_of(self, stream: Stream, relation: Relation) -> list[FactTable]:
        """The tables whose facts of ``relation`` are shown to a scan."""
        return [
            table for table in self._by_relation[relation] if self.reaches(table, stream.network)
        ]

    def shows_asserted(self, stream: Stream, relation: Relation) -> bool:
        """Whether facts of ``relation`` may be asserted that are shown to a scan."""
        return self.base_table is not None and (
            stream.network is not self.background or relation == TRIPLES
        )

    def asserted_stem(self, relation: Relation) -> Stem | None:
        """The asserted facts of ``relation``, with a name as a last term; None: there are none."""
        return None if self.base_table is None else self.base_table.stem(relation)

    def _tables_of(self, relation: Relation) -> list[FactTable]:
        """The tables of ``relation``; those of all relations are found at once."""
        found = self._by_relation
        if not found:
            for table in self.all_tables:
                found.setdefault(table.relation, []).append(table)
        return found.get(relation, [])

    def _route_to_user(self, relation: Relation, rows: Rows) -> Iterator[tuple[Stream, Rows]]:
        networks = self.user_networks
        if len(networks) == 1:
            return networks[0].route(relation, rows)
        return chain.from_iterable([each.route(relation, rows) for each in networks])

    def facts(self) -> Iterator[tuple[Relation, Rows]]:
        """All derived facts that are stored now, as a network of the user that joins sees them."""
        for table in self.tables:
            if table.owner is None:
                yield table.relation, table.facts.content()
        if self.background is not None:
            for table in self.background.tables:
                if table.relation == TRIPLES:
                    yield TRIPLES, self.classes.expand(self.classes.of(table.facts.content()))

    def saved(self, *, base_table: bool = True) -> State:
        """What all networks remember, and which terms are equal; nothing is pending.

        Without ``base_table``, what is asserted is saved elsewhere.
        """
        state: State = {
            "networks": [
                {
                    "since": network.since,
                    "clock": network.clock,
                    "begin": network.begin,
                    "orders": saved_orders(network),
                    "shares": bool(network.stores),
                    "stores": [
                        of_relation(relation, store.saved())
                        for relation, store in network.own_stores.items()
                    ],
                    "streams": [stream.saved() for stream in network.streams.values()],
                }
                for network in self.networks
            ],
            "tables": [_saved_table(each) for each in self.all_tables],
            "same": self.classes.saved(),
        }
        if self.statics is not None:
            state["statics"] = self.statics.saved()
        if base_table and self.base_table is not None:
            state["asserts"] = self.base_table.saved()
        return state

    def restore(self, given: StateReader, alive: Mask, *, base_table: bool = True) -> None:
        """Remember what was saved of networks with the same plans, and nothing else."""
        for network, part in zip(
            self.networks, given.parts("networks", len(self.networks)), strict=True
        ):
            network.since = part.integer("since", NEG_INF, POS_INF)
            network.clock = part.integer("clock", NEG_INF, POS_INF)
            network.begin = part.integer("begin", NEG_INF, POS_INF)
            restore_orders(network, part.parts("orders"))
            _restore_stores(network, part, alive)
            streams = part.parts("streams", len(network.streams))
            for stream, each in zip(network.streams.values(), streams, strict=True):
                stream.restore(each, alive)
        tables = self.all_tables
        for table, part in zip(tables, given.parts("tables", len(tables)), strict=True):
            table.restore(part, alive)
        self.classes.restore(given.part("same"), alive)
        if self.statics is not None:
            self.statics.restore(given.part("statics"), alive)
        if base_table and self.base_table is not None:
            self.base_table.restore(given.part("asserts"), alive)

    def take_over(self, given: StateReader, alive: Mask) -> None:
        """Have what was saved of what is asserted, whatever the plans were that had derived."""
        networks = self.networks
        for network, part in zip(networks, given.parts("networks", len(networks)), strict=True):
            network.since = part.integer("since", NEG_INF, POS_INF)
        self.classes.restore(given.part("same"), alive)
        if self.statics is not None and not given.part("statics").flag("open"):
            self.statics.restore(given.part("statics"), alive)
        assert self.base_table is not None
        self.base_table.restore(given.part("asserts"), alive)

    def find_answers(self, given: StateReader) -> FactTable | None:
        """The table of answers that has the facts of a saved table now; None: they are none."""
        relation, texts = saved_relation(given), given.texts("head")
        head = Head(relation, tuple(text or place for place, text in enumerate(texts)))
        if not given.flag("answers") or len(texts) != relation.arity:
            return None
        tables = [each for each in self._by_relation[relation] if each.answers]
        found = next((each for each in tables if each.may_hold([head])), None)
        if found is None:
            given.refuse("head", "is that of no rule")
        return found

    @property
    def all_tables(self) -> list[FactTable]:
        """The tables of all networks, each once."""
        return list(dict.fromkeys(table for each in self.networks for table in each.tables))


def _saved_table(table: FactTable) -> State:
    """A table with what tells it from all others: whose facts it has, and one of its heads.

    Of the head it says the constants, and ``""`` at other places.
    """
    head = [text or "" for text in table.heads[0][1].key]
    return of_relation(table.relation, {"answers": table.answers, "head": head, **table.saved()})


def _restore_stores(network: Network, given: StateReader, alive: Mask) -> None:
    """Have the stores that were saved; none, if each node had its own rows."""
    if not ("shares" in given and given.flag("shares")):
        network.unshare()
        return
    stores = network.own_stores
    for part in given.parts("stores", len(stores)):
        store = stores.get(saved_relation(part))
        if store is None:
            part.refuse("op", "is of a relation without a store")
        store.restore(part, alive)
