"""Patterns with values, as text: ``2`` for all, ``Temp=2`` for a predicate, ``Temp(wt2,_)=3``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeAlias, TypeVar

from rif.errors.base import RuleError, Span
from rif.errors.report import RuleErrors, shorten
from temporal.facts.fact_patterns import ANY_CONSTANT, parse_pattern
from temporal.hypothetical.arrival.instance_patterns import PatternArgs, intersect_patterns
from temporal.hypothetical.syntax.ast import TemporalProgram
from temporal.hypothetical.syntax.errors import AmbiguousPattern, with_hyp_code
from temporal.hypothetical.syntax.validation import arities
from temporal.mtl.validation import arity_clash

V = TypeVar("V")
PatternKey: TypeAlias = tuple[str, PatternArgs] | None
"""The instances that a value is for, a predicate with a pattern; None: all."""


@dataclass(frozen=True, slots=True)
class PatternOption(Generic[V]):
    """An option whose texts are patterns with values.

    Attributes:
        name: as people write it, ``--delay``.
        noun: what a text gives, as messages have it.
        fault: the fault of a text that does not give it.
        value: reads what stands behind the ``=``.
        text_of: how that is named in messages.
    """

    name: str
    noun: str
    fault: type[RuleError]
    value: Callable[[str, PatternKey, Span], V]
    text_of: Callable[[V], str]


def parse_patterns(
    texts: Sequence[str], program: TemporalProgram, option: PatternOption[V]
) -> dict[PatternKey, V]:
    """The values that texts give, one a text, for the input of a program.

    Raises:
        RuleErrors: there are faults; all of them, each on the line of its text.
    """
    known = arities(program)
    found, spans = dict[PatternKey, V](), dict[PatternKey, Span]()
    faults: list[RuleError] = []
    for number, text in enumerate(texts, 1):
        span = Span(number, 1, number, len(text) + 1)
        try:
            key = _key(text, span, known, program.intensional, option)
            value = option.value(text.rpartition("=")[2].strip(), key, span)
            if key in spans:
                what = shorten(text.rpartition("=")[0]) or f"a {option.noun} of all"
                message = f"{what} is given twice"
                raise option.fault(message, span, "")
        except RuleErrors as errors:
            first = errors.errors[0]
            faults.append(with_hyp_code(type(first)(first.message, span, first.hint)))
        except RuleError as fault:
            faults.append(fault)
        else:
            found[key], spans[key] = value, span
    faults += _ambiguous(by_predicate(found, program), spans, option)
    if faults:
        raise RuleErrors(faults, "\n".join(texts), option.name)
    return found


def by_predicate(
    values: Mapping[PatternKey, V], program: TemporalProgram
) -> dict[str, tuple[tuple[PatternArgs, V], ...]]:
    """Patterns with values by predicate; none of predicates that the program does not have."""
    known = arities(program)
    found: dict[str, list[tuple[PatternArgs, V]]] = {}
    for key, value in values.items():
        if key is not None:
            name, args = key
            found.setdefault(name, []).extend([(args, value)] if name in known else [])
    return {name: tuple(each) for name, each in found.items()}


def _key(
    text: str,
    span: Span,
    known: Mapping[str, int],
    derived: frozenset[str],
    option: PatternOption[V],
) -> PatternKey:
    written, equals, _ = text.rpartition("=")
    if not equals:
        return None
    pattern = parse_pattern(written)
    name = pattern.predicate
    if name in derived:
        message = f"{shorten(name)} is concluded by rules; only what comes in has a {option.noun}"
        raise option.fault(message, span, "")
    args = (ANY_CONSTANT,) * known.get(name, 0) if pattern.args is None else pattern.args
    if len(args) != known.get(name, len(args)):
        fault = with_hyp_code(arity_clash(name, len(args), known[name], span))
        fault.hint = "a pattern has all arguments but time"
        raise fault
    return name, args


def _ambiguous(
    patterns: Mapping[str, Sequence[tuple[PatternArgs, V]]],
    spans: Mapping[PatternKey, Span],
    option: PatternOption[V],
) -> Iterator[RuleError]:
    """Faults for pairs of patterns with different values for instances that match both."""
    for name, values in patterns.items():
        given = {args for args, _ in values}
        for (one, first), (other, second) in combinations(values, 2):
            both = intersect_patterns(one, other)
            if first != second and both is not None and both not in given:
                message = (
                    f"this says {option.text_of(second)}, and another {option.text_of(first)}, "
                    "of the same instances"
                )
                hint = f"say what holds for {name}({','.join(both)})"
                yield AmbiguousPattern(message, spans[name, other], hint)
