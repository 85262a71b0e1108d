"""Values of input atoms by predicate and by instance, with patterns such as ``Temp(wt2,_)``.

As text they are ``2`` for all, ``Temp=2`` for a predicate, ``Temp(wt2,_)=3`` for instances.
A pattern means instances: every argument but time, ``_`` for any; a predicate alone stands
for ``_`` everywhere. Of several patterns that match an instance the narrowest holds, the one whose
instances all match the others too. There is always one, or their values are equal: else it is a
fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Generic, TypeAlias, TypeVar

from rif.errors.base import RuleError, Span
from rif.errors.report import RuleErrors, shorten
from rif.syntax.terms import Variable
from temporal.facts.fact_patterns import ANY_CONSTANT, parse_pattern
from temporal.hypothetical.syntax.ast import TemporalAtom, TemporalProgram
from temporal.hypothetical.syntax.errors import AmbiguousPattern, with_hyp_code
from temporal.mtl.validation import arity_clash

PatternArgs: TypeAlias = tuple[str, ...]
"""Constants, or `ANY_CONSTANT`."""
Instance: TypeAlias = Sequence[str | None]
"""Constants; None: one that no pattern names."""
V = TypeVar("V")
_Patterns: TypeAlias = tuple[tuple[PatternArgs, V], ...]
_Shape: TypeAlias = tuple[tuple[int, ...], dict[Instance, V]]
"""The positions at which patterns name constants; and their values, by those constants."""


@dataclass(frozen=True, slots=True)
class InstancePatterns(Generic[V]):
    """A value for each input atom: by patterns, else the default."""

    default: V
    patterns: Mapping[str, _Patterns[V]] = field(default_factory=dict)
    _shapes: Mapping[str, list[_Shape[V]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        shapes = {name: _shapes(values) for name, values in self.patterns.items()}
        object.__setattr__(self, "_shapes", shapes)

    def of_instance(self, predicate: str, args: Instance) -> V:
        """The value of an instance: a look-up for each set of positions that patterns name."""
        for positions, values in self._shapes.get(predicate, ()):
            key = tuple(args[position] for position in positions)
            if key in values:
                return values[key]
        return self.default

    def depends(self, predicate: str) -> bool:
        """May instances of a predicate have different values?"""
        return any(positions for positions, _ in self._shapes.get(predicate, ()))

    def args_of(self, predicate: str) -> list[PatternArgs]:
        """The patterns of a predicate."""
        return [args for args, _ in self.patterns.get(predicate, ())]


def _shapes(values: Iterable[tuple[PatternArgs, V]]) -> list[_Shape[V]]:
    """Patterns by the positions that they name, narrower ones before wider ones."""
    found: dict[tuple[int, ...], dict[Instance, V]] = {}
    for args, value in values:
        positions = tuple(position for position, arg in enumerate(args) if arg != ANY_CONSTANT)
        found.setdefault(positions, {})[tuple(args[position] for position in positions)] = value
    return sorted(found.items(), key=lambda each: -len(each[0]))


def representative_instances(
    atom: TemporalAtom, patterns: Iterable[PatternArgs]
) -> Iterator[list[str | None]]:
    """Instances of an atom that have among them all values that any instance has.

    There are always more constants than patterns name. So an instance that has only those that make
    it match a pattern stands for others; and one that has none. Of two kinds of patterns the
    `intersect_patterns` of each two is to be among ``patterns``.
    """
    args = [arg if isinstance(arg, Variable) else arg.lexical for arg in atom.args]
    yield [None if isinstance(arg, Variable) else arg for arg in args]
    if not any(isinstance(arg, Variable) for arg in args):
        return
    for pattern in patterns:
        bound = {
            arg: named
            for arg, named in zip(args, pattern, strict=True)
            if isinstance(arg, Variable) and named != ANY_CONSTANT
        }
        instance = [bound.get(arg) if isinstance(arg, Variable) else arg for arg in args]
        if all(named in (ANY_CONSTANT, arg) for named, arg in zip(pattern, instance, strict=True)):
            yield instance


def intersect_patterns(one: PatternArgs, other: PatternArgs) -> PatternArgs | None:
    """The pattern of the instances that match both; None: there are none."""
    if any(a != b and ANY_CONSTANT not in (a, b) for a, b in zip(one, other, strict=True)):
        return None
    return tuple(b if a == ANY_CONSTANT else a for a, b in zip(one, other, strict=True))


PatternKey: TypeAlias = tuple[str, PatternArgs] | None
"""The instances that a value is for, a predicate with a pattern; None: all."""


@dataclass(frozen=True, slots=True)
class PatternOption(Generic[V]):
    """An option whose texts are patterns with values.

    Attributes:
        value: reads what stands behind the ``=``.
        text_of: how that is named in messages.
    """

    name: str
    fault: type[RuleError]
    value: Callable[[str, PatternKey, Span], V]
    text_of: Callable[[V], str]

    @property
    def noun(self) -> str:
        """What a text gives, as messages have it."""
        return self.name.strip("-")


def parse_patterns(
    texts: Sequence[str], program: TemporalProgram, option: PatternOption[V]
) -> tuple[V | None, dict[str, _Patterns[V]]]:
    """The values that texts give, one a text, for the input of a program: of all, by predicate.

    Predicates that the program does not have have no patterns, but are there.

    Raises:
        RuleErrors: there are faults; all of them, each on the line of its text.
    """
    known = program.arities
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
    patterns: dict[str, list[tuple[PatternArgs, V]]] = {}
    for key, value in found.items():
        if key is not None:
            name, args = key
            patterns.setdefault(name, []).extend([(args, value)] if name in known else [])
    faults += _ambiguous(patterns, spans, option)
    if faults:
        raise RuleErrors(faults, "\n".join(texts), option.name)
    return found.get(None), {name: tuple(each) for name, each in patterns.items()}


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
