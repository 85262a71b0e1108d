"""What an engine is given that it cannot take, and rules that do not go with those that run."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib
from rdflib import Namespace

from r4 import Engine
from r4.imports import ImportErrors, Locations
from rif.errors.report import RuleErrors

EX = Namespace("urn:ex:")
HEAD = "Document( Prefix(ex <urn:ex:>) "
RULES = f"{HEAD} Window(5) Group( Forall ?x (ex:r(?x) :- ?x[ex:p -> ex:q]) ) )"
LISTS = f"""{HEAD} Group(
  Forall ?x (?x[ex:list -> List(1 2)] :- ?x[ex:p -> ex:q])
  Forall ?x (?x[ex:seen -> ex:yes] :- ?x[ex:p -> ex:q]) ) )"""


def test_an_answer_with_a_list_is_no_triple() -> None:
    engine = Engine.from_text(LISTS)
    engine.add([(EX.a, EX.p, EX.q)], at=1)
    engine.finish()
    found = [(change.triple, change.atom) for change in engine.changes()]
    one, two = (f'"{n}"^^<http://www.w3.org/2001/XMLSchema#integer>' for n in (1, 2))
    assert found == [
        (None, f"<urn:ex:a>[<urn:ex:list> -> List({one} {two})]"),
        ((EX.a, EX.seen, EX.yes), None),
    ]
    assert list(engine.current(1)) == [(EX.a, EX.seen, EX.yes)]


@pytest.mark.parametrize("wrong", [{"urn:a": "a.rif"}, "folder", Path("folder")])
def test_imports_of_another_type_are_refused_with_a_sentence(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"imports= is an r4\.imports\.Locations.* given was "):
        Engine.from_text(RULES, imports=wrong)  # type: ignore[arg-type]


def test_rules_of_another_type_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"Engine\.from_file reads a file"):
        Engine.from_text(tmp_path)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Engine\.from_text"):
        Engine(RULES)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not Graph; triples join by add or add_static"):
        Engine.from_text(RULES).add_rules(rdflib.Graph())  # type: ignore[arg-type]


def test_rules_in_a_file_join(tmp_path: Path) -> None:
    file = tmp_path / "more.rif"
    file.write_text(f"{HEAD} Group( Forall ?x (?x[ex:s -> ex:t] :- ex:r(?x)) ) )")
    engine = Engine.from_text(RULES)
    engine.add_rules(file)
    engine.add([(EX.a, EX.p, EX.q)], at=1)
    engine.advance(1)
    assert {change.triple for change in engine.changes()} == {None, (EX.a, EX.s, EX.t)}
    file.write_text("Document( Group( oops ) )")
    with pytest.raises(RuleErrors) as caught:
        engine.add_rules(file)
    assert caught.value.report().startswith(f"{file}:1:")


def test_a_constant_has_one_context_in_all_rules_that_run() -> None:
    engine = Engine.from_text(RULES)
    other = f"{HEAD} Group( Forall ?x (?x[ex:r -> ex:t] :- ?x[ex:p -> ex:q]) ) )"
    with pytest.raises(RuleErrors, match=r"RIF203.*predicate in <text>:1") as caught:
        engine.add_rules(other, name="other.rif")
    assert caught.value.report().startswith("other.rif:1:")
    engine.add_rules(f"{HEAD} Group( ex:new(1) ) )")
    with pytest.raises(RuleErrors, match="RIF203"):
        engine.add_rules(f"{HEAD} Group( ex:a[ex:b -> ex:new] ) )")
    with pytest.raises(RuleErrors, match="RIF203"):
        engine.add_rules(other)


def test_what_is_to_be_said_of_added_rules_is_kept() -> None:
    engine = Engine.from_text(RULES)
    assert not engine.warnings
    engine.add_rules(
        f"{HEAD} Window(7) Group("
        " Forall ?x (ex:s(External(func:numeric-add(?x 1))) :- ex:r(?x)) ) )"
    )
    assert {warning.code for warning in engine.warnings} == {"R4311"}


@pytest.mark.parametrize("asks_first", [False, True])
def test_times_of_what_other_rules_derive_need_one_document(*, asks_first: bool) -> None:
    """A rule derives facts with their times only where some rule asked for these from the first."""
    derives = f"{HEAD} Group( Forall ?x ( ?x[ex:is -> 1] :- ?x[ex:p -> ex:q] ) ) )"
    asks = f"{HEAD} Group( Forall ?x ?t ( ex:since(?x ?t) :- At ?t ( ?x[ex:is -> 1] ) ) ) )"
    first, then = (asks, derives) if asks_first else (derives, asks)
    engine = Engine.from_text(first)
    with pytest.raises(RuleErrors, match="R4120"):
        engine.add_rules(then)
    engine.add_rules(then.replace("is ->", "seems ->"))


def test_import_errors_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "part.rif").write_text("Document( Group( oops ) )")
    main = tmp_path / "main.rif"
    main.write_text("Document( Import(<part.rif>) Import(<gone.rif>) )")
    with pytest.raises(ImportErrors) as caught:
        Engine.from_file(main, imports=Locations())
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{main}:1:30: R4301 ")
    assert any(line.startswith(f"{tmp_path / 'part.rif'}:1:") for line in lines)
