"""Metric rules on streams: when elements hold, when answers are final, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rdflib import Namespace

from r4 import Change, Engine
from r4.run import driver
from rete.agenda import LimitReached
from rete.network.expiry import remembered
from rete.nodes.scan import Scan
from rete.terms.relations import TRIPLES
from rif.errors.report import RuleErrors
from tests.simulation.command import CommandOutput, call

EX = Namespace("http://e/")
PROV = "http://www.w3.org/ns/prov#"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def document(*rules: str, window: str = "") -> str:
    return f"Document(Prefix(ex <http://e/>) {window} Group({' '.join(rules)}))"


def rule(body: str, head: str = "?x[ex:t -> ex:y]", more: str = "") -> str:
    return f"Forall ?x {more} ({head} :- {body})"


P = "?x[ex:p -> ex:y]"


def element(number: int, at: int, *triples: str, end: int | None = None) -> str:
    lines = [f'<urn:g:{number}> <{PROV}generatedAtTime> "{at}"^^<{INTEGER}> .']
    if end is not None:
        lines.append(f'<urn:g:{number}> <{PROV}invalidatedAtTime> "{end}"^^<{INTEGER}> .')
    for triple in triples or ("a p y",):
        names = " ".join(f"<http://e/{name}>" for name in triple.split())
        lines.append(f"{names} <urn:g:{number}> .")
    return "\n".join(lines) + "\n"


def stream(*times: int) -> str:
    return "".join(element(number, at) for number, at in enumerate(times))


@pytest.fixture
def run(tmp_path: Path):
    def run_it(rules: str, data: str, *options: str) -> CommandOutput:
        (tmp_path / "rules.rif").write_text(rules, "utf-8")
        (tmp_path / "data.nq").write_text(data, "utf-8")
        return call(["run", str(tmp_path / "rules.rif"), str(tmp_path / "data.nq"), *options])

    return run_it


def spells(printed: CommandOutput) -> list[tuple[int | None, int]]:
    """From and until of what ended."""
    assert printed.code == 0, printed.err
    lines = map(json.loads, printed.lines())
    return [(line["from"], line["until"]) for line in lines if line["op"] == "-"]


# When facts hold.


def test_without_a_window_an_element_holds_at_its_instant_alone(run) -> None:
    rules = document(rule(f"And({P} DiamondMinus [0, 9] ({P}))"))
    printed = run(rules, stream(1, 5), "--quiet")
    assert spells(printed) == [(1, 2)]
    assert printed.err == ""


def test_with_a_window_operators_see_what_it_keeps(run) -> None:
    rules = document(rule(f"BoxMinus [0, 2] ({P})"), window="Window(3)")
    assert spells(run(rules, stream(1, 4), "--drain")) == [(3, 7)]


def test_a_window_of_the_command_line_counts_too(run) -> None:
    rules = document(rule(f"BoxMinus [0, 2] ({P})"))
    assert spells(run(rules, stream(1, 4), "--drain")) == []
    assert spells(run(rules, stream(1, 4), "--drain", "--window", "3")) == [(3, 7)]


def test_an_element_with_an_end_holds_up_to_it(run) -> None:
    rules = document(rule(f"BoxMinus [0, 2] ({P})"))
    assert spells(run(rules, element(1, 1, end=6), "--drain")) == [(3, 6)]


def test_static_data_hold_always(run, tmp_path) -> None:
    static = tmp_path / "static.nt"
    static.write_text("<http://e/a> <http://e/q> <http://e/y> .\n")
    rules = document(rule(f"And(DiamondMinus [1, 1] ({P}) BoxMinus [0, inf) (?x[ex:q -> ex:y]))"))
    assert spells(run(rules, stream(1), "--drain", "--static", str(static))) == [(2, 3)]


def test_operators_see_what_the_rules_of_a_regime_derive(run, tmp_path) -> None:
    static = tmp_path / "ontology.nt"
    sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    static.write_text(f"<http://e/Hot> {sub} <http://e/Warm> .\n")
    rules = document(rule("DiamondMinus [1, 2] (?x # ex:Warm)"))
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    data = element(1, 5).replace("<http://e/p>", kind).replace("<http://e/y>", "<http://e/Hot>")
    regime = ("--static", str(static), "--entailment", "rdfs", "--drain")
    assert spells(run(rules, data, *regime)) == [(6, 8)]
    assert spells(run(rules, data, "--drain")) == []
    assert (6, 8) in spells(run(rules, data, *regime, "--include-background"))
    assert (6, 8) in spells(run(rules, data, *regime, "--include-input"))


# Ticks.


def test_answers_begin_and_end_at_ticks_and_touching_runs_are_one(run) -> None:
    open_range = document(rule(f"DiamondMinus (1, 3) ({P})"))
    assert spells(run(open_range, stream(1), "--drain")) == [(3, 4)]
    points = document(rule(f"DiamondMinus [1, 1] ({P})"))
    assert spells(run(points, stream(1, 2, 3, 6), "--drain")) == [(2, 5), (7, 8)]


def test_what_holds_only_between_ticks_is_no_answer(run) -> None:
    rules = document(rule(f"DiamondMinus (0, 1) ({P})"))
    assert spells(run(rules, stream(1), "--drain")) == []
    both = document(rule(f"DiamondMinus (0, 1) (DiamondMinus (0, 1) ({P}))"))
    assert spells(run(both, stream(1), "--drain")) == [(2, 3)]


# Looking ahead.


def test_what_looks_ahead_is_told_once_time_has_passed_that() -> None:
    engine = Engine.from_text(document(rule(f"DiamondPlus [2, 2] ({P})")))
    engine.add([(EX.a, EX.p, EX.y)], at=10)
    assert list(engine.changes()) == []
    engine.advance(10)
    assert [(one.op, one.at) for one in engine.changes()] == [("+", 8)]
    engine.advance(11)
    assert [(one.op, one.at) for one in engine.changes()] == [("-", 9)]


def test_what_comes_within_the_delay_is_seen_ahead(run) -> None:
    rules = document(rule(f"And({P} BoxPlus [0, 2] ({P}))"))
    data = stream(5, 6, 7) + element(9, 6, "b p y") + stream(8)
    in_order = document(rule(f"DiamondPlus [1, 2] ({P})"))
    assert spells(run(rules, data, "--delay", "2", "--drain")) == []
    assert spells(run(in_order, data, "--delay", "2", "--drain")) == [(4, 6), (3, 8)]


def test_a_cycle_that_looks_ahead_is_refused_and_shown(run) -> None:
    rules = document(
        rule("DiamondPlus [0, 1] (?x[ex:u -> ex:y])"),
        rule("?x[ex:t -> ex:y]", "BoxMinus [0, 2] (?x[ex:u -> ex:y])"),
    )
    printed = run(rules, stream(1))
    assert printed.code == 3
    assert "R4109 rules look ahead in a cycle" in printed.err
    assert "rule 1 (1:40), which derives from rule 2" in printed.err
    assert "hint: " in printed.err


def test_a_range_to_infinity_ahead_is_refused(run) -> None:
    printed = run(document(rule(f"DiamondPlus [0, inf) ({P})")), stream(1))
    assert printed.code == 3
    assert "R4109 rule 1 (1:40) looks ahead to inf" in printed.err


def test_a_negation_before_a_cycle_that_derives_on_is_refused(run) -> None:
    cycle = rule(f"And({P} DiamondMinus [1, 1] (?x[ex:t -> ex:y]))")
    first = rule(f"And({P} Naf(?x[ex:q -> ex:y]))")
    printed = run(document(first, cycle), stream(1))
    assert printed.code == 3
    assert "R4110 rule 1 (1:40) negates, and feeds a cycle that derives on: rule 2" in printed.err
    behind = rule("And(?x[ex:t -> ex:y] Naf(?x[ex:q -> ex:y]))", "?x[ex:u -> ex:y]")
    assert run(document(rule(P), cycle, behind), stream(1)).code == 0


# Deriving for ever.


def test_a_rule_that_derives_for_ever_tells_what_is_due(run) -> None:
    rules = document(rule(P), rule("?x[ex:t -> ex:y]", "BoxPlus [3, 3] (?x[ex:t -> ex:y])"))
    assert spells(run(rules, stream(0) + element(7, 10, "a q y"))) == [
        (0, 1),
        (3, 4),
        (6, 7),
        (9, 10),
    ]
    assert spells(run(rules, stream(0), "--drain=5")) == [(0, 1), (3, 4)]


def test_draining_a_rule_that_derives_for_ever_reaches_the_limit(run) -> None:
    rules = document(rule(P), rule("?x[ex:t -> ex:y]", "BoxPlus [3, 3] (?x[ex:t -> ex:y])"))
    printed = run(rules, stream(0), "--drain", "--limit", "200")
    assert printed.code == 5
    assert "more than 200 facts" in printed.err


def test_memory_that_is_not_bounded_is_warned_of(run) -> None:
    forever = "holds for ever, so memory is not bounded"
    assert forever in run(document(rule(f"DiamondMinus [0, inf) ({P})")), stream(1)).err
    assert run(document(rule(f"DiamondMinus [0, 9] ({P})")), stream(1), "--quiet").err == ""
    assert forever in run(document(rule(f"BoxMinus [0, inf) ({P})")), stream(1)).err


# What is refused.


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (f"DiamondMinus [0 us, 5 us] ({P})", "R4107"),
        (f"DiamondMinus [0 s, 0.0005 s] ({P})", "R4107"),
        (f"DiamondMinus [0 d, 99999999999999 d] ({P})", "MTL206"),
    ],
)
def test_a_range_that_is_no_whole_number_of_ticks_is_refused(body, code) -> None:
    with pytest.raises(RuleErrors) as caught:
        Engine.from_text(document(rule(body)))
    (fault,) = caught.value.errors
    assert fault.code == code
    assert fault.hint
    assert fault.span.column == 72
    if code == "R4107":
        Engine.from_text(document(rule(body)), tick="us")


def test_instances_have_no_metric_operators(run) -> None:
    rules = document(rule(f"DiamondMinus [0, 1] ({P})"))
    printed = run(rules, stream(1), "--semantics", "instances")
    assert printed.code == 3
    assert "R4108 DiamondMinus has no instances" in printed.err


# What `r4 check` says.


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            document(rule(f"DiamondMinus [0 s, 10 m] ({P})")),
            (
                "elements without an end hold at their instant alone; answers look back 10 m; "
                "memory is bounded"
            ),
        ),
        (
            document(
                rule(f"BoxMinus [0 s, 10 s] (DiamondMinus [0 s, 5 s] ({P}))"),
                rule("DiamondPlus [0 s, 3 s] (?x[ex:t -> ex:y])", "?x[ex:u -> ex:y]"),
                window="Window(1 s)",
            ),
            (
                "elements without an end hold as long as the window says; answers look back 15 s "
                "and ahead 3 s: they are final that much later; memory is bounded"
            ),
        ),
        (
            document(
                rule("BoxPlus [0, 5] (?x[ex:t -> ex:y])", "BoxPlus [1, 1] (?x[ex:t -> ex:y])")
            ),
            None,
        ),
    ],
)
def test_check_tells_how_far_answers_reach_and_whether_memory_is_bounded(
    rules, said, tmp_path
) -> None:
    path = tmp_path / "rules.rif"
    path.write_text(rules, "utf-8")
    printed = call(["check", str(path)])
    if said is None:
        assert printed.code == 3
    else:
        assert printed.lines()[1] == f"metric time: {said}"


def test_check_prints_what_is_kept_after_it_ended_and_for_how_long(tmp_path) -> None:
    path = tmp_path / "rules.rif"
    nested = f"BoxMinus [1 s, 10 s] (DiamondMinus [0 s, 5 s] ({P}))"
    path.write_text(
        document(
            rule(f"And({nested} ?x[ex:door -> ex:y])"),
            rule("DiamondMinus [2 s, inf) (?x[ex:q -> ex:y])", "?x[ex:u -> ex:y]"),
        ),
        "utf-8",
    )
    assert call(["check", str(path)]).lines()[2:] == [
        "kept after they end, as rules look back on them:",
        "  ?x[ex:p -> ex:y]: 15001 ms",  # a box is seen to end one tick after its range
        "  ?x[ex:q -> ex:y]: for ever",
    ]
    nodes = json.loads(call(["plan", str(path), "--as", "json"]).out)["nodes"]
    patterns = {node["label"][0]: node["retention"] for node in nodes if node["kind"] == "pattern"}
    assert patterns == {
        "?x[ex:p -> ex:y]": 15001,
        "?x[ex:q -> ex:y]": "inf",
        "?x[ex:door -> ex:y]": 0,
    }
    text = call(["plan", str(path)]).out
    assert "?x[ex:p -> ex:y] (kept 15001 ms after the end)" in text
    assert "BoxMinus [1 s, 10 s]" in text
    assert "?x[ex:q -> ex:y] (kept for ever)" in text
    assert "?x[ex:door -> ex:y]\n" in text


def test_what_static_data_say_for_ever_is_told_without_any_stamp(run, tmp_path) -> None:
    static = tmp_path / "static.nt"
    static.write_text(f"<{EX.a}> <{EX.p}> <{EX.y}> .\n", "utf-8")
    rules = document(rule(P), rule("DiamondMinus [1, 1] (?x[ex:t -> ex:y])"))
    printed = run(rules, "", "--static", str(static))
    assert printed.code == 0
    assert [json.loads(line)["at"] for line in printed.lines()] == [None]


# Memory.


@pytest.mark.parametrize(
    ("body", "kept"), [(f"DiamondMinus [0, 9] ({P})", 9), (f"BoxMinus [0, 9] ({P})", 10)]
)
def test_a_fact_is_forgotten_when_the_time_that_the_plan_shows_has_passed(body, kept) -> None:
    engine = Engine.from_text(document(rule(body), window="Window(3)"))
    core = engine._run.core
    scans = (stream for plan, stream in core.network.streams.items() if isinstance(plan, Scan))
    assert [stream.retention >> 1 for stream in scans] == [kept]
    engine.add([(EX.a, EX.p, EX.y)], at=1)
    known = core.terms.lookup(str(EX.a.n3()))
    assert known
    held = []
    for frontier in range(3, 20):
        engine.advance(frontier - 1)
        core.forget()
        asserted = core.layers.asserted_stem(TRIPLES)
        assert asserted is not None
        if (asserted.content()[:, 0] == known).any():
            held.append(frontier)
    assert held == list(range(3, 1 + 3 + kept))  # it ends at 1 + 3


@pytest.mark.parametrize(
    "rules",
    [
        document(
            rule(f"Since [0, 9] (?x[ex:q -> ex:y] DiamondMinus [2, 7] ({P}))"),
            rule("BoxMinus [0, 5] (DiamondMinus [0, 3] (?x[ex:t -> ex:y]))", "?x[ex:u -> ex:y]"),
            rule("And(?x[ex:u -> ex:y] Naf(?x[ex:q -> ex:y]))", "?x[ex:v -> ex:y]"),
        ),
        document(
            rule(f"And({P} DiamondPlus [1, 4] (BoxPlus [0, 2] ({P})))"),
            rule(f"And({P} DiamondMinus [1, 2] (?x[ex:t -> ex:y]))", "?x[ex:u -> ex:y]"),
        ),
        document(
            rule("DiamondMinus [1, 2] (?x[ex:t -> ex:y])"),
            rule("?x[ex:r -> ex:y]"),
            rule(f"BoxMinus [0, 5] ({P})", "?x[ex:u -> ex:y]"),
        ),
    ],
    ids=["back", "ahead, and back from there", "beside a recursion that reads other facts"],
)
def test_memory_does_not_grow_with_the_stream(rules) -> None:
    engine = Engine.from_text(rules)
    core = engine._run.core
    held: list[int] = []
    for number in range(600):
        one = EX[f"node{number // 3}"]
        engine.add([(one, EX.p, EX.y), (one, EX.q, EX.y)], at=number)
        list(engine.changes())
        if number % 200 == 199:
            core.forget()
            rows = sum(len(part) for part in remembered(core.layers))
            held.append(rows + len(core.terms))
    assert held[0] < 400
    assert max(held) <= held[0] + 40


# An engine that stops, and rules that join.


def fed(engine: Engine, first: int, last: int) -> list[tuple[object, ...]]:
    found: list[Change] = []
    for number in range(first, last):
        engine.add([(EX.a, EX.p if number % 3 else EX.q, EX.y)], at=2 * number)
        found += engine.changes()
    return [(one.op, one.at, one.triple, one.rule) for one in found]


@pytest.mark.parametrize(
    "rules",
    [
        document(
            rule(f"And({P} DiamondMinus [1, 3] ({P}))"),
            rule(f"DiamondPlus [2, 2] ({P})", "?x[ex:u -> ex:y]"),
            rule(f"Since [1, 4] (?x[ex:q -> ex:y] {P})"),
        ),
        document(rule(P), rule("?x[ex:t -> ex:y]", "BoxPlus [2, 2] (?x[ex:t -> ex:y])")),
    ],
    ids=["ahead", "for ever"],
)
def test_an_engine_that_is_saved_and_loaded_tells_the_same(rules, tmp_path) -> None:
    whole = Engine.from_text(rules)
    expected = fed(whole, 0, 10)
    assert len(expected) > 10
    first = Engine.from_text(rules)
    found = fed(first, 0, 5)
    first.save(tmp_path / "engine.r4")
    assert found + fed(Engine.load(tmp_path / "engine.r4", rules), 5, 10) == expected


def test_what_holds_for_ever_beside_is_not_taken_back_step_by_step() -> None:
    engine = Engine.from_text(
        "Document(Prefix(ex <http://e/>) Group("
        "Forall ?x (?x[ex:t -> ex:y] :- ?x[ex:s -> ex:y])"
        "Forall ?x (?x[ex:t -> ex:y] :- ?x[ex:q -> ex:y])"
        "Forall ?x (BoxPlus [3, 3] (?x[ex:t -> ex:y]) :- ?x[ex:t -> ex:y])))"
    )
    engine.add_static([(EX["a"], EX["s"], EX["y"])])
    engine.add([(EX["a"], EX["q"], EX["y"])], at=1, until=9, name="urn:g")
    engine.add([(EX["b"], EX["p"], EX["y"])], at=4)
    engine.retract(name="urn:g")
    engine.advance(9)
    assert [(change.op, change.at) for change in engine.changes()] == [("+", None)]


LOOKS_AHEAD = rule("DiamondPlus [0, 1] (?x[ex:u -> ex:y])")
GOES_ROUND = rule("?x[ex:t -> ex:y]", "?x[ex:u -> ex:y]")
LOOKS_BACK = rule(f"And({P} DiamondMinus [1, 1] (?x[ex:t -> ex:y]))")
NEGATES = rule(f"And({P} Naf(?x[ex:q -> ex:y]))")


@pytest.mark.parametrize(
    ("runs", "joins", "code"),
    [
        (LOOKS_AHEAD, GOES_ROUND, "R4109"),
        (GOES_ROUND, LOOKS_AHEAD, "R4109"),
        (LOOKS_BACK, NEGATES, "R4110"),
        (NEGATES, LOOKS_BACK, "R4110"),
    ],
)
def test_rules_that_join_are_judged_with_those_that_run(runs, joins, code) -> None:
    engine = Engine.from_text(document(runs))
    with pytest.raises(RuleErrors, match=code):
        engine.add_rules(document(joins))
    engine.drop_rules(1)
    engine.add_rules(document(joins))


def test_metric_rules_may_join_rules_without() -> None:
    engine = Engine.from_text(document(rule(P), window="Window(1)"))
    first = fed(engine, 1, 3)
    assert [(op, at) for op, at, *_ in first] == [("+", 2), ("-", 3)]
    engine.add_rules(document(rule(f"DiamondMinus [1, 3] ({P})")))
    told = [(op, at, name) for op, at, _, name in fed(engine, 5, 9)]
    assert told == [("+", 4, 1), ("-", 5, 1), ("+", 10, 1)]


ENDLESS = "Forall ?x (BoxPlus [1, 1] (?x[ex:h -> ex:y]) :- Or(?x[ex:q -> ex:y] ?x[ex:h -> ex:y]))"


@pytest.mark.parametrize("joins", [False, True])
def test_rules_that_derive_for_ever_reach_a_limit_if_all_is_asked_for(
    joins, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(driver, "MOST", 500)
    rules = (document(rule(P)), document(ENDLESS))
    engine = Engine.from_text(rules[0] if joins else rules[1], keep=True)
    engine.add([(EX["a"], EX["q"], EX["y"])], at=1, until=2)
    engine.advance(3)
    if joins:
        engine.add_rules(rules[1])
    engine.save(tmp_path / "engine.r4")
    loaded = Engine.load(tmp_path / "engine.r4", rules[not joins], added=rules[1:] * joins)
    for each in (engine, loaded):
        with pytest.raises(LimitReached):
            each.finish(drain=None)
    again = Engine.load(tmp_path / "engine.r4", rules[not joins], added=rules[1:] * joins)
    again.finish(drain=3)
    assert [(c.op, c.at) for c in again.changes()] == [("+", 4 if joins else 2)]
