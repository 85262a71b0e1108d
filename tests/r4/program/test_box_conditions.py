"""``r4 check`` tells boxes that streams hardly ever make true."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.simulation.command import call

P = "?x[ex:p -> ex:y]"
OVER_7 = "External(<http://www.w3.org/2007/rif-builtin-predicate#numeric-greater-than>(?y 7))"


@pytest.mark.parametrize(
    ("window", "bodies", "told"),
    [
        (
            "",
            [f"BoxMinus [0 s, 9 s] ({P})", f"BoxPlus [5 s, 5 s] ({P})"],
            [
                (
                    "rule 1: BoxMinus [0 s, 9 s] can be true if static data, or elements with an "
                    "end of their own, give what it asks for, themselves or by rules; an element "
                    "without one holds at its instant alone, as there is no Window that says for "
                    "how long; --with FILE says whether it is true"
                )
            ],
        ),
        (
            "Window(9 s)",
            [f"BoxMinus [0 s, 9 s] ( And( ?x[ex:p -> ?y] {OVER_7} ) )"],
            [
                (
                    "rule 1: in BoxMinus [0 s, 9 s] ?y is one value throughout: Exists ?y inside "
                    "lets it change"
                )
            ],
        ),
        (
            "Window(9 s)",
            [
                f"BoxMinus [0 s, 9 s] ( Exists ?y ( And( ?x[ex:p -> ?y] {OVER_7} ) ) )",
                f"And( ?x[ex:q -> ?y] BoxMinus [0 s, 9 s] ( And( ?x[ex:p -> ?y] {OVER_7} ) ) )",
                "BoxMinus [0 s, 9 s] ( And( ?x[ex:p -> ?y] ?y = 7 ) )",
                "BoxMinus [0 s, 9 s] ( ?x[ex:p -> ?y] )",
            ],
            [],
        ),
    ],
)
def test_boxes_that_streams_hardly_make_true_are_told_by_check(
    tmp_path: Path, window: str, bodies: Sequence[str], told: list[str]
) -> None:
    rules = [f"Forall ?x ?y (?x[ex:t -> ex:y] :- {body})" for body in bodies]
    path = tmp_path / "rules.rif"
    path.write_text(f"Document(Prefix(ex <urn:ex:>) {window} Group({' '.join(rules)}))", "utf-8")
    found = [line for line in call(["check", str(path)]).lines() if line.startswith("rule")]
    assert found == told


def test_data_that_make_a_box_true_leave_out_that_it_may_be_none(tmp_path: Path) -> None:
    """Check cannot know that ``ex:in`` is static data before it reads them."""
    (tmp_path / "rules.rif").write_text(
        "@prefix ex: <urn:ex:> .\n"
        '?r[ex:is -> "hot"] :- BoxMinus [0 s, 1 s] ( ?r[ex:is -> "warm"] ).\n'
        '?r[ex:is -> "warm"] :- ?s[ex:in -> ?r], DiamondMinus [0 s, 9 s] ( ?s[ex:p -> 1] ).\n',
        "utf-8",
    )
    (tmp_path / "rooms.ttl").write_text("<urn:ex:s> <urn:ex:in> <urn:ex:r> .", "utf-8")
    (tmp_path / "stream.trig").write_text(
        "<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "
        '"2026-06-01T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
        "<urn:g> { <urn:ex:s> <urn:ex:p> 1 }\n"
        "<urn:h> <http://www.w3.org/ns/prov#generatedAtTime> "
        '"2026-06-01T12:01:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n',
        "utf-8",
    )
    rules, stream, rooms = (
        str(tmp_path / name) for name in ("rules.rif", "stream.trig", "rooms.ttl")
    )
    alone = call(["check", rules]).lines()
    assert any("BoxMinus [0 s, 1 s] can be true if" in line for line in alone)
    told = call(["check", rules, "--with", stream, "--static", rooms]).lines()
    assert not any("BoxMinus" in line for line in told)
    assert told[-1] == "each pattern of the rules, and each join, is met by some of the data"
