"""``r4 run`` ends with what it did: counts, unmatched patterns, and why there are no answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.nearest_name import nearest_name
from rif.syntax.terms import RDF_TYPE, XSD
from tests.simulation.command import CommandOutput, call

AT = "<http://www.w3.org/ns/prov#generatedAtTime>"
SEEN = "Forall ?a ?k (?a[ex:seen -> ?k] :- ?a[ex:gust -> ?k])"
TWICE = "Forall ?a ?k (?a[ex:twice -> ?k] :- And(?a[ex:seen -> ?k] ?a[ex:gusts -> ?k]))"


def element(number: int, stamp: int, *triples: str) -> str:
    name = f"<urn:g{number}>"
    lines = [f'{name} {AT} "{stamp}"^^<{XSD}integer> .\n']
    return "".join([*lines, *(f"{triple} {name} .\n" for triple in triples)])


GUST = '<urn:ex:a> <urn:ex:gust> "5"'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(folder: Path, rules: str, data: str, *options: str) -> CommandOutput:
    (folder / "r.rif").write_text(
        f"Document( Prefix(ex <urn:ex:>) Window(5 ms) Group({rules}) )", "utf-8"
    )
    (folder / "s.nq").write_text(data, "utf-8")
    return call(["run", "r.rif", "s.nq", *options])


def said(folder: Path, rules: str, data: str, *options: str) -> list[str]:
    return run(folder, rules, data, *options).err.splitlines()


def test_a_line_has_the_counts_and_the_time(folder: Path) -> None:
    data = element(1, 2, GUST) + element(2, 9, GUST) + element(3, 4, GUST) + "nonsense\n"
    assert said(folder, SEEN, data)[-1] == (
        "2 elements, 6 statements; 3 changes of answers; from 2 to 9; 1 late, 1 bad"
    )


def test_date_times_are_told_as_in_answers(folder: Path) -> None:
    data = f'<urn:g> {AT} "2020-01-01T00:00:00.50Z"^^<{XSD}dateTime> .\n{GUST} <urn:g> .\n'
    assert "from 2020-01-01T00:00:00.5Z to 2020-01-01T00:00:00.5Z" in said(folder, SEEN, data)[0]


def test_quiet_says_nothing_and_changes_no_answer(folder: Path) -> None:
    loud, quiet = (run(folder, SEEN, element(1, 2, GUST), *more) for more in ((), ("--quiet",)))
    assert quiet.err == ""
    assert (loud.out, loud.code) == (quiet.out, quiet.code)


def test_a_pattern_that_matched_nothing_is_told_beside_answers(folder: Path) -> None:
    lines = said(folder, f"{SEEN} {TWICE}", element(1, 2, GUST))
    assert lines[1:] == ["no fact matches ?x[ex:gusts -> ?y] of rule 2; ex:gust occurs"]


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("?a[ex:Gust -> ?k]", "?x[ex:Gust -> ?y] of rule 1; ex:gust occurs"),
        ("?a[ex:gust -> 7] ?a[ex:gust -> ?k]", "?x[ex:gust -> 7] of rule 1; ex:gust occurs, but"),
        ("?a # ex:Airports ?a[ex:gust -> ?k]", "?x # ex:Airports of rule 1; ex:Airport occurs"),
        ("?a[<urn:other#gust> -> ?k]", "?x[<urn:other#gust> -> ?y] of rule 1; ex:gust occurs"),
        ("?a[ex:pressure -> ?k]", "?x[ex:pressure -> ?y] of rule 1"),
        ("ex:near(?a ?k)", "ex:near(?x0 ?x1) of rule 1"),
        ("?a[ex:same -> ?a] ?a[ex:gust -> ?k]", "?x[ex:same -> ?x] of rule 1"),
    ],
)
def test_the_nearest_name_that_occurs_is_told(folder: Path, pattern: str, told: str) -> None:
    rule = f"Forall ?a ?k (?a[ex:seen -> ?k] :- And({pattern}))"
    airport = f"<urn:ex:a> <{RDF_TYPE}> <urn:ex:Airport>"
    lines = said(folder, rule, element(1, 2, GUST, airport))
    assert lines[1].startswith(f"no fact matches {told}")
    assert lines[1].endswith("occurs") == told.endswith("occurs")
    assert lines[2:] == ["no answers: a rule needs a fact for each of its patterns, at one time"]


def test_names_of_static_data_and_of_facts_occur_too(folder: Path) -> None:
    (folder / "static.nt").write_text("<urn:ex:a> <urn:ex:level> <urn:ex:b> .\n", "utf-8")
    rules = "Forall ?a ?k (?a[ex:seen -> ?k] :- And(?a[ex:levels -> ?k] ?a[ex:fact -> ?k]))"
    lines = said(folder, f"ex:a[ex:fact -> 1] {rules}", "", "--static", "static.nt")
    assert lines[1] == "no fact matches ?x[ex:levels -> ?y] of rule 2; ex:level occurs"
    assert len(lines) == 3


def test_negated_and_derived_patterns_need_not_match(folder: Path) -> None:
    quiet = "Forall ?a ?k (?a[ex:calm -> ?k] :- And(?a[ex:gust -> ?k] Naf (?a[ex:storm -> ?k])))"
    storm = "Forall ?a ?k (?a[ex:storm -> ?k] :- And(?a[ex:seen -> ?k] ?k = 99))"
    lines = said(folder, f"{quiet} {storm} {SEEN}", element(1, 2, GUST))
    assert not [line for line in lines if line.startswith("no ")]


@pytest.mark.parametrize(
    ("negated", "told"),
    [
        ("?a[ex:gusts -> ?k]", "?x[ex:gusts -> ?y] of a negation of rule 1; ex:gust occurs"),
        ("?a # ex:Airports", "?x # ex:Airports of a negation of rule 1; ex:Airport occurs"),
        ("?a[ex:gust -> 7]", ""),
        ("?a[ex:pressure -> ?k]", ""),
        ("Naf (?a[ex:gusts -> ?k])", "?x[ex:gusts -> ?y] of a negation of rule 1; ex:gust occurs"),
    ],
)
def test_a_misspelled_name_in_a_negation_is_told(folder: Path, negated: str, told: str) -> None:
    rule = f"Forall ?a ?k (?a[ex:calm -> ?k] :- And(?a[ex:gust -> ?k] Naf ({negated})))"
    airport = f"<urn:ex:a> <{RDF_TYPE}> <urn:ex:Airport>"
    lines = said(folder, rule, element(1, 2, GUST, airport))
    found = [line for line in lines if line.startswith("no fact")]
    assert found == ([f"no fact matches {told}"] if told else [])


def test_patterns_that_match_never_together_are_told_so(folder: Path) -> None:
    rule = "Forall ?a ?k (?a[ex:both -> ?k] :- And(?a[ex:gust -> ?k] ?a[ex:rain -> ?k]))"
    data = element(1, 2, GUST) + element(2, 90, GUST.replace("gust", "rain"))
    assert said(folder, rule, data)[1:] == [
        (
            "rule 1: ?a[ex:gust -> ?k] matched, and so did ?a[ex:rain -> ?k], "
            "but never with the same ?a and ?k at one time"
        ),
        "no answers: each pattern matched a fact, but never all of one rule at one time",
    ]


def test_the_first_join_that_never_met_is_told_and_the_test_that_nothing_passed(
    folder: Path,
) -> None:
    three = (
        "Forall ?a ?b ?k (?a[ex:three -> ?k] :- "
        "And(?a[ex:gust -> ?k] ?a[ex:in -> ?b] ?b[ex:rain -> ?k]))"
    )
    apart = "Forall ?a ?b ?k (?a[ex:apart -> ?b] :- And(?a[ex:gust -> ?k] ?b[ex:rain -> 9]))"
    strong = (
        "Forall ?a ?k (?a[ex:strong -> ?k] :- And(?a[ex:gust -> ?k] External("
        "<http://www.w3.org/2007/rif-builtin-predicate#numeric-greater-than>(?k 30))))"
    )
    derived = "Forall ?a ?k (?a[ex:next -> ?k] :- ?a[ex:three -> ?k])"
    gust = f'<urn:ex:a> <urn:ex:gust> "5"^^<{XSD}integer>'
    rain = [f'<urn:ex:b> <urn:ex:rain> "{k}"^^<{XSD}integer>' for k in (5, 9)]
    inside = "<urn:ex:a> <urn:ex:in> <urn:ex:c>"
    data = element(1, 2, gust, inside) + element(2, 90, *rain)
    lines = said(folder, f"{three} {apart} {strong} {derived}", data)
    assert lines[1:-1] == [
        (
            "rule 1: ?a[ex:gust -> ?k] and ?a[ex:in -> ?b] matched, and so did ?b[ex:rain -> ?k], "
            "but never with the same ?k and ?b at one time"
        ),
        "rule 2: ?b[ex:rain -> 9] matched, and so did ?a[ex:gust -> ?k], but never at one time",
        "rule 3: ?a[ex:gust -> ?k] matched, but never ?k > 30",
    ]


def add(left: str, right: str) -> str:
    return f"External(<http://www.w3.org/2007/rif-builtin-function#numeric-add>({left} {right}))"


def unmet(folder: Path, rules: str, *elements: str, window: str = "") -> list[str]:
    """What is said of rules."""
    begin = f"Prefix(ex <urn:ex:>) {f'Window({window})' if window else ''}"
    (folder / "r.rif").write_text(f"Document( {begin} Group({rules}) )", "utf-8")
    (folder / "s.nq").write_text("".join(elements), "utf-8")
    lines = call(["run", "r.rif", "s.nq"]).err.splitlines()
    return [line for line in lines if line.startswith("rule ")]


FIRST, LATER = (
    element(number, stamp, '<urn:ex:a> <urn:ex:gust> "5"', "<urn:ex:a> <urn:ex:in> <urn:ex:b>")
    for number, stamp in ((1, 0), (2, 60_000))
)


def test_an_operator_whose_range_ends_too_early_is_told_with_its_range(folder: Path) -> None:
    before = "Since (0 s, 30 s] ( ex:b[ex:is -> ex:known] ?a[ex:gust -> ?old] )"
    rule = f"""ex:b[ex:is -> ex:known] Forall ?a ?new ?old (
        ?a[ex:rose -> ?old] :- And( ?a[ex:gust -> ?new] {before} ) )"""
    since = "Since (0 s, 30 s]"
    assert unmet(folder, rule, FIRST, LATER) == [
        (
            f"rule 2: ?a[ex:gust -> ?new] matched, and so did {since} of ex:b[ex:is -> ex:known] "
            "and ?a[ex:gust -> ?old], but never with the same ?a at one time; "
            f"the range or the direction of {since} may be the cause"
        )
    ]


@pytest.mark.parametrize(
    ("operator", "hint"),
    [
        ("DiamondMinus [0 s, 1 h]", "; the range or the direction of {} may be the cause"),
        ("DiamondMinus [0 s, inf)", "; the direction of {} may be the cause"),
        ("DiamondMinus [5 m, inf)", "; the range or the direction of {} may be the cause"),
    ],
)
def test_no_range_is_said_to_be_short_where_the_direction_may_be_wrong(
    folder: Path, operator: str, hint: str
) -> None:
    rule = f"""Forall ?a ?k (?a[ex:wet -> ?k] :-
        And( ?a[ex:gust -> ?k] {operator} ( ?a[ex:rain -> ex:b] ) ))"""
    (line,) = unmet(folder, rule, FIRST, element(2, 60_000, "<urn:ex:a> <urn:ex:rain> <urn:ex:b>"))
    assert line.partition(" at one time")[2] == hint.format(operator)


def test_an_operator_that_was_never_true_is_told_as_the_rules_write_it(folder: Path) -> None:
    rule = "Forall ?a ?k (?a[ex:steady -> ?k] :- BoxMinus [0 s, 30 s] ( ?a[ex:gust -> ?k] ))"
    (line,) = unmet(folder, rule, FIRST)
    assert line == (
        "rule 1: ?a[ex:gust -> ?k] matched, but BoxMinus [0 s, 30 s] of this never held: elements "
        "without an end of their own hold at their instant alone, as there is no Window that says "
        "for how long"
    )


@pytest.mark.parametrize(
    ("window", "box", "told"),
    [
        ("", "BoxMinus [0 s, 30 s] ( Exists ?k ( ?a[ex:gust -> ?k] ) )", "no Window"),
        ("", "BoxMinus [5 s, 5 s] ( Exists ?k ( ?a[ex:gust -> ?k] ) ) ?a[ex:no -> ex:b]", ""),
        ("", "BoxMinus [0 s, 2 s] ( DiamondMinus [0 s, 1 s] ( ?a[ex:in -> ex:b] ) )", ""),
        ("10 s", "BoxMinus [0 s, 30 s] ( ?a[ex:in -> ?b] )", "its own holds for 10 s"),
        (
            "10 s",
            "BoxMinus [0 s, 30 s] ( ?a[ex:in -> ?b] ) ?a[ex:gust -> ?b]",
            "its own holds for 10 s",
        ),
        ("10 s", "BoxMinus [0 s, 30 s] ( And( ?a[ex:in -> ?b] ex:a[ex:on -> ?b] ) )", "10 s"),
        ("10 s", "BoxMinus [0 s, 30 s] ( ?b[ex:on -> ?a] )", ""),
    ],
)
def test_a_box_that_elements_do_not_last_for_is_told_so(
    folder: Path, window: str, box: str, told: str
) -> None:
    on = "ex:a[ex:on -> ex:b]"
    rule = f"{on} Forall ?a ?b (?a[ex:is -> ex:steady] :- And( {box} ))"
    (line,) = unmet(folder, rule, FIRST, LATER, window=window) or [""]
    hint = line.partition("never held")[2]
    assert told in hint
    assert bool(told) == bool(hint)


def test_a_value_that_is_the_same_throughout_a_box_is_told(folder: Path) -> None:
    test = "External(<http://www.w3.org/2007/rif-builtin-predicate#numeric-less-than>(?k 99))"
    rule = f"""Forall ?a ?k (?a[ex:is -> ex:calm] :-
        BoxMinus [0 s, 90 s] ( And( ?a[ex:gust -> ?k] {test} ) ))"""
    gusts = (f'<urn:ex:a> <urn:ex:gust> "{k}"^^<{XSD}integer>' for k in (5, 6))
    data = (element(n, n * 40_000, gust) for n, gust in enumerate(gusts))
    (line,) = unmet(folder, rule, *data, window="60 s")
    assert line.endswith("; ?k is one value throughout: Exists ?k inside lets it change")


def test_a_disjunction_under_an_operator_has_no_name_of_its_own(folder: Path) -> None:
    either = "Or( ?a[ex:gust -> ?k] ?a[ex:in -> ?k] )"
    rule = f"Forall ?a ?k (?a[ex:is -> ?k] :- BoxMinus [0 s, 90 s] ( {either} ))"
    (line,) = unmet(folder, rule, FIRST, window="9 s")
    assert line.startswith("rule 1: Or( … ) matched, but BoxMinus [0 s, 90 s] of this never held: ")


def test_nothing_is_told_of_a_negation_that_let_nothing_pass(folder: Path) -> None:
    rule = "Forall ?a ?k (?a[ex:is -> ?k] :- And( ?a[ex:gust -> ?k] Naf( ?a[ex:in -> ex:b] ) ))"
    assert unmet(folder, rule, FIRST) == []


def test_variables_are_those_of_the_rule_that_is_told(folder: Path) -> None:
    rules = [
        f"Forall ?a ?{k} (?a[ex:is -> ?{k}] :- And(?a[ex:gust -> ?{k}] ?a = ?{k}))"
        for k in ("k", "kind")
    ]
    assert [line.partition(" matched")[0] for line in unmet(folder, " ".join(rules), FIRST)] == [
        f"rule {n}: ?a[ex:gust -> ?{k}]" for n, k in ((1, "k"), (2, "kind"))
    ]


def test_what_a_rule_computes_is_told_without_names_that_it_does_not_have(folder: Path) -> None:
    body = "?a[ex:gust -> ?k] ?a[ex:in -> ?b]"
    more = add("?k", add("?b", "1"))
    rules = [
        f"Forall ?a ?b ?k ?n (?a[ex:is -> ?n] :- And({body} ?n = {add('?k', '?b')}))",
        f"Forall ?a ?b ?k (?a[ex:is -> ?b] :- And({body} {more} = 7))",
    ]
    ends = [line.partition(", but ")[2] for line in unmet(folder, " ".join(rules), FIRST)]
    assert ends == ["?k + ?b never had a value", "?b + 1 never had a value"]
    nine = f'<urn:ex:a> <urn:ex:gust> "9"^^<{XSD}integer>'
    rule = f"Forall ?a ?k (?a[ex:is -> ?k] :- And(?a[ex:gust -> ?k] {add('?k', '1')} = 7))"
    (line,) = unmet(folder, rule, element(1, 2, nine))
    assert line.endswith(" matched, but never (?k + 1) = 7")


def test_what_only_leaves_out_and_no_data_are_told(folder: Path) -> None:
    assert said(folder, SEEN, element(1, 2, GUST), "--only", "ex:other")[-1] == (
        "no answers: --only left out all 1"
    )
    assert said(folder, SEEN, "") == [
        "0 elements, 0 statements; no answers; no stamps; 0 late, 0 bad",
        "no answers: no data were read",
    ]


def test_five_patterns_are_shown_and_the_others_counted(folder: Path) -> None:
    rules = " ".join(SEEN.replace("gust", f"p{n}") for n in range(8))
    lines = said(folder, rules, element(1, 2, GUST))
    assert [line.startswith("no fact matches ?x") for line in lines[1:6]] == [True] * 5
    assert lines[6] == "no fact matches 3 further patterns"


def test_a_pattern_that_matches_at_last_is_not_told(folder: Path) -> None:
    data = "".join(element(n, n, GUST.replace("gust", f"g{n}")) for n in range(1, 40))
    rules = SEEN.replace("gust", "g39")
    assert len(said(folder, rules, data)) == 1
    assert len(said(folder, rules, data, "--order", "arrival")) == 1


def test_the_nearest_name_is_of_the_same_namespace_first() -> None:
    names = ["<urn:a#gust>", "<urn:b#gusty>", "<urn:b#rain>", '"literal"']
    assert nearest_name("<urn:b#gust>", names) == "<urn:b#gusty>"
    assert nearest_name("<urn:c#Gust>", names) in {"<urn:a#gust>", "<urn:b#gusty>"}
    assert nearest_name("<urn:b#snow>", names) is None


def test_the_likely_time_predicate_is_told_if_no_element_has_a_time(folder: Path) -> None:
    seen = (
        f'<urn:ex:a> <http://www.w3.org/ns/sosa/resultTime> "2020-01-01T00:00:00Z"^^<{XSD}dateTime>'
    )
    count = f'<urn:ex:a> <urn:ex:count> "5"^^<{XSD}integer>'
    data = "".join(f"{triple} <urn:g> .\n" for triple in (count, count, GUST, seen))
    told = "; sosa:resultTime has times: --time-predicate sosa:resultTime"
    lines = said(folder, SEEN, data)
    assert f"no element has the time predicate prov:generatedAtTime{told}" in lines
    lines = said(folder, SEEN, data, "--time-predicate", "ex:resultTim")
    assert f"no element has the time predicate ex:resultTim{told}" in lines
    assert said(folder, SEEN, data, "--time-predicate", "sosa:resultTime")[0].startswith("1 elem")


def test_an_integer_is_a_time_only_if_its_predicate_is_named_alike(folder: Path) -> None:
    data = f'<urn:ex:a> <urn:ex:at> "5"^^<{XSD}integer> <urn:g> .\n{GUST} <urn:g> .\n'
    told = "no element has the time predicate"
    assert f"{told} prov:generatedAtTime" in said(folder, SEEN, data)
    assert f"{told} ex:att; ex:at has times: --time-predicate ex:at" in said(
        folder, SEEN, data, "--time-predicate", "ex:att"
    )


def test_stamps_in_the_default_graph_are_times_too(folder: Path) -> None:
    data = f'<urn:g> <urn:ex:at> "5"^^<{XSD}dateTime> .\n{GUST} <urn:g> .\n'
    assert "ex:at has times" in " ".join(said(folder, SEEN, data))


def test_elements_without_a_time_among_others_are_no_wrong_predicate(folder: Path) -> None:
    data = element(1, 2, GUST) + f"{GUST} <urn:g> .\n"
    assert "predicate" not in " ".join(said(folder, SEEN, data))


def test_subjects_with_times_outside_of_named_graphs_are_told_to_be_no_elements(
    folder: Path,
) -> None:
    at = f'<urn:ex:a> <urn:ex:at> "5"^^<{XSD}integer>'
    for data in (f"{at} .\n{GUST} .\n", f"{GUST} .\n{at} .\n"):
        lines = said(folder, SEEN, data, "--time-predicate", "ex:at")
        assert lines[1].startswith("no element has triples, as no named graph has any")
        assert "-i ntriples=FILE, with --time-predicate ex:at" in lines[1]
    data = f"{GUST} .\n{at.replace('ex:a>', 'ex:g>', 1)} .\n{GUST} <urn:ex:g> .\n"
    assert "no element" not in " ".join(said(folder, SEEN, data, "--time-predicate", "ex:at"))


@pytest.mark.parametrize("option", ["--only", "--fail-on"])
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("ex:sen", " ex:sen: no rule derives it; ex:seen is derived"),
        ("ex:quiet", " ex:quiet: no rule derives it"),
        ("ex:Aiport", " ex:Aiport: no rule derives it; ex:Airport is derived"),
        ("ex:Airport", None),
        ("ex:seen", None),
        ("ex:near", None),
    ],
)
def test_a_name_that_no_rule_derives_is_warned_of(
    folder: Path, option: str, name: str, told: str | None
) -> None:
    rules = f"""{SEEN} Forall ?a ?k (?a[<{RDF_TYPE}> -> ex:Airport] :- ?a[ex:gust -> ?k])
        Forall ?a ?k (ex:near(?a ?k) :- ?a[ex:gust -> ?k])"""
    warned = [line for line in said(folder, rules, "", option, name) if "no rule derives" in line]
    assert warned == ([] if told is None else [f"warning: {option}{told}"])


def test_rules_may_derive_any_name(folder: Path) -> None:
    rules = "Forall ?a ?p ?k (?a[?p -> ?k] :- ?k[?p -> ?a])"
    assert "warning" not in " ".join(said(folder, rules, "", "--only", "ex:sen"))
    options = ("--only", "ex:sen", "--include-input")
    assert "warning" not in " ".join(said(folder, SEEN, "", *options))


def test_an_expected_name_that_no_rule_asks_for_is_warned_of(folder: Path) -> None:
    options = ("--hypotheses", "--expect", "ex:gusty", "--expect", "ex:gust")
    warned = [line for line in said(folder, SEEN, "", *options) if "asks for" in line]
    assert warned == ["warning: --expect ex:gusty: no rule asks for it; ex:gust is asked for"]


def test_a_delayed_predicate_that_no_fact_has_is_told(folder: Path) -> None:
    options = ("--delay", "ex:gusty=2", "--delay", "ex:gust=3")
    lines = said(folder, SEEN, element(1, 2, GUST), *options)
    assert lines[1:] == ["no fact has ex:gusty, which has a --delay; ex:gust occurs"]
