"""Rules made to exhaust memory or time: programs of many shapes, from a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

_PREFIXES: Final = (
    "Prefix(ex <urn:ex:>) Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)"
    " Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)"
    " Prefix(owl <http://www.w3.org/2002/07/owl#>)"
)
_STAMP: Final = (
    '<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "1"^^'
    "<http://www.w3.org/2001/XMLSchema#integer> .\n"
)
ENDLESS: Final = "1000000000"
"""A limit of facts that memory reaches first."""


@dataclass(frozen=True, slots=True)
class Exhausting:
    """A command that would take more memory or time than there is.

    Attributes:
        args: of `r4`, with ``{NAME}`` for the path of a file.
        files: name → text.
    """

    args: Sequence[str]
    files: dict[str, str]

    def command(self, folder: Path) -> list[str]:
        """Write the files; the arguments."""
        paths = {name: folder / name.replace("_", ".") for name in self.files}
        for name, text in self.files.items():
            paths[name].write_text(text, "utf-8")
        return [arg.format(**paths) for arg in self.args]


Shape: TypeAlias = Callable[[Random], Exhausting]


def _run(rules: str, *more: str, data: str = "") -> Exhausting:
    files = {"rules_rif": f"Document({_PREFIXES} Group({rules}))", "stream_nq": data}
    return Exhausting(("run", "{rules_rif}", "{stream_nq}", *more), files)


def _facts(name: str, count: int) -> str:
    return " ".join(f"ex:{name}({number})" for number in range(count))


def cross_join(choose: Random) -> Exhausting:
    """All pairs, triples or more of some numbers."""
    width = choose.randint(2, 4)
    names = " ".join(f"?x{n}" for n in range(width))
    body = " ".join(f"ex:one(?x{n})" for n in range(width))
    count = {2: 6_000, 3: 400, 4: 100}[width] + choose.randrange(100)
    return _run(f"{_facts('one', count)} Forall {names} (ex:all({names}) :- And({body}))")


def chained_joins(choose: Random) -> Exhausting:
    """Each relation is joined to one that is larger."""
    depth = choose.randint(2, 5)
    rules = "".join(
        f"Forall ?x ?y ?z (ex:p{n + 1}(?x ?z) :- And(ex:p{n}(?x ?y) ex:p{n}(?w{n} ?z)))".replace(
            "Forall ?x ?y ?z", f"Forall ?x ?y ?z ?w{n}"
        )
        for n in range(depth)
    )
    facts = " ".join(f"ex:p0({n} {n})" for n in range(5_000 + choose.randrange(500)))
    return _run(facts + rules)


def closure(choose: Random) -> Exhausting:
    """Reachability in a circle, or in a graph of chance."""
    size = 4_000 + choose.randrange(500)
    step = choose.choice((1, 7, 31))
    data = "".join(
        f"<urn:ex:n{n}> <urn:ex:e> <urn:ex:n{(n + step) % size}> <urn:g> .\n" for n in range(size)
    )
    rules = (
        "Forall ?x ?y (?x[ex:r -> ?y] :- ?x[ex:e -> ?y])"
        "Forall ?x ?y ?z (?x[ex:r -> ?z] :- And(?x[ex:r -> ?y] ?y[ex:e -> ?z]))"
    )
    return _run(rules, data=_STAMP + data)


def growing_texts(choose: Random) -> Exhausting:
    """Texts of texts: each pair gives another one."""
    size = choose.randint(50, 3_000)
    rules = (
        f'ex:t("a") ex:t("{"b" * size}") '
        "Forall ?x ?y (ex:t(External(func:concat(?x ?y))) :- And(ex:t(?x) ex:t(?y)))"
    )
    return _run(rules, "--limit", ENDLESS)


def growing_lists(choose: Random) -> Exhausting:
    """Lists that hold more and more."""
    sizes = choose.randint(400, 900), choose.randint(400, 900)
    rules = (
        f'ex:l(List("{"x" * sizes[0]}")) ex:l(List("{"y" * sizes[1]}" 1)) '
        "Forall ?x ?y (ex:l(External(func:concatenate(?x ?y))) :- And(ex:l(?x) ex:l(?y)))"
    )
    return _run(rules, "--limit", ENDLESS)


def counting(choose: Random) -> Exhausting:
    """Numbers without end, in one or several places."""
    step = choose.choice(("1", "0.5", "1e0"))
    rules = (
        f"ex:n(0 0) Forall ?x ?y (ex:n(External(func:numeric-add(?x {step})) ?y) :- ex:n(?x ?y))"
        f"Forall ?x ?y (ex:n(?x External(func:numeric-add(?y {step}))) :- ex:n(?x ?y))"
    )
    return _run(rules, *choose.choice(((), ("--limit", ENDLESS))))


def pairs_of_texts(choose: Random) -> Exhausting:
    """A new term for each pair."""
    count = 2_000 + choose.randrange(500)
    long = "x" * choose.randint(20, 400)
    rules = (
        f"{_facts('one', count)} Forall ?x ?y (ex:t(External(func:concat(?x "
        f'"{long}" ?y))) :- And(ex:one(?x) ex:one(?y)))'
    )
    return _run(rules)


def equal_things(choose: Random) -> Exhausting:
    """Names of one thing, with facts about each, that are repeated for all."""
    names = 120 + choose.randrange(60)
    data = "".join(
        f"<urn:ex:a{n}> <http://www.w3.org/2002/07/owl#sameAs> <urn:ex:a{n + 1}> <urn:g> .\n"
        f"<urn:ex:a{n}> <urn:ex:p{n % 5}> <urn:ex:a{names - n}> <urn:g> .\n"
        for n in range(names)
    )
    more = ("--entailment", "owl-rl")
    return _run("Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p0 -> ?y])", *more, data=_STAMP + data)


def windows(choose: Random) -> Exhausting:
    """Rules that derive for ever later facts, and pairs of them."""
    rules = (
        "Forall ?x ?y (BoxPlus[1, 1](?x[ex:p -> ?y]) :- ?x[ex:p -> ?y]) "
        "Forall ?x ?y ?z (?x[ex:q -> ?z] :- And(?x[ex:p -> ?y] DiamondMinus[0, 9](?z[ex:p -> ?y])))"
    )
    data = "".join(
        f"<urn:ex:s{n}> <urn:ex:p> <urn:ex:o> <urn:g> .\n" for n in range(choose.randint(30, 300))
    )
    return _run(rules, "--drain", *choose.choice(((), ("--limit", ENDLESS))), data=_STAMP + data)


def entailment(choose: Random) -> Exhausting:
    """A premise of pairs, and a conclusion that does not follow."""
    count = 6_000 + choose.randrange(500)
    rules = f"{_facts('one', count)} Forall ?x ?y (ex:all(?x ?y) :- And(ex:one(?x) ex:one(?y)))"
    files = {
        "premise_rif": f"Document({_PREFIXES} Group({rules}))",
        "conclusion_rif": "Document(Group(<urn:ex:never>(1)))",
    }
    return Exhausting(("entails", "{premise_rif}", "{conclusion_rif}", "--limit", ENDLESS), files)


def metric_pairs(choose: Random) -> Exhausting:
    """DatalogMTL: pairs of facts in intervals."""
    count = 3_000 + choose.randrange(500)
    facts = "".join(f"A(c{n})@[{n % 97},{n % 97 + 5}]\n" for n in range(count))
    rules = "B(X,Y) :- A(X), Diamondminus[0,50]A(Y)\nC(X,Z) :- B(X,Y), B(Y,Z)\n"
    files = {"rules_txt": rules, "facts_txt": facts}
    return Exhausting(("mtl", "materialise", "{rules_txt}", "{facts_txt}"), files)


def metric_without_period(choose: Random) -> Exhausting:
    """DatalogMTL: rules whose periods have no common multiple that is small."""
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61]
    chosen = choose.sample(primes, 12)
    rules = "".join(f"Boxplus[{p},{p}]P{p}(X) :- P{p}(X)\n" for p in chosen)
    rules += f"Q(X) :- {', '.join(f'P{p}(X)' for p in chosen)}\n"
    facts = "".join(f"P{p}(a)@0\n" for p in chosen)
    files = {"rules_txt": rules, "facts_txt": facts}
    more = ("--limit", "300000") if choose.random() < 1 / 2 else ("--seconds", "1")
    return Exhausting(("mtl", "materialise", "{rules_txt}", "{facts_txt}", *more), files)


SHAPES: Final[Sequence[Shape]] = (
    *(cross_join, chained_joins, closure, growing_texts, growing_lists, counting),
    *(pairs_of_texts, equal_things, windows, entailment, metric_pairs, metric_without_period),
)


def exhausting(seed: int) -> Exhausting:
    """The program of a seed."""
    choose = Random(f"exhausting {seed}")  # noqa: S311
    return SHAPES[seed % len(SHAPES)](choose)
