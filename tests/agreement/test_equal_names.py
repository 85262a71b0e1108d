"""Under OWL names of one thing are equal in atoms, triples and ``=``, as the oracle defines it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from rdflib import OWL, Namespace

from r4 import Change, Engine
from tests.oracles.rules.equal_names import EQUAL, NOT, Fact, NameRule, derived
from tests.seeds import parts

PART = 20
ex = Namespace("urn:ex:")
NAMES = ["n0", "n1", "n2", "n3"]
TRIPLES = {"t", "u", "same"}
"""Predicates of triples; others are those of atoms."""
ATOMS = {"p": 1, "q": 2, "h": 2}


def text(fact: Fact) -> str:
    name, *terms = fact
    args = [term if term.startswith("?") else f"ex:{term}" for term in terms]
    if name == EQUAL:
        return f"{args[0]} = {args[1]}"
    if name.startswith(NOT):
        return f"Naf( {text((name.removeprefix(NOT), *terms))} )"
    if name in TRIPLES:
        key = "owl:sameAs" if name == "same" else f"ex:{name}"
        return f"{args[0]}[{key} -> {args[1]}]"
    return f"ex:{name}({' '.join(args)})"


def document(rules: Sequence[NameRule], facts: Sequence[Fact], window: int) -> str:
    lines = [
        f"Forall ?z {' '.join(rule.variables)} ( {text(rule.head)} :-"
        f" And( {' '.join(map(text, rule.body))} ) )"
        for rule in rules
    ]
    return (
        f"Document( Prefix(ex <urn:ex:>) Prefix(owl <{OWL}>) Window({window})"
        f" Group( {' '.join([*map(text, facts), *lines])} ) )"
    )


def drawn_rule(draw: random.Random, *, negates: bool, triples: bool) -> NameRule:
    def term() -> str:
        return draw.choice(["?x", "?y", "?x", "?y", draw.choice(NAMES)])

    body: list[Fact] = []
    for _ in range(draw.randint(1, 3)):
        name = draw.choice(["p", "p", "q", "q", "h", "t", EQUAL])
        body.append((name, *(term() for _ in range(ATOMS.get(name, 2)))))
    body += [("p", f"?{name}") for name in "xy" if draw.random() < 0.5 or len(body) < 2]
    bound = {each for name, *terms in body if name != EQUAL for each in terms}
    body = [fact for fact in body if fact[0] != EQUAL or bound.intersection(fact[1:])]
    for name, *terms in body:
        if name == EQUAL and bound.intersection(terms):
            bound.update(terms)
    bound = {each for each in bound if each.startswith("?")} | {"n0"}
    if negates:
        body.append((f"{NOT}q", *(draw.choice(sorted(bound)) for _ in range(2))))
    head = draw.choice(["h", "h", "u"] if triples else ["h"])
    if triples and draw.random() < 0.15:
        head = "same"
    return NameRule((head, *(draw.choice(sorted(bound)) for _ in range(2))), tuple(body))


def compare(seed: int, folder: Path) -> Counter[str]:
    """What is derived at each instant, compared; what the case has in it."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    negates, window, saves = draw.random() < 0.4, draw.randint(1, 4), draw.random() < 0.3
    first = [NameRule(("p", "?x"), (("t", "?x", "?y"),))]
    if not negates:  # of asserted facts alone is the negation of the oracle
        first.append(NameRule(("q", "?x", "?y"), (("u", "?x", "?y"),)))
    rules = first + [
        drawn_rule(draw, negates=negates and draw.random() < 0.6, triples=not negates)
        for _ in range(draw.randint(1, 3))
    ]
    stated = [("q", draw.choice(NAMES), draw.choice(NAMES)) for _ in range(draw.randint(0, 2))]
    static = [("same", *draw.sample(NAMES, 2)) for _ in range(draw.choice([0, 0, 1, 2]))]
    added = len(rules) - 1 if draw.random() < 0.4 else None  # the last rule joins later
    text_of_rules = document(rules[:added], stated, window)
    engine = Engine.from_text(text_of_rules, entailment="owl-rl", keep=added is not None)
    engine.add_static([triple(fact) for fact in static])
    elements: list[tuple[int, Fact]] = []
    at = 1
    for _ in range(draw.randint(2, 6)):
        kind = draw.choice(["t", "u", "same", "t"])
        elements.append((at, (kind, *draw.choices(NAMES, k=2))))
        at += draw.randint(0, 2)
    gone = draw.randrange(len(elements)) if draw.random() < 0.4 else None
    changes: list[Change] = []
    joined, later = 0, document(rules[added:], [], window) if added is not None else ""
    when = {name: draw.randrange(len(elements)) for name in ("joins", "saved")}
    for number, (at, fact) in enumerate(elements):
        engine.add([triple(fact)], at=at, name=f"urn:ex:g{number}")
        if added is not None and number == when["joins"]:
            engine.add_rules(later)
            joined = at
        if saves and number == when["saved"]:
            engine.save(folder / "engine.r4")
            also = [later] if joined else []
            engine = Engine.load(folder / "engine.r4", text_of_rules, added=also)
    if gone is not None:
        engine.retract(name=f"urn:ex:g{gone}", at=at)
    engine.finish(drain=None)
    changes += engine.changes()
    met: Counter[str] = Counter(compared=1, negated=negates, retracted=gone is not None)
    met.update(joined=added is not None, saved=saves)
    for now in range(max(1, joined), at + window + 1):
        holds = [
            fact
            for number, (begin, fact) in enumerate(elements)
            if begin <= now < begin + window and not (number == gone and now >= at)
        ]
        wanted = derived(rules, [*stated, *static, *holds], NAMES)
        without = [fact for fact in (*stated, *static, *holds) if fact[0] != "same"]
        met["equal"] += bool(wanted - derived(rules, without, NAMES))
        met["answers"] += bool(wanted)
        met["instants"] += 1
        assert current(changes, now) == wanted, (seed, now)
    return met


def triple(fact: Fact) -> tuple:
    name, s, o = fact
    return (ex[s], OWL.sameAs if name == "same" else ex[name], ex[o])


def current(changes: list, now: int) -> set[Fact]:
    """What holds at an instant by ``changes``."""
    held: set[Fact] = set()
    for change in changes:
        if change.at is not None and change.at > now:
            continue
        if change.atom is not None:
            name, _, rest = change.atom.partition("(")
            fact = (name, *rest.rstrip(")").split())
        else:
            s, p, o = change.triple
            fact = (f"<{p}>", f"<{s}>", f"<{o}>")
        short = tuple(each.removeprefix("<urn:ex:").removesuffix(">") for each in fact)
        short = ("same", *short[1:]) if "sameAs" in short[0] else short
        held = held | {short} if change.op == "+" else held - {short}
    return held


@pytest.mark.parametrize("first", parts(PART, check=0, test=1, soak=18))
def test_names_of_one_thing_are_equal(first: int, tmp_path: Path) -> None:
    met = sum((compare(seed, tmp_path) for seed in range(first, first + PART)), Counter[str]())
    assert met["answers"] > met["instants"] // 2
    assert met["equal"] > met["instants"] // 8
