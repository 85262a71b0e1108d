"""The inference engine: rules that run, as one object.

    engine = InferenceEngine(emits, terms)
    engine.assert_facts(relation, rows)
    engine.run()
    for table in engine.layers.tables: table.facts.content()

It sees itself whether a plan negates. Then what is derived may be lost again, so what is asserted
is kept, and losses are followed from the first.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

import numpy as np

from rete.arrays.delta import NEG_INF, POS_INF, Column, Rows
from rete.arrays.state_codec import Mask, State, StateReader
from rete.arrays.term_columns import Ids
from rete.graph.plan import Emit
from rete.graph.streams import FactTable, Stream
from rete.inference.agenda import Agenda
from rete.network.layers import Layers
from rete.network.lookback import measure_lookback
from rete.network.network import Network
from rete.network.summation import is_due, sum_up
from rete.planning.strata import has_negation
from rete.retraction.view_maintenance import ViewMaintenance
from rete.storage.base_table import BaseTable
from rete.terms.dictionary import Dictionary
from rete.terms.relations import ERROR, TRIPLES, Relation


class InferenceEngine(Agenda):
    """The networks of some rules in layers, what is asserted, and the agenda that runs them.

    Rows are in ids and cells, (n, arity + 2). `r4.engine.core` puts time and answers on top.

    Attributes:
        network: that of the rules it began with.
        negates: whether some rule has, or had, a negated condition.
    """

    def __init__(  # noqa: PLR0913 - what it is built from, and what is wanted of it
        self,
        emits: Iterable[Emit],
        terms: Dictionary,
        *,
        background: Iterable[Emit] = (),
        same_as: str | None = None,
        instances: bool = False,
        answers: Callable[[Relation], bool] = lambda _: False,
        table: Callable[[Relation], FactTable] | None = None,
        late: Mapping[Relation, int] | None = None,
        needed: Mapping[Relation, int] | None = None,
        limit: int | None = None,
        retracts: bool = False,
        retractable: int | None = None,
        maintains: bool = False,
        adapts: bool = False,
        begins: bool = True,
    ) -> None:
        """Build the networks, and derive what needs no fact once it runs.

        Args:
            emits: the plans of the rules.
            terms: the dictionary of all ids.
            background: the plans of rules that act before them; see `Layers`.
            same_as: the predicate by which the background unites terms; None: by none.
            instances: whether facts are kept by start instead of by maximal interval.
            answers: whether the facts of a relation are answers: `on_gain` and `on_loss` are called
                with them, and they are kept by rule.
            table: makes the tables of facts; None: they are plain ones.
            late: how many cells before the frontier asserted facts of a relation may begin.
            needed: how many cells after their end derived facts of a relation are needed elsewhere.
            limit: the most facts that one `run` may gain; None: any number.
            retracts: whether what is asserted is kept, to be retracted or explained.
            retractable: for how many cells after they begin facts may be retracted; None: any.
            maintains: whether it is kept, and losses are prepared for, so that the first is quick.
            adapts: whether joins may come into another order; see `rete.network.adaptive_order`.
            begins: whether nodes are ranked, so that it may run; not where it is only drawn, or
                where `restore` comes next.
        """
        emits, background = tuple(emits), tuple(background)
        self._answers = answers
        self._make_table = table
        beneath = None
        if background:  # of it only an inconsistency is an answer
            shared = None
            if not maintains and not _negates((*emits, *background)):
                # Of triples it is to be known which were asserted, if they may be retracted.
                shared = TRIPLES.__ne__ if retracts else lambda _: True
            beneath = Network(
                background, terms, instances=instances, answers=ERROR.__eq__, shared=shared
            )
        before = () if beneath is None else (beneath,)
        self.network = Network(
            emits, terms, instances=instances, answers=answers, before=before, table=table
        )
        united = terms.encode_many([] if same_as is None else [same_as])
        terms.pin(united)
        layers = Layers(self.network, beneath, *united.tolist())
        layers.lateness, layers.needed = late or {}, needed or {}
        layers.retractable = retractable
        super().__init__(layers, terms, limit, adapts=adapts)
        self.negates = _negates((*emits, *background))
        if retracts or maintains or self.negates:
            layers.base_table = BaseTable(instances=instances)
            layers.base_table.retractable = retractable
        if begins:
            self._arrange(layers.networks, maintains=maintains)
            for network in layers.networks:
                self._begin(network, NEG_INF)

    def _arrange(self, networks: Iterable[Network], *, maintains: bool = False) -> None:
        """Rank the nodes of ``networks``: after all others, unless facts may be lost."""
        self.bound = self._bound
        if self._maintenance is not None:
            self.rearrange()
        elif maintains or self.negates:
            self.maintain()
        else:
            for network in networks:
                self._rank(network)
            measure_lookback(self.layers)

    def _begin(self, network: Network, since: int) -> None:
        network.since = since
        for unit in network.units:
            unit.since = since
        statics = self.layers.statics
        if statics is None or not statics.open or network is self.layers.background:
            self.start(network)

    def assert_again(self) -> None:
        """Give all that is asserted to the networks, which have no rows."""
        assert self.layers.base_table is not None
        for network in self.layers.networks:
            self._begin(network, network.since)
        for relation, rows in self.layers.base_table.content():
            self.push(relation, rows)

    def start(self, network: Network) -> None:
        """Derive what needs no fact."""
        always = np.array([[network.since, POS_INF]], np.int64)
        for unit in network.units:
            self.deliver(unit, always)

    def add(self, emits: Iterable[Emit]) -> Network:
        """Put a network of further rules above the others; `admit` lets it begin.

        If one negates, what was asserted before must have been kept.
        """
        self.run()
        emits = tuple(emits)
        self.negates |= _negates(emits)
        assert self.layers.base_table is not None or not self.negates
        network = Network(
            emits,
            self.terms,
            instances=self.network.instances,
            answers=self._answers,
            before=self.layers.networks,
            table=self._make_table,
        )
        self.layers.add(network)
        return network

    def admit(self, network: Network, since: int = NEG_INF) -> None:
        """Begin with a network: what needs no fact holds from the cell ``since`` on.

        While static data come in, a network above the background waits for `start`.
        """
        self._arrange([network])
        self._begin(network, since)

    def drop(self, rules: Container[int]) -> list[tuple[FactTable, int]]:
        """Take rules of these numbers out; each table that one fed, with its rule, to `disown`."""
        self.run()
        self.maintain()
        fed = self.layers.drop(rules)
        self.rearrange()
        return fed

    def disown(self, table: FactTable, rule: int, *, whole: bool) -> None:
        """``rule``, which was dropped, derives nothing of ``table`` from the frontier on.

        ``whole``: nor before, as rules look back.
        """
        assert self._maintenance is not None
        table.injective = False  # what is left may derive it too
        table.parked.pop(rule, None)
        rows = table.of_rule(rule)
        if not whole:
            rows = rows[rows[:, -1] > self.bound]
            if not table.facts.instances:
                np.maximum(rows[:, -2], self.bound, out=rows[:, -2])
        self._maintenance.deliver_facts(table, rule, rows)

    def assert_facts(self, relation: Relation, rows: Rows, names: Column | None = None) -> None:
        """Take in facts of elements with these ``names``, (n,); None: they have none."""
        if self.layers.base_table is not None:
            self.layers.base_table.add(relation, rows, names, self.bound)
        self.push(relation, rows)

    def withdraw(self, relation: Relation, rows: Rows) -> None:
        """Facts, which the base table has lost, are asserted no longer, from the frontier on."""
        self.maintain()
        assert self._maintenance is not None
        self._maintenance.withdraw(relation, rows)

    def maintain(self) -> None:
        """From now on facts may be lost; a second call changes nothing."""
        if self._maintenance is None:
            self.layers.unshare()
            self._maintenance = ViewMaintenance(self)
            self.rearrange()

    def deliver_losses(self, stream: Stream, rows: Rows) -> None:
        """``rows`` of a stream lost a derivation, as a negation lets them pass no longer."""
        assert self._maintenance is not None
        self._maintenance.deliver(stream, rows)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is pending."""
        return not (self._heap or self._unfinished)

    @property
    def overdeleted(self) -> int:
        """How many rows of facts were deleted so far, those derived again included."""
        return 0 if self._maintenance is None else self._maintenance.overdeleted

    @property
    def settling(self) -> float:
        """Seconds so far in which lost facts were found and taken out; see `ViewMaintenance`."""
        return 0.0 if self._maintenance is None else self._maintenance.settling

    def settle(self, frontier: int) -> None:
        """Derive what follows; then what ends before the cell ``frontier`` may be forgotten."""
        self.run()
        self.bound = frontier

    def sum_up(self) -> None:
        """Let go of what operators over endless time have seen long ago, if that is due."""
        if is_due(self.layers):
            self.run()
            sum_up(self.layers)

    def expire(self) -> None:
        """Drop all rows that ended before the frontier, and that nothing needs. O(rows)."""
        sum_up(self.layers)
        for network in self.layers.networks:
            network.forget(self.bound)
        if self.layers.base_table is not None:
            self.layers.base_table.expire(self.bound)

    def forget(self, needed: Iterable[Ids] = (), *, anew: bool = True, ever: bool = True) -> None:
        """`expire`, and forget the terms that no row has any more. O(rows + terms).

        Args:
            needed: ids that are to stay though no row has them, in arrays of any shape.
            anew: whether kept rows are looked through for terms; else those stay that were to.
            ever: whether terms are needed as long as a row is kept; else until it ends.
        """
        self.expire()
        if anew:
            self.terms.untouch()
            for rows in self.layers.remembered():
                ends = np.full(len(rows), POS_INF) if ever else rows[:, -1].copy()
                self.terms.touch(np.ascontiguousarray(rows[:, :-2]), ends)
        self.terms.sweep(self.bound, needed)

    def saved(self, *, base_table: bool = True) -> State:
        """Its state without its terms; nothing is pending. See `Layers.saved`."""
        layers = self.layers.saved(base_table=base_table)
        return {"layers": layers, "agenda": self._saved_progress()}

    def restore(self, given: StateReader, alive: Mask, *, base_table: bool = True) -> None:
        """Resume from the saved state of an engine of the same rules; it has not begun."""
        self.layers.restore(given.part("layers"), alive, base_table=base_table)
        agenda = given.part("agenda")
        self._restore_progress(agenda)
        self._arrange(self.layers.networks, maintains=agenda.flag("maintains"))

    def take_over(self, given: StateReader, alive: Mask) -> None:
        """Have what is asserted in the saved state of an engine with other plans; see `restore`."""
        self.layers.take_over(given.part("layers"), alive)
        agenda = given.part("agenda")
        self._restore_bounds(agenda)
        self._arrange(self.layers.networks, maintains=agenda.flag("maintains"))


def _negates(emits: Iterable[Emit]) -> bool:
    return any(has_negation(emit.source) for emit in emits)
