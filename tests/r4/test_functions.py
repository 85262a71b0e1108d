"""Functions of one's own: in an engine, on the command line, in states, in shards."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from rdflib import Literal, Namespace
from rdflib.term import Identifier

import r4
from r4.api import Change, Engine
from r4.checkpoint.errors import OtherFunctions
from r4.functions import InstalledBuiltins
from r4.imports import Locations
from r4.language import LANGUAGE, language_with
from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.run.notes import domain_error_lines
from r4.spark.partition.program_partition import partition
from r4.state.errors import OtherCommand
from r4.state.manifest import Manifest, check_functions
from r4.time.ticks import TimeScale
from rete.terms.dictionary import Dictionary
from rif.builtins import BUILTINS
from rif.errors.report import RuleErrors
from rif.parser import parse_bytes
from rif.syntax.terms import IRI, XSD
from rif.syntax.terms import Literal as Term
from rif.text.parser import parse
from tests.generators.stories.steps import ElementStep, Story
from tests.oracles.streams.run import Triple
from tests.simulation.command import call
from tests.simulation.core_run import tiny_stores
from tests.simulation.shards.story_run import ShardedNetwork, SingleNetwork, run_story

EX = Namespace("urn:ex:")
PROLOGUE = "Document( Prefix(ex <urn:ex:>) Group("
CELSIUS = f"""{PROLOGUE} Forall ?s ?f ?c (
  ?s[ex:degrees -> ?c] :- And(?s[ex:reads -> ?f] ?c = External(ex:celsius(?f)))) ))"""
HOT = f"""{PROLOGUE} Forall ?s ?f (
  ?s[ex:is -> ex:high] :- And(?s[ex:reads -> ?f] External(ex:hot(?f)))) ))"""


def celsius(fahrenheit: Decimal) -> Decimal:
    return (fahrenheit - 32) / Decimal("1.8")


def hot(fahrenheit: Decimal) -> bool:
    if fahrenheit == 0:
        message = "the sensor is broken"
        raise r4.OutsideDomain(message)
    return fahrenheit > 100


FUNCTIONS: Mapping[str, Callable[..., object]] = {"urn:ex:celsius": celsius, "urn:ex:hot": hot}


def told(engine: Engine, *readings: object, at: int = 1) -> list[Change]:
    for number, value in enumerate(readings):
        term = value if isinstance(value, Identifier) else Literal(value)
        engine.add([(EX[f"s{number}"], EX.reads, term)], at=at)
    return finished(engine)


def finished(engine: Engine) -> list[Change]:
    engine.finish()
    return list(engine.changes())


def values(changes: list[Change]) -> list[object]:
    objects = (each.triple[2] for each in changes if each.op == "+" and each.triple)
    return [each.toPython() for each in objects if isinstance(each, Literal)]


# in an engine


def test_rules_call_functions_of_a_dict() -> None:
    engine = Engine.from_text(CELSIUS, functions=FUNCTIONS)
    assert values(told(engine, Decimal("212.0"), 32)) == [100, 0]
    found = told(Engine.from_text(HOT, functions=FUNCTIONS), 101, 99)
    assert [each.triple for each in found if each.op == "+"] == [(EX.s0, EX["is"], EX.high)]


def test_rules_call_what_the_decorator_has_named() -> None:
    @r4.function("urn:ex:celsius", version="2")
    def of_fahrenheit(fahrenheit: Decimal) -> Decimal:
        """What it is."""
        return celsius(fahrenheit)

    @r4.function("urn:ex:hot", predicate=True)
    def untyped(fahrenheit: Decimal) -> object:
        return fahrenheit > 100

    assert of_fahrenheit(Decimal(212)) == 100
    assert of_fahrenheit.__doc__ == "What it is."
    both = [of_fahrenheit, untyped]
    assert values(told(Engine.from_text(CELSIUS, functions=both), 212)) == [100]
    assert len(told(Engine.from_text(HOT, functions=both), 101)) == 1
    named = {"urn:ex:celsius": untyped}  # the key counts
    with pytest.raises(RuleErrors, match=r"RIF208.*is a predicate, it cannot stand as a term"):
        Engine.from_text(CELSIUS, functions=named)


def test_an_engine_has_its_own_functions_only() -> None:
    Engine.from_text(CELSIUS, functions=FUNCTIONS)
    with pytest.raises(RuleErrors, match="RIF204 <urn:ex:celsius> is no built-in"):
        Engine.from_text(CELSIUS)


@pytest.mark.parametrize(
    ("functions", "error", "said"),
    [
        ([celsius], TypeError, "has no IRI: give it one by @r4.function"),
        ({"urn:ex:f": 7}, TypeError, "urn:ex:f: a function is due, not a int"),
        ({"f": celsius}, ValueError, "'f' is no absolute IRI"),
        (
            {"http://www.w3.org/2007/rif-builtin-function#numeric-add": celsius},
            ValueError,
            "is a built-in already",
        ),
    ],
)
def test_what_is_no_function_of_ones_own_is_refused(
    functions: object, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        Engine.from_text(CELSIUS, functions=functions)  # type: ignore[arg-type]


def refused(rules: str) -> str:
    with pytest.raises(RuleErrors) as found:
        Engine.from_text(f"{PROLOGUE}{rules}))", functions=FUNCTIONS)
    return str(found.value)


def test_checks_and_hints_know_it() -> None:
    typo = refused("ex:a[ex:p -> External(ex:celsus(1))]")
    assert "RIF204 <urn:ex:celsus> is no built-in" in typo
    assert "did you mean <urn:ex:celsius>?" in typo
    assert "takes 1 argument, 2 given" in refused("ex:a[ex:p -> External(ex:celsius(1 2))]")
    assert "it cannot stand as a formula" in refused("ex:p(ex:a) :- External(ex:celsius(1))")
    unbound = "Forall ?s (ex:p(ex:a) :- External(ex:hot(?s)))"
    assert "RIF302 ?s is bound by nothing in the body" in refused(unbound)


def test_a_head_with_it_is_refused() -> None:
    assert "<urn:ex:hot> is a built-in" in refused("ex:hot(1)")
    assert "<urn:ex:hot> is a built-in" in refused("ex:hot(1) :- ex:p(ex:a)")
    assert "RIF157 <urn:ex:hot> is a built-in" in refused("External(ex:hot(1)) :- ex:p(ex:a)")


def test_it_is_a_built_in_of_imported_documents_too(tmp_path: Path) -> None:
    imported, rules = tmp_path / "imported.rif", tmp_path / "rules.rif"
    rules.write_text("Document( Import(<urn:ex:imported>) Group( ) )")
    imported.write_text(CELSIUS)
    imports = Locations(catalogue={"urn:ex:imported": imported})
    engine = Engine.from_file(rules, imports=imports, functions=FUNCTIONS)
    assert values(told(engine, 212)) == [100]
    imported.write_text(f"{PROLOGUE} ex:hot(1) ))")
    with pytest.raises(RuleErrors, match="<urn:ex:hot> is a built-in"):
        Engine.from_file(rules, imports=imports, functions=FUNCTIONS)


def test_a_cycle_through_it_may_not_end() -> None:
    rule = "Forall ?s ?f (?s[ex:reads -> External(ex:celsius(?f))] :- ?s[ex:reads -> ?f])"
    engine = Engine.from_text(f"{PROLOGUE}{rule}))", functions=FUNCTIONS)
    assert [each.code for each in engine.warnings] == ["RIF304"]


def test_rules_that_are_added_call_it() -> None:
    engine = Engine.from_text(f"{PROLOGUE}))", functions=FUNCTIONS)
    with pytest.raises(RuleErrors, match="<urn:ex:hot> is a built-in"):
        engine.add_rules(f"{PROLOGUE} ex:hot(1) ))")
    engine.add_rules(CELSIUS)
    assert values(told(engine, 32)) == [0]


def test_what_it_does_not_know_has_no_value_and_is_counted() -> None:
    def picky(value: object) -> object:
        if value == 1:
            return None
        if value == 2:
            message = "no\nsuch value"
            raise KeyError(message)
        return value

    rules = CELSIUS.replace("ex:celsius(", "ex:picky(")
    engine = Engine.from_text(rules, functions={"urn:ex:picky": picky})
    assert values(told(engine, 2, 1, 2, 3)) == [3]
    (outside,) = engine.outside()
    assert (outside.builtin, outside.count) == ("urn:ex:picky", 3)
    assert outside.samples == [(f'"{n}"^^<{XSD}integer>',) for n in (2, 1)]
    (line,) = domain_error_lines([outside])
    call_of = "outside the domain: 3 × <urn:ex:picky>, such as <urn:ex:picky>(2): "
    assert line == call_of + r"KeyError: 'no\nsuch value'"


def test_the_first_reason_is_that_of_the_first_call() -> None:
    engine = Engine.from_text(HOT, functions=FUNCTIONS)
    assert told(engine, Literal("text"), 0) == []
    (line,) = domain_error_lines(engine.outside())
    assert line.startswith('outside the domain: 2 × <urn:ex:hot>, such as <urn:ex:hot>("text"): ')
    assert "TypeError: '>' not supported between instances of 'str' and 'int'" in line


@pytest.mark.parametrize("first", [0, 1])
def test_the_reason_is_told_where_one_rule_asks_what_another_asked_before(first: int) -> None:
    def failing(_: object) -> object:
        message = "broken"
        raise r4.OutsideDomain(message)

    late = "(?s[ex:late -> External(ex:f(?f))] :- And(?s[ex:reads -> ?f] ?s[ex:on -> 1]))"
    soon = "(?s[ex:soon -> External(ex:f(?f))] :- ?s[ex:reads -> ?f])"
    rules = " ".join(f"Forall ?s ?f {rule}" for rule in ((late, soon), (soon, late))[first])
    engine = Engine.from_text(f"{PROLOGUE} {rules} ))", functions={"urn:ex:f": failing})
    engine.add([(EX.s, EX.reads, Literal(7))], at=1)
    engine.add([(EX.s, EX.on, Literal(1))], at=2)
    finished(engine)
    assert [(each.count, each.reason) for each in engine.outside()] == [(2, "broken")]


def test_it_is_called_once_while_a_row_is_held() -> None:
    calls: list[object] = []

    def counted(value: object) -> object:
        calls.append(value)
        return value

    rules = f"""{PROLOGUE}
      Forall ?s ?f (?s[ex:degrees -> External(ex:f(?f))] :- ?s[ex:reads -> ?f])
      Forall ?s ?f (?s[ex:other -> External(ex:f(?f))] :- And(?s[ex:reads -> ?f] ?s[ex:on -> 1]))
      ))""".replace("Group(", "Window(10) Group(")
    engine = Engine.from_text(rules, tick="ms", functions={"urn:ex:f": counted}, keep=True)
    for at in range(0, 8, 2):
        engine.add([(EX.s, EX.reads, Literal(7)), (EX.t, EX.reads, Literal(7))], at=at)
        engine.add([(EX.s, EX.on, Literal(1))], at=at)
    element = engine.add([(EX.s, EX.reads, Literal(8))], at=9)
    assert element
    engine.explain((EX.s, EX.degrees, Literal(7)), at=7)
    assert calls == [7, 8]


def test_it_is_called_once_where_terms_are_forgotten_before_each_batch() -> None:
    calls: list[object] = []

    def counted(value: object) -> str:
        calls.append(value)
        return f"v{value}"

    rules = f"""{PROLOGUE}
      Forall ?s ?f (?s[ex:degrees -> External(ex:f(?f))] :- ?s[ex:reads -> ?f])
      Forall ?s ?t ?f (
        ?s[ex:other -> External(ex:f(?f))] :- And(?s[ex:reads -> ?f] ?t[ex:on -> ?f]))
      ))""".replace("Group(", "Window(5) Group(")
    with tiny_stores():
        engine = Engine.from_text(rules, functions={"urn:ex:f": counted})
        engine.add_static([(EX.c, EX.reads, Literal(5)), (EX.c, EX.on, Literal(5))])
        for at in range(100):
            data = [(EX.s, EX.reads, Literal(100 + at // 2)), (EX.t, EX.on, Literal(100 + at // 3))]
            engine.add(data, at=at, name=f"urn:ex:e{at}")
            if at % 7 == 3:
                engine.retract(name=f"urn:ex:e{at - 1}", at=at)
            list(engine.changes())
        finished(engine)
    assert calls.count(5) == 1
    assert len(calls) == len(set(calls)) == 51


def test_what_a_sweep_forgets_is_asked_again_and_nothing_else() -> None:
    terms = Dictionary(builtins=language_with(FUNCTIONS).builtins)
    held, gone, value = (int(each) for each in terms.encode_many(["<urn:a>", "<urn:b>", "<urn:c>"]))
    results = terms.results.setdefault("urn:ex:celsius", {})
    results.update({(held,): value, (gone,): value, (held, held): -1, (held, gone): -1})
    tests = terms.results.setdefault("urn:ex:hot", {})
    tests.update({(held,): 1, (value,): 0, (gone,): 1})
    terms.sweep(0, [np.array([held, value])])
    assert results == {(held,): value, (held, held): -1}
    assert tests == {(held,): 1, (value,): 0}


def test_an_explanation_shows_it_as_any_built_in() -> None:
    engine = Engine.from_text(HOT, functions=FUNCTIONS)
    engine.add([(EX.s, EX.reads, Literal(101))], at=1)
    assert "ex:hot(101)" in str(engine.explain((EX.s, EX["is"], EX.high), at=1))
    engine.add([(EX.t, EX.reads, Literal(99))], at=2)
    assert "ex:hot(99)" in str(engine.explain((EX.t, EX["is"], EX.high), at=2))


def test_it_is_called_once_where_what_is_waited_for_has_the_same_arguments() -> None:
    """Level 7 is a case of the level that rule 2 waits for, if it is one of those."""
    calls: list[object] = []

    def counted(value: object) -> object:
        calls.append(value)
        return value if value == 7 else None

    rules = f"""{PROLOGUE}
      Forall ?x ?s (?x[ex:is -> ex:bad] :-
        And(?x[ex:seen -> ?s] ?s[ex:level -> 7] ?s[ex:state -> ex:on]))
      Forall ?x ?s ?v (?x[ex:is -> ex:bad] :-
        And(?x[ex:seen -> ?s] ?s[ex:level -> ?v] ?v = External(ex:f(?v)))) ))"""
    engine = Engine.from_text(
        rules, functions={"urn:ex:f": counted}, hypotheses="triples", delay=5, literals="term"
    )
    engine.add([(EX.hall, EX.seen, EX.s1)], at=1)
    list(engine.possible())
    assert calls == [7]
    engine.add([(EX.s1, EX.level, Literal(7)), (EX.s2, EX.level, Literal(8))], at=1)
    finished(engine)
    assert sorted(calls, key=str) == [7, 8]


def test_possible_answers_wait_for_what_it_is_given() -> None:
    rules = f"""{PROLOGUE} Forall ?s ?f ?r (?r[ex:is -> ex:high] :-
      And(?s[ex:reads -> ?f] ?s[ex:on -> ?r] External(ex:hot(?f))))))"""
    engine = Engine.from_text(rules, functions=FUNCTIONS, hypotheses="triples", delay=5)
    engine.add([(EX.s, EX.reads, Literal(101))], at=1)
    engine.add([(EX.t, EX.reads, Literal(0))], at=1)
    assert len(list(engine.possible())) >= 1


# saved, and with a state


def versioned(version: str) -> Mapping[str, Callable[..., object]]:
    return {"urn:ex:celsius": r4.function("urn:ex:celsius", version=version)(celsius)}


def test_a_saved_engine_goes_on_with_the_same_function_only(tmp_path: Path) -> None:
    path = tmp_path / "saved.r4"
    engine = Engine.from_text(CELSIUS, functions=versioned("1"))
    engine.add([(EX.s, EX.reads, Literal(212))], at=1)
    engine.save(path)
    again = Engine.load(path, CELSIUS, functions=versioned("1"))
    assert values(finished(again)) == [100]
    with pytest.raises(OtherFunctions, match=r"R4409 .*calls <urn:ex:celsius> of version 1; given"):
        Engine.load(path, CELSIUS, functions=versioned("2"))
    with pytest.raises(OtherFunctions, match=r"of version 1; given was one of no version"):
        Engine.load(path, CELSIUS, functions=FUNCTIONS)
    with pytest.raises(OtherFunctions, match=r"the function <urn:ex:celsius>, which is not given"):
        Engine.load(path, CELSIUS)


def test_a_function_that_no_rule_calls_is_of_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "saved.r4"
    Engine.from_text(HOT, functions=FUNCTIONS).save(path)
    Engine.load(path, HOT, functions={"urn:ex:hot": hot})


@pytest.mark.parametrize("closes", [False, True], ids=["journal", "checkpoint"])
def test_a_state_goes_on_with_the_same_function_only(tmp_path: Path, closes: bool) -> None:
    def opened(functions: Mapping[str, Callable[..., object]]) -> Engine:
        return Engine.from_text(CELSIUS, state=tmp_path / "state", functions=functions)

    engine = opened(versioned("1"))
    engine.add([(EX.s, EX.reads, Literal(212))], at=1)
    if closes:
        engine.close()
    else:
        engine.__exit__(RuntimeError, RuntimeError(), None)
    with pytest.raises(OtherCommand, match=r"calls <urn:ex:celsius> of version 1; given was one"):
        opened(versioned("2"))
    assert values(finished(opened(versioned("1")))) == [100]


# in shards


def program(functions: Mapping[str, Callable[..., object]]) -> Program:
    language = language_with(functions)
    document = parse(CELSIUS, language=language).document
    return compile_document(document, TimeScale(), language=language)


def test_shards_in_this_process_find_the_same() -> None:
    made = program(FUNCTIONS)
    readings: list[Triple] = [
        (IRI(f"urn:ex:s{n}"), IRI("urn:ex:reads"), Term(f"{n}", XSD + "integer")) for n in range(9)
    ]
    steps = tuple(ElementStep(f"e{n}", n, None, (each,)) for n, each in enumerate(readings))
    document = parse(CELSIUS, language=language_with(FUNCTIONS)).document
    story = Story(document, (), steps, window=3)
    one = SingleNetwork(made, instances=False)
    run_story(story, one)
    several = ShardedNetwork(partition(made, 3), instances=False)
    run_story(story, several)
    assert sorted(several.lines) == sorted(one.lines) != []


def test_a_python_object_does_not_travel_to_other_processes() -> None:
    made = program(FUNCTIONS)
    with pytest.raises(TypeError, match=r"<urn:ex:celsius> was given as a Python object"):
        copy.deepcopy(made)  # as a broadcast does


def test_a_function_of_a_package_is_found_by_its_name_where_a_program_comes(
    package: Path,
) -> None:
    assert package.exists()
    language = replace(LANGUAGE, builtins=InstalledBuiltins())
    document = parse(CELSIUS, language=language).document
    made = compile_document(document, TimeScale(), language=language)
    there = copy.deepcopy(made)
    assert there == made
    assert there.language is LANGUAGE


# from a package


PACKAGE = """
from decimal import Decimal
import r4

@r4.function("urn:ex:celsius", version="1")
def celsius(fahrenheit: Decimal) -> Decimal:
    if fahrenheit < 0:
        raise ValueError(f"{fahrenheit} is too cold")
    return (fahrenheit - 32) / Decimal("1.8")

def hot(fahrenheit: Decimal) -> bool:
    return fahrenheit > 100

NUMBER = 7
"""
ENTRY_POINTS = """[r4.functions]
urn:ex:celsius = function_plug:celsius
urn:ex:hot = function_plug:hot
urn:ex:number = function_plug:NUMBER
urn:ex:lost = function_plug_lost:anything
"""
DATA = """
<urn:ex:g{n}> <http://www.w3.org/ns/prov#generatedAtTime> "{n}"^^<{xsd}integer> .
<urn:ex:s> <urn:ex:reads> "{value}"^^<{xsd}integer> <urn:ex:g{n}> .
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    info = folder / "function_plug-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "function_plug.py").write_text(PACKAGE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: function-plug\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "function_plug", raising=False)
    monkeypatch.setattr(LANGUAGE.builtins, "_loaded", {})
    return folder


def files(folder: Path, rules: str, *values: int) -> tuple[str, str]:
    (folder / "rules.rif").write_text(rules)
    lines = (DATA.format(n=n, value=value, xsd=XSD) for n, value in enumerate(values))
    (folder / "data.nq").write_text("".join(lines))
    return str(folder / "rules.rif"), str(folder / "data.nq")


def test_a_command_calls_the_functions_of_packages(package: Path) -> None:
    found = call(["run", *files(package, CELSIUS, 212, -1)])
    assert [json.loads(line)["o"] for line in found.lines()] == [f'"100"^^<{XSD}decimal>']
    assert (
        "outside the domain: 1 × <urn:ex:celsius>, such as <urn:ex:celsius>(-1): "
        "ValueError: -1 is too cold" in found.err
    )
    assert found.code == 0


def test_a_package_is_imported_where_a_rule_calls_its_function_and_never_else(
    package: Path,
) -> None:
    other = f"{PROLOGUE} ex:p(ex:a) Forall ?x (?x[ex:q -> 1] :- ex:p(?x))))"
    assert call(["run", *files(package, other, 1)]).code == 0
    assert call(["check", files(package, other)[0]]).code == 0
    assert call(["doctor"]).out.count("ok  function ") == 4
    assert "function_plug" not in sys.modules
    assert call(["check", files(package, HOT)[0]]).code == 0
    assert "function_plug" in sys.modules


def test_check_knows_its_kind_and_its_arguments(package: Path) -> None:
    wrong = call(["check", files(package, CELSIUS.replace("(?f))", "(?f ?f))"))[0]])
    assert "<urn:ex:celsius> takes 1 argument, 2 given" in wrong.err
    assert wrong.code == 3
    head = call(["check", files(package, f"{PROLOGUE} ex:hot(1)))")[0]])
    assert "<urn:ex:hot> is a built-in" in head.err


@pytest.mark.parametrize("rules", [CELSIUS, HOT], ids=["term", "condition"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("lost", "ModuleNotFoundError: No module named 'function_plug_lost'"),
        ("number", "TypeError: urn:ex:number: a function is due, not a int"),
    ],
)
def test_a_package_that_fails_is_a_fault_of_the_rules(
    package: Path, rules: str, name: str, said: str
) -> None:
    rules = rules.replace("ex:celsius(", f"ex:{name}(").replace("ex:hot(", f"ex:{name}(")
    found = call(["check", files(package, rules)[0]])
    assert f"RIF204 <urn:ex:{name}>: the package that gives it fails: {said}" in found.err
    assert found.code == 3


def test_the_state_of_a_run_goes_on_with_the_same_version_only(package: Path) -> None:
    command = ["run", *files(package, CELSIUS, 212, 32), "--state", str(package / "state")]
    assert call(command).code == 0
    manifest = json.loads((package / "state/manifest.json").read_text())
    assert manifest["functions"] == {"urn:ex:celsius": "1"}
    called = Manifest.read(package / "state/manifest.json").functions
    check_functions(called, LANGUAGE.builtins)
    with pytest.raises(OtherCommand, match=r"calls <urn:ex:celsius> of version 1; given"):
        check_functions(called, language_with(versioned("2")).builtins)
    with pytest.raises(OtherCommand, match="the function <urn:ex:celsius>, which is not given"):
        check_functions(called, BUILTINS)


def test_an_engine_prefers_its_own_to_that_of_a_package(package: Path) -> None:
    assert package.exists()
    assert values(told(Engine.from_text(CELSIUS), 212)) == [100]
    own = {"urn:ex:celsius": lambda _: 5}
    assert values(told(Engine.from_text(CELSIUS, functions=own), 212)) == [5]


def test_without_such_a_package_no_built_in_is_added() -> None:
    builtins = InstalledBuiltins()
    assert len(builtins) == len(list(builtins))
    assert "urn:ex:celsius" not in builtins
    with pytest.raises(RuleErrors, match="RIF204"):
        parse_bytes(CELSIUS.encode(), language=LANGUAGE)
