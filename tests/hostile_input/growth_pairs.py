"""How reading grows with inputs of two parts: n of one construct, then or inside n of another.

usage: python -m tests.hostile_input.growth_pairs [COUNT] [FORM…] [PAIR…]

All ordered pairs of the constructs of each form (`constructs`), or COUNT of them by chance, are
read with 32 and 64 KB. A pair that takes more than twice as long or as much memory, or seems to
take more than a megabyte may, is read again with up to 1 MB, up to `ROUNDS` times, and the least
counts; exit 1 if it still does, and more than four times as long as a quarter, or breaks its
reader. A pair is named as in what is printed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final

import click

from tests.hostile_input.constructs import FORMS
from tests.hostile_input.fuzzing.campaign import MEGABYTES, SECONDS
from tests.hostile_input.growth import MOST_RATIO, Reading, largest_ratio, read_in_a_process

SIZES: Final = (1 << 15, 1 << 16)
"""Bytes of all inputs."""
LARGER: Final = (1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20)
"""Bytes of those that seem to grow too fast; a quarter by the readers of `MOST_SECONDS`."""
ROUNDS: Final = 20
"""So often a pair is read again: on a busy machine most reads take longer than they have to."""
HOPELESS: Final = 4.0
"""What takes so many times what a megabyte may is not read again."""
LEAST_SECONDS: Final = 0.1
LEAST_MEGABYTES: Final = 20.0
"""Less counts as so much: what starting takes says nothing about growth."""
DEEP: Final = 400
"""The most times that a construct stands around another one: more is refused by every reader."""
MOST_SECONDS: Final = {
    **dict.fromkeys(("turtle", "trig", "rdf-xml", "json-ld", "json-ld-lines"), 16.0),
    **dict.fromkeys(("rules", "rules-xml", "temporal-datalog", "mtl-rules"), 32.0),
    **dict.fromkeys(("answers", "parquet", "n-quads-values"), 4.0),
    "mtl-facts": 10.0,
}
"""Seconds that a megabyte may take, by reader, where that is more than `SECONDS`.

Two bytes of a list may be two statements of new blank nodes, two bytes of answers a malformed line;
elements of a stream may have one fact each; each fact of DatalogMTL may have a predicate of its
own; rules without an error are compiled.
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two constructs of a form: ``second`` behind ``first``, or ``inside`` of it."""

    form: str
    first: int
    second: int
    inside: bool

    def __str__(self) -> str:
        return f"{self.form}/{self.first}-{self.second}{'-inside' if self.inside else ''}"

    @property
    def reader(self) -> str:
        """The name of the reader."""
        return FORMS[self.form].reader

    def with_number(self, number: int) -> bytes:
        """The input with so many of each construct."""
        form = FORMS[self.form]
        first, second = form.constructs[self.first], form.constructs[self.second]
        begin, _, end = filled(first, min(number, DEEP) if self.inside else number).partition("◊")
        parts = (begin, end, "") if not self.inside else (begin, "", end)
        other = filled(second, number).replace("◊", "")
        before, _, after = form.frame.partition("◊")
        text = "".join((before, parts[0], parts[1], other, parts[2], after))
        return text.encode("utf-8", "surrogateescape")

    def of(self, size: int) -> bytes:
        """The input of about ``size`` bytes."""
        few, many = len(self.with_number(1000)), len(self.with_number(2000))
        return self.with_number(max(1, 1000 + 1000 * (size - few) // max(1, many - few)))


@lru_cache(8)
def filled(construct: str, number: int) -> str:
    """``construct`` with so many repetitions."""

    def repeat(found: re.Match[str]) -> str:
        piece = found[1]
        if "№" not in piece:
            return piece * number
        if "№⁺" not in piece:
            return "".join([piece.replace("№", str(each)) for each in range(number)])
        return "".join(
            piece.replace("№⁺", str(each + 1)).replace("№", str(each)) for each in range(number)
        )

    return re.sub(r"«([^»]*)»", repeat, construct).replace("№⁺", "1").replace("№", "0")


def pairs_of(form: str) -> Iterator[Pair]:
    """All pairs of a form."""
    constructs = FORMS[form].constructs
    for first, construct in enumerate(constructs):
        for second in range(len(constructs)):
            yield Pair(form, first, second, inside=False)
            if "◊" in construct:
                yield Pair(form, first, second, inside=True)


def chosen_pairs(forms: list[str], count: int | None, seed: int = 0) -> list[Pair]:
    """All pairs of the forms, or ``count`` of them by chance, as many of each form."""
    if count is None:
        return [pair for form in forms for pair in pairs_of(form)]
    choose = Random(seed)  # noqa: S311
    share = -(-count // len(forms))
    found = []
    for form in forms:
        all_ = list(pairs_of(form))
        found += choose.sample(all_, min(share, len(all_)))
    return found


def fault_of(pair: Pair) -> tuple[str, list[Reading]]:
    """What is wrong with how reading a pair grows, "" if nothing is, and its first readings."""
    first = read_in_a_process(pair.reader, [pair.of(size) for size in SIZES])
    if not _seems_wrong(pair, first, SIZES):
        return "", first
    sizes = [size // 4 for size in LARGER] if pair.reader in MOST_SECONDS else list(LARGER)
    best = [Reading(float("inf"), float("inf"), "")] * len(sizes)
    wrong = ""
    for _ in range(ROUNDS):
        for place, size in enumerate(sizes):
            (found,) = read_in_a_process(pair.reader, [pair.of(size)])
            best[place] = best[place].least(found)
            if found.wrong or found.seconds > HOPELESS * _most_seconds(pair):
                return f"{found.seconds:.1f} s for {size >> 10} KB {found.wrong}", first
        wrong = _wrong(pair, best, sizes[-1])
        if not wrong:
            break
    return wrong, first


def _seems_wrong(pair: Pair, readings: list[Reading], sizes: tuple[int, ...]) -> bool:
    last, size = readings[-1], sizes[-1]
    return (
        any(each.wrong for each in readings)
        or _ratios(readings) > MOST_RATIO
        or last.seconds > max(LEAST_SECONDS, _most_seconds(pair) * size / (1 << 20))
        or last.megabytes > max(LEAST_MEGABYTES, MEGABYTES * size / (1 << 20))
    )


def _wrong(pair: Pair, readings: list[Reading], size: int) -> str:
    numbers = "  ".join(f"{each.seconds:.2f} s {each.megabytes:.0f} MB" for each in readings)
    last = readings[-1]
    # A step at a smaller size is no growth, and a half that was read by luck at once is none.
    if _ratios(readings[-2:]) > MOST_RATIO and _ratios(readings[-3::2]) > MOST_RATIO**2:
        return f"grows too fast: {numbers}"
    if last.seconds > _most_seconds(pair) * size / (1 << 20) or last.megabytes > MEGABYTES + 1:
        return f"takes too much: {numbers}"
    return ""


def _most_seconds(pair: Pair) -> float:
    return MOST_SECONDS.get(pair.reader, SECONDS)


def _ratios(readings: Sequence[Reading]) -> float:
    return max(
        largest_ratio([each.seconds for each in readings], LEAST_SECONDS),
        largest_ratio([each.megabytes for each in readings], LEAST_MEGABYTES),
    )


def main(args: list[str]) -> int:
    """Read pairs of the forms, and those that are named; the exit code."""
    numbers = [int(each) for each in args if each.isdigit()]
    names = [each for each in args if not each.isdigit()] or list(FORMS)
    forms = [each for each in names if each in FORMS]
    named = {each for each in names if each not in FORMS}
    pairs = chosen_pairs(forms, numbers[0] if numbers else None)
    for form in {each.partition("/")[0] for each in named}:
        pairs += [pair for pair in pairs_of(form) if str(pair) in named]
    faults, readings = 0, list[Reading]()
    for pair in pairs:
        wrong, first = fault_of(pair)
        readings += first
        if wrong:
            faults += 1
            parts = [FORMS[pair.form].constructs[each] for each in (pair.first, pair.second)]
            click.echo(f"{pair}: {parts[0]!r} {parts[1]!r}\n  {wrong}")
    click.echo(
        f"{len(pairs)} pairs, {len(readings)} inputs of up to {SIZES[-1] >> 10} KB, the slowest "
        f"{max(each.seconds for each in readings):.2f} s, the largest "
        f"{max(each.megabytes for each in readings):.0f} MB; {faults} faults"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
