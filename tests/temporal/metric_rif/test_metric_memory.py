"""How far metric rules look back: what is kept for that, what is said of it, when it goes."""

from __future__ import annotations

import json

import pytest

from r4 import Engine
from rete.nodes.scan import Scan
from rete.terms.relations import TRIPLES
from tests.simulation.command import call
from tests.temporal.metric_rif.metric_documents import EX, P, document, rule, stream


def test_memory_that_is_not_bounded_is_warned_of(run) -> None:
    forever = "holds for ever, so memory is not bounded"
    assert forever in run(document(rule(f"DiamondMinus [0, inf) ({P})")), stream(1)).err
    assert run(document(rule(f"DiamondMinus [0, 9] ({P})")), stream(1), "--quiet").err == ""
    assert forever in run(document(rule(f"BoxMinus [0, inf) ({P})")), stream(1)).err


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
            rows = sum(len(part) for part in core.layers.remembered())
            held.append(rows + len(core.terms))
    assert held[0] < 400
    assert max(held) <= held[0] + 40
