"""What is said of facts, as text: ``2`` of all, ``Temp=2`` of a predicate, ``Temp(wt2,_)=3``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeAlias, TypeVar

from rif.ast import Span
from rif.cursor import shorten
from rif.errors import RuleError, RuleErrors
from temporal.hypothetical.ast import Program
from temporal.hypothetical.errors import AmbiguousPattern, coded
from temporal.hypothetical.patterns import Args, meet
from temporal.hypothetical.wellformed import arities
from temporal.selection import ANY, parse_pattern
from temporal.wellformed import clash

V = TypeVar("V")
Key: TypeAlias = tuple[str, Args] | None
"""Of what something is said; None: of all."""


@dataclass(frozen=True, slots=True)
class Option(Generic[V]):
    """What texts are read for.

    Attributes:
        name: as people write it, ``--delay``.
        noun: what a text says, as messages have it.
        fault: that a text does not say it.
        value: reads what stands behind the ``=``.
        shown: how that is named in messages.
    """

    name: str
    noun: str
    fault: type[RuleError]
    value: Callable[[str, Key, Span], V]
    shown: Callable[[V], str]


def parse_texts(texts: Sequence[str], program: Program, option: Option[V]) -> dict[Key, V]:
    """What texts say, one a text, of what comes in where a program runs.

    Raises:
        RuleErrors: there are faults; all of them, each on the line of its text.
    """
    known = arities(program)
    found, places = dict[Key, V](), dict[Key, Span]()
    faults: list[RuleError] = []
    for number, text in enumerate(texts, 1):
        span = Span(number, 1, number, len(text) + 1)
        try:
            key = _key(text, span, known, program.intensional, option)
            value = option.value(text.rpartition("=")[2].strip(), key, span)
            if key in places:
                what = shorten(text.rpartition("=")[0]) or f"a {option.noun} of all"
                message = f"{what} is given twice"
                raise option.fault(message, span, "")
        except RuleErrors as errors:
            first = errors.errors[0]
            faults.append(coded(type(first)(first.message, span, first.hint)))
        except RuleError as fault:
            faults.append(fault)
        else:
            found[key], places[key] = value, span
    faults += _ambiguous(by_predicate(found, program), places, option)
    if faults:
        raise RuleErrors(faults, "\n".join(texts), option.name)
    return found


def by_predicate(said: Mapping[Key, V], program: Program) -> dict[str, tuple[tuple[Args, V], ...]]:
    """What is said of instances; nothing of predicates that the program does not have."""
    known = arities(program)
    found: dict[str, list[tuple[Args, V]]] = {}
    for key, value in said.items():
        if key is not None:
            name, args = key
            found.setdefault(name, []).extend([(args, value)] if name in known else [])
    return {name: tuple(each) for name, each in found.items()}


def _key(
    text: str,
    span: Span,
    known: Mapping[str, int],
    derived: frozenset[str],
    option: Option[V],
) -> Key:
    written, equals, _ = text.rpartition("=")
    if not equals:
        return None
    pattern = parse_pattern(written)
    name = pattern.predicate
    if name in derived:
        message = f"{shorten(name)} is concluded by rules; only what comes in has a {option.noun}"
        raise option.fault(message, span, "")
    args = (ANY,) * known.get(name, 0) if pattern.args is None else pattern.args
    if len(args) != known.get(name, len(args)):
        fault = coded(clash(name, len(args), known[name], span))
        fault.hint = "a pattern has all arguments but time"
        raise fault
    return name, args


def _ambiguous(
    patterns: Mapping[str, Sequence[tuple[Args, V]]],
    places: Mapping[Key, Span],
    option: Option[V],
) -> Iterator[RuleError]:
    """Pairs of patterns that say different things of the instances that match both."""
    for name, said in patterns.items():
        given = {args for args, _ in said}
        for (one, first), (other, second) in combinations(said, 2):
            both = meet(one, other)
            if first != second and both is not None and both not in given:
                message = (
                    f"this says {option.shown(second)}, and another {option.shown(first)}, "
                    "of the same instances"
                )
                hint = f"say what holds for {name}({','.join(both)})"
                yield AmbiguousPattern(message, places[name, other], hint)
