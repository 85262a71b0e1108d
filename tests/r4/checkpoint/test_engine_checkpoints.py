"""`Engine.save` and `Engine.load`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rdflib import OWL, RDF, RDFS, BNode, Literal, Namespace

from r4 import Engine
from r4.checkpoint import errors

if TYPE_CHECKING:
    from r4 import Change

EX = Namespace("http://example.org/")
RULES = """
Document( Prefix(ex <http://example.org/>) Window(5)
  Group(
    Forall ?x ( ?x[ex:p -> ex:c] :- And(?x[ex:p -> ex:a] ?x[ex:p -> ex:b]) )
    Forall ?x ?y ?z ( ?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z]) )
    Forall ?x ( ex:seen(?x) :- ?x[ex:p -> ex:c] )
  ) )
"""
MORE = """
Document( Prefix(ex <http://example.org/>)
  Group( ex:k[ex:t -> ex:l] Forall ?x ?y ( ?y[ex:u -> ?x] :- ?x[ex:t -> ?y] ) ) )
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "engine.r4"


def some(**options: object) -> Engine:
    engine = Engine.from_text(RULES, **options)  # type: ignore[arg-type]
    engine.add([(EX.x, EX.p, EX.a), (EX.x, EX.t, EX.y)], at=1, name="urn:one")
    engine.add([(EX.x, EX.p, EX.b), (EX.y, EX.t, EX.x)], at=2)
    return engine


def rest(engine: Engine) -> list[Change]:
    engine.add([(EX.z, EX.p, EX.a), (EX.z, EX.p, EX.b), (EX.y, EX.t, EX.z)], at=4)
    engine.retract(name="urn:one", at=5)
    engine.finish(None)
    return list(engine.changes())


@pytest.mark.parametrize(
    "options",
    [
        {"semantics": "instances", "delay": 1},
        {"order": "arrival", "delay": "2", "keep": True},
        {"window": "3", "literals": "value", "entailment": "rdfs"},
    ],
    ids=str,
)
def test_the_options_come_back(options: dict[str, object], path: Path) -> None:
    engine = some(**options)
    engine.save(path)
    assert rest(Engine.load(path, RULES)) == rest(engine)


def test_changes_that_were_not_taken_out_come_out_there(path: Path) -> None:
    engine = Engine.from_text(RULES, delay="1 s")
    day = datetime(2024, 2, 29, tzinfo=UTC)
    both = [(EX.x, EX.p, EX.a), (EX.x, EX.p, EX.b)]
    engine.add(both, at=day)
    engine.add([(Literal("é\n", lang="fr"), EX.t, BNode("b")), *both], at=day + timedelta(days=1))
    engine.finish(None)
    engine.save(path)
    loaded = Engine.load(path, RULES)
    wanted = list(engine.changes())
    assert len(wanted) > 5
    assert list(loaded.changes()) == wanted


def test_counters_and_the_end_come_back(path: Path) -> None:
    engine = some()
    assert not engine.add([(EX.x, EX.p, EX.b)], at=0)
    engine.finish()
    engine.save(path)
    loaded = Engine.load(path, RULES)
    assert loaded.counters == engine.counters
    with pytest.raises(ValueError, match="the input has ended"):
        loaded.add([(EX.x, EX.p, EX.b)], at=9)


def test_the_kind_of_time_comes_back(path: Path) -> None:
    some().save(path)
    with pytest.raises(ValueError, match="all datetimes or all integers"):
        Engine.load(path, RULES).advance(datetime(2024, 1, 1, tzinfo=UTC))


@pytest.mark.slow
def test_static_data_may_follow_where_time_has_not_begun(path: Path) -> None:
    engine = Engine.from_text(RULES, entailment="owl-rl", literals="value")
    engine.add_static([(EX.x, OWL.sameAs, EX.y), (EX.c, RDFS.subClassOf, EX.d)])
    engine.save(path)
    loaded = Engine.load(path, RULES)
    for each in (engine, loaded):
        each.add_static([(EX.y, OWL.sameAs, EX.z), (EX.z, EX.p, EX.a), (EX.x, EX.p, EX.b)])
        each.add([(EX.y, RDF.type, EX.c)], at=1)
    told = rest(engine)
    assert sum(change.atom is not None for change in told) > 2
    assert rest(loaded) == told


def test_rules_that_joined_and_left_are_given_again(path: Path) -> None:
    engine = some()
    engine.add_rules(MORE)
    engine.drop_rules(2)
    engine.save(path)
    loaded = Engine.load(path, RULES, added=[MORE])
    assert rest(loaded) == rest(engine)
    with pytest.raises(errors.OtherRules, match="rules were added 1 times; given were 0"):
        Engine.load(path, RULES)


def test_imported_graphs_are_not_read_again(path: Path, tmp_path: Path) -> None:
    graph, rules = tmp_path / "graph.ttl", tmp_path / "rules.rif"
    graph.write_text(f"<{EX.z}> <{EX.t}> <{EX.x}> .")
    graphs = "Import(<graph.ttl> <http://www.w3.org/ns/entailment/Simple>) Window"
    rules.write_text(RULES.replace("Window", graphs))
    engine = Engine.from_file(rules)
    engine.add([(EX.x, EX.t, EX.y)], at=1)
    engine.save(path)
    graph.write_text("")
    loaded = Engine.load(path, rules)
    engine.finish()
    loaded.finish()
    told = list(engine.changes())
    assert (EX.z, EX.t, EX.y) in [change.triple for change in told]
    assert list(loaded.changes()) == told


@pytest.mark.parametrize(
    "other",
    [RULES.replace("ex:b]", "ex:d]"), RULES.replace("Window(5)", "Window(6)"), MORE],
    ids=["another constant", "another window", "another document"],
)
def test_other_rules_are_refused(other: str, path: Path) -> None:
    some().save(path)
    with pytest.raises(errors.OtherRules, match="is of other rules"):
        Engine.load(path, other)


def test_other_words_for_the_same_rules_are_not(path: Path) -> None:
    engine = some()
    engine.save(path)
    same = RULES.replace("ex:", "other:").replace("(ex ", "(other ").replace("\n", "\n\n")
    assert rest(Engine.load(path, same)) == rest(engine)


def test_equal_engines_are_equal_files(path: Path, tmp_path: Path) -> None:
    some().save(path)
    some().save(tmp_path / "another")
    assert path.read_bytes() == (tmp_path / "another").read_bytes()


def test_a_retraction_ends_where_rules_derive_for_ever(path: Path) -> None:
    rules = """Document( Prefix(ex <http://example.org/>) Window(5) Group(
        Forall ?x ?y (?x[ex:u -> ?y] :-
            Or(DiamondMinus [1 ms, 1 ms] (?x[ex:t -> ?y]) ?x[ex:p -> ?y]))
        Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:u -> ?y])
        Forall ?x ?y ?z (?x[ex:t -> ?z] :-
            And(DiamondMinus [1 ms, 1 ms] (?x[ex:t -> ?y]) ?y[ex:p -> ?z])) ) )"""
    engine = Engine.from_text(rules, keep=True)
    engine.add_static([(EX.a, EX.p, EX.b)])
    engine.add([(EX.b, EX.p, EX.b)], at=0, name="urn:one")
    engine.save(path)
    loaded = Engine.load(path, rules)
    for each in (engine, loaded):
        each.retract(name="urn:one", at=0)
        each.finish(9)
    wanted = list(engine.changes())
    assert {(one.op, one.at, one.triple) for one in wanted} == {
        ("+", None, (EX.a, EX.u, EX.b)),
        ("+", None, (EX.a, EX.t, EX.b)),
    }
    assert list(loaded.changes()) == wanted


def test_static_data_that_wait_for_the_first_stamp_are_saved(path: Path) -> None:
    rules = f"""@prefix ex: <{EX}> . @window 9 ms .
    ex:c[ex:limit -> 2] . ?x[ex:short -> ?l] :- ?x[ex:limit -> ?l], ?l < 5 ms ."""
    engine = Engine.from_text(rules)
    engine.add_static([(EX.a, EX.limit, Literal(3)), (EX.b, EX.limit, Literal(7))])
    engine.save(path)
    for each in (engine, Engine.load(path, rules)):
        each.add([(EX.a, EX.is_, EX.on)], at=1)
        found = [change.triple for change in each.changes()]
        assert found == [(EX.a, EX.short, Literal(3)), (EX.c, EX.short, Literal(2))]
