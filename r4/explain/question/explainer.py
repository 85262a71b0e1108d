"""Why a fact holds in an engine at one instant, and what `Engine.explain` returns for it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from r4.engine.core import Core
from r4.explain.explanation import (
    AssertedNode,
    EndCause,
    EndKind,
    EndRole,
    Explanation,
    FactOrigin,
    MemberChange,
    ProofTree,
    Statement,
    without_ends,
)
from r4.explain.justification.ground_program import ProofLeaf
from r4.explain.justification.instant_state import InstantState
from r4.explain.justification.justifications import Justifications, justify
from r4.explain.justification.proof_times import ProofTimes
from r4.explain.justification.rule_instances import GroundFact, OperatorRow
from r4.explain.question.fact_parser import suggest
from r4.explain.question.group_members import member_changes
from r4.explain.question.known_state import KnownState
from r4.explain.question.proof_tree_builder import LeafBuilder, build_tree
from r4.explain.question.why_not import explain_why_not
from r4.explain.rendering.condition_text import ConditionWriter
from r4.explain.tick_spans import TickSpan, coalesce_spans, span_at, to_ticks
from r4.markup import folded, picture
from r4.time.ticks import StampFormat
from rete.arrays.delta import NEG_INF, POS_INF
from rete.drawing.names import Names, names_in_use
from rete.nodes.aggregate import Aggregate
from rete.storage.interval_sets import coalesce, interval_at, subtract
from rete.terms.relations import TRIPLES, Relation

_NEAR: Final = 5
"""So many facts are shown that come near."""


@dataclass(frozen=True, slots=True)
class JustificationSnapshot:
    """The justifications of a fact at an instant, in ticks."""

    at: int
    justified: Justifications
    trees: tuple[ProofTree, ...]
    leaves: LeafBuilder


class Explainer:
    """Explains facts of an engine, in whose networks nothing is pending."""

    def __init__(
        self,
        core: Core,
        names: Names,
        limit: int,
        *,
        settled: int | None = None,
        unknown: Sequence[str] = (),
    ) -> None:
        """Begin: an explanation has at most ``limit`` justifications.

        Of an engine that runs nothing can change up to the tick ``settled``: what ended by then may
        have been taken back. None: questions come before that; the frontier. ``unknown`` terms of
        the question were in no rule and in no data.
        """
        self._core = core
        self._limit = limit
        self._names = names
        self._settled = settled
        self.unknown = tuple(unknown)

    @property
    def _wording(self) -> ConditionWriter:
        """Writes in the names of the rules, whatever the order of joins is now."""
        networks = self._core.layers.networks
        return ConditionWriter(self._core.terms, names_in_use(self._names, networks), networks)

    def _known(self, state: InstantState) -> KnownState:
        """A state with what was kept of other instants: what ended since, and some of before."""
        core = self._core
        kept = 2 * core.frontier - core.layers.history
        since = NEG_INF if core.frontier <= NEG_INF or kept <= NEG_INF else kept
        return KnownState(state, self._wording, (since, POS_INF), state.cell + 1)

    def fact(self, relation: Relation, terms: Iterable[int]) -> GroundFact:
        """A fact by its ids."""
        return InstantState(self._core.layers, 0).fact(relation, terms)

    def explain(
        self, relation: Relation, terms: Iterable[int], tick: int, *, gone: bool = False
    ) -> Explanation:
        """Why a fact holds at ``tick``, or what it lacks. Times are what is known so far.

        ``gone``: what ended since then may be forgotten.
        """
        ids = tuple(terms)
        state = InstantState(self._core.layers, 2 * tick)
        fact = state.fact(relation, ids)
        wording = self._wording
        statement = wording.statement(relation, ids)
        span = self.span(fact, tick)
        if span is None:
            spans = self.all_spans(fact)
            if gone:
                return Explanation(statement, tick, None, known=False, other_spans=spans)
            lacks = explain_why_not(self._known(state), relation, ids)
            some = (wording.statement(*each) for each in state.similar_facts(fact))
            near = sorted(some, key=lambda each: each.terms)
            return Explanation(
                statement,
                tick,
                None,
                missing=lacks,
                other_spans=spans,
                unknown=tuple((text, suggest(self._core.terms, text)) for text in self.unknown),
                near=tuple(near[:_NEAR]),
                dropped=self._dropped_since(fact, tick, spans),
            )
        found = self.snapshot(fact, tick)
        derived = state.derived(fact) is not None
        settled = self._core.frontier if self._settled is None else self._settled
        rules = () if found.trees else tuple(state.rules(fact))
        return Explanation(
            statement,
            tick,
            span,
            derived,
            self.answer(relation, ids, tick),
            found.trees,
            found.justified.complete and not gone,
            final=span.until <= settled,
            known=not gone,
            rules=rules,
            dropped=tuple(rule for rule in rules if rule in self._dropped),
        )

    def span(self, fact: GroundFact, tick: int) -> TickSpan | None:
        """When a fact that is derived at ``tick`` is so, or else is asserted; None: neither."""
        derived = self.derived(fact, tick)
        if derived is not None:
            return derived
        return span_at(InstantState(self._core.layers, 2 * tick).assertions(fact), tick)

    def asserted(self, fact: GroundFact) -> Iterator[TickSpan]:
        """When a fact is asserted, by each element."""
        return itertools.starmap(to_ticks, InstantState(self._core.layers, 0).assertions(fact))

    def derived(self, fact: GroundFact, tick: int) -> TickSpan | None:
        """When a fact that is derived at ``tick`` is so; None: it is not."""
        state = InstantState(self._core.layers, 2 * tick)
        if not self._core.network.instances:
            return span_at(state.derivations(fact), tick)
        derived = state.derived(fact)
        return None if derived is None else to_ticks(*derived)

    def answer(self, relation: Relation, terms: Sequence[int], tick: int) -> TickSpan | None:
        """When a fact that is an answer at ``tick`` is one; None: it is none then."""
        state = InstantState(self._core.layers, 2 * tick)
        if self._core.layers.background is None:
            return self.derived(state.fact(relation, terms), tick)
        answers = state.answers(relation, terms)
        if self._core.network.instances:
            now = [(lo, hi) for lo, hi in answers if lo <= state.cell < hi]
            return to_ticks(min(now)[0], max(hi for _, hi in now)) if now else None
        return span_at(answers, tick)

    def all_spans(self, fact: GroundFact) -> tuple[TickSpan, ...]:
        """When a fact holds, as far as is known."""
        cells = InstantState(self._core.layers, 0).spans(fact)
        return coalesce_spans([to_ticks(lo, hi) for lo, hi in cells])

    def snapshot(self, fact: GroundFact, tick: int) -> JustificationSnapshot:
        """Its justifications at ``tick``."""
        wording = self._wording
        state = InstantState(self._core.layers, 2 * tick, wording.names.places)
        found = justify(state, fact, self._limit)
        leaves = LeafBuilder(state, wording, found, self._dropped)
        return JustificationSnapshot(
            tick, found, tuple(build_tree(leaves, each) for each in found.timings), leaves
        )

    def causes(self, last: JustificationSnapshot, end: int) -> tuple[EndCause, ...]:
        """What ended the justifications that held to the tick ``end``, and did so then."""
        now = InstantState(self._core.layers, 2 * end)
        found: dict[EndCause, None] = {}
        for timing in last.justified.timings:
            over = timing.whole[1] <= 2 * end
            causes = self._endings(last, timing) if over else self._changes(last, timing, now)
            some = dict.fromkeys(causes) or dict.fromkeys(self._member_changes(timing, now, end))
            found |= some
        return tuple(found)

    def _endings(self, last: JustificationSnapshot, timing: ProofTimes) -> Iterator[EndCause]:
        """What was due to end a justification when it ended."""
        for each, how in timing.ends.items():
            if not isinstance(each, ProofLeaf):
                kind = EndKind.PASSED if how is EndRole.PASSES else EndKind.APPEARED
                yield EndCause(kind, last.leaves.absence(*each, timing))
            elif isinstance(each.node, GroundFact):
                leaf = last.leaves.leaf(each, timing)
                yield EndCause(
                    EndKind.PASSED if how is EndRole.PASSES else self._end_kind(leaf), leaf
                )

    def _changes(
        self, last: JustificationSnapshot, timing: ProofTimes, now: InstantState
    ) -> Iterator[EndCause]:
        """What was to hold on and does not ``now``: a fact was retracted, or an absent one came."""
        leaves = {leaf: leaf.node for leaf in timing.used if isinstance(leaf.node, GroundFact)}
        elements = now.elements(set(leaves.values()))
        lacks: list[list[ProofLeaf]] = [[], [], []]  # not asserted now; at first; in some part
        for leaf, fact in leaves.items():
            still = coalesce((each.lo, each.hi) for each in elements.get(fact, ()))
            for each in timing.used[leaf]:
                near = max(each.lo, min(now.cell, each.hi - 1))
                spans = (near, near + 1), (each.lo, each.lo + 1), (each.lo, each.hi)
                for found, span in zip(lacks, spans, strict=True):
                    if subtract((span,), still) and leaf not in found:
                        found.append(leaf)
        came = [
            last.leaves.absence(absent, cell, timing)
            for absent, cell in timing.absences
            if timing.absent(absent, cell)[1] > now.cell
            if now.interval(absent, now.cell)[0] > now.cell or not now.is_absent(absent)
        ]
        for leaf in lacks[0] or lacks[1] or ([] if came else lacks[2]):
            names = {self._wording.element(each.name) for each in elements.get(leaves[leaf], ())}
            node = last.leaves.leaf(leaf, timing)
            gone = tuple(each for each in node.elements if each.name not in names)
            yield EndCause(EndKind.RETRACTED, replace(node, elements=gone or node.elements))
        for absence in came:
            yield EndCause(EndKind.APPEARED, absence)

    def _member_changes(
        self, timing: ProofTimes, now: InstantState, end: int
    ) -> Iterator[EndCause]:
        """The members by which aggregates have another value, or none, at the tick ``end``."""
        for goal, (lo, hi) in timing.goals.items():
            operator, cell = goal.node, 2 * end - 2
            if not isinstance(operator, OperatorRow) or not isinstance(operator.plan, Aggregate):
                continue
            own = interval_at(coalesce(now.times(operator)), cell)
            if own is None or own[1] > now.cell or not lo <= cell < hi:
                continue
            changes = member_changes(now, self._wording, operator, own[1])
            for kind, texts in zip((EndKind.CAME, EndKind.GONE), changes, strict=True):
                for text in texts:
                    yield EndCause(kind, MemberChange(text, operator.plan.name))

    def with_end(self, found: Explanation, fact: GroundFact) -> Explanation:
        """``found`` with why it ends when it does, as far as that is known now."""
        if found.span is None or found.span.until >= POS_INF:
            return found
        last = self.snapshot(fact, found.span.until - 1)
        return with_last(found, last, self.causes(last, found.span.until))

    def _dropped_since(
        self, fact: GroundFact, tick: int, spans: Sequence[TickSpan]
    ) -> tuple[int, ...]:
        """The rules that gave the fact when it ended last, if they are there no longer."""
        ends = [span.until for span in spans if span.until <= tick]
        if not ends:
            return ()
        rules = InstantState(self._core.layers, 2 * (ends[-1] - 1)).rules(fact)
        return tuple(rules) if self._dropped.issuperset(rules) else ()

    @property
    def _dropped(self) -> frozenset[int]:
        """Numbers of the rules that are there no longer."""
        program = self._core.program
        alive = {emit.rule for emit in (*program.emits, *program.background)}
        alive |= {number for _, _, number in program.facts}
        return frozenset(range(1, len(program.labels) + 1)) - alive

    def _end_kind(self, leaf: AssertedNode) -> EndKind:
        """How a leaf ended whose time was over."""
        if leaf.origin in {FactOrigin.RULES, FactOrigin.DROPPED}:
            return EndKind.DROPPED
        if self._left_the_window(leaf):
            return EndKind.EXPIRED
        known = self._settled is None or leaf.span.until > self._settled
        return EndKind.ENDED if known else EndKind.OVER

    def _left_the_window(self, leaf: AssertedNode) -> bool:
        fact = leaf.fact
        predicate = fact.terms[1] if fact.relation == TRIPLES else None
        windows = self._core.program.windows_of(predicate)
        if leaf.origin is FactOrigin.UNKEPT or not windows:
            return False
        last = [each.span for each in leaf.elements if each.span.until == leaf.span.until]
        times = [span.until - span.since for span in last]
        # Elements of one name that say the same one after the other are kept as one.
        return all(
            time in windows or (time > min(windows) and not self._core.explicit_ends)
            for time in times
        )


def with_last(
    found: Explanation, last: JustificationSnapshot, causes: tuple[EndCause, ...]
) -> Explanation:
    """``found`` with ``last``, its justifications when it ended, and why they did."""
    shown = {_leaves(tree) for tree in found.trees}
    known = any(_leaves(tree) in shown for tree in last.trees)
    trees = tuple(_cut(tree, found) for tree in found.trees)
    ending = None if known else next(iter(last.trees), None)
    return replace(found, trees=trees, causes=causes, last=ending)


def _cut(tree: ProofTree, found: Explanation) -> ProofTree:
    """A reason holds no longer than what it is of: what had to be absent may have come since.

    But a derived fact may be asserted longer than it is derived.
    """
    span = found.span
    if span is None or (found.derived and isinstance(tree.root, AssertedNode)):
        return tree
    whole = tree.span
    if whole.until > span.until:
        whole = replace(whole, until=span.until, through=span.through)
    if whole.since < span.since < whole.until:
        whole = replace(whole, since=span.since, after=span.after)
    if whole is tree.span:
        return tree
    root = tree.root if whole.until == tree.span.until else without_ends(tree.root)
    return replace(tree, root=root, span=whole)


def _leaves(tree: ProofTree) -> frozenset[Statement]:
    return frozenset(node.fact for node in tree.nodes if isinstance(node, AssertedNode))


@dataclass(frozen=True, slots=True)
class ExplanationAnswer:
    """An explanation in three forms; ``str`` gives the text.

    Attributes:
        value: the explanation, in ticks and canonical texts.
        names: the names in the rules.
        clock: how time is written.
    """

    value: Explanation
    names: Names
    clock: StampFormat

    @property
    def holds(self) -> bool:
        """Whether the fact holds at that instant."""
        return self.value.holds

    def __str__(self) -> str:
        """A tree for a terminal."""
        from r4.explain.rendering.text import as_text  # noqa: PLC0415 - few need pictures

        return as_text(self.value, self.names, self.clock)

    def json(self) -> str:
        """One object, its terms in N-Triples."""
        from r4.explain.rendering.json_output import as_json  # noqa: PLC0415

        return as_json(self.value, self.names, self.clock)

    def svg(self) -> str:
        """A picture; in a notebook, that of the explanation."""
        from r4.explain.rendering.picture import as_svg  # noqa: PLC0415

        return as_svg(self.value, self.names, self.clock)

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        text = str(self)
        title = text.partition("\n")[0]
        return picture(self.svg(), title) + folded("as text", text)
