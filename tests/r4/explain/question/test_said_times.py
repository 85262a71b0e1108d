"""Explanations say what a run said, though a retraction has changed what operators look back on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.command import call

INTEGER = "<http://www.w3.org/2001/XMLSchema#integer>"
BOX = "?x[ex:h -> ?y] :- BoxMinus [0, 2] ( ?x[ex:p -> ?y] )"
NEGATION = "?x[ex:h -> ?y] :- And( ?x[ex:p -> ?y] Naf( DiamondMinus [0, 3] ( ?x[ex:n -> ?x] ) ) )"
FUTURE = "?x[ex:h -> ?y] :- DiamondPlus [3, 5] ( ?x[ex:p -> ?y] )"
CONCLUDED = "BoxMinus [3, 5] ( ?x[ex:h -> ?y] ) :- ?x[ex:p -> ?y]"


def element(name: str, at: int, *, says: str = "", takes: str = "") -> str:
    """An element with a triple of an object, or one that takes another one back."""
    stamp = f'<urn:{name}> <http://www.w3.org/ns/prov#generatedAtTime> "{at}"^^{INTEGER} .\n'
    triple = f"<urn:ex:a> {says} <urn:{name}> .\n" if says else ""
    taken = f"<urn:{name}> <urn:r4:retracts> <urn:{takes}> .\n" if takes else ""
    return stamp + triple + taken + "\n"


P, N = "<urn:ex:p> <urn:ex:b>", "<urn:ex:n> <urn:ex:a>"
TAKEN_BOX = [element("g1", 3, says=P), element("g2", 5, says=P), element("g3", 6, takes="g1")]
TAKEN_NEGATION = [
    *(element("g1", 1, says=P), element("g2", 3, says=N)),
    *(element("g3", 5, takes="g2"), element("g4", 6)),
]
TAKEN_EARLY = [element("g1", 1, says=P), element("g2", 2, takes="g1")]


def explained(folder: Path, rule: str, window: int, elements: list[str], at: int) -> Any:
    """What `r4 explain` says of ex:a[ex:h -> ex:b] at an instant, as text and as JSON."""
    rule = rule if rule.startswith("Forall") else f"Forall ?x ?y ( {rule} )"
    rules, stream = folder / "rules.rif", folder / "stream.nq"
    rules.write_text(f"Document( Prefix(ex <urn:ex:>) Window({window}) Group( {rule} ) )")
    stream.write_text("".join(elements))
    given = ["explain", str(rules), str(stream), "--fact", "ex:a ex:h ex:b", "--at", str(at)]
    return call(given).out, json.loads(call([*given, "--as", "json"]).out)


def test_a_fact_holds_from_when_it_was_said_on(tmp_path: Path) -> None:
    text, value = explained(tmp_path, NEGATION, 10, TAKEN_NEGATION, 6)
    assert (value["from"], value["until"], value["answer"]) == (5, 11, {"from": 5, "until": 11})
    assert "because of 1 fact, from 5 to 11" in text


def test_the_times_before_and_after_an_instant_are_those_that_were_said(tmp_path: Path) -> None:
    _, value = explained(tmp_path, NEGATION, 10, TAKEN_NEGATION, 4)
    assert value["held"] == [{"from": 1, "until": 3}, {"from": 5, "until": 11}]
    _, value = explained(tmp_path, BOX, 4, TAKEN_BOX, 6)
    assert value["held"] == [{"from": 5, "until": 6}, {"from": 7, "until": 9}]


def test_what_an_operator_looked_back_on_and_was_taken_back_ends_a_fact(tmp_path: Path) -> None:
    text, _ = explained(tmp_path, BOX, 4, TAKEN_BOX, 5)
    assert "it ends as <urn:g1> is taken back: ex:a[ex:p -> ex:b]" in text


@pytest.mark.parametrize("rule", [FUTURE, CONCLUDED])
def test_what_was_taken_back_before_an_answer_was_final_keeps_its_name(
    tmp_path: Path, rule: str
) -> None:
    text, value = explained(tmp_path, rule, 1, TAKEN_EARLY, -3)
    assert value["holds"]
    assert "asserted by <urn:g1> from 1 to 2" in text
    assert "it ends as <urn:g1> leaves the window" in text


def test_of_a_box_it_is_said_when_its_operand_does_not_hold(tmp_path: Path) -> None:
    text, _ = explained(tmp_path, BOX, 4, TAKEN_BOX, 6)
    box = "BoxMinus [0, 2] (ex:a[ex:p -> ex:b])"
    assert f"rule 1: not so: {box}, as that does not hold from 4 to 5" in text
    text, _ = explained(tmp_path, BOX, 1, [element(f"g{n}", n, says=P) for n in (1, 3, 4)], 4)
    assert f"rule 1: not so: {box}, as that does not hold from 2 to 3" in text
    text, _ = explained(tmp_path, BOX, 1, [element("g1", 1, says=P)], 5)
    assert f"{box}, as that does not hold from 3 through 5, last held from 1 to 2" in text


LACKS = """Forall ?x ?y ( ?x[ex:d -> ?y] :- And( ?x[ex:p -> ?y] Naf( ?x[ex:n -> ?x] ) ) )
Forall ?x ?y ( ?x[ex:h -> ?y] :- {} )"""


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (
            "DiamondMinus [0, 2] ( ?x[ex:d -> ?y] )",
            [
                (
                    "rule 2: not so: DiamondMinus [0, 2] (ex:a[ex:d -> ex:b]), "
                    "as that does not hold from 3 through 5, last held from 1 to 2"
                ),
                (
                    "  rule 1 from 3 through 5: there is ex:a[ex:n -> ex:a], "
                    "asserted by <urn:g3> from 4 to 5"
                ),
            ],
        ),
        (
            "Since [1, 4] ( ?x[ex:p -> ?y] ?x[ex:n -> ?x] )",
            [
                (
                    "rule 2: not so: Since [1, 4] (ex:a[ex:p -> ex:b]; ex:a[ex:n -> ex:a]), "
                    "as ex:a[ex:n -> ex:a] holds from 4 to 5, "
                    "but ex:a[ex:p -> ex:b] does not hold from 5 to 6"
                ),
            ],
        ),
        (
            (
                "And( ?x[ex:q -> ?y] Naf( DiamondMinus [0, 3] ( "
                "Or( ?x[ex:d -> ?y] And( ?x[ex:n -> ?x] ?x[ex:p -> ?y] ) ) ) ) )"
            ),
            [
                (
                    "rule 2: there is no ex:a[ex:q -> ex:b]; there is DiamondMinus [0, 3] "
                    "(ex:a[ex:d -> ex:b] or ex:a[ex:n -> ex:a] and ex:a[ex:p -> ex:b])"
                ),
                "  ex:a[ex:n -> ex:a] asserted by <urn:g3> from 4 to 5",
                "  ex:a[ex:p -> ex:b] asserted by <urn:g2> from 4 to 5",
            ],
        ),
        (
            "And( ?x[ex:q -> ?y] Naf( DiamondMinus [3, 5] ( ?x[ex:d -> ?y] ) ) )",
            [
                (
                    "rule 2: there is no ex:a[ex:q -> ex:b]; "
                    "there is DiamondMinus [3, 5] (ex:a[ex:d -> ex:b])"
                ),
                "  ex:a[ex:d -> ex:b] by rule 1 from 1 to 2",
            ],
        ),
    ],
)
def test_what_an_operator_lacks_or_a_negation_forbids_is_followed(
    tmp_path: Path, body: str, lines: list[str]
) -> None:
    elements = [element("g1", 1, says=P), element("g2", 4, says=P), element("g3", 4, says=N)]
    at = 5 if "0, 2" in body else 6
    text, value = explained(tmp_path, LACKS.format(body), 1, elements, at)
    begin = text.index("  rule 2")
    assert [line[2:] for line in text[begin:].splitlines()] == lines
    assert value["missing"] == lines[:1]
    assert value["lacks"][0]["conditions"]


AHEAD = "Forall ?x ?y ( ?x[ex:k -> ?y] :- DiamondPlus [{0}, {0}] ( ?x[ex:h -> ?y] ) )"


@pytest.mark.parametrize(
    ("rule", "ahead", "window", "elements", "at", "line"),
    [
        (
            *("DiamondMinus [0, 3] ( ?x[ex:p -> ?y] )", 5, 6),
            [
                *(element("g1", 1, says=P), element("g2", 4, takes="g1")),
                *(element("g3", 7), element("g4", 8, takes="g3"), element("g5", 10)),
            ],
            *(1, "it ends as <urn:g1> is taken back: ex:a[ex:p -> ex:b]"),
        ),
        (
            *("Since [2, 2] ( ?x[ex:p -> ?y] ?x[ex:p -> ?y] )", 13, 4),
            [
                *(element("g1", 7, says=P), element("g2", 8, says=P)),
                *(element("g3", 11, takes="g2"), element("g4", 13, takes="g1"), element("g5", 16)),
            ],
            *(9, "it ends as <urn:g1> leaves the window: ex:a[ex:p -> ex:b]"),
        ),
        (
            *("DiamondPlus [2, 2] ( Until (3, 6] ( ?x[ex:p -> ?y] ?x[ex:p -> ?y] ) )", 0, 7),
            [
                *(element("g1", 5, says=P), element("g2", 6, says=P)),
                *(element("g3", 7, takes="g2"), element("g4", 12)),
            ],
            *(3, "it ends as <urn:g2> is taken back: ex:a[ex:p -> ex:b]"),
        ),
        (
            *("?x[ex:p -> ?y]", 3, 4),
            [
                *(element("g1", 1, says=P), element("g2", 3, takes="g1")),
                *(element("g3", 5, says=P), element("g4", 13)),
            ],
            *(2, "it ends as <urn:g1> is taken back: ex:a[ex:p -> ex:b]"),
        ),
        (
            *("And( ?x[ex:p -> ?y] DiamondPlus [3, 6] ( ?x[ex:p -> ?y] ) )", 0, 4),
            [
                *(element("g1", 1, says=P), element("g2", 4, takes="g1")),
                *(element("g3", 6, says=P), element("g4", 7)),
            ],
            *(2, "it ends as <urn:g1> is taken back: ex:a[ex:p -> ex:b]"),
        ),
    ],
)
def test_what_ends_a_fact_is_said_where_rules_look_ahead_and_elements_are_taken_back(
    *, tmp_path: Path, rule: str, ahead: int, window: int, elements: list[str], at: int, line: str
) -> None:
    rules = f"Forall ?x ?y ( ?x[ex:h -> ?y] :- {rule} ) {AHEAD.format(ahead)}"
    text, _ = explained(tmp_path, rules, window, elements, at)
    assert text.splitlines()[2] == line


def test_the_reason_of_an_asserted_fact_holds_no_longer_than_it_does(tmp_path: Path) -> None:
    elements = [element("g1", 1, says="<urn:ex:h> <urn:ex:b>"), element("g2", 4, takes="g1")]
    text, value = explained(tmp_path, BOX, 10, elements, 2)
    assert "asserted from 1 to 4" in text
    assert "because of 1 fact, from 1 to 4" in text
    assert value["justifications"][0]["until"] == 4


COUNT = """Forall ?x ?m ( BoxPlus [2, 3] ( ?x[ex:h -> ?m] ) :-
    ?m = count{ ?v [?x] | ?x[ex:p -> ?v] } )"""


def test_an_answer_that_goes_on_for_ever_once_a_group_has_its_value_again(tmp_path: Path) -> None:
    """Time went to infinity to see how it ends: as long as the group has another value it ends."""
    for_ever = "<urn:ex:a> <urn:ex:p> <urn:ex:b> .\n\n"
    elements = [element("g1", 1), for_ever]
    elements += [element(f"g{at}", at, says="<urn:ex:p> <urn:ex:c>") for at in (7, 10)]
    rules, stream = tmp_path / "rules.rif", tmp_path / "stream.nq"
    rules.write_text(f"Document( Prefix(ex <urn:ex:>) Group( {COUNT} ) )")
    stream.write_text("".join(elements))
    fact = ["--fact", f'ex:a ex:h "1"^^{INTEGER}', "--at", "5"]
    value = json.loads(call(["explain", str(rules), str(stream), *fact, "--as", "json"]).out)
    assert (value["from"], value["until"], value["final"]) == (3, None, True)
