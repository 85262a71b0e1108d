"""Rules over a random stream, with when their answers hold by plain Python.

A `LoopCase` has rules, a stream with integer stamps, and the answers. The latter come from a loop
over the stream or over its ticks, which knows nothing of rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final, TypeAlias

Answers: TypeAlias = dict[tuple[str, str], list[tuple[int, int | None]]]
"""When an answer holds, by subject and object: from a stamp up to another; None: the end.

A decimal is followed by the word ``decimal``.
"""
Events: TypeAlias = list[tuple[int, dict[str, int | str]]]
"""Stamps that ascend, each with what each subject says then."""
Elements: TypeAlias = list[tuple[str, int]]
"""Turtle and a stamp each."""
PRED: Final = "http://www.w3.org/2007/rif-builtin-predicate#"
PROV: Final = "http://www.w3.org/ns/prov#"
FARTHEST: Final = 1000
"""The most ticks of a range that is not infinite."""
FUNC: Final = "http://www.w3.org/2007/rif-builtin-function#"


@dataclass(frozen=True, slots=True)
class LoopCase:
    """Rules, a stream, and when their answers hold.

    Attributes:
        kind: a word for what the rules do.
        rules: the text of a document.
        elements: the stream.
        predicate: that of the answers that are compared.
        answers: when these hold.
    """

    kind: str
    rules: str
    elements: Elements
    predicate: str
    answers: Answers

    def repeated(self, times: int) -> Elements:
        """The elements again and again, each time later than any finite range reaches."""
        period = self.elements[-1][1] + FARTHEST + 1
        shifts = range(0, times * period, period)
        return [(text, at + shift) for shift in shifts for text, at in self.elements]


def trig(elements: Elements) -> str:
    """A stream as TriG."""
    lines = [f"PREFIX ex: <urn:ex:> PREFIX prov: <{PROV}>"]
    for number, (text, at) in enumerate(elements):
        lines.append(f"ex:e{number} prov:generatedAtTime {at} . ex:e{number} {{ {text} }}")
    return "\n".join(lines)


Make: TypeAlias = Callable[[Random, int], LoopCase]
"""A case, with so many stamps."""


def document(body: str, window: int | None = None) -> str:
    """The text of a document of these rules."""
    prefixes = f"Prefix(ex <urn:ex:>) Prefix(pred <{PRED}>) Prefix(func <{FUNC}>)"
    lasts = "" if window is None else f"Window({window})"
    return f"Document( {prefixes} {lasts} Group( {body} ) )"


def random_events(
    rng: Random, length: int, values: Callable[[], int | str], names: str = "abc"
) -> Events:
    """So many stamps, at each of which one or two of the names say something."""
    at, events = 0, []
    for _ in range(length):
        at += rng.choice((1, 1, 2, 3, 5, 12))
        chosen = rng.sample(names, rng.choice((1, 1, 1, 2)))
        events.append((at, {name: values() for name in chosen}))
    return events


def loop_case(kind: str, rules: str, events: Events, predicate: str, answers: Answers) -> LoopCase:
    """A case whose stream says ``ex:reads`` of each event."""
    elements = [
        (" ".join(f"ex:{name} ex:reads {_turtle(value)} ." for name, value in said.items()), at)
        for at, said in events
    ]
    return LoopCase(kind, rules, elements, predicate, answers)


def _turtle(value: int | str) -> str:
    return str(value) if isinstance(value, int) else f'"{value}"'


def instants(told: Iterable[tuple[int, str, int | str]], last: int) -> Answers:
    """Answers that hold at their stamps alone; stamps that follow one another are one interval."""
    stamps: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, name, value in told:
        stamps[name, str(value)].append(at)
    return {key: runs(sorted(set(ats)), last) for key, ats in stamps.items()}


def runs(ats: list[int], last: int) -> list[tuple[int, int | None]]:
    """Maximal runs of ticks that ascend; one that goes on at the last stamp has no end."""
    begins = [at for before, at in pairwise([-2, *ats]) if at - before > 1]
    ends = [at + 1 for at, after in pairwise([*ats, ats[-1] + 2]) if after - at > 1]
    return [(a, None if b > last else b) for a, b in zip(begins, ends, strict=True)]


def levels(changes: Mapping[str, list[tuple[int, str | None]]]) -> Answers:
    """Answers that hold from one change of their subject to the next; None: nothing holds."""
    answers: Answers = defaultdict(list)
    for name, steps in changes.items():
        level: str | None = None
        since = 0
        for at, new in steps:
            if new == level:
                continue
            if level is not None:
                answers[name, level].append((since, at))
            level, since = new, at
        if level is not None:
            answers[name, level].append((since, None))
    return dict(answers)


def states(state: Callable[[int], Iterable[tuple[str, int | str]]], last: int) -> Answers:
    """Answers from the state at each tick up to the last stamp."""
    told = ((at, name, value) for at in range(last + 1) for name, value in state(at))
    return instants(told, last)


def drawn_case(
    families: Mapping[str, tuple[Make, ...]], family: str, seed: int, length: int = 60
) -> LoopCase:
    """A case of a family, with so many stamps."""
    rng = Random(f"{family} {seed}")  # noqa: S311 - it makes cases
    return rng.choice(families[family])(rng, length)
