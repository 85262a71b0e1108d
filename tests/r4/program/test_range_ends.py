"""Ranges that end where static data say: as rules with constants, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDFS, XSD, Literal, Namespace
from rdflib.term import Node

from r4.api import Change, Engine, NewRangeEnd, RangeEndsRefused
from rif.errors.report import RuleErrors
from tests.simulation.command import call
from tests.temporal.metric_rif.metric_documents import document, element, rule

ex = Namespace("http://e/")
WAITS = "?x[ex:waits -> ?d]"
HAD = "DiamondMinus [0 s, ?d] (?x[ex:p -> ?v])"
SEEN = document(rule(f"And({WAITS} {HAD})", "?x[ex:had -> ?v]", "?d ?v"))
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TICK = timedelta(milliseconds=1)
ENDS = {"PT2S": "2 s", "PT4S": "4 s"}
BODIES = (
    "Naf(DiamondMinus [0 s, END) (Exists ?v (?x[ex:p -> ?v])))",
    "BoxMinus (0 s, END] (Exists ?v (?x[ex:r -> ?v]))",
    "DiamondPlus [1 s, END] (Exists ?v (?x[ex:p -> ?v]))",
    "BoxPlus [0 s, END] (Exists ?v (?x[ex:r -> ?v]))",
    "Since [0 s, END] (Naf(?x[ex:r -> 2]) ?x[ex:p -> 2])",
    "Until (0 s, END] (Exists ?v (?x[ex:r -> ?v]) Exists ?v (?x[ex:p -> ?v]))",
    "Or(?x[ex:r -> 1] And(?x[ex:r -> 2] DiamondMinus [1 s, END] (?x[ex:p -> 1])))",
    "Naf(Naf(DiamondMinus [0 s, END] (?x[ex:p -> 2])))",
    "Every 3 s ?n = count{ ?v [?x] | ?x[ex:p -> ?v] } DiamondMinus [0 s, END] (?x[ex:p -> ?n])",
)


def duration(text: str) -> Literal:
    return Literal(text, datatype=XSD.dayTimeDuration)


def at(second: int) -> datetime:
    return BEGIN + timedelta(seconds=second)


def feed(engine: Engine) -> None:
    """Facts of two things, with those of one a second later."""
    for second, (key, value, lasts) in enumerate(
        [("p", 1, 2), ("r", 1, 9), ("p", 2, 1), ("p", 1, 6), ("r", 2, 3), ("p", 2, 2), ("r", 1, 1)]
    ):
        for late, thing in enumerate((ex.a, ex.b)):
            begin = 3 * second + late
            triples = [(thing, ex[key], Literal(value))]
            engine.add(triples, at=at(begin), until=at(begin + lasts))


def told(engine: Engine) -> list[tuple[object, ...]]:
    engine.finish("1h")
    return sorted(map(_line, engine.changes()))


def answers(engine: Engine) -> list[tuple[str, object, Node, Node, Node]]:
    """Sign, time, and the triple of each change."""
    found = [(each, each.triple) for each in engine.changes()]
    return [(each.op, each.at, *triple) for each, triple in found if triple is not None]


def _line(change: Change) -> tuple[str, ...]:
    return change.op, str(change.at), str(change.triple), str(change.start)


def waiting(texts: dict[Node, str]) -> list[tuple[Node, Node, Node]]:
    return [(thing, ex.waits, duration(text)) for thing, text in texts.items()]


@pytest.mark.parametrize("body", BODIES)
def test_a_range_is_true_as_with_the_constant_that_static_data_give(body: str) -> None:
    more = "?d ?n" if "?n" in body else "?d"
    variable = document(rule(f"And({WAITS} {body.replace('END', '?d')})", more=more))
    constants = document(
        *(
            rule(
                f"And(?x[ex:waits -> {duration(text).n3()}] {body.replace('END', end)})",
                more=more.replace("?d", ""),
            )
            for text, end in ENDS.items()
        )
    )
    found = []
    for rules in (variable, constants):
        engine = Engine.from_text(rules)
        engine.add_static(waiting({ex.a: "PT2S", ex.b: "PT4S"}))
        feed(engine)
        found.append(told(engine))
    assert found[0] == found[1]
    assert len(found[0]) > 3


@given(
    waits=st.lists(st.integers(0, 12), min_size=1, max_size=3),
    events=st.lists(st.tuples(st.integers(1, 8), st.integers(0, 2)), min_size=1, max_size=8),
    opening=st.sampled_from(["[0", "(0", "[2"]),
    closing=st.sampled_from("])"),
)
def test_a_thing_is_silent_when_it_said_nothing_for_as_long_as_it_waits(
    waits: list[int], events: list[tuple[int, int]], opening: str, closing: str
) -> None:
    """Each thing has a length of its own, and what is true at each tick is told by a loop."""
    said = f"DiamondMinus {opening}, ?d{closing} (Exists ?v (?x[ex:p -> ?v]))"
    engine = Engine.from_text(document(rule(f"And({WAITS} Naf({said}))", "?x[ex:is -> 0]", "?d")))
    engine.add_static([(ex[f"t{n}"], ex.waits, Literal(wait)) for n, wait in enumerate(waits)])
    times = accumulate(gap for gap, _ in events)
    heard = [(at, n) for (_, n), at in zip(events, times, strict=True)]
    for time, n in heard:
        engine.add([(ex[f"t{n}"], ex.p, Literal(1))], at=time)
    engine.finish("30")
    first, last = heard[0][0], heard[-1][0] + 25
    silent: dict[Node, set[int]] = {ex[f"t{n}"]: set() for n in range(len(waits))}
    for op, when, thing, *_ in answers(engine):
        begin = max(first, int(str(when or 0)))
        later = set(range(begin, last))
        silent[thing] = silent[thing] | later if op == "+" else silent[thing] - later
    least = int(opening[1])
    for n, wait in enumerate(waits):
        ago = [
            d
            for d in range(least, wait + 1)
            if (d > 0 or opening != "(0") and (d < wait or closing == "]")
        ]
        assert silent[ex[f"t{n}"]] == {
            tick for tick in range(first, last) if not any((tick - d, n) in heard for d in ago)
        }


def test_in_an_aggregate_each_member_has_the_range_of_its_thing() -> None:
    counted = "DiamondMinus [0 s, ?d] (?y[ex:p -> ?v])"
    body = f"?n = count{{ ?v | And(?y[ex:waits -> ?d] {counted}) }}"
    engine = Engine.from_text(document(f"Forall ?n (ex:all[ex:n -> ?n] :- {body})"))
    engine.add_static(waiting({ex.a: "PT1S", ex.b: "PT5S"}))
    for thing in (ex.a, ex.b):
        engine.add([(thing, ex.p, Literal(7))], at=at(0))
    engine.finish("20s")
    begun = [(time, value) for op, time, _, _, value in answers(engine) if op == "+" and time]
    assert begun == [
        *((at(0), Literal(2)), (at(1) + TICK, Literal(1)), (at(5) + TICK, Literal(0))),
    ]


def test_of_values_that_are_no_length_the_operator_is_never_true() -> None:
    never = document(
        rule(f"And({WAITS} {HAD})", "?x[ex:had -> ?v]", "?d ?v"),
        rule(f"And({WAITS} Naf(Exists ?v ({HAD})))", "?x[ex:lacks -> ?d]", "?d"),
    )
    engine = Engine.from_text(never)
    values = [Literal("x"), Literal(5), duration("-PT1S"), duration("PT0.0001S"), ex.y]
    engine.add_static([(ex.a, ex.waits, value) for value in values])
    engine.add([(ex.a, ex.p, Literal(1))], at=at(0))
    engine.finish("1h")
    assert {each[3:] for each in answers(engine)} == {(ex.lacks, value) for value in values}
    assert [(each.builtin, each.count) for each in engine.outside()] == [
        ("urn:r4:aggregate#range-end", len(values))
    ]


def test_with_integer_stamps_a_length_is_an_integer() -> None:
    engine = Engine.from_text(SEEN)
    engine.add_static([(ex.a, ex.waits, Literal(3)), (ex.b, ex.waits, duration("PT3S"))])
    for thing in (ex.a, ex.b):
        engine.add([(thing, ex.p, Literal(1))], at=1)
    engine.finish("9")
    assert [each[:3] for each in answers(engine)] == [
        ("+", 1, ex.a),
        ("-", 5, ex.a),
    ]


def test_the_background_may_derive_what_ends_a_range() -> None:
    engine = Engine.from_text(SEEN, entailment="rdfs")
    engine.add_static([(ex.patience, RDFS.subPropertyOf, ex.waits)])
    engine.add_static([(ex.a, ex.patience, duration("PT3S"))])
    engine.add([(ex.a, ex.p, Literal(1))], at=at(0))
    engine.finish("1h")
    assert [each.at for each in engine.changes()] == [at(0), at(3) + TICK]


def test_facts_of_the_rules_end_ranges_too() -> None:
    body = f"And(ex:lasts(?x ?d) {HAD})"
    fact = f'ex:lasts(ex:a "PT3S"^^<{XSD.dayTimeDuration}>)'
    engine = Engine.from_text(document(rule(body, "?x[ex:had -> ?v]", "?d ?v"), fact))
    engine.add([(ex.a, ex.p, Literal(1))], at=at(0))
    engine.finish("1h")
    assert [each.at for each in engine.changes()] == [at(0), at(3) + TICK]


@pytest.mark.parametrize("saved", range(5))
def test_an_engine_that_is_loaded_goes_on_with_its_ranges(saved: int, tmp_path: Path) -> None:
    steps = [
        lambda e: e.add_static(waiting({ex.a: "PT2S"})),
        lambda e: e.add_static(waiting({ex.b: "PT9S"})),
        lambda e: e.add([(ex.a, ex.p, Literal(1)), (ex.b, ex.p, Literal(1))], at=at(0)),
        lambda e: e.advance(at(4)),
        lambda e: e.add([(ex.a, ex.p, Literal(2))], at=at(7)),
    ]
    engine, whole = Engine.from_text(SEEN), Engine.from_text(SEEN)
    for number, step in enumerate(steps):
        if number == saved:
            engine.save(tmp_path / "engine.r4")
            engine = Engine.load(tmp_path / "engine.r4", SEEN)
        step(engine)
        step(whole)
    with pytest.raises(NewRangeEnd):
        engine.add_static(waiting({ex.c: "PT1S"}))
    assert told(engine) == told(whole)


def test_a_new_value_is_refused_once_time_has_begun() -> None:
    engine = Engine.from_text(SEEN)
    engine.add_static(waiting({ex.a: "PT2S"}))
    engine.add([(ex.a, ex.p, Literal(1))], at=at(0))
    with pytest.raises(NewRangeEnd, match=r"R4606 .*PT9S.* is a new value of <http://e/waits>"):
        engine.add_static([*waiting({ex.b: "PT9S"}), (ex.b, ex.p, Literal(5))])
    engine.add_static(waiting({ex.b: "PT2S"}))
    engine.add([(ex.b, ex.p, Literal(1))], at=at(9))
    engine.finish("1h")
    assert [(op, thing) for op, _, thing, *_ in answers(engine)] == [
        *(("+", ex.a), ("-", ex.a), ("+", ex.b), ("-", ex.b)),
    ]
    assert engine.counters.static == 2


def test_more_values_than_are_allowed_are_refused() -> None:
    engine = Engine.from_text(SEEN)
    engine.add_static([(ex.a, ex.waits, duration(f"PT{second}S")) for second in range(1001)])
    for _ in range(2):
        with pytest.raises(RangeEndsRefused, match=r"R4605 .* more than 1000 right ends"):
            engine.add([(ex.a, ex.p, Literal(1))], at=at(0))


def test_rules_that_are_added_have_constant_ranges() -> None:
    engine = Engine.from_text(SEEN)
    engine.add_static(waiting({ex.a: "PT2S"}))
    with pytest.raises(RuleErrors, match="R4119"):
        engine.add_rules(SEEN)
    engine.add_rules(document(rule("?x[ex:p -> ?v]", "?x[ex:got -> ?v]", "?v")))
    engine.add([(ex.a, ex.p, Literal(1))], at=at(0))
    engine.finish("1h")
    assert {each[3] for each in answers(engine)} == {ex.had, ex.got}


def test_possible_answers_and_shards_have_constant_ranges(tmp_path: Path) -> None:
    with pytest.raises(RuleErrors, match=r"R4119 .* under hypotheses"):
        Engine.from_text(SEEN, hypotheses=True)
    path = tmp_path / "rules.rif"
    path.write_text(SEEN, "utf-8")
    (tmp_path / "data.nq").write_text(element(1, 1), "utf-8")
    for command, where in (
        (["plan", str(path), "--shards", "2"], "in shards"),
        (["run", str(path), str(tmp_path / "data.nq"), "--hypotheses"], "under --hypotheses"),
    ):
        found = call(command)
        assert found.code == 3
        assert f"R4119 [0 s, ?d] ends in a variable {where}" in found.err


def test_commands_name_the_variable(tmp_path: Path) -> None:
    path = tmp_path / "rules.rif"
    path.write_text(SEEN, "utf-8")
    assert "DiamondMinus [0 s, ?d]\n" in call(["plan", str(path)]).out
    assert "static data say how far answers look" in call(["check", str(path)]).out
    assert call(["convert", str(path), str(tmp_path / "rules.xml")]).code == 0
    assert "DiamondMinus [0 s, ?d] (" in call(["convert", str(tmp_path / "rules.xml"), "-"]).out


def test_an_explanation_has_the_length_that_counted(tmp_path: Path) -> None:
    (tmp_path / "rules.rif").write_text(SEEN, "utf-8")
    (tmp_path / "data.nq").write_text(element(1, 1, "a p y"), "utf-8")
    (tmp_path / "static.nt").write_text(f'<{ex.a}> <{ex.waits}> "3"^^<{XSD.integer}> .\n')
    files = [str(tmp_path / name) for name in ("rules.rif", "data.nq")]
    asked = [
        *files,
        "--static",
        str(tmp_path / "static.nt"),
        "--fact",
        f"<{ex.a}>[<{ex.had}> -> <{ex.y}>]",
    ]
    assert "DiamondMinus [0, 3]" in call(["explain", *asked, "--at", "3"]).out
    lacks = call(["explain", *asked, "--at", "9"])
    assert lacks.code == 1
    assert "not so: DiamondMinus [0, 3] (ex:a[ex:p -> ex:y])" in lacks.out
