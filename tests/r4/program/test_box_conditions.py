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
                    "rule 1: BoxMinus [0 s, 9 s] can be true of static data, and of elements with "
                    "an end of their own; an element without one holds at its instant alone, as "
                    "there is no Window that says for how long"
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
