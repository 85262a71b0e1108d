"""Built-ins of terms that stand in no row: a function of one's own is asked once."""

from __future__ import annotations

from rete.terms.builtin_calls import OUT_OF_DOMAIN
from rete.terms.builtin_outcome import outcome
from rif.builtins.python_functions import python_builtin
from rif.syntax.terms import XSD, Literal
from tests.rete.nodes.builtin_rows import dictionaries


def test_a_function_of_ones_own_is_asked_for_a_value_once() -> None:
    asked: list[object] = []

    def half(value: int) -> int | None:
        asked.append(value)
        return None if value % 2 else value // 2

    one, four = (Literal(text, XSD + "integer") for text in ("1", "4"))
    builtin = python_builtin("urn:ex:half", half)
    for terms in dictionaries():
        asked.clear()
        for _ in range(2):
            assert outcome(builtin, [four], terms) == Literal("2", XSD + "integer")
            assert outcome(builtin, [one], terms) is None
        assert asked == [4, 1, 1]
        terms.results["urn:ex:half"][(terms.encode(str(one)),)] = OUT_OF_DOMAIN  # as of a row
        assert outcome(builtin, [one], terms) is None
        assert asked == [4, 1, 1]
