"""What stands at a cursor, described."""

from __future__ import annotations

import pytest

from r4.language import LANGUAGE
from r4.language_server.descriptions import AGGREGATES, KEYWORDS, keyword
from r4.language_server.hover import describe_builtin, hover
from rif.builtins import BUILTINS
from rif.syntax import aggregates
from rif.syntax.lexical import RESERVED_WORDS
from tests.r4.language_server.cursor import cursor

HEAD = "@prefix ex: <urn:ex:> .\n@prefix b: <urn:r4:builtin#> .\n"


@pytest.mark.parametrize(
    ("text", "begin", "about"),
    [
        (
            "?x[ex:a -> ?v] :- pred:numeric-gre|ater-than(?v, 1).",
            "`pred:numeric-greater-than`:",
            25,
        ),
        ("ex:p(?x) :- ex:q(?x), |func:concat(?x, 1) = 2.", "`func:concat`: function", 11),
        ("ex:p(?x) :- ex:q(?x), b:power|(?x, 1) = 2.", "`<urn:r4:builtin#power>`: ", 7),
        ("ex:p(?x) :- Diamond|Minus [0 s, 1 s] (ex:q(?x)).", "`DiamondMinus", 12),
        ("ex:p(?x) :- ?x = av|g{ ?v | ex:q(?v) }.", "`avg{ ?v", 3),
        ("ex:p(?x) :- ex:q(?x), n|ot ex:r(?x).", "`not F`", 3),
        ("ex:p(1) ex:q( :- At| ?x ( ex:r(", "`At ?t", 2),
    ],
)
def test_built_ins_and_keywords_are_described(text: str, begin: str, about: int) -> None:
    text, offset = cursor(HEAD + text)
    found = hover(text, offset)
    assert found is not None
    assert found.text.startswith(begin)
    assert found.begin <= offset <= found.end
    assert found.end - found.begin == about


@pytest.mark.parametrize(
    "text",
    ["ex:p(1)|.", "ex:|p(1).", "(* no|t *) ex:p(1).", '_p("no|t").', "?no|t", "|", "yy:p|(1)."],
)
def test_all_else_is_not(text: str) -> None:
    assert hover(*cursor(HEAD + text)) is None


def test_all_words_are_described() -> None:
    assert set(AGGREGATES) == set(aggregates.AGGREGATES)
    assert set(KEYWORDS) >= {*RESERVED_WORDS, *LANGUAGE.by_keyword} - {"aggregate", "Aggregate"}
    for word in KEYWORDS:
        text = keyword(word)
        assert text is not None
        assert word in text.partition("`: ")[0]
        assert "\n" not in text


@pytest.mark.parametrize("iri", sorted(BUILTINS))
def test_all_built_ins_are_described(iri: str) -> None:
    found = describe_builtin(iri)
    assert found is not None
    assert "arguments" in found
