"""Throttles, cooldowns, deadbands, state machines, latches: what a loop over the stream finds."""

from __future__ import annotations

import pytest

from r4 import Engine
from tests.generators.events.control_rules import FAMILIES, Answers, ControlCase, control_case
from tests.seeds import parts

PART = 20


def _found(case: ControlCase) -> Answers:
    engine = Engine.from_text(case.rules)
    found: Answers = {}
    for change in engine.run(case.elements):
        assert change.triple is not None
        subject, predicate, value = map(str, change.triple)
        if predicate != f"urn:ex:{case.predicate}":
            continue
        intervals = found.setdefault((subject.removeprefix("urn:ex:"), value), [])
        if change.op == "-":
            intervals[-1] = (int(str(change.start)), int(str(change.until)))
        else:
            intervals.append((int(str(change.start)), None))
    return found


def test_what_was_given_outlives_the_row_that_it_follows_from() -> None:
    """An `At` of a derived fact compared what it had given with rows that were forgotten."""
    case = control_case("state machines", 23)
    assert _found(case) == case.answers


@pytest.mark.compared
@pytest.mark.parametrize("first", parts(PART, check=1, test=2, soak=20))
@pytest.mark.parametrize("family", FAMILIES)
def test_rules_that_control_have_the_answers_of_a_loop(family: str, first: int) -> None:
    kinds = set()
    for seed in range(first, first + PART):
        case = control_case(family, seed)
        assert _found(case) == case.answers, f"{family} {seed}\n{case.rules}\n{case.elements}"
        assert case.answers
        kinds.add(case.kind)
    assert len(kinds) > 1
