"""Bags: members come and go, each in logarithmic time, and the value of the aggregate is asked for.

Values are exact until they are rounded once, so they do not depend on what was in the bag before.
`rif.syntax.aggregates` names the aggregates; docs/semantics.md says what each is.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Final, TypeAlias

from sortedcontainers import SortedKeyList

from rete.aggregates.members import Kind, Member, OrderKey
from rif.syntax.terms import list_text
from rif.values.datatypes import NumericClass, literal_of
from rif.values.date_arithmetic import months_literal, ticks_literal
from rif.values.decimals import EXACT, Exact, divide, fits, round_to_single

Entry: TypeAlias = tuple[Member, Member | None]
"""A value, and what it is ordered by."""
Totals: TypeAlias = tuple[int, ...]
"""What a bag of `Count` or `Sum` has added up: of `Count` the number of its members, of `Sum` that
of each kind, then what `Sum.add_totals` has."""

_NUMERIC: Final[tuple[NumericClass, ...]] = ("integer", "decimal", "float", "double")
_UNIT: Final = 1074
"""Doubles are whole multiples of 2^-1074."""


class Bag(ABC):
    """Members of one group."""

    @abstractmethod
    def add(self, entry: Entry) -> None:
        """One more member."""

    @abstractmethod
    def remove(self, entry: Entry) -> None:
        """A member less, which is there."""

    @abstractmethod
    def value(self) -> str | None:
        """The canonical text of the value; None if it has none, as nothing or no such is in it."""

    def chosen(self) -> Iterable[Entry] | None:
        """The members that make the value; None: all of them."""
        return None

    def lasting(self) -> Iterable[Entry]:
        """The members on which any later value may depend, if none ever goes; of all but sums."""
        return self.chosen() or ()

    @property
    def is_outside(self) -> bool:
        """Whether there is no value although there are members: one is outside the domain."""
        return False


class Count(Bag):
    """``count``."""

    __slots__ = ("_n",)

    def __init__(self) -> None:
        self._n = 0

    def add(self, entry: Entry) -> None:  # noqa: ARG002
        """One more."""
        self._n += 1

    def remove(self, entry: Entry) -> None:  # noqa: ARG002
        """One less."""
        self._n -= 1

    def value(self) -> str | None:
        """The number."""
        return str(literal_of("integer", self._n)) if self._n else None

    @property
    def totals(self) -> Totals:
        """The number."""
        return (self._n,)

    def unite(self, totals: Totals) -> None:
        """Let the members of another bag come, too, of which these are the totals."""
        self._n += totals[0]


class Sum(Bag):
    """``sum``, and ``avg`` if ``mean``: exact sums, rounded once.

    Doubles are added as whole numbers of 2^-1074, decimals as whole numbers of a power of ten.
    """

    __slots__ = ("_binary", "_decimal", "_kinds", "_mean", "_numeric", "_places", "_special")

    def __init__(self, *, mean: bool = False) -> None:
        self._mean = mean
        self._kinds = [0] * len(Kind)
        self._numeric = dict.fromkeys(_NUMERIC, 0)
        self._decimal = 0
        self._places = 0
        self._binary = 0
        self._special = {"NaN": 0, "INF": 0, "-INF": 0}

    def add(self, entry: Entry) -> None:
        """Add it."""
        self._change(entry[0], 1)

    def remove(self, entry: Entry) -> None:
        """Take it off."""
        self._change(entry[0], -1)

    def _change(self, member: Member, sign: int) -> None:
        self._kinds[member.kind] += sign
        value = member.value
        if member.kind == Kind.NUMBER:
            assert member.numeric is not None
            self._numeric[member.numeric] += sign
            if isinstance(value, float):
                self._add_float(value, sign)
            elif isinstance(value, Decimal | int):
                self._add_exact(value, sign)
        elif isinstance(value, int):
            self._add_scaled(sign * value, 0)

    def _add_float(self, value: float, sign: int) -> None:
        if math.isfinite(value):
            self._binary += sign * units(value)
        else:
            name = "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
            self._special[name] += sign

    def _add_exact(self, value: Exact, sign: int) -> None:
        whole, places = scaled(value)
        self._add_scaled(sign * whole, places)

    def _add_scaled(self, whole: int, places: int) -> None:
        if places > self._places:
            self._decimal *= 10 ** (places - self._places)
            self._places = places
        self._decimal += whole * 10 ** (self._places - places)

    def add_totals(
        self,
        numeric: Sequence[int],
        exact: int,
        places: int,
        binary: int,
        special: Sequence[int],
    ) -> None:
        """Let numbers come that others added up.

        ``numeric`` has how many there are of each kind, in the order of promotion, ``special`` how
        many are NaN, INF, -INF. The integers and decimals are so many 10^-places, the finite
        doubles so many 2^-1074.
        """
        self._kinds[Kind.NUMBER] += sum(numeric)
        for kind, count in zip(_NUMERIC, numeric, strict=True):
            self._numeric[kind] += count
        for name, count in zip(self._special, special, strict=True):
            self._special[name] += count
        self._binary += binary
        self._add_scaled(exact, places)

    @property
    def totals(self) -> Totals:
        """What it has added up."""
        return (
            *self._kinds,
            *self._numeric.values(),
            self._decimal,
            self._places,
            self._binary,
            *self._special.values(),
        )

    def unite(self, totals: Totals) -> None:
        """Let the members of another bag come, too, of which these are the totals."""
        kinds, numeric = totals[: len(Kind)], totals[len(Kind) : -6]
        exact, places, binary, *special = totals[-6:]
        self._kinds = [sum(each) for each in zip(self._kinds, kinds, strict=True)]
        self._kinds[Kind.NUMBER] -= kinds[Kind.NUMBER]  # these are included
        self.add_totals(numeric, exact, places, binary, special)

    def value(self) -> str | None:
        """The sum, or the mean."""
        count = sum(self._kinds)
        kind = next((each for each in Kind if self._kinds[each]), Kind.OTHER)
        if not count or self._kinds[kind] < count:
            return None
        exact = Fraction(self._decimal, 10**self._places) + Fraction(self._binary, 1 << _UNIT)
        if kind == Kind.NUMBER:
            return self._number(exact, count)
        return duration(kind, exact / count if self._mean else exact)

    def _number(self, exact: Fraction, count: int) -> str | None:
        numeric = next(each for each in reversed(_NUMERIC) if self._numeric[each])
        if numeric in {"float", "double"}:
            special = self._special
            if special["NaN"] or (special["INF"] and special["-INF"]):
                return str(literal_of(numeric, math.nan))
            if special["INF"] or special["-INF"]:
                return str(literal_of(numeric, math.inf if special["INF"] else -math.inf))
            return str(
                literal_of(numeric, nearest(exact / count if self._mean else exact, numeric))
            )
        if exact.denominator == 1:
            total: Exact = exact.numerator
        else:
            total = Decimal(self._decimal).scaleb(-self._places, EXACT)
        if self._mean:
            numeric, total = "decimal", divide(total, count)
        return str(literal_of(numeric, total)) if fits(total) else None

    @property
    def is_outside(self) -> bool:
        """Whether kinds are mixed, or have no sum."""
        return any(self._kinds) and self.value() is None


SIZE_OF_TOTALS: Final = len(Sum().totals)
"""How many numbers the totals of a `Sum` are."""


def number_of_members(totals: Totals) -> int:
    """How many members were added up."""
    return sum(totals[: len(Kind)])


def units(value: float) -> int:
    """A finite double as a whole number of 2^-1074."""
    over, under = value.as_integer_ratio()
    return over << (_UNIT + 1 - under.bit_length())


def scaled(value: Exact) -> tuple[int, int]:
    """A number as a whole one of 10^-places, and the places."""
    if isinstance(value, int):
        return value, 0
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    whole = int(value.scaleb(-exponent, EXACT))
    return (whole, -exponent) if exponent < 0 else (whole * 10**exponent, 0)


def nearest(exact: Fraction, numeric: NumericClass) -> float:
    """The nearest double, or single; infinite beyond the largest; zero is +0."""
    try:
        double = exact.numerator / exact.denominator
    except OverflowError:
        double = math.inf if exact > 0 else -math.inf
    if numeric == "float":
        single = round_to_single(double)
        if single != double and math.isfinite(single) and exact != Fraction(double):
            # Rounding twice errs only where the double lies in the middle of two singles.
            single = round_to_single(
                math.nextafter(double, math.inf if exact > Fraction(double) else -math.inf)
            )
        double = single
    return double + 0.0


def duration(kind: Kind, exact: Fraction) -> str | None:
    """The duration nearest to so many ticks, half to even, or months, half up; None: too long."""
    found = None
    if kind == Kind.DAY_TIME_DURATION:
        found = ticks_literal(round(exact))
    elif kind == Kind.YEAR_MONTH_DURATION:
        found = months_literal(math.floor(exact + Fraction(1, 2)))
    return None if found is None else str(found)


def _order_of_values(entry: Entry) -> OrderKey:
    return entry[0].key


class Ordered(Bag):
    """Members in the order of their values: ``min``, ``max``, ``median``, ``quantile``."""

    __slots__ = ("_entries", "_kinds", "_nans", "_numeric")

    def __init__(self) -> None:
        self._entries: SortedKeyList = SortedKeyList(key=_order_of_values)
        self._kinds = [0] * len(Kind)
        self._nans = 0

    def add(self, entry: Entry) -> None:
        """Insert it."""
        self._entries.add(entry)
        self._kinds[entry[0].kind] += 1
        self._nans += entry[0].is_nan

    def remove(self, entry: Entry) -> None:
        """Take it out."""
        self._entries.remove(entry)
        self._kinds[entry[0].kind] -= 1
        self._nans -= entry[0].is_nan

    @property
    def n(self) -> int:
        """How many members count: no NaN, unless there is nothing else."""
        return len(self._entries) - self._nans or len(self._entries)

    def first_alike(self, place: int) -> int:
        """The place of the first by text of those members that have the value of this one."""
        found: Entry = self._entries[place]
        kind, nan, value, _ = found[0].key
        first: int = self._entries.bisect_key_left((kind, nan, value, ""))
        return first

    def is_of(self, kinds: Iterable[Kind]) -> bool:
        """Whether there are members, all of one of these kinds."""
        return any(self._kinds[kind] == len(self._entries) > 0 for kind in kinds)

    @property
    def is_outside(self) -> bool:
        """Whether kinds are mixed, or one has no order."""
        return len(self._entries) > 0 and self.value() is None


_COMPARED: Final = tuple(kind for kind in Kind if kind != Kind.OTHER)
_MEASURED: Final = (Kind.NUMBER, Kind.DAY_TIME_DURATION, Kind.YEAR_MONTH_DURATION)


class Extreme(Ordered):
    """``min``, and ``max`` if ``greatest``; and ``quantile`` of a ``share``."""

    __slots__ = ("_place",)

    def __init__(self, place: Callable[[int], int]) -> None:
        """``place`` gives the place of the chosen member among so many."""
        super().__init__()
        self._place = place

    def chosen(self) -> Sequence[Entry]:
        """The member that is the value."""
        return [self._entries[place] for place in self._chosen_places()]

    def _chosen_places(self) -> list[int]:
        return [self.first_alike(self._place(self.n))] if self.is_of(_COMPARED) else []

    def value(self) -> str | None:
        """The member itself."""
        return next((entry[0].text for entry in self.chosen()), None)

    def lasting(self) -> list[Entry]:
        """The least or greatest one; and both ends, which tell whether kinds are mixed."""
        places = {0, *self._chosen_places(), len(self._entries) - 1}
        return [self._entries[place] for place in sorted(places)]


class Median(Ordered):
    """``median``: the middle member, or the mean of two."""

    __slots__ = ()

    def chosen(self) -> Sequence[Entry]:
        """One or two; NaN is behind all others."""
        if not self.is_of(_MEASURED):
            return []
        half, is_odd = divmod(len(self._entries), 2)
        if is_odd:
            return [self._entries[self.first_alike(half)]]
        return list(self._entries[half - 1 : half + 1])

    def value(self) -> str | None:
        """The member itself, if it is one."""
        chosen = self.chosen()
        if len(chosen) < 2:  # noqa: PLR2004 - the two in the middle
            return chosen[0][0].text if chosen else None
        return value_of(Sum(mean=True), chosen)


class Deviation(Bag):
    """``stddev``: of a sample, the double nearest to the exact value.

    Sums and sums of squares are whole numbers, as those of `Sum`.
    """

    __slots__ = ("_binary", "_decimal", "_others", "_places", "_special", "n")

    def __init__(self) -> None:
        self.n = 0
        self._others = 0
        self._special = 0
        self._decimal = [0, 0]
        self._places = 0
        self._binary = [0, 0]

    def add(self, entry: Entry) -> None:
        """Add it."""
        self._change(entry[0], 1)

    def remove(self, entry: Entry) -> None:
        """Take it off."""
        self._change(entry[0], -1)

    def _change(self, member: Member, sign: int) -> None:
        value = member.value
        self.n += sign
        if member.kind != Kind.NUMBER or isinstance(value, str):
            self._others += sign
        elif not isinstance(value, float):
            whole, places = scaled(value)
            more = places - self._places
            if more > 0:
                self._decimal[0] *= 10**more
                self._decimal[1] *= 100**more
                self._places = places
            elif more < 0:
                whole *= 10**-more
            self._decimal[0] += sign * whole
            self._decimal[1] += sign * whole * whole
        elif math.isfinite(value):
            whole = units(value)
            self._binary[0] += sign * whole
            self._binary[1] += sign * whole * whole
        else:
            self._special += sign

    @property
    def is_outside(self) -> bool:
        """Whether a member is no number."""
        return self._others > 0

    def value(self) -> str | None:
        """Of two numbers or more."""
        n = self.n
        if self._others or n < 2:  # noqa: PLR2004 - of a sample
            return None
        if self._special:
            return str(literal_of("double", math.nan))
        total, squares = self._decimal
        under = 10**self._places
        if self._binary[1]:
            total = (total << _UNIT) + self._binary[0] * under
            squares = (squares << 2 * _UNIT) + self._binary[1] * under * under
            under <<= _UNIT
        root = square_root(n * squares - total * total, n * (n - 1) * under * under)
        return str(literal_of("double", root))


def square_root(over: int, under: int) -> float:
    """The double nearest to the root of an exact quotient that is not negative."""
    if not over:
        return 0.0
    # Two digits more than a double has, and a last one that says whether there are others.
    shift = 2 * max(0, 60 - (over.bit_length() - under.bit_length()) // 2)
    whole, rest = divmod(over << shift, under)
    root = math.isqrt(whole)
    sticky = 2 * root + (rest > 0 or root * root < whole)
    return sticky / (1 << (shift // 2 + 1))


def _order_of_choice(entry: Entry) -> tuple[OrderKey, str]:
    value, order = entry
    return (value if order is None else order).key, value.text


def order_of_list(entry: Entry) -> tuple[OrderKey, OrderKey]:
    """The place of a member in a list."""
    value, order = entry
    return (value if order is None else order).key, value.key


def list_of(entries: Iterable[Entry]) -> str:
    """The text of the list of these."""
    return list_text(entry[0].text for entry in entries)


class ByOrder(Bag):
    """Members by what they are ordered by, then by the text of the value."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: SortedKeyList = SortedKeyList(key=_order_of_choice)

    def add(self, entry: Entry) -> None:
        """Insert it."""
        self.entries.add(entry)

    def remove(self, entry: Entry) -> None:
        """Take it out."""
        self.entries.remove(entry)

    def some(self, part: str, size: int) -> list[Entry]:
        """The first members, or the last; of those of one order the first by text."""
        count = len(self.entries)
        if part == "first" or count <= size:
            return list(islice(self.entries, size))
        least = _order_of_choice(self.entries[count - size])[0]
        begin = self.entries.bisect_key_left((least, ""))
        end = self.entries.bisect_key_left((_Behind(least),))
        rest = count - end
        return [
            *islice(self.entries, begin, begin + size - rest),
            *islice(self.entries, end, None),
        ]


class _Behind:
    """Is behind all keys that begin with one, and before the others."""

    __slots__ = ("_key",)

    def __init__(self, key: OrderKey) -> None:
        self._key = key

    def __lt__(self, other: OrderKey) -> bool:
        return self._key < other

    def __gt__(self, other: OrderKey) -> bool:
        return self._key >= other


class Chosen(ByOrder):
    """``first`` and ``last``: one member, or the list of some; ``list``: of all."""

    __slots__ = ("_is_list", "_part", "_size")

    def __init__(self, part: str, size: int | None, *, is_list: bool) -> None:
        super().__init__()
        self._part = part
        self._size = size
        self._is_list = is_list

    def chosen(self) -> list[Entry]:
        """The members, in their order."""
        found = list(self.entries) if self._size is None else self.some(self._part, self._size)
        return sorted(found, key=order_of_list)

    def value(self) -> str | None:
        """The member, or the list."""
        found = self.chosen()
        if not found:
            return None
        if not self._is_list:
            return found[0][0].text
        return list_of(found)


class OfSome(ByOrder):
    """An aggregate of the first or last members alone: ``avg last 10``."""

    __slots__ = ("_make", "_part", "_size")

    def __init__(self, part: str, size: int, make: Callable[[], Bag]) -> None:
        super().__init__()
        self._part = part
        self._size = size
        self._make = make

    def chosen(self) -> list[Entry]:
        """The members of the part."""
        return self.some(self._part, self._size)

    @property
    def is_outside(self) -> bool:
        """Whether the part of it is."""
        bag = self._make()
        value_of(bag, self.chosen())
        return bag.is_outside

    def value(self) -> str | None:
        """The value of a new bag: as many additions as the part has members."""
        return value_of(self._make(), self.chosen())


def value_of(bag: Bag, entries: Iterable[Entry]) -> str | None:
    """The value of a bag of these."""
    for entry in entries:
        bag.add(entry)
    return bag.value()


def bag_maker(function: str, share: str, part: str, size: int | None) -> Callable[[], Bag]:
    """Makes empty bags of an aggregate; the arguments are those of `rif.syntax.aggregates`."""
    if function in {"first", "last"}:
        return lambda: Chosen(function, size or 1, is_list=size is not None)
    if function == "list":
        return lambda: Chosen("first", None, is_list=True)
    whole = _makers(function, share)
    if not part:
        return whole
    assert size is not None
    return lambda: OfSome(part, size, whole)


def _makers(function: str, share: str) -> Callable[[], Bag]:
    if function == "quantile":
        of = Fraction(share)
        return lambda: Extreme(lambda n: max(0, math.ceil(of * n) - 1))
    makers: dict[str, Callable[[], Bag]] = {
        "count": Count,
        "sum": Sum,
        "avg": lambda: Sum(mean=True),
        "min": lambda: Extreme(lambda _: 0),
        "max": lambda: Extreme(lambda n: n - 1),
        "median": Median,
        "stddev": Deviation,
    }
    return makers[function]
