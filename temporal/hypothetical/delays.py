"""How late facts may be: the δ of [CruzFilipe22, section 3], by predicate and by instance.

An instance is meant by a pattern: every argument but time, ``_`` for any; a predicate alone stands
for ``_`` everywhere. Of several patterns that match an instance the narrowest holds, the one whose
instances all match the others too. There is always one, or they say the same: else it is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rif.terms import Variable
from temporal.hypothetical.ast import Atom
from temporal.selection import ANY

Args: TypeAlias = tuple[str, ...]
"""Constants, or `ANY`."""


@dataclass(frozen=True, slots=True)
class Delays:
    """The largest delay of each input atom.

    Attributes:
        default: of what no pattern matches.
        patterns: by predicate, with as many arguments; narrower ones stand before wider ones.
    """

    default: int = 0
    patterns: Mapping[str, tuple[tuple[Args, int], ...]] = field(default_factory=dict)

    def of(self, atom: Atom) -> int:
        """The largest delay that an instance of the atom has.

        There are always more constants than patterns name. So what an instance may have is what
        it has if only those constants are put in that make it match a pattern, or none.
        O(p^2) in the patterns of the predicate.
        """
        args = [arg if isinstance(arg, Variable) else arg.lexical for arg in atom.args]
        return max(self.of_instance(atom.predicate, each) for each in self._telling(atom, args))

    def of_instance(self, predicate: str, args: Sequence[str | None]) -> int:
        """The delay of an instance; None is a constant that no pattern names."""
        for pattern, delay in self.patterns.get(predicate, ()):
            if _matches(pattern, args):
                return delay
        return self.default

    def depends(self, predicate: str) -> bool:
        """May instances of a predicate have different delays?"""
        return any(set(pattern) - {ANY} for pattern, _ in self.patterns.get(predicate, ()))

    def _telling(self, atom: Atom, args: Sequence[str | Variable]) -> Iterator[list[str | None]]:
        """For each pattern the widest instances that match it; and those that match least."""
        yield [None if isinstance(arg, Variable) else arg for arg in args]
        for pattern, _ in self.patterns.get(atom.predicate, ()):
            bound = {
                arg: named
                for arg, named in zip(args, pattern, strict=True)
                if isinstance(arg, Variable) and named != ANY
            }
            instance = [bound.get(arg) if isinstance(arg, Variable) else arg for arg in args]
            if _matches(pattern, instance):
                yield instance


def _matches(pattern: Args, args: Sequence[str | None]) -> bool:
    return all(named in (ANY, arg) for named, arg in zip(pattern, args, strict=True))


def meet(one: Args, other: Args) -> Args | None:
    """The pattern of the instances that match both; None: there are none."""
    if any(a != b and ANY not in (a, b) for a, b in zip(one, other, strict=True)):
        return None
    return tuple(b if a == ANY else a for a, b in zip(one, other, strict=True))
