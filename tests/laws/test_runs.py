"""Laws that hold for every run, whatever the program: no expected value is needed."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.generators.draw import from_hypothesis
from tests.generators.streams.runs import RunCase, cases
from tests.generators.streams.text import EPOCH, PROV, source_text
from tests.oracles.streams.run import Element, window_of
from tests.simulation.command import call, run

IDENTITY = "Document(Group(Forall ?s ?p ?o (?s[?p->?o] :- ?s[?p->?o])))"


What = tuple[str, ...]
"""The terms of a triple, the text of an atom, or ``("True",)`` for an inconsistent state."""


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line, its times in ticks."""

    op: str
    at: int | None
    what: What
    e: int | None
    n: int | None


def told(lines: Iterable[str]) -> list[PrintedLine]:
    found = []
    for line in lines:
        one = json.loads(line)
        what = tuple(str(one[key]) for key in ("s", "p", "o", "atom", "error") if key in one)
        found.append(
            PrintedLine(one["op"], tick(one["at"]), what, tick(one["from"]), tick(one["until"]))
        )
    return found


def tick(time: int | str | None) -> int | None:
    """A printed time; a dateTime in milliseconds."""
    if not isinstance(time, str):
        return time
    return (datetime.fromisoformat(time) - EPOCH) // timedelta(milliseconds=1)


def answers(case: RunCase, semantics: str) -> list[PrintedLine]:
    """What a case prints to the very end."""
    scenario = replace(case.scenario, drain=math.inf, semantics=semantics)
    with tempfile.TemporaryDirectory() as folder:
        printed = run(replace(case, scenario=scenario), Path(folder))
    assert printed.code == 0, f"{case}\n{printed.err}"
    return told(printed.lines())


def states(lines: list[PrintedLine]) -> dict[int, set[What]]:
    """What holds at each time at which something changes: all inserted less all deleted."""
    holding: set[tuple[What, int | None]] = set()
    found: dict[int, set[What]] = {}
    for line in lines:
        if line.at is not None:
            (holding.add if line.op == "+" else holding.discard)((line.what, line.e))
            found[line.at] = {what for what, _ in holding}
    return found


@given(cases())
def test_both_views_hold_the_same_facts_at_every_time(case: RunCase) -> None:
    facts, instances = (answers(case, name) for name in ("facts", "instances"))
    always = {line.what for line in facts if line.at is None}
    assert always == {line.what for line in instances if line.at is None}
    by_fact, by_instance = states(facts), states(instances)
    one: set[What] = set()
    two: set[What] = set()
    for at in sorted(by_fact | by_instance):
        one, two = by_fact.get(at, one), by_instance.get(at, two)
        assert one == two - always, f"at {at}\n{case}"


@pytest.mark.slow
@given(cases())
def test_windows_that_share_no_instant_share_no_instance(case: RunCase) -> None:
    window = window_of(case.scenario)
    items = [item for source in case.scenario.sources for item in source]
    assume(all(isinstance(item, Element) and item.end is None for item in items))
    for line in answers(case, "instances"):
        if line.e is not None and window < math.inf:
            assert line.n is not None, str(case)
            assert line.n - line.e <= window, str(case)


@pytest.mark.slow
@given(cases())
def test_answers_fed_into_a_second_engine_give_the_same_answers(case: RunCase) -> None:
    semantics = case.scenario.semantics
    first = [line for line in answers(case, semantics) if is_rdf(line.what)]
    assume(any(line.at is not None for line in first))
    ends = {(line.what, line.e): line.n for line in first if line.op == "-"}
    lines = [f"{' '.join(line.what)} ." for line in first if line.at is None]
    for number, line in enumerate(line for line in first if line.op == "+" and line.at is not None):
        name = f"<http://g/{number}>"
        lines.append(f"{name} <{PROV}generatedAtTime> {stamp(line.e)} .")
        if (end := ends.get((line.what, line.e))) is not None:
            lines.append(f"{name} <{PROV}invalidatedAtTime> {stamp(end)} .")
        lines.append(f"{' '.join(line.what)} {name} .")
    with tempfile.TemporaryDirectory() as folder:
        rules, stream = Path(folder, "rules.rif"), Path(folder, "stream.nq")
        rules.write_text(IDENTITY, encoding="utf-8")
        stream.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
        printed = call(["run", str(rules), str(stream), "--semantics", semantics, "--drain"])
    assert printed.code == 0, printed.err
    second = told(line.replace("_:d1_", "_:") for line in printed.lines())
    assert set(second) == set(first), f"{case}\n{printed.out}"


def is_rdf(what: What) -> bool:
    """Whether a file of RDF can say it."""
    return len(what) == 3 and what[0][0] in "<_" and what[1][0] == "<" and what[2][0] in '<_"'


def stamp(time: int | None) -> str:
    return f'"{time}"^^<http://www.w3.org/2001/XMLSchema#integer>'


@st.composite
def reorderings(draw: st.DrawFn) -> tuple[RunCase, RunCase]:
    """A case in the order of its stamps, and in any order with a delay that allows it."""
    case = draw(cases())
    (source, *others) = case.scenario.sources
    elements = [one for one in source if isinstance(one, Element) and not one.is_bad()]
    assume(len(elements) > 1 and not others)
    starts = [one.start for one in elements if one.start is not None]
    delay = math.ceil(max(starts) - min(starts)) + 1
    orders = sorted(elements, key=lambda one: one.start or 0), draw(st.permutations(elements))
    first, second = (
        replace(
            case,
            scenario=replace(case.scenario, sources=(tuple(order),), delay=allowed),
            sources=(source_text(from_hypothesis(draw), order, case.scenario.clock),),
        )
        for order, allowed in zip(orders, (0, delay), strict=True)
    )
    return first, second


@pytest.mark.slow
@given(reorderings())
def test_the_order_of_elements_within_the_delay_changes_nothing(
    both: tuple[RunCase, RunCase],
) -> None:
    first, second = both
    semantics = first.scenario.semantics
    assert answers(first, semantics) == answers(second, semantics), f"{first}\n{second}"
