"""What was outside the domain of built-ins is counted, and said with an example."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Literal, Namespace

from r4.api import Engine
from r4.run.notes import domain_error_lines
from rete.terms.builtin_calls import DomainErrors
from rif.syntax.terms import FUNC, PRED, XSD
from tests.simulation.command import CommandOutput, call

PROLOGUE = """Document( Prefix(ex <http://example.org/>) Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)
  Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>) Group("""
NOUGHT = "ex:a[ex:p -> 0.0]"
FACTS = f'ex:a[ex:p -> "none"] {NOUGHT}'
LOW = """
  Forall ?x ?y (?x[ex:q -> ex:low] :-
    And(?x[ex:p -> ?y] External(pred:numeric-less-than(?y -1))))"""
SHARE = """
  Forall ?x ?y (?x[ex:r -> External(func:numeric-divide(1 ?y))] :- ?x[ex:p -> ?y])"""
OPEN = "the standard leaves open what holds there; here nothing follows from it"
A, LOWER = "<http://example.org/a>", "<http://example.org/low>"


def written(folder: Path, *rules: str) -> str:
    path = folder / "rules.rif"
    path.write_text(f"{PROLOGUE}{' '.join(rules)}))", "utf-8")
    return str(path)


def entails(folder: Path, conclusion: str, *options: str, rules: str = LOW) -> CommandOutput:
    asked = folder / "asked.rif"
    asked.write_text(conclusion, "utf-8")
    return call(["entails", written(folder, FACTS, rules), str(asked), *options])


def test_a_run_says_how_often_and_for_example_with_what(tmp_path: Path) -> None:
    data = '<a:g> <http://www.w3.org/ns/prov#generatedAtTime> "7"^^'
    data += f"<{XSD}integer> .\n"
    for n in range(100):
        data += f'<a:s{n}> <http://example.org/p> "none" <a:g> .\n'
        data += f'<a:s{n}> <http://example.org/p> "{n}"^^<{XSD}decimal> <a:g> .\n'
    (tmp_path / "stream.nq").write_text(data)
    rules = written(tmp_path, LOW, SHARE)
    found = call(["run", rules, str(tmp_path / "stream.nq"), "--window", "3", "--quiet"])
    assert found.code == 0
    assert found.err.splitlines() == [
        f"outside the domain: {count} × {name}, such as {name}{args}"
        for count, name, args in (
            (101, "func:numeric-divide", '(1 "none")'),
            (100, "pred:numeric-less-than", '("none" -1)'),
        )
    ]


@pytest.mark.parametrize(("literals", "zero"), [("term", "0.0"), ("value", "0")])
def test_the_example_is_what_the_built_in_was_given(
    literals: str, zero: str, tmp_path: Path
) -> None:
    found = call(["run", written(tmp_path, NOUGHT, SHARE), "--literals", literals, "--quiet"])
    assert found.err.splitlines() == [
        f"outside the domain: 1 × func:numeric-divide, such as func:numeric-divide(1 {zero})"
    ]


def test_a_run_with_nothing_outside_says_nothing(tmp_path: Path) -> None:
    found = call(["run", written(tmp_path, "ex:a[ex:p -> -2]", LOW), "--quiet"])
    assert (found.code, len(found.lines()), found.err) == (0, 1, "")


def test_the_library_counts_too() -> None:
    engine = Engine.from_text(f"{PROLOGUE}{LOW}))")
    assert engine.outside() == []
    ex = Namespace("http://example.org/")
    engine.add([(ex.a, ex.p, Literal("none")), (ex.a, ex.p, Literal(0))], at=1)
    engine.finish()
    args = ('"none"', f'"-1"^^<{XSD}integer>')
    assert engine.outside() == [DomainErrors(PRED + "numeric-less-than", 1, [args])]


def test_a_no_under_strict_builtins_says_what_was_outside(tmp_path: Path) -> None:
    asked = f"{A}[<http://example.org/q> -> {LOWER}]"
    found = entails(tmp_path, asked, "--strict-builtins")
    assert (found.code, found.out) == (1, "no\n")
    assert found.err.splitlines()[:2] == [
        'outside the domain: 1 × pred:numeric-less-than, such as pred:numeric-less-than("none" -1)',
        OPEN,
    ]
    assert "outside" not in entails(tmp_path, asked).err


def test_a_yes_holds_whatever_is_outside(tmp_path: Path) -> None:
    found = entails(tmp_path, f'{A}[<http://example.org/p> -> "none"]', "--strict-builtins")
    assert (found.code, found.out) == (0, "yes\n")
    assert "numeric-less-than" in found.err
    assert OPEN not in found.err


def test_the_built_ins_of_a_conclusion_count_too(tmp_path: Path) -> None:
    asked = f'Exists ?x ( ?x = External(<{FUNC}numeric-add>("a" 1)) )'
    found = entails(tmp_path, asked, "--strict-builtins", rules="")
    assert found.code == 1
    assert found.err.splitlines()[:2] == [
        'outside the domain: 1 × func:numeric-add, such as func:numeric-add("a" 1)',
        OPEN,
    ]


def test_within_the_domain_strict_builtins_change_nothing(tmp_path: Path) -> None:
    asked = f"{A}[<http://example.org/p> -> 0]"
    strict, plain = (
        entails(tmp_path, asked, *more, rules="") for more in (["--strict-builtins"], [])
    )
    assert strict == plain == CommandOutput(0, "yes\n", "")


@pytest.mark.parametrize("regime", ["rdf", "rdfs", "d", "owl-rl"])
def test_the_rules_of_a_regime_stay_within_every_domain(regime: str, tmp_path: Path) -> None:
    (tmp_path / "premise.nt").write_text(
        f'<a:s> <a:p> "x" .\n<a:s> <a:q> "x"^^<{XSD}integer> .\n<a:s> <a:q> _:n .\n'
        '<a:s> <a:q> "x"@en .\n<a:s> <a:q> "x"^^<a:own> .\n<a:s> <a:q> "1"^^<a:own> .\n'
        f"<a:p> <http://www.w3.org/2000/01/rdf-schema#range> <{XSD}integer> .\n"
        '<a:s> <http://www.w3.org/2002/07/owl#sameAs> "1" .\n'
    )
    (tmp_path / "asked.rif").write_text("<a:no>[<a:no> -> <a:no>]")
    paths = [str(tmp_path / name) for name in ("premise.nt", "asked.rif")]
    found = call(["entails", *paths, "--entailment", regime, "--strict-builtins"])
    assert found.code in {0, 1}
    assert "outside" not in found.err


@pytest.mark.parametrize(
    ("samples", "shown"),
    [
        ([('"a"', "?")], '("a" ?)'),
        ([('"long"',), ('"a"',), ('"b"',)], '("a")'),
        ([(f'"{"x" * 1000}"',)], f'("{"x" * 59}…)'),
        ([("_:d1_n", "List(_:d1_n)")], "(_:d1_n List(_:d1_n))"),
        ([("_:d0__local", "<urn:a>")], "(_:d0__local <urn:a>)"),
        ([('"\\n"', f'"1"^^<{XSD}byte>', f'"1"^^<{XSD}integer>')], '("\\n" "1"^^xs:byte 1)'),
        ([tuple(f'"{n}"' for n in range(9))], '("0" "1" "2" "3" "4" "5" …)'),
    ],
)  # fmt: skip
def test_the_shortest_example_is_shown_and_no_more_of_it_than_fits(
    samples: list[tuple[str, ...]], shown: str
) -> None:
    assert list(domain_error_lines([DomainErrors(PRED + "contains", 12, samples)])) == [
        f"outside the domain: 12 × pred:contains, such as pred:contains{shown}"
    ]


def test_a_term_that_rules_double_for_ever_ends_outside_the_domain() -> None:
    doubled = """
  Forall ?x ?y (?x[ex:p -> External(func:concat(?y ?y))] :- ?x[ex:p -> ?y])"""
    engine = Engine.from_text(f'{PROLOGUE} ex:a[ex:p -> "ab"] {doubled}))')
    engine.finish()
    longest = max(len(str(change.triple[2])) for change in engine.changes() if change.triple)
    assert longest == 1 << 15
    (outside,) = engine.outside()
    assert (outside.builtin, outside.count) == (FUNC + "concat", 1)


def test_calls_are_counted_on_after_rules_that_look_back_have_joined() -> None:
    head = f"Document( Prefix(ex <urn:ex:>) Prefix(pred <{PRED}>)"
    less = "?x[ex:q -> ?y] :- And(?x[ex:p -> ?y] External(pred:numeric-less-than(?y 5)))"
    back = "?x[ex:r -> ?y] :- DiamondMinus [0, 3] (?x[ex:p -> ?y])"
    engine = Engine.from_text(
        f"{head} Window(5) Group( Forall ?x ?y ( {less} ) ) )", keep=True, lookback="10s"
    )
    engine.add('<urn:ex:a> <urn:ex:p> "x" .', at=1)
    engine.add_rules(f"{head} Group( Forall ?x ?y ( {back} ) ) )")
    for at in (2, 3):
        engine.add(f'<urn:ex:a> <urn:ex:p> "{at}" .', at=at)
    assert [each.count for each in engine.outside()] == [3]
