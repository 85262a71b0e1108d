"""The partition of rules: what is split and by what, what is whole, what travels."""

from __future__ import annotations

import subprocess
import sys

import pytest

from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.program.regimes import regime
from r4.spark.partition.program_partition import Partition, PlacedBody, partition
from r4.spark.partition.routes import TO_ALL_SHARDS, ByHash, ToShard, relation_at, shard_of
from r4.spark.partition.shard_programs import DepartingFacts, shard_program
from r4.spark.partition.splitting import Rates
from r4.time.ticks import TimeScale
from rete.terms.relations import TRIPLES, Part
from rif.syntax.ast import Document
from tests.generators.rules.parsers import parse

EX = "http://e/"


def program(rules: str) -> Program:
    text = f"Document(Prefix(ex <{EX}>) Group({rules}))"
    return compile_document(parse(text).document, TimeScale())


def divided(rules: str, shards: int = 4, rates: dict[str, float] | None = None) -> Partition:
    observed = {f"<{EX}{name}>": rate for name, rate in (rates or {}).items()}
    return partition(program(rules), shards, rates=Rates(observed))


def routes(body: PlacedBody) -> dict[str, object]:
    """Per predicate of a pattern the way of its facts."""
    return {
        dict(scan.constants).get(1, "").strip("<>").removeprefix(EX): route
        for scan, route in zip(body.scans, body.routes, strict=True)
    }


def test_patterns_that_agree_on_a_variable_are_split_by_it() -> None:
    (body,) = divided(
        "Forall ?x ?y ?z (?x[ex:r -> ?z] :- And(?x[ex:p -> ?y] ?y[ex:q -> ?z]))"
    ).bodies
    assert body.at is None
    assert routes(body) == {"p": ByHash(2), "q": ByHash(0)}


def test_what_a_head_derives_stays_if_its_home_is_by_the_same_variable() -> None:
    given = divided("Forall ?x ?y (?x[ex:r -> ?y] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?y]))")
    (body,), (group,) = given.bodies, given.groups
    assert isinstance(group.home, ByHash)
    assert body.stays == (True,)
    assert {*routes(body).values()} == {group.home}


def test_what_is_joined_by_another_variable_is_hashed_again_on_the_way() -> None:
    given = divided(
        "Forall ?x ?y ?z (?x[ex:r -> ?z] :- And(?x[ex:p -> ?y] ?y[ex:q -> ?z]))"
        "Forall ?x ?y ?z (?x[ex:s -> ?z] :- And(?x[ex:r -> ?y] ?y[ex:q -> ?z]))"
    )
    first, second = given.bodies
    assert not first.stays[0]
    home = given.groups[first.groups[0]].home
    assert home == routes(second)["r"] == ByHash(2)
    leaving = [
        each for each in shard_program(given, 1).outgoing if isinstance(each, DepartingFacts)
    ]
    assert [type(each.to) for each in leaving] == [ByHash, ByHash]


def test_one_shard_has_all_and_nothing_travels() -> None:
    given = divided("Forall ?x ?y (?x[ex:r -> ?y] :- ?x[ex:p -> ?y])", shards=1)
    assert [body.at for body in given.bodies] == [0]
    assert all(all(body.stays) for body in given.bodies)
    assert shard_program(given, 0).outgoing == ()
    assert shard_program(given, 0).program.emits == given.program.emits


LINEAR = (
    "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])"
    "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:p -> ?z]))"
)


def test_recursion_that_keeps_no_key_is_whole() -> None:
    given = divided(
        "Forall ?x ?y ?z (?x[ex:t -> ?z] :- And(?x[ex:t -> ?y] ?y[ex:t -> ?z]))"
        "Forall ?x ?y (?x[ex:t -> ?y] :- ?x[ex:p -> ?y])",
        rates={"t": 1000.0},
    )
    circle, base = given.bodies
    assert circle.at is not None
    assert given.groups[0].home == ToShard(circle.at)
    assert circle.stays == (True,)
    assert base.at is None
    assert base.stays == (False,)


def test_recursion_that_keeps_a_key_is_split_by_it_where_the_copies_are_static() -> None:
    given = divided(LINEAR, rates={"p": 0.0})
    base, circle = given.bodies
    assert (base.at, circle.at) == (None, None)
    assert routes(circle) == {"t": ByHash(0), "p": TO_ALL_SHARDS}
    assert given.groups[0].home == ByHash(0)
    assert base.stays == circle.stays == (True,)


def test_copies_are_made_where_a_component_is_heavier_than_a_fair_share() -> None:
    heavy = divided(LINEAR, rates={"p": 1.0, "t": 50.0})
    assert routes(heavy.bodies[1]) == {"t": ByHash(0), "p": TO_ALL_SHARDS}
    others = "".join(f"Forall ?x (?x[ex:b{n} -> ex:c] :- ?x[ex:a{n} -> ex:c])" for n in range(40))
    light = divided(LINEAR + others, shards=2)
    assert light.bodies[1].at is not None


def test_a_negation_is_split_with_what_it_takes_away_from() -> None:
    (body,) = divided(
        "Forall ?x ?y (?x[ex:r -> ?y] :- And(?x[ex:p -> ?y] Naf(?x[ex:q -> ?y])))"
    ).bodies
    assert {*routes(body).values()} in ({ByHash(0)}, {ByHash(2)})


def test_a_negation_without_a_variable_in_common_is_copied_or_whole() -> None:
    rule = "Forall ?x ?y (?x[ex:r -> ?y] :- And(?x[ex:p -> ?y] Naf(Exists ?z (?z[ex:q -> ?z]))))"
    (body,) = divided(rule, rates={"q": 0.0}).bodies
    assert routes(body)["q"] == TO_ALL_SHARDS
    others = "".join(f"Forall ?x (?x[ex:b{n} -> ex:c] :- ?x[ex:a{n} -> ex:c])" for n in range(9))
    assert divided(rule + others).bodies[0].at is not None


@pytest.mark.parametrize(
    "negated",
    ["Naf(?y[ex:q -> ex:c])", "Naf(And(?y[ex:q -> ex:c] Naf(?y[ex:s -> ex:c])))"],
)
def test_a_key_that_only_a_negation_has_splits_nothing(negated: str) -> None:
    """Every shard would have what the negation takes away from, and tell it."""
    term = "External(func:upper-case(?x))"
    rule = f"Forall ?x ?y (?x[ex:r -> ?y] :- And(?x[ex:p -> ex:c] ?y = {term} {negated}))"
    (body,) = divided(rule, rates={"p": 0.0, "q": 50.0, "s": 50.0}).bodies
    assert ByHash(0) not in (routes(body)["q"], routes(body).get("s"))


BOX = (
    "Forall ?x (?x[ex:r -> ex:c] :- "
    "BoxMinus [0 s, 1 s] (Exists ?y (And(?x[ex:p -> ?y] ?y[ex:q -> ex:c]))))"
)


def test_under_a_box_only_what_the_box_is_about_splits() -> None:
    (body,) = divided(BOX, rates={"q": 0.0}).bodies
    assert routes(body) == {"p": ByHash(0), "q": TO_ALL_SHARDS}


def test_predicates_that_are_variables_join_all_to_one_component() -> None:
    given = divided(
        "Forall ?x ?y ?z ?k (?x[?k -> ?y] :- And(?x[ex:same -> ?z] ?z[?k -> ?y]))"
        "Forall ?x ?y (?y[ex:same -> ?x] :- ?x[ex:same -> ?y])"
    )
    assert len({body.at for body in given.bodies}) == 1
    assert given.bodies[0].at is not None


def test_with_a_background_all_is_in_the_first_shard() -> None:
    document = parse(
        f"Document(Prefix(ex <{EX}>) Group(Forall ?x (?x[ex:r -> ex:a] :- ?x[ex:p -> ex:a])))"
    ).document
    given = partition(compile_document(document, TimeScale(), background=regime("rdfs")), 3)
    assert [body.at for body in given.bodies] == [0]
    assert given.shares == (1.0, 0.0, 0.0)
    first, second = shard_program(given, 0).program, shard_program(given, 1).program
    assert first.background
    assert not second.background
    assert not second.emits


def test_whole_rules_of_the_same_predicates_come_together() -> None:
    given = divided(
        "".join(
            f"Forall ?x ?y ?z (?x[ex:t{n} -> ?z] :- And(?x[ex:t{n} -> ?y] ?y[ex:t{n} -> ?z]))"
            f"Forall ?x ?y ?z (?x[ex:u{n} -> ?z] :- And(?x[ex:t{n} -> ?y] ?y[ex:u{n} -> ?z]))"
            for n in range(4)
        ),
        shards=4,
    )
    shards = [body.at for body in given.bodies]
    assert shards[::2] == shards[1::2]
    assert sorted(map(str, shards[::2])) == ["0", "1", "2", "3"]


def test_shares_follow_the_rates() -> None:
    rules = "".join(
        f"Forall ?x ?y ?z (?x[ex:t{n} -> ?z] :- And(?x[ex:t{n} -> ?y] ?y[ex:t{n} -> ?z]))"
        for n in range(3)
    )
    given = divided(rules, shards=2, rates={"t0": 6.0, "t1": 3.0, "t2": 3.0})
    assert given.shares == (0.5, 0.5)
    assert given.bodies[0].at != given.bodies[1].at == given.bodies[2].at


def test_facts_of_the_rules_are_where_they_are_asked_for() -> None:
    given = divided(
        "ex:a[ex:p -> ex:b] ex:a[ex:unread -> ex:b]Forall ?x ?y (?y[ex:r -> ?x] :- ?x[ex:p -> ?y])"
    )
    route = given.bodies[0].routes[0]
    assert isinstance(route, ByHash)
    home = shard_of(f"<{EX}{'ab'[route.place > 0]}>", 4)
    facts = {shard: shard_program(given, shard).program.facts for shard in range(4)}
    assert [fact.relation for fact in facts.pop(home)] == [relation_at(TRIPLES, route)]
    assert not any(facts.values())


def test_a_part_of_a_relation_is_another_one() -> None:
    part = Part("", 3, 0)
    assert part != TRIPLES
    assert len({part, TRIPLES, Part("", 3, 2)}) == 3
    assert part.undivided == TRIPLES == TRIPLES.undivided
    assert part.routing == TRIPLES.routing


def test_a_document_without_rules_has_a_partition() -> None:
    given = partition(compile_document(Document(), TimeScale()), 3)
    assert given.bodies == ()
    assert given.shares == (1 / 3, 1 / 3, 1 / 3)


def test_the_same_rules_have_the_same_partition() -> None:
    assert divided(LINEAR, rates={"p": 0.0}) == divided(LINEAR, rates={"p": 0.0})


@pytest.mark.slow
def test_hashes_and_partitions_are_the_same_in_every_process() -> None:
    code = (
        "from tests.r4.spark.partition.test_partition import LINEAR, divided\n"
        "from r4.spark.partition.routes import shard_of\n"
        "given = divided(LINEAR * 2)\n"
        "print([shard_of(f'<http://e/{n}>', 7) for n in range(50)])\n"
        "print([(b.at, b.routes, b.stays) for b in given.bodies], given.demands)\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ".", "PATH": ""},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_terms_are_spread_over_all_shards() -> None:
    count = [0] * 7
    for number in range(7000):
        count[shard_of(f"<http://example.org/sensor/{number}>", 7)] += 1
    assert min(count) > 800
    assert max(count) < 1200


def test_the_partition_needs_no_spark() -> None:
    modules = "tests.simulation.shards.rounds, r4.spark.partition.rendering"
    code = f"import sys, {modules}; print('pyspark' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout == "False\n"
