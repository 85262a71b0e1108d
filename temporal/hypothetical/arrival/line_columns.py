"""A chunk of lines of facts as columns.

One regular expression splits most lines. `temporal.hypothetical.arrival.line_parser` reads the
others, whose values go into the same columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np

from rete.arrays.delta import Column
from rete.terms.fault_cache import FaultCache
from rif.errors.base import RuleError, Span
from rif.syntax.lexical import MAX_TOKEN
from temporal.facts.bulk_columns import Mask
from temporal.hypothetical.arrival.line_parser import ArrivalRecord, read_line
from temporal.hypothetical.syntax.errors import with_hyp_code
from temporal.text import atom_parser
from temporal.text.scanner import encoding_fault
from temporal.text.writer import write_atom, write_constant

Constants: TypeAlias = tuple[str, ...]

_LINE: Final = re.compile(
    r"""^(?:@([0-9]{1,17})(?:[ \t]+([^\s()@#"']+)\(([^()\[\]"'#\n]*,|)"""
    r"""[ \t]*([0-9]{1,17})[ \t]*\)\.?)?[ \t]*|(.*))$""",
    re.MULTILINE,
)
"""A fast line: arrival, predicate, arguments with a comma behind each, time; or any other."""
_NO_RECORD: Final = ArrivalRecord(-1)


class ArrivalChunk:
    """Whole lines, numbered from 0.

    Attributes:
        count: how many lines.
        taus: (n,) n >= count. The arrival on each line; -1: there is none, as on blank and faulty
            lines.
        times: (n,) the time of its fact; 0 if there is none.
        faults: what is wrong with lines that cannot be read, at the first of those that are alike,
            and how many they are.
    """

    __slots__ = (
        *("_args", "_begin", "_fault_cache", "_names", "_parsed"),
        *("count", "faults", "taus", "times"),
    )

    def __init__(self, raw: bytes, begin: int) -> None:
        """Read lines, of which the first has the number ``begin`` + 1."""
        text = raw.decode(errors="surrogateescape")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        found: list[tuple[str, ...]] = _LINE.findall(text)
        taus, names, args, times, others = map(list, zip(*found, strict=True))
        self.count = len(found) - (not text or text.endswith("\n"))
        self.faults: Counter[RuleError] = Counter()
        self._fault_cache: FaultCache[str, RuleError] = FaultCache()
        self._begin = begin
        self._names = names
        self._args: list[str | Constants] = [*args]
        self._parsed: dict[str | Constants, Constants | None] = {
            each: _fast_constants(each) for each in set(args)
        }
        slow_lines = self._slow_lines(others)
        lines = text.split("\n") if slow_lines else []
        for line in slow_lines:
            fact = self._parse_slowly(lines[line], line)
            taus[line], times[line] = str(fact.tau), str(fact.time)
            names[line], self._args[line] = fact.predicate, fact.args
            self._parsed[fact.args] = fact.args
        self.taus = np.array([int(tau or -1) for tau in taus], np.int64)
        self.times = np.array([int(time or 0) for time in times], np.int64)

    def span(self, line: int) -> Span:
        """Where a line stands."""
        return Span(self._begin + line + 1, 1, self._begin + line + 1, 2)

    def fact(self, line: int) -> str:
        """The fact on a line, as text."""
        args = self._parsed[self._args[line]] or ()
        written = [*map(write_constant, args), str(self.times[line])]
        return write_atom(self._names[line], written)

    def relations(self, accepted: Mask) -> Iterator[tuple[str, Column]]:
        """The lines of the facts of each predicate, ascending, of those that are ``accepted``."""
        codes = {name: code for code, name in enumerate(dict.fromkeys(self._names))}
        found = np.fromiter(map(codes.__getitem__, self._names), np.int64, len(self._names))
        rows = np.flatnonzero(accepted & (found != codes.get("", -1)))
        rows = rows[np.argsort(found[rows], kind="stable")]
        begins = np.flatnonzero(np.diff(found[rows], prepend=-1))
        for chosen in np.split(rows, begins[1:]):
            if len(chosen):
                yield self._names[chosen[0]], chosen

    def args(self, rows: Column) -> tuple[list[Constants], Column]:
        """The distinct arguments of facts, time not among them; and which of them each has."""
        written = list(map(self._args.__getitem__, rows.tolist()))
        number = {each: position for position, each in enumerate(dict.fromkeys(written))}
        which = np.fromiter(map(number.__getitem__, written), np.int64, len(written))
        return [self._parsed[each] or () for each in number], which

    def _slow_lines(self, others: list[str]) -> list[int]:
        """The lines that the parser is to read."""
        slow_lines = {line for line, other in enumerate(others) if other}
        bad_args = {each for each, parsed in self._parsed.items() if parsed is None}
        if bad_args:
            slow_lines.update(line for line, each in enumerate(self._args) if each in bad_args)
        bad_names = {
            name for name in set(self._names) if name and not atom_parser.WORD.fullmatch(name)
        }
        if bad_names:
            slow_lines.update(line for line, name in enumerate(self._names) if name in bad_names)
        return sorted(slow_lines)

    def _parse_slowly(self, text: str, line: int) -> ArrivalRecord:
        """The record of a line, read by the parser; faults are kept, and counted if they recur."""
        fault = self._fault_cache.get(text)
        if fault is None:
            found = self._read_line(text, self._begin + line + 1)
            if not isinstance(found, RuleError):
                return found or _NO_RECORD
            fault = found
            self._fault_cache.remember(text, fault)
        self.faults[fault] += 1
        return _NO_RECORD

    @staticmethod
    def _read_line(text: str, number: int) -> ArrivalRecord | RuleError | None:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            at = len(text[: error.start].encode())
            raw = text.encode(errors="surrogateescape")
            return with_hyp_code(encoding_fault(raw, at, number))
        return read_line(text, number)


def _fast_constants(args: str) -> Constants | None:
    """The arguments of a fast line; None: the parser is to read them."""
    if not args:
        return ()
    found = tuple(arg.strip(" \t") for arg in args[:-1].split(","))
    if len(found) > atom_parser.MAX_ARGUMENTS or len(args) > MAX_TOKEN or not args.isprintable():
        return None
    return found if all(map(atom_parser.BARE.fullmatch, found)) else None
