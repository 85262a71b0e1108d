"""What may go on at a cursor."""

from __future__ import annotations

import pytest

from r4.language_server.completion import completions
from tests.r4.language_server.cursor import cursor

HEAD = """@prefix ex: <urn:ex:> .
@prefix b: <urn:r4:builtin#> .
?x[ex:hot -> 1] :- ?x # ex:Oven, ex:near(?x, ?y), <urn:other>(?x), pred:is-list(?x).
"""


def texts(text: str, *names: str) -> list[str]:
    text, offset = cursor(HEAD + text)
    found = completions(text, offset, names)
    typed = text[found.begin : offset].casefold()
    assert all(each.text.casefold().startswith(typed) for each in found.items)
    assert len({each.text for each in found.items}) == len(found.items)
    return [each.text for each in found.items]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("ex:p(?x) :- ex:|", ["ex:", "ex:Oven", "ex:hot", "ex:near", "ex:p", "ex:wet"]),
        ("ex:p(?x) :- ex:ne|", ["ex:near"]),
        ("ex:p(?x) :- ex:n|e(?x).", ["ex:near"]),
        (
            "ex:p(?x) :- not pred:numeric-less|",
            ["pred:numeric-less-than", "pred:numeric-less-than-or-equal"],
        ),
        ("ex:p(?x) :- ?y = b:pow|", ["b:power"]),
        ("ex:p(?x) :- Diam|", ["DiamondMinus", "DiamondPlus"]),
        ("ex:p(?x) :- ?y = qua|", ["quantile"]),
        ("@pre|", ["@prefix"]),
        ("@|", ["@prefix", "@base", "@window", "@import"]),
        ('ex:p("a"@|', []),
        ("ex:p(?x) :- <urn:o|", ["<urn:other>"]),
        ("ex:p(?x) :- ?xy|", []),
        ('ex:p("ex:|")', []),
        ("(* why ex:| *)", []),
        ("# ex:|", []),
    ],
)
def test_what_is_typed_goes_on(text: str, wanted: list[str]) -> None:
    assert texts(text, "urn:ex:wet", "urn:ex:hot") == wanted


@pytest.mark.parametrize("text", ["ex:p(?x) :- |", "ex:p(?x) :- ex:q(?x), | ex:r(?x)."])
def test_where_nothing_is_typed_all_is_offered(text: str) -> None:
    found = texts(text)
    assert {"ex:", "pred:", "func:", "ex:near", "not", "avg", "Since"} <= {*found}
    assert {"pred:is-list", "func:concat", "b:power", "<urn:other>"} <= {*found}


def test_kinds_and_details() -> None:
    text, offset = cursor(HEAD + "ex:p(?x) :- b:pow|")
    (found,) = completions(text, offset).items
    assert (found.kind, found.detail) == ("builtin", "function, arguments: 2")
