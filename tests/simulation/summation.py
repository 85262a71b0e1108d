"""Aggregates over endless time that sum up old rows, compared with some that keep them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, TypeAlias
from unittest.mock import patch

import rete.network.summation
from r4 import Engine
from rete.arrays.delta import Rows
from rete.nodes.aggregate import AggregateNode
from tests.simulation.core_run import tiny_stores

Fault: TypeAlias = Callable[[], AbstractContextManager[object]]
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
CHOICES: Final = (
    *("first{ ?v ?t", "last{ ?v ?t", "last 2{ ?v ?t", "first 3{ ?v ?t", "last{ ?v ?v"),
    *(
        "min{ ?v",
        "max{ ?v",
        "avg last 3{ ?v ?t",
        "max first 2{ ?v ?t",
        "quantile 0.5 last 3{ ?v ?t",
    ),
)
TIMELESS: Final = ("min{ ?v", "max{ ?v", "last{ ?v ?v", "first 2{ ?v ?v", "count{ ?v")
SUMS: Final = ("count{ ?v", "sum{ ?v", "avg{ ?v")
OTHERS: Final = ("median{ ?v", "stddev{ ?v", "list{ ?v ?t")
RANGES: Final = ("[0, inf)", "(0, inf)", "[3, inf)")
READS: Final = "At ?t ( ?s[ex:reads -> ?v] )"
CONDITIONS: Final = (
    *(READS, READS, READS, "And( At ?t ( ?s[ex:reads -> ?v] ) ?s[ex:in -> ?r] )"),
    *(
        "?s[ex:reads -> ?v]",
        "At ?t ( ?s[ex:got -> ?v] )",
        "And( ?s[ex:reads -> ?v] At ?t ( ?s[ex:reads -> ?v] ) )",
    ),
)


class Element(NamedTuple):
    """What is asserted, in Turtle, and how; or the number of elements back that is retracted."""

    at: int
    turtle: str
    until: int | None
    back: int


class Case(NamedTuple):
    """Rules, and what an engine is given."""

    rules: str
    static: str
    elements: list[Element]


def random_case(seed: int, *, retracts: bool) -> Case:
    """Some aggregates over one condition or two, and readings of a few sensors.

    What is retracted is one of the two elements before; then elements come at an even pace, as how
    far back one may be retracted is a length of time.
    """
    draw = Random(seed)  # noqa: S311
    heads = []
    for number in range(draw.randint(1, 3)):
        condition = draw.choice(CONDITIONS)
        operator = f"DiamondMinus {draw.choice(RANGES)} ( {condition} )"
        groups = ["?s", "?s", ""] + ["?r"] * ("?r" in condition)
        for several in range(draw.randint(1, 2)):
            kinds = (CHOICES, SUMS, CHOICES, SUMS, OTHERS) if "At" in condition else (TIMELESS,)
            function = draw.choice(draw.choice(kinds))
            group = draw.choice(groups)
            body = f"?x = {function} [{group}] | {operator} }}"
            if group == "?s" and draw.random() < 0.4:  # then empty groups may have a value
                body = f"And( ?s[ex:in -> ?where] {body} )"
            head = f"{group or 'ex:all'}[ex:k{number}{several} -> ?x]"
            heads.append(f"Forall ?s ?r ?x ?where ( {head} :- {body} )")
    got = "Forall ?s ?v ( ?s[ex:got -> ?v] :- ?s[ex:reads -> ?v] )"
    window = draw.choice(("", "", "Window(4)"))
    rules = f"Document( Prefix(ex <urn:ex:>) {window} Group( {' '.join(heads)} {got} ) )"
    numbers = ["1", "2", "2.0", "-3.5", "7e0", "1e300", "0.1e0", '"2"^^<{0}integer>']
    others = ['"text"', '"P1D"^^<{0}dayTimeDuration>', '"NaN"^^<{0}double>', "true"]
    values = numbers + others * (draw.random() < 0.3)
    at, elements = 0, []
    for number in range(draw.randint(35, 60) if retracts else draw.randint(15, 40)):
        at += 1 if retracts else draw.choice((0, 1, 1, 2, 5))
        turtle = f"<urn:ex:s{draw.randint(0, 2)}> <urn:ex:reads> {draw.choice(values)} ."
        until = at + draw.randint(1, 6) if draw.random() < 0.2 else None
        back = draw.randint(1, 2) if retracts and number > 2 and draw.random() < 0.2 else 0
        elements.append(Element(at, turtle.format(XSD), until, back))
    static = "".join(
        f"<urn:ex:s{number}> <urn:ex:in> <urn:ex:r{number % 2}> ." for number in range(4)
    )
    if draw.random() < 0.3:
        static += "<urn:ex:s0> <urn:ex:reads> 4 ."
    return Case(rules, static, elements)


def told(case: Case, folder: Path, saved_after: int | None = None) -> list[str]:
    """The changes that an engine tells, in order; it may be saved and loaded on the way."""
    engine = Engine.from_text(case.rules)
    engine.add_static(case.static)
    lines: list[str] = []
    for number, element in enumerate(case.elements):
        if element.back:
            engine.advance(element.at - 1)
            engine.retract(name=f"urn:e:{number - element.back}", at=element.at)
        else:
            engine.add(element.turtle, at=element.at, until=element.until, name=f"urn:e:{number}")
        lines += map(str, engine.changes())
        if number == saved_after:
            engine.save(folder / "state")
            engine = Engine.load(folder / "state", case.rules)
    engine.finish(20)
    return lines + list(map(str, engine.changes()))


@contextmanager
def recent(most: int, summed: list[int]) -> Iterator[None]:
    """No more than so many rows are kept, if need be; how many are summed up is noted."""
    right = AggregateNode.sum_up

    def sum_up(node: AggregateNode, rows: Rows) -> None:
        summed.append(len(rows))
        right(node, rows)

    with (
        patch.object(rete.network.summation, "RECENT", most),
        patch.object(AggregateNode, "sum_up", sum_up),
        tiny_stores(),
    ):
        yield


class Comparison(NamedTuple):
    """What an engine tells that keeps all, and one that sums up; how many rows that did."""

    wanted: list[str]
    found: list[str]
    summed: int


def compare(case: Case, seed: int, folder: Path, fault: Fault = nullcontext) -> Comparison:
    """Both engines, with a fault in the second; every other one is saved and loaded on the way."""
    wanted = told(case, folder)
    draw = Random(seed)  # noqa: S311
    saved_after = None if seed % 2 else draw.randrange(len(case.elements))
    summed: list[int] = []
    most = draw.randint(1, 3) + 3 * any(element.back for element in case.elements)
    with recent(most, summed), fault():
        return Comparison(wanted, told(case, folder, saved_after), sum(summed))
