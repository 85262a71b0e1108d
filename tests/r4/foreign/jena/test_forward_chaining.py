"""Rules of Jena at random derive what forward chaining by definition derives."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

import pytest

from tests.seeds import parts
from tests.simulation.command import call

Node: TypeAlias = str | int
"""``ex:a``, a number, or in rules a variable ``?x``."""
Triple: TypeAlias = tuple[Node, Node, Node]
Binding: TypeAlias = Mapping[Node, Node]

NODES = ("ex:a", "ex:b", "ex:c")
NUMBERS = (1, 2, 3)


class Rule(NamedTuple):
    """Triples to match, comparisons ``(name, one, other)``, what may not be there, a conclusion."""

    body: Sequence[Triple]
    tests: Sequence[tuple[str, Node, Node]]
    absent: Sequence[tuple[Node, str]]
    head: Triple


HOLDS = {
    "lessThan": lambda one, two: one < two,
    "ge": lambda one, two: one >= two,
    "notEqual": lambda one, two: one != two,
    "equal": lambda one, two: one == two,
}


def text(rule: Rule) -> str:
    triples = [f"({s} {p} {o})" for s, p, o in rule.body]
    tests = [f"{name}({one}, {two})" for name, one, two in rule.tests]
    absent = [f"noValue({node} {key})" for node, key in rule.absent]
    subject, key, value = rule.head
    return f"[{' '.join([*triples, *tests, *absent])} -> ({subject} {key} {value})]"


def matches(pattern: Triple, fact: Triple, given: Binding) -> Binding | None:
    found = dict(given)
    for due, node in zip(pattern, fact, strict=True):
        if isinstance(due, str) and due.startswith("?"):
            if found.setdefault(due, node) != node:
                return None
        elif due != node:
            return None
    return found


def bindings(rule: Rule, facts: set[Triple]) -> Iterator[Binding]:
    for chosen in product(facts, repeat=len(rule.body)):
        found: Binding | None = {}
        for pattern, fact in zip(rule.body, chosen, strict=True):
            found = found if found is None else matches(pattern, fact, found)
        if found is not None:
            yield found


def is_true(rule: Rule, at: Binding, facts: set[Triple]) -> bool:
    for name, one, two in rule.tests:
        left, right = at.get(one, one), at.get(two, two)
        ordered = isinstance(left, int) and isinstance(right, int)
        if (name in {"lessThan", "ge"} and not ordered) or not HOLDS[name](left, right):
            return False
    return not any(
        (subject, predicate) == (at.get(node, node), key)
        for node, key in rule.absent
        for subject, predicate, _ in facts
    )


def concluded(head: Triple, at: Binding) -> Triple:
    subject, key, value = (at.get(node, node) for node in head)
    return subject, key, value


def closure(rules: Sequence[Rule], data: set[Triple]) -> set[Triple]:
    """What rules derive; what may not be there is never derived, so one fixpoint is enough."""
    facts, derived = set(data), set[Triple]()
    while True:
        new = {
            concluded(rule.head, at)
            for rule in rules
            for at in bindings(rule, facts)
            if is_true(rule, at, facts)
        }
        if new <= derived:
            return derived
        derived |= new
        facts |= new


def random_rules(random: Random) -> list[Rule]:
    rules = []
    for _ in range(random.randint(1, 3)):
        keys = ("ex:p", "ex:q", "ex:n")
        body: list[Triple] = [
            (random.choice(("?x", "?y")), random.choice(keys), random.choice(("?x", "?y", "?z")))
            for _ in range(random.randint(1, 2))
        ]
        bound = sorted({node for triple in body for node in triple if str(node).startswith("?")})
        tests = [
            (random.choice(list(HOLDS)), random.choice(bound), random.choice([*bound, 2]))
            for _ in range(random.randint(0, 1))
        ]
        absent = [(random.choice(bound), "ex:off") for _ in range(random.randint(0, 1))]
        subjects = sorted({str(triple[0]) for triple in body})
        head = random.choice(subjects), random.choice(("ex:p", "ex:r")), random.choice(bound)
        rules.append(Rule(body, tests, absent, head))
    return rules


def random_data(random: Random) -> set[Triple]:
    things: list[Triple] = [
        (random.choice(NODES), random.choice(("ex:p", "ex:q", "ex:off")), random.choice(NODES))
        for _ in range(random.randint(1, 5))
    ]
    return {*things, *((node, "ex:n", random.choice(NUMBERS)) for node in NODES)}


@pytest.mark.parametrize("first", parts(20, check=1, test=3, soak=40))
def test_rules_derive_what_forward_chaining_derives(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        random = Random(seed)  # noqa: S311 - it makes a case
        rules, data = random_rules(random), random_data(random)
        lines = "\n".join(map(text, rules))
        (tmp_path / "a.rules").write_text(f"@prefix ex: <urn:ex:> .\n{lines}\n", "utf-8")
        turtle = "".join(f"{s} {p} {o} .\n" for s, p, o in sorted(data, key=str))
        (tmp_path / "data.ttl").write_text(f"@prefix ex: <urn:ex:> .\n{turtle}", "utf-8")
        files = [str(tmp_path / "a.rules"), "--static", str(tmp_path / "data.ttl")]
        found = call(["run", *files, "--quiet"])
        assert found.code == 0, (lines, found.err)
        answers = {
            tuple(node(line[key]) for key in ("s", "p", "o"))
            for line in map(json.loads, found.lines())
        }
        assert answers == closure(rules, data), (lines, turtle)


def node(term: str) -> Node:
    if term.startswith('"'):
        return int(term.split('"')[1])
    return "ex:" + term.removeprefix("<urn:ex:").removesuffix(">")
