"""What a built-in is; names and numbers of arguments of all those of RIF-DTB, evaluated or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, TypeVar

from rif.syntax.terms import FUNC, PRED, RDF, XSD, GroundTerm

Outcome: TypeAlias = bool | GroundTerm | None
"""Truth of a predicate, value of a function; None outside the domain, where a predicate counts as
false and a function has no value [RIF-DTB 4.1 leaves it open]."""


class OutsideDomain(Exception):
    """The arguments are outside the domain of a built-in; the text says why, if there is one.

    >>> raise OutsideDomain("no station is so high")
    Traceback (most recent call last):
    rif.builtins.signatures.OutsideDomain: no station is so high
    """


class UnavailableBuiltin(Exception):
    """A built-in that is named by a package which does not give it; the text says why."""


@dataclass(frozen=True, slots=True)
class Builtin:
    """A built-in function or predicate [RIF-DTB 4].

    Attributes:
        name: Its IRI.
        kind: A predicate makes a formula, a function a term.
        least, most: Numbers of arguments it takes; ``most`` None means any number.
        evaluate: Takes that many ground terms. Pure: the same terms, the same outcome. May raise
            `OutsideDomain` in place of giving None.
        patterns: Binding patterns, besides the one that has all arguments bound: ``"bu"`` means
            that values for the second are found when the first is bound [RIF-Core 6.1].
        solve: For those patterns: takes the terms, None where unbound, and returns all tuples of
            terms that make the predicate true; None outside the domain.
        version: Of a function of one's own, what its author calls this version, ``""`` if nothing;
            None: it is one of RIF-DTB or R4.
        by_class: Whether its outcome follows from the other arguments and the lexical class of the
            first (`rete.arrays.lexical_classes`): ``"a"`` and ``"b"`` are both an xsd:token.
        in_ticks: Whether a duration beside an integer stands for so many ticks, where these are
            integers.
    """

    name: str
    kind: Literal["predicate", "function"]
    least: int
    most: int | None
    evaluate: Callable[..., Outcome]
    patterns: tuple[str, ...] = ()
    solve: Callable[..., Iterable[tuple[GroundTerm, ...]] | None] | None = None
    version: str | None = None
    by_class: bool = False
    in_ticks: bool = False

    @property
    def arities(self) -> tuple[int, int | None]:
        """Least and greatest number of arguments."""
        return self.least, self.most


@dataclass(frozen=True, slots=True)
class Signature:
    """Predicate or function, and of how many arguments; ``most`` None means any number."""

    kind: Literal["predicate", "function"]
    least: int
    most: int | None


V = TypeVar("V")


def comparison(
    name: str, read: Callable[[GroundTerm], V | None], compare: Callable[[V, V], bool]
) -> Builtin:
    """The predicate that compares the values of its two arguments, None being no value."""

    def evaluate(left: GroundTerm, right: GroundTerm) -> bool | None:
        one, two = read(left), read(right)
        return None if one is None or two is None else compare(one, two)

    return Builtin(PRED + name, "predicate", 2, 2, evaluate)


DATATYPES: Final = (
    "decimal", "integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger",
    "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "nonPositiveInteger",
    "negativeInteger", "float", "double", "string", "normalizedString", "token", "language",
    "Name", "NCName", "NMTOKEN", "date", "dateTime", "dateTimeStamp", "time", "dayTimeDuration",
    "yearMonthDuration", "boolean", "anyURI", "hexBinary", "base64Binary",
)  # fmt: skip
"""The datatypes of XSD that RIF-DTB has; each has a guard, a negative guard and a cast."""

_ORDERED = ("less-than", "less-than-or-equal", "greater-than", "greater-than-or-equal")

_PREDICATES: dict[tuple[int, int], str] = {
    (1, 1): "is-list",
    (2, 2): (
        "literal-not-identical iri-string list-contains matches-language-range boolean-equal"
        " boolean-less-than boolean-greater-than XMLLiteral-equal XMLLiteral-not-equal"
        " duration-equal duration-not-equal"
    ),
    (2, 3): "contains starts-with ends-with matches",
}
_FUNCTIONS: dict[tuple[int, int | None], str] = {
    (1, 1): (
        "not string-length upper-case lower-case encode-for-uri iri-to-uri escape-html-uri"
        " year-from-dateTime month-from-dateTime day-from-dateTime hours-from-dateTime"
        " minutes-from-dateTime seconds-from-dateTime year-from-date month-from-date"
        " day-from-date hours-from-time minutes-from-time seconds-from-time years-from-duration"
        " months-from-duration days-from-duration hours-from-duration minutes-from-duration"
        " seconds-from-duration timezone-from-dateTime timezone-from-date timezone-from-time"
        " string-from-PlainLiteral lang-from-PlainLiteral PlainLiteral-length count reverse"
        " distinct-values"
    ),
    (2, 2): (
        "numeric-add numeric-subtract numeric-multiply numeric-divide numeric-integer-divide"
        " numeric-mod numeric-integer-mod subtract-dateTimes subtract-dates subtract-times"
        " add-yearMonthDurations subtract-yearMonthDurations multiply-yearMonthDuration"
        " divide-yearMonthDuration divide-yearMonthDuration-by-yearMonthDuration"
        " add-dayTimeDurations subtract-dayTimeDurations multiply-dayTimeDuration"
        " divide-dayTimeDuration divide-dayTimeDuration-by-dayTimeDuration"
        " add-yearMonthDuration-to-dateTime add-yearMonthDuration-to-date"
        " add-dayTimeDuration-to-dateTime add-dayTimeDuration-to-date add-dayTimeDuration-to-time"
        " subtract-yearMonthDuration-from-dateTime subtract-yearMonthDuration-from-date"
        " subtract-dayTimeDuration-from-dateTime subtract-dayTimeDuration-from-date"
        " subtract-dayTimeDuration-from-time PlainLiteral-from-string-lang PlainLiteral-compare"
        " get remove index-of except"
    ),
    (2, 3): "compare substring substring-before substring-after sublist",
    (3, 3): "insert-before",
    (3, 4): "replace",
    (2, None): "concat string-join append",
    (0, None): "make-list concatenate",
    (1, None): "union intersect",
}


def _predicates() -> Iterator[tuple[str, Signature]]:
    for (least, most), names in _PREDICATES.items():
        for name in names.split():
            yield PRED + name, Signature("predicate", least, most)
    for group in ("numeric", "dateTime", "date", "time"):
        for name in ("equal", "not-equal", *_ORDERED):
            yield f"{PRED}{group}-{name}", Signature("predicate", 2, 2)
    for group in ("dayTimeDuration", "yearMonthDuration"):
        for name in _ORDERED:
            yield f"{PRED}{group}-{name}", Signature("predicate", 2, 2)
    for name in (*DATATYPES, "PlainLiteral", "XMLLiteral"):
        yield f"{PRED}is-literal-{name}", Signature("predicate", 1, 1)
        yield f"{PRED}is-literal-not-{name}", Signature("predicate", 1, 1)


def _functions() -> Iterator[tuple[str, Signature]]:
    for (least, most), names in _FUNCTIONS.items():
        for name in names.split():
            yield FUNC + name, Signature("function", least, most)
    for name in CASTS:
        yield name, Signature("function", 1, 1)


CASTS: Final = frozenset(
    [XSD + name for name in DATATYPES] + [RDF + "PlainLiteral", RDF + "XMLLiteral"]
)
"""The casts: functions that make no new values out of old ones without end."""

DTB: Final[Mapping[str, Signature]] = MappingProxyType(
    {**dict(_predicates()), **dict(_functions())}
)
"""IRI of a built-in to its signature."""
