"""``r4 run --hypotheses``: what is told, in what order, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest

from r4.answers.output_order import Changes
from r4.run.driver import Driver
from r4.stream.batch import Batch
from rete.inference.errors import LimitReached
from tests.simulation.command import call
from tests.simulation.possible.small_runs import APART, BOTH, PREFIXES, TRIPLES, SmallRun, element


def test_the_keys_of_a_line_have_one_order(tmp_path: Path) -> None:
    tried = SmallRun(tmp_path, APART, element("g", 1, "s a t"))
    assert tried.printed.out == (
        '{"status":"supported","at":1,"s":"<urn:ex:s>","p":"<urn:ex:is>","o":"<urn:ex:bad>",'
        '"evidence":[{"s":"<urn:ex:s>","p":"<urn:ex:a>","o":"<urn:ex:t>","from":1,"until":4}],'
        '"hypotheses":[{"s":"<urn:ex:t>","p":"<urn:ex:b>","o":"<urn:ex:m>","until":3}],'
        '"tests":[],"deadline":3,"because":null,"rule":1}\n'
    )


def test_what_one_graph_describes_is_not_possible_in_parts_unless_triples_are_asked_for(
    tmp_path: Path,
) -> None:
    given = element("g", 1, "s a m"), element("h", 2, "t a m")
    assert SmallRun(tmp_path, BOTH, *given).told == []
    told = SmallRun(tmp_path, BOTH, *given, options=TRIPLES).told
    assert told == [("supported", 1, "s"), ("supported", 2, "t")]


def test_a_possible_answer_is_confirmed_before_its_certain_line(tmp_path: Path) -> None:
    given = element("g", 1, "s a m"), element("h", 2, "s b m")
    tried = SmallRun(tmp_path, BOTH, *given, options=TRIPLES)
    assert [each.get("status") or each["op"] for each in tried.lines] == [
        "supported",
        "confirmed",
        "+",
    ]
    confirmed = tried.line("confirmed")
    assert [each["p"] for each in confirmed["evidence"]] == ["<urn:ex:a>", "<urn:ex:b>"]
    assert confirmed["hypotheses"] == []
    assert confirmed["deadline"] is None


def test_lines_of_several_stamps_stand_among_certain_ones_by_time(tmp_path: Path) -> None:
    given = [element(f"g{at}", at, f"s{at} a m") for at in (1, 2, 3)]
    given[1] += element("h", 2, "s1 b m")
    tried = SmallRun(tmp_path, BOTH, *given, element("i", 9), options=TRIPLES)
    found = [each.get("status", "certain") for each in tried.lines]
    assert found[:4] == ["supported", "confirmed", "supported", "certain"]
    assert [at for _, at, _ in tried.told] == sorted(at for _, at, _ in tried.told)


def test_what_is_known_before_a_run_breaks_off_is_written(tmp_path: Path) -> None:
    step, left = Driver.step, iter([True, True, False])

    def broken(driver: Driver, batch: Batch) -> list[Changes]:
        if next(left):
            return step(driver, batch)
        message = "too many facts"
        raise LimitReached(message)

    elements = "".join(element(f"g{at}", at, f"s{at} a m") for at in (1, 2, 3))
    (tmp_path / "rules.rif").write_text(f"Document( {PREFIXES} Window(3) Group( {BOTH} ) )")
    (tmp_path / "stream.nq").write_text(elements)
    with patch.object(Driver, "step", broken):
        printed = call(
            ["run", *(str(tmp_path / name) for name in ("rules.rif", "stream.nq")), *TRIPLES]
        )
    assert printed.code != 0
    assert [json.loads(line)["at"] for line in printed.lines()] == [1, 2]


def test_it_is_withdrawn_when_what_is_missing_can_come_no_more(tmp_path: Path) -> None:
    tried = SmallRun(tmp_path, APART, element("g", 1, "s a t"), element("h", 3), element("i", 4))
    assert tried.told == [("supported", 1, "s"), ("withdrawn", 4, "s")]
    because = tried.line("withdrawn")["because"]
    assert because == {"s": "<urn:ex:t>", "p": "<urn:ex:b>", "o": "<urn:ex:m>"}


def test_a_delay_keeps_it_possible_for_longer(tmp_path: Path) -> None:
    given = element("g", 1, "s a t"), element("h", 5), element("i", 6)
    tried = SmallRun(tmp_path, APART, *given, options=("--delay", "2"))
    assert tried.line("supported")["deadline"] == 5
    assert tried.told[1:] == [("withdrawn", 6, "s")]
    # Of the predicate that is not missing, it changes nothing.
    tried = SmallRun(tmp_path, APART, *given, options=("--delay", "urn:ex:a=2"))
    assert tried.line("supported")["deadline"] == 3
    tried = SmallRun(tmp_path, APART, *given, options=("--delay", "urn:ex:b=1", "--delay", "1"))
    assert tried.line("supported")["deadline"] == 4


def test_the_longest_delay_of_several_sources_counts(tmp_path: Path) -> None:
    other = tmp_path / "other.nq"
    other.write_text(element("o", 1) + element("p", 9))
    files = (str(tmp_path / "stream.nq"), str(other))
    given = element("g", 1, "s a t"), element("h", 5), element("i", 9)
    delays = ("--delay", f"{files[0]}=1", "--delay", f"{other}=3")
    tried = SmallRun(tmp_path, APART, *given, options=delays, more=(str(other),))
    assert tried.line("supported")["deadline"] == 6
    assert tried.told[1:] == [("withdrawn", 9, "s")]


def test_evidence_that_is_taken_back_is_named(tmp_path: Path) -> None:
    tried = SmallRun(tmp_path, APART, element("g", 1, "s a t"), element("h", 2, back="g"))
    assert tried.told == [("supported", 1, "s"), ("withdrawn", 2, "s")]
    because = tried.line("withdrawn")["because"]
    assert because == {"retracted": {"s": "<urn:ex:s>", "p": "<urn:ex:a>", "o": "<urn:ex:t>"}}


def test_where_rules_look_ahead_an_early_retraction_is_reported(tmp_path: Path) -> None:
    rule = APART.replace("?x[ex:a -> ?y]", "DiamondPlus [0, 3] ( ?x[ex:a -> ?y] )")
    given = element("g", 1, "s a t"), element("h", 2, back="g")
    printed = SmallRun(tmp_path, rule, *given).printed
    assert "rules.rif: R4508 warning: 1 fact(s) were retracted at once" in printed.err
    assert "R4508" not in SmallRun(tmp_path, APART, *given).printed.err


def test_at_the_end_of_the_input_what_is_open_ends_if_asked_for(tmp_path: Path) -> None:
    given = element("g", 1, "s a t")
    assert len(SmallRun(tmp_path, APART, given).told) == 1
    tried = SmallRun(tmp_path, APART, given, options=("--drain",))
    assert tried.told == [("supported", 1, "s"), ("withdrawn", 1, "s")]
    assert tried.line("withdrawn")["because"] == "end of input"


def test_what_arrives_while_a_stamp_is_the_largest_is_told_together(tmp_path: Path) -> None:
    given = element("g", 2, "s a m"), element("h", 1, "s b m"), element("i", 2, "u a m")
    tried = SmallRun(tmp_path, BOTH, *given, options=("--delay", "1", *TRIPLES))
    assert tried.told == [("supported", 2, "u")]


def test_lines_of_one_time_are_in_order(tmp_path: Path) -> None:
    given = (
        element("g", 1, "s a m", "r b m"),
        element("h", 4, "v a m", "u a m"),
        element("i", 6, "u b m", "v b m", "z a m"),
    )
    assert SmallRun(tmp_path, BOTH, *given, options=TRIPLES).told == [
        ("supported", 1, "r"),
        ("supported", 1, "s"),
        ("withdrawn", 4, "r"),
        ("withdrawn", 4, "s"),
        ("supported", 4, "u"),
        ("supported", 4, "v"),
        ("confirmed", 6, "u"),
        ("confirmed", 6, "v"),
        ("supported", 6, "z"),
    ]


def test_a_fact_may_be_open_itself_and_any_instance_confirms_it(tmp_path: Path) -> None:
    rule = "Forall ?x ( ?x[ex:is -> ex:bad] :- And( ex:s[ex:a -> ex:on] ?x[ex:b -> ex:m] ) )"
    given = element("g", 1, "s a on"), element("h", 2, "u b m"), element("i", 3, "v b m")
    tried = SmallRun(tmp_path, rule, *given, element("j", 9))
    assert [
        (each["status"], each["at"], each["s"])
        for each in tried.lines
        if "at" in each and "status" in each
    ] == [
        ("supported", 1, "?x"),
        ("confirmed", 2, "?x"),
    ]


def test_tests_that_wait_are_told_and_others_decide(tmp_path: Path) -> None:
    rule = (
        "Forall ?x ?v ?w ?sum ( ?x[ex:is -> ?sum] :- And( ?x[ex:a -> ?v] ex:t[ex:b -> ?w] "
        "External(pred:numeric-greater-than(?v 5)) External(pred:numeric-less-than(?v ?w)) "
        "?sum = External(func:numeric-add(?v ?w)) ) )"
    )
    tried = SmallRun(tmp_path, rule, element("g", 1, "s a 3"), element("h", 2, "u a 7"))
    (line,) = tried.lines
    assert (line["s"], line["o"]) == ("<urn:ex:u>", "?sum")
    assert line["tests"] == [
        "?sum = External(func:numeric-add(7 ?w))",
        "External(pred:numeric-less-than(7 ?w))",
    ]


def test_what_rules_conclude_is_looked_through(tmp_path: Path) -> None:
    rules = (
        "Forall ?x ( ?x[ex:is -> ex:hot] :- ?x[ex:a -> ex:m] ) "
        "Forall ?x ( ?x[ex:is -> ex:wet] :- ?x[ex:b -> ex:m] ) "
        "(* ex:storm *) Forall ?x ( ex:p(?x) :- And( ?x[ex:is -> ex:hot] ?x[ex:is -> ex:wet] ) )"
    )
    tried = SmallRun(tmp_path, rules, element("g", 1, "s a m"), options=TRIPLES)
    line = tried.line("supported")
    assert line["atom"] == "<urn:ex:p>(<urn:ex:s>)"
    assert [each["p"] for each in line["evidence"]] == ["<urn:ex:a>"]
    assert [each["p"] for each in line["hypotheses"]] == ["<urn:ex:b>"]
    assert line["rule"] == "urn:ex:storm"


def test_an_inconsistency_may_be_possible(tmp_path: Path) -> None:
    rule = "Forall ?x ?y ( rif:error() :- And( ?x[ex:a -> ?y] ?y[ex:b -> ex:m] ) )"
    line = SmallRun(tmp_path, rule, element("g", 1, "s a t")).line("supported")
    assert line["error"] is True


def test_static_data_are_no_evidence_and_never_waited_for(tmp_path: Path) -> None:
    body = "?x[ex:on -> ?y] ?y[ex:b -> ex:m] ?x[ex:a -> ex:m]"
    rule = f"Forall ?x ?y ( ?x[ex:is -> ex:bad] :- And( {body} ) )"
    static = "<urn:ex:s> <urn:ex:on> <urn:ex:t> .\n"
    tried = SmallRun(tmp_path, rule, element("g", 1, "t b m"), static=static)
    (line,) = tried.lines
    assert [each["p"] for each in line["evidence"]] == ["<urn:ex:b>"]
    assert [each["p"] for each in line["hypotheses"]] == ["<urn:ex:a>"]


def test_what_is_expected_can_be_said(tmp_path: Path) -> None:
    given = element("g", 1, "s a t")
    assert SmallRun(tmp_path, APART, given, options=("--expect", "urn:ex:b")).told == []
    both = ("--expect", "urn:ex:b", "--expect", "urn:ex:a")
    assert len(SmallRun(tmp_path, APART, given, options=both).told) == 1


def test_classes_are_expected_one_by_one(tmp_path: Path) -> None:
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    rule = "Forall ?x ?y ( ?x[ex:is -> ex:bad] :- And( ?x # ex:Pump ?x[ex:a -> ?y] ?y # ex:Leak ) )"
    static = f"<urn:ex:s> {kind} <urn:ex:Pump> .\n"
    line = SmallRun(tmp_path, rule, element("g", 1, "s a t"), static=static).line("supported")
    assert line["hypotheses"] == [{"s": "<urn:ex:t>", "p": kind, "o": "<urn:ex:Leak>", "until": 3}]


def test_conclusions_can_be_expected_too(tmp_path: Path) -> None:
    rules = (
        "Forall ?x ( ?x[ex:b -> ex:m] :- ?x[ex:c -> ex:m] ) "
        "Forall ?x ?y ( ?x[ex:is -> ex:bad] :- And( ?x[ex:a -> ?y] ?y[ex:b -> ex:m] ) )"
    )
    given = element("g", 1, "s a t")
    missing = [each["hypotheses"][0]["p"] for each in SmallRun(tmp_path, rules, given).lines]
    assert missing == ["<urn:ex:c>"]
    options = tuple(part for name in "abc" for part in ("--expect", f"urn:ex:{name}"))
    tried = SmallRun(tmp_path, rules, given, options=options)
    missing = [each["hypotheses"][0]["p"] for each in tried.lines]
    assert missing == ["<urn:ex:b>", "<urn:ex:c>"]


def test_only_names_what_is_told(tmp_path: Path) -> None:
    given = element("g", 1, "s a t")
    assert SmallRun(tmp_path, APART, given, options=("--only", "urn:ex:other")).lines == []
    assert len(SmallRun(tmp_path, APART, given, options=("--only", "urn:ex:is")).lines) == 1


def test_what_regimes_derive_is_what_holds(tmp_path: Path) -> None:
    schema = "http://www.w3.org/2000/01/rdf-schema#subPropertyOf"
    static = f"<urn:ex:c> <{schema}> <urn:ex:a> .\n"
    options = ("--entailment", "rdfs")
    tried = SmallRun(tmp_path, APART, element("g", 1, "s c t"), static=static, options=options)
    assert tried.told == [("supported", 1, "s")]
    assert [each["p"] for each in tried.line("supported")["evidence"]] == ["<urn:ex:a>"]


def test_no_window_has_no_deadline(tmp_path: Path) -> None:
    tried = SmallRun(tmp_path, APART, element("g", 1, "s a t"), element("h", 900), window="")
    assert tried.told == [("supported", 1, "s")]
    line = tried.line("supported")
    assert (line["deadline"], line["hypotheses"][0]["until"]) == (None, None)


def test_as_soon_as_they_are_due_certain_lines_stand_first(tmp_path: Path) -> None:
    given = element("g", 1, "s a m"), element("h", 2, "s b m")
    tried = SmallRun(tmp_path, BOTH, *given, options=("--order", "arrival", *TRIPLES))
    assert [each.get("status") or each["op"] for each in tried.lines] == [
        "supported",
        "+",
        "confirmed",
    ]


@pytest.mark.parametrize("form", ["nquads", "trig", "ndjsonld", "patch"])
def test_other_forms_are_wrong_usage(form: str, tmp_path: Path) -> None:
    (tmp_path / "r.rif").write_text("Document()")
    printed = call(["run", "--hypotheses", str(tmp_path / "r.rif"), "--as", form])
    assert printed.code == 2
    assert f"--as {form}" in printed.err


def test_to_expect_something_is_to_ask_for_hypotheses(tmp_path: Path) -> None:
    (tmp_path / "r.rif").write_text("Document()")
    assert call(["run", str(tmp_path / "r.rif"), "--expect", "urn:x"]).code == 2
    assert call(["run", "--hypotheses", str(tmp_path / "r.rif"), "--expect", "x"]).code == 2


ABOUT = "?x[ex:is -> ex:bad] :-"
SUM = "Forall ?x ?a ( ?x[ex:sum -> External(func:numeric-add(?a 1))] :- ?x[ex:n -> ?a] )"
OUTSIDE = {
    "R4501": [
        f"Forall ?x ( {ABOUT} And( ?x[ex:a -> ex:m] Naf( ?x[ex:b -> ex:m] ) ) )",
        f"Forall ?x ( {ABOUT} BoxMinus [0, 2] ( ?x[ex:a -> ex:m] ) )",
        f"Forall ?x ( {ABOUT} DiamondMinus [0, inf) ( ?x[ex:a -> ex:m] ) )",
        "Forall ?x ( BoxPlus [0, 2] ( ?x[ex:is -> ex:bad] ) :- ?x[ex:a -> ex:m] )",
        "Forall ?x ?n ( ?x[ex:n -> ?n] :- ?n = count{ ?v [?x] | ?x[ex:b -> ?v] } )",
        f"Forall ?x ?t ( {ABOUT} At ?t ( ?x[ex:b -> ex:m] ) )",
        f"Forall ?x ?g ( {ABOUT} From ?g ( ?x[ex:b -> ex:m] ) )",
        f"Forall ?x ?f ?u ( {ABOUT} Ended ?f ?u ( ?x[ex:b -> ex:m] ) )",
    ],
    "R4502": [
        "Forall ?x ?y ?z ( ?x[ex:r -> ?z] :- And( ?x[ex:r -> ?y] ?y[ex:r -> ?z] ) )",
    ],
    "R4503": [
        f"Forall ?x ?y ( {ABOUT} DiamondMinus [0, 2] ( And( ?x[ex:a -> ?y] ?y[ex:b -> ex:m] ) ) )",
    ],
    "R4504": [
        f"Forall ?x ( {ABOUT} And( {' '.join(f'ex:s{k}[ex:a -> ?x]' for k in range(11))} ) )",
    ],
    "R4509": [
        f'Forall ?x ( {ABOUT} And( ?x[ex:sum -> "2"] ?x[ex:b -> ex:m] ) ) {SUM}',
        f"Forall ?x ?n ( {ABOUT} And( ?x[ex:sum -> ?n] ?x[ex:b -> ?n] ) ) {SUM}",
        f"Forall ?x ?y ?n ( {ABOUT} And( ?x[ex:sum -> ?n] ?y[ex:sum -> ?n] ) ) {SUM}",
    ],
}


@pytest.mark.parametrize(
    ("code", "rule"), [(code, rule) for code, rules in OUTSIDE.items() for rule in rules]
)
def test_rules_that_are_not_followed_are_named_once(code: str, rule: str, tmp_path: Path) -> None:
    tried = SmallRun(tmp_path, f"{rule} {APART}", element("g", 1, "s a t"))
    assert [part for part in tried.printed.err.split() if part.startswith("R45")] == [code]
    assert "rules.rif:1:" in tried.printed.err
    assert tried.told == [("supported", 1, "s")]


def test_an_aggregate_is_called_by_its_word(tmp_path: Path) -> None:
    rule = "Forall ?x ?n ( ?x[ex:n -> ?n] :- ?n = avg{ ?v [?x] | ?x[ex:b -> ?v] } )"
    err = SmallRun(tmp_path, f"{rule} {APART}", element("g", 1, "s a t")).printed.err
    assert "the aggregate avg in a condition" in err


def test_rules_that_need_such_a_rule_are_not_followed_either(tmp_path: Path) -> None:
    rules = f"{OUTSIDE['R4501'][0]} Forall ?x ( ?x[ex:c -> ex:d] :- ?x[ex:is -> ex:bad] ) {APART}"
    err = SmallRun(tmp_path, rules, element("g", 1, "s a t")).printed.err
    assert [part for part in err.split() if part.startswith("R45")] == ["R4501", "R4505"]


@pytest.mark.parametrize("value", ["1", "01"])
def test_what_is_computed_is_compared_by_value_beside_the_pattern(
    value: str, tmp_path: Path
) -> None:
    """No answer of these is told to be possible that does not follow when all has come."""
    test = f"?n = External(func:numeric-add({value} 1))"
    rule = f"Forall ?x ?n ( {ABOUT} And( ?x[ex:sum -> ?n] ?x[ex:b -> ex:m] {test} ) ) {SUM}"
    given = element("g", 1, "s n 1"), element("h", 2, "s b m")
    tried = SmallRun(tmp_path, rule, *given, options=TRIPLES)
    assert tried.printed.err.count("R45") == 0
    assert tried.told == [("supported", 1, "s"), ("confirmed", 2, "s")]


@pytest.mark.parametrize(
    ("options", "rule"),
    [((), OUTSIDE["R4501"][0]), (("--semantics", "instances"), APART)],
)
def test_where_no_rule_is_followed_nothing_is_run(
    options: tuple[str, ...], rule: str, tmp_path: Path
) -> None:
    (tmp_path / "r.rif").write_text(f"Document( {PREFIXES} Window(3) Group( {rule} ) )")
    (tmp_path / "s.nq").write_text(element("g", 1, "s a t"))
    files = (str(tmp_path / "r.rif"), str(tmp_path / "s.nq"))
    printed = call(["run", "--hypotheses", *files, *options])
    assert (printed.code, printed.out) == (3, "")
    assert "R450" in printed.err


HEAT = "Forall ?x ( ?x[ex:is -> ex:bad] :- ?x[ex:heat -> ex:high] )"
SMOKE = "Forall ?x ( ?x[ex:is -> ex:bad] :- And( ?x[ex:smoke -> ex:m] {} ) )"


def test_what_another_rule_needs_without_evidence_is_not_needed_with_more(tmp_path: Path) -> None:
    both = SMOKE.format("?x[ex:heat -> ex:high]")
    given = element("g", 1, "s smoke m")
    assert SmallRun(tmp_path, both, given, options=TRIPLES).told == [("supported", 1, "s")]
    assert SmallRun(tmp_path, f"{HEAT} {both}", given, options=TRIPLES).told == []


@pytest.mark.parametrize(("apart", "told"), [(1, []), (2, [("supported", 1, "s")])])
def test_without_evidence_times_are_as_far_apart(
    apart: int, told: list[tuple[str, int, str]], tmp_path: Path
) -> None:
    def two(distance: int) -> str:
        back = f"DiamondMinus [{distance}, {distance}]"
        return f"?x[ex:heat -> ex:high] {back} ( ?x[ex:dust -> ex:m] )"

    alone = f"Forall ?x ( ?x[ex:is -> ex:bad] :- And( {two(1)} ) )"
    rules = f"{alone} {SMOKE.format(two(apart))}"
    options = (*TRIPLES, "--delay", "3")
    given = element("g", 1, "s smoke m")
    assert SmallRun(tmp_path, rules, given, options=options, window="").told == told


def test_what_is_withdrawn_may_follow_from_what_had_not_begun_to_come(tmp_path: Path) -> None:
    soon = "And( DiamondMinus [1, 1] ( ?x[ex:order -> ex:m] ) ?x[ex:ship -> ex:m] )"
    later = "?x[ex:pickup -> ex:m]"
    rules = " ".join(f"Forall ?x ( ?x[ex:is -> ex:bad] :- {body} )" for body in (soon, later))
    given = element("g", 0, "s order m"), element("h", 2), element("i", 3, "s pickup m")
    tried = SmallRun(tmp_path, rules, *given, options=("--drain",), window="")
    assert [(line.get("status") or line["op"], line["at"]) for line in tried.lines] == [
        ("supported", 0),
        ("withdrawn", 2),
        ("+", 3),
        ("-", 4),
    ]
