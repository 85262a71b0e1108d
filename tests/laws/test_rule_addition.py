"""Rules that join while others run: from then on it is as if they had been there."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from rdflib import Namespace

from r4.api import Change, Engine
from r4.engine.core import Core
from r4.imports.constant_scopes import with_locals_of
from r4.options.engine_options import Entailment
from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rete.arrays.delta import NEG_INF, POS_INF
from rete.inference.errors import LimitReached
from rete.terms.dictionary import Dictionary
from rif.syntax.ast import Group
from tests.generators.draw import from_hypothesis, from_seed
from tests.generators.ontologies.rules_above import Clause, Layered, document, layered
from tests.generators.streams.runs import RunCase, cases
from tests.oracles.rules.formulas import TooBig
from tests.oracles.streams.run import DefaultGraphTriple, Element, expected
from tests.seeds import parts
from tests.simulation.api_engine import as_one_document, instant, nodes
from tests.simulation.core_run import FACT_LIMIT, feed, maximal_intervals, program, tiny_stores

if TYPE_CHECKING:
    from tests.generators.draw import Draw

ex = Namespace("http://example.org/")
PART = 10
PREFIX = "Document( Prefix(ex <http://example.org/>) Window(10) Group( "


def engine(*rules: str, keep: bool = False) -> Engine:
    return Engine.from_text(PREFIX + " ".join(rules) + "))", keep=keep)


def told(changes: list[Change]) -> list[tuple[object, ...]]:
    return [(c.op, c.at, c.triple and str(c.triple[1]).rpartition("/")[2], c.rule) for c in changes]


@given(case=cases(), data=st.data())
def test_with_kept_facts_added_rules_hold_from_then_on(case: RunCase, data: st.DataObject) -> None:
    scenario = as_one_document(case.scenario)
    rules = scenario.document
    items = rules.group.items if rules.group else ()
    assume(len(items) > 1)
    assume("_:d0_" not in case.rules and with_locals_of(rules, 1) == rules)
    try:
        expected(scenario)
    except TooBig:
        reject()
    cut = data.draw(st.integers(0, len(items) - 1))
    elements = [one for one in scenario.sources[0] if isinstance(one, Element)]
    static = [item.triple for item in scenario.sources[0] if isinstance(item, DefaultGraphTriple)]
    when = data.draw(st.integers(0, len(elements)))
    window = None if scenario.window is None else str(scenario.window)
    first = replace(rules, group=Group(items[:cut]))
    whole, grown = (
        Engine(each, window=window, delay=scenario.delay, keep=True) for each in (rules, first)
    )
    since: object = None
    for number, one in enumerate(elements):
        for each in (whole, grown):
            if number == 0:
                each.add_static(map(nodes, static))
            if number == when and each is grown:
                since = frontier(grown)
                each.add_rules(replace(rules, group=Group(items[cut:])))
            assert one.start is not None
            end = None if one.end is None else instant(one.end, scenario.clock)
            each.add(map(nodes, one.triples), at=instant(one.start, scenario.clock), until=end)
    assume(elements and when < len(elements))
    for each in (whole, grown):
        each.finish(None)
    right, found = (History(list(each.changes())) for each in (whole, grown))
    for at in {*right.states, *found.states}:
        if since is None or at >= since:  # type: ignore[operator]
            assert right.at(at) == found.at(at), f"at {at}, since {since}, rules from {cut}\n{case}"


def frontier(of: Engine) -> object:
    """The frontier as its changes tell times; None before the first element."""
    return of._run.event_clock.instant(of._run.core.frontier)


class History:
    """What holds at each time, from changes."""

    def __init__(self, changes: list[Change]) -> None:
        held: set[object] = set()
        self.always: set[object] = set()
        self.states: dict[object, set[object]] = {}
        for change in changes:
            what = change.triple or change.atom or change.error
            if change.at is None:
                self.always.add(what)
                continue
            (held.add if change.op == "+" else held.discard)(what)
            self.states[change.at] = set(held)

    def at(self, time: object) -> set[object]:
        before = [each for each in self.states if each <= time]  # type: ignore[operator]
        return self.always | (self.states[max(before)] if before else set())  # type: ignore[type-var]


HALVES = "Forall ?x ( ?x[ex:p -> ex:c] :- And(?x[ex:p -> ex:a] ?x[ex:p -> ex:b]) )"
ALSO = "Forall ?x ?y ( ?x[ex:p -> ?y] :- ?x[ex:r -> ?y] )"


def test_without_kept_facts_an_added_rule_sees_what_comes_later() -> None:
    run = engine(HALVES)
    run.add([(ex.x, ex.p, ex.a)], at=1)
    run.add_rules(
        "Document( Prefix(ex <http://example.org/>) Group( "
        "Forall ?x ?y ( ?x[ex:q -> ?y] :- ?x[ex:p -> ?y] ) ))"
    )
    run.add([(ex.x, ex.p, ex.b)], at=2)
    run.finish()
    # ex:a was asserted before the rule was there; ex:c is derived after it.
    assert told(list(run.changes())) == [("+", 2, "p", 1), ("+", 2, "q", 2), ("+", 2, "q", 2)]


EITHER = "DiamondMinus [0,3] ( Or( And(?x[ex:p -> ?y] ?x[ex:q -> ?y]) ?x[ex:r -> ?y] ) )"


@pytest.mark.parametrize("entailment", ["none", "rdfs", "owl-rl"])
@pytest.mark.parametrize("keep", [False, True])
def test_what_an_older_rule_found_under_an_operator_is_shown_to_no_added_one(
    entailment: Entailment, *, keep: bool
) -> None:
    """Both have the same disjunction; but the added rule has not seen the first half of it."""
    run = Engine.from_text(
        f"{PREFIX} Forall ?x ?y ( ?x[ex:one -> ?y] :- {EITHER} ) ))",
        keep=keep,
        entailment=entailment,
    )
    run.add([(ex.x, ex.p, ex.a)], at=1)
    run.advance(2)
    run.add_rules(
        "Document( Prefix(ex <http://example.org/>) Group( "
        f"Forall ?x ?y ( ?x[ex:two -> ?y] :- {EITHER} ) ))"
    )
    run.add([(ex.x, ex.q, ex.a)], at=4)
    run.add([(ex.x, ex.r, ex.b)], at=5, until=7)
    run.finish(None)
    changes = sorted(told(list(run.changes())), key=lambda line: (line[3], line[1]))
    first = [("+", 4), ("+", 5), ("-", 10), ("-", 14)]
    second = first if keep else [("+", 5), ("-", 10)]
    assert [(line[0], line[1]) for line in changes if line[2] == "one"] == first
    assert [(line[0], line[1]) for line in changes if line[2] == "two"] == second


def test_a_fact_that_an_old_and_an_added_rule_give_is_one_answer() -> None:
    run = engine(HALVES)
    run.add([(ex.x, ex.p, ex.a), (ex.x, ex.p, ex.b)], at=1)
    run.advance(2)
    run.add_rules("Document( Prefix(ex <http://example.org/>) Group( " + ALSO + " ))")
    run.add([(ex.x, ex.r, ex.c)], at=5)
    run.finish(None)
    assert told(list(run.changes())) == [("+", 1, "p", 1), ("-", 15, "p", 1)]


def test_an_added_rule_may_join_tables_that_were_apart() -> None:
    run = engine(
        "Forall ?x ( ?x[ex:h -> ex:c] :- ?x[ex:p -> ex:a] )",
        "Forall ?x ( ?x[ex:k -> ex:d] :- ?x[ex:p -> ex:b] )",
    )
    assert len(run.network.tables) == 2
    run.add([(ex.x, ex.p, ex.a), (ex.x, ex.p, ex.b)], at=1)
    run.add_rules(
        "Document( Prefix(ex <http://example.org/>) Group( "
        "Forall ?x ?y ?z ( ?x[?y -> ?z] :- And(ex:it[ex:is -> ?y] ?x[ex:to -> ?z]) ) ))"
    )
    assert len(run.network.tables) == 1
    run.add([(ex.it, ex["is"], ex.h), (ex.x, ex.to, ex.c)], at=4)
    run.add([(ex.it, ex["is"], ex.k), (ex.x, ex.to, ex.d)], at=4)
    run.finish(None)
    kept = [one for one in told(list(run.changes())) if one[2] in {"h", "k"}]
    assert kept.count(("+", 1, "h", 1)) == 1
    assert kept.count(("-", 14, "h", 1)) == 1
    assert kept.count(("+", 1, "k", 2)) == 1
    assert kept.count(("-", 14, "k", 2)) == 1


def test_an_added_rule_may_join_tables_of_one_rule() -> None:
    run = engine("Forall ?x ( And(?x[ex:h -> ex:c] ?x[ex:k -> ex:d]) :- ?x[ex:p -> ex:a] )")
    run.add([(ex.x, ex.p, ex.a)], at=1)
    run.add_rules(
        "Document( Prefix(ex <http://example.org/>) Group( "
        "Forall ?x ?y ?z ( ?x[?y -> ?z] :- And(ex:it[ex:is -> ?y] ?x[ex:to -> ?z]) ) ))"
    )
    assert len(run.network.tables) == 1
    run.add([(ex.it, ex["is"], ex.h), (ex.x, ex.to, ex.c)], at=4)
    run.finish(None)
    assert told(list(run.changes())) == [
        ("+", 1, "h", 1),
        ("+", 1, "k", 1),
        ("-", 11, "k", 1),
        ("-", 14, "h", 1),
    ]


@st.composite
def runs(draw: st.DrawFn) -> tuple[Layered, list[tuple[int, tuple[Clause, ...]]]]:
    return grown_of(from_hypothesis(draw))


@pytest.mark.soak
@settings(max_examples=settings().max_examples // 3)
@given(runs())
def test_so_it_is_above_a_background_and_for_several_documents(
    run: tuple[Layered, list[tuple[int, tuple[Clause, ...]]]],
) -> None:
    assert_grown_as_whole(*run)


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=3))
def test_so_it_is_in_many_cases_and_where_terms_are_forgotten(first: int) -> None:
    for seed in range(first, first + PART):
        with tiny_stores() if seed % 2 else nullcontext():
            assert_grown_as_whole(*grown_of(from_seed(seed)))


def grown_of(draw: Draw) -> tuple[Layered, list[tuple[int, tuple[Clause, ...]]]]:
    """A run, and the documents that join it: after how many elements, and their rules."""
    case = layered(draw)
    rules = draw.some(case.rules, len(case.rules), len(case.rules))
    count = draw.integer(1, 3)
    cuts = sorted(draw.integer(0, len(rules)) for _ in range(count))
    times = sorted(draw.integer(0, len(case.elements)) for _ in range(count))
    bounds = [0, *cuts, len(rules)]
    parts = [tuple(rules[begin:end]) for begin, end in pairwise(bounds)]
    return replace(case, rules=parts[0]), list(zip(times, parts[1:], strict=True))


def assert_grown_as_whole(case: Layered, added: list[tuple[int, tuple[Clause, ...]]]) -> None:
    """From one addition to the next, what holds is what holds where those rules always were."""
    core = Core(
        program(case, case.rules, apart=True),
        Dictionary(),
        instances=case.instances,
        limit=FACT_LIMIT,
        keep=True,
    )
    stages = [(NEG_INF, case.rules)]
    waiting = list(added)

    def join(seen: int) -> None:
        while waiting and waiting[0][0] <= seen:
            _, rules = waiting.pop(0)
            stages.append((core.frontier, (*stages[-1][1], *rules)))
            before = len(core.program.labels)
            core.add(compile_document(document(rules), TimeScale(), before=before))

    try:
        grown = list(feed(core, case, join))
        for (since, rules), (until, _) in pairwise([*stages, (POS_INF, ())]):
            always = Core(
                program(case, rules, apart=True),
                Dictionary(),
                instances=case.instances,
                limit=FACT_LIMIT,
            )
            found, right = (
                maximal_intervals(lines, instances=case.instances, within=(since, until))
                for lines in (grown, list(feed(always, case)))
            )
            assert found == right, (case, added)
    except LimitReached:
        pass
