"""What a negation forbids is told beside what else a rule lacks."""

from __future__ import annotations

import pytest

from r4 import Engine

NEAR = "ex:a[ex:near -> ex:b], asserted from 1 to 6"


def explained(body: str, triples: str) -> str:
    """Why ex:a[ex:is -> ex:ok], of one rule, does not hold."""
    text = (
        "Document( Prefix(ex <urn:ex:>) Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)"
        f" Window(5) Group( Forall ?x ?y ?z ?w ( ?x[ex:is -> ex:ok] :- And( {body} ) ) ) )"
    )
    engine = Engine.from_text(text)
    engine.add(f"@prefix ex: <urn:ex:> . {triples}", at=1)
    return str(engine.explain("ex:a ex:is ex:ok"))


def lack(body: str, triples: str) -> str:
    """What the rule lacks."""
    (line,) = [line for line in explained(body, triples).splitlines() if "rule 1" in line]
    return line.strip().removeprefix("rule 1: ")


@pytest.mark.parametrize(
    ("body", "triples", "line"),
    [
        (
            "?x[ex:on -> ex:a] ?x[ex:of -> ?y] Naf( ?x[ex:near -> ?y] )",
            "ex:a ex:of ex:b ; ex:near ex:b .",
            f"there is no ex:a[ex:on -> ex:a]; there is {NEAR}",
        ),
        (
            "?x[ex:of -> ?y] Naf( ?x[ex:near -> ?y] ) ?x[ex:on -> ?w]",
            "ex:a ex:of ex:b ; ex:near ex:b .",
            f"there is no ex:a[ex:on -> ?w]; there is {NEAR}",
        ),
        (
            "?x[ex:on -> ex:a] ?x[ex:of -> ?y] Naf( DiamondMinus [0, 3] ( ?x[ex:near -> ?y] ) )",
            "ex:a ex:of ex:b ; ex:near ex:b .",
            (
                "there is no ex:a[ex:on -> ex:a]; "
                "there is DiamondMinus [0, 3] (ex:a[ex:near -> ex:b])"
            ),
        ),
    ],
)
def test_what_is_forbidden_by_values_of_other_patterns_is_told_beside_a_missing_one(
    body: str, triples: str, line: str
) -> None:
    assert lack(body, triples) == line


@pytest.mark.parametrize(
    ("body", "triples"),
    [
        (
            "?x[ex:on -> ex:a] ?x[ex:of -> ?y] Naf( ?x[ex:near -> ?y] )",
            "ex:a ex:of ex:b, ex:c ; ex:near ex:b .",
        ),
        (
            "?x[ex:on -> ?w] ?x[ex:of -> ?y] Naf( ?y[ex:near -> ?w] )",
            "ex:a ex:of ex:b . ex:b ex:near ex:c .",
        ),
    ],
)
def test_what_other_values_may_pass_is_not_told_to_be_forbidden(body: str, triples: str) -> None:
    assert lack(body, triples).startswith("there is no ex:a[ex:on -> ")
    assert ";" not in lack(body, triples)


def test_all_facts_that_a_negation_forbids_are_told() -> None:
    body = "?x[ex:on -> ex:a] Naf( Exists ?w ( ?x[ex:near -> ?w] ) )"
    text = explained(body, "ex:a ex:near ex:b, ex:c .")
    assert "there is no ex:a[ex:on -> ex:a]; there is ex:a[ex:near -> ?w]" in text
    facts = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    assert facts == [f"ex:a[ex:near -> ex:{name}] asserted from 1 to 6" for name in "bc"]
