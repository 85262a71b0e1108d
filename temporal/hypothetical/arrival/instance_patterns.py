"""Values of input atoms by predicate and by instance, with patterns such as ``Temp(wt2,_)``.

A pattern means instances: every argument but time, ``_`` for any; a predicate alone stands
for ``_`` everywhere. Of several patterns that match an instance the narrowest holds, the one whose
instances all match the others too. There is always one, or their values are equal: else it is a
fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from rif.syntax.terms import Variable
from temporal.facts.fact_patterns import ANY_CONSTANT
from temporal.hypothetical.syntax.ast import TemporalAtom

PatternArgs: TypeAlias = tuple[str, ...]
"""Constants, or `ANY_CONSTANT`."""
Instance: TypeAlias = Sequence[str | None]
"""Constants; None: one that no pattern names."""
V = TypeVar("V")
_Shape: TypeAlias = tuple[tuple[int, ...], dict[Instance, V]]
"""The positions at which patterns name constants; and their values, by those constants."""


@dataclass(frozen=True, slots=True)
class InstancePatterns(Generic[V]):
    """A value for each input atom.

    Attributes:
        default: the value where no pattern matches.
        patterns: by predicate, with as many arguments.
    """

    default: V
    patterns: Mapping[str, tuple[tuple[PatternArgs, V], ...]] = field(default_factory=dict)
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

    There are always more constants than patterns name. So an instance that has only those constants
    that make it match a pattern stands for others; and one that has none. Where there are two kinds
    of patterns, the `intersect_patterns` of each two is to be among ``patterns``.
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
