"""What ``r4 hypothesise`` prints, from the states of `states`.

What the description of the lines leaves open is decided so:

1.  *Entry* means ⟨θ, E, H⟩ of S_τ with E ≠ ∅ whose evidence is needed: no entry without evidence
    has an instance with the answer θ and with hypotheses among H. (Definition 2 takes the minimal
    E, which is empty otherwise.) What such an instance needs is possible, as all of H is. It does
    not keep an answer from being withdrawn, and an entry of a more general θ makes no hypotheses
    less than minimal. (So an answer that was withdrawn may be supported again, by other evidence:
    the entries that were printed of it have come to their end, though.)
2.  An entry whose hypotheses have a ground atom that has already arrived is none: what Definition 6
    made of it when the atom came stands for it.
3.  θ and H are what they print as. H is *minimal* if no other entry of θ has an instance whose
    hypotheses are a proper part of H, with bounds on its time variables that allow as much. If H
    has such an instance as well, the entry with fewer hypotheses stays; with as many, both do.
4.  Hypotheses [] are an answer, never printed as supported as well.
5.  "The least" of evidences, and the order of hypotheses, compare atom by atom in the order of
    atom lists; a beginning of a list comes before it. Free times of a list are ordered by text.
6.  "The text of its answer" is the JSON that the line has of it.
7.  ``because`` is about the entries of θ itself that ended when it last had any, of those the ones
    with minimal hypotheses: it is the first atom of theirs that was no longer possible then and had
    not arrived. (Instances of θ may have had entries until now; each has a reason of its own.) It
    is null in lines that withdraw nothing.
8.  A printed θ that is no answer itself ends without a line if an instance of it ever was one; when
    input ends, too.
9.  What ends with the input comes after all other lines of the last τ, by the text of its answer.
10. Answers are remembered for ever; that they are forgotten once nothing can complete them must not
    be seen.
11. A fact that comes again is not new, so has no effect.
12. In the answer a constant is its text without quotes; in atoms it is quoted as in the output of
    DatalogMTL. The keys are the variables of the query as they come in it.
13. With a cap those of the entries that wait are held that are the most probable, of equal ones
    those whose answer, then hypotheses, come first by text. The others are dropped: they are no
    entries any more, but make others needless still; they stay so until they gain evidence, and are
    other entries then. An answer whose last entries were dropped is withdrawn because of that.
14. A schematic answer of which another says all the same and more is not taken in
    (`resolution`), and it is without those hypotheses that are instances of others of
    it; so what prints rests on as few as possible. Names are those of a schematic answer, so that
    ``?X2`` remains ``?X2`` when X is bound.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

from rif.syntax.terms import Variable
from temporal.hypothetical.syntax.ast import TemporalAtom, TemporalProgram
from tests.oracles.hypothetical.confidence import Channel, confidence, shown_number
from tests.oracles.hypothetical.definitions import Delta, Fact, Facts, variables
from tests.oracles.hypothetical.resolution import Pattern, Schema, Var, images, resolved, stands_for
from tests.oracles.hypothetical.states import Entry, ground, is_potentially_future, start, step

EntryLine: TypeAlias = dict[str, Any]
Theta: TypeAlias = "tuple[str | int | Var, ...]"
"""What the variables of the query stand for, in the order in which they occur."""
Key: TypeAlias = tuple[bool, int, str]
"""By what atoms are ordered: whether the time is free, else the time; the text."""
List: TypeAlias = tuple[Key, ...]

END: Final = "end of input"
Held: TypeAlias = tuple[Theta, List, frozenset[tuple[str, int]]]
"""An answer with hypotheses, and bounds on their times."""
_BARE: Final = re.compile(r"[A-Za-z0-9_.:/+-]+")


@dataclass(frozen=True, slots=True)
class PrintedEntry:
    """An entry as it prints."""

    hypotheses: List
    evidence: List
    entry: Entry


class LineOracle:
    """Lines, slice by slice.

    Attributes:
        state: S_τ.
        seen: what has arrived.
        is_rigid: whether the names of variables are beyond dispute.
        features: what the last slices exercised, for profiles.
        dropped: how many entries were dropped.
    """

    def __init__(
        self,
        program: TemporalProgram,
        query: TemporalAtom,
        delta: Delta,
        channel: Channel | None = None,
        most: int | None = None,
    ) -> None:
        """Resolve the query.

        Raises:
            TooBig: the resolution does not end soon.
        """
        found = resolved(program, query)
        self.is_rigid = found.is_rigid
        self.state = start(found.schemata)
        self.features: set[str] = set()
        self.seen: Facts = frozenset()
        self._query = query
        self._delta = delta
        self._channel = channel
        self._most = most
        self._dropped: set[Held] = set()
        self._lost: set[Theta] = set()
        self.dropped = 0
        self._tau = -1
        self._waiting: dict[Theta, list[PrintedEntry]] = {}
        self._printed: set[tuple[Theta, List]] = set()
        self._open: set[Theta] = set()
        self._reasons: dict[Theta, str] = {}
        self._answered: set[Theta] = set()

    @property
    def waiting(self) -> list[Entry]:
        """The entries with minimal hypotheses, of those that are held."""
        return [shown.entry for each in self._waiting.values() for shown in each]

    @property
    def held(self) -> int:
        """How many minimal sets of hypotheses the answers have that are waited for."""
        return len(_held(self._waiting))

    def ranked(self) -> list[tuple[Fraction, EntryLine]]:
        """What is held now, the most probable first."""
        found = []
        for held in sorted(_held(self._waiting), key=self._rank):
            theta, hypotheses, _ = held
            number = self._confidence(hypotheses, theta)
            least = min(s.evidence for s in self._waiting[theta] if _key(theta, s) == held)
            line = self._line("supported", theta, least, hypotheses, confidence=number)
            found.append((number, line))
        return found

    def slice(self, tau: int, facts: Iterable[Fact]) -> list[EntryLine]:
        """What arrives at ``tau``; the lines of all instants since the slice before, to it."""
        self.features.clear()
        lines: list[EntryLine] = []
        for between in range(self._tau + 1, tau):
            lines += self._step(between, frozenset())
        return lines + self._step(tau, frozenset(facts) - self.seen)

    def drain(self) -> list[EntryLine]:
        """The lines of the end of input."""
        ended = sorted(filter(self._fails, self._open), key=self._text)
        self._open.clear()
        return [self._line("withdrawn", theta, because=END) for theta in ended]

    def _step(self, tau: int, new: Facts) -> list[EntryLine]:
        self._tau = tau
        self.state = step(self.state, new, tau, self._delta)
        self.seen |= new
        entries: dict[Theta, list[PrintedEntry]] = {}
        for entry in self.state:
            theta = self.theta(entry.answer)
            if self._is_entry(entry) and theta not in self._answered:
                shown = PrintedEntry(
                    _list(entry.hypotheses), _list(map(_pattern, entry.evidence)), entry
                )
                entries.setdefault(theta, []).append(shown)
        done = {
            theta: each for theta, each in entries.items() if not all(e.hypotheses for e in each)
        }
        before = self._waiting
        needed = {theta: self._needed(entries[theta]) for theta in entries.keys() - done.keys()}
        self._waiting = {theta: minimal(each) for theta, each in needed.items() if each}
        if any(len(needed[theta]) > len(each) for theta, each in self._waiting.items()):
            self.features.add("more hypotheses than are needed")
        if any(len(entries[theta]) > len(each) for theta, each in needed.items()):
            self.features.add("enough without evidence")
        self._cut()
        self._answered |= done.keys()
        self._open -= done.keys()
        self._give_reasons(before)
        return [*self._withdrawn(), *self._supported(), *self._answers(done)]

    def _cut(self) -> None:
        """Drop what is too much."""
        there = _held(self._waiting)
        self._dropped &= there
        lost = sorted(there - self._dropped, key=self._rank)[self._most :]
        if self._most is None:
            lost = []
        self._dropped.update(lost)
        self.dropped += len(lost)
        self._lost = {theta for theta, *_ in lost}
        self._printed.update((theta, hypotheses) for theta, hypotheses, _ in lost)
        kept = {
            theta: [shown for shown in each if _key(theta, shown) not in self._dropped]
            for theta, each in self._waiting.items()
        }
        self._waiting = {theta: each for theta, each in kept.items() if each}
        if lost:
            self.features.add("dropped")

    def _rank(self, held: Held) -> tuple[Fraction, str, List, list[tuple[str, int]]]:
        theta, hypotheses, least = held
        return -self._confidence(hypotheses, theta), self._text(theta), hypotheses, sorted(least)

    def _confidence(self, hypotheses: List, theta: Theta) -> Fraction:
        some = next(s for s in self._waiting[theta] if s.hypotheses == hypotheses)
        channel = self._channel or Channel()
        return confidence(some.entry.hypotheses, self._tau, self._delta, channel)

    def _needed(self, entries: list[PrintedEntry]) -> list[PrintedEntry]:
        """Those whose evidence is needed: no entry without evidence stands for them."""
        bare = [_schema(entry) for entry in self.state if not entry.evidence]
        return [
            shown
            for shown in entries
            if not any(stands_for(one, _schema(shown.entry)) for one in bare)
        ]

    def _is_entry(self, entry: Entry) -> bool:
        return bool(entry.evidence) and not any(ground(h) in self.seen for h in entry.hypotheses)

    def _withdrawn(self) -> Iterator[EntryLine]:
        for theta in sorted(self._open, key=self._text):
            if not any(is_instance(other, theta) for other in self._waiting):
                self._open.remove(theta)
                if self._fails(theta):
                    yield self._line("withdrawn", theta, because=self._reasons[theta])
                else:
                    self.features.add("ends without a line")

    def _give_reasons(self, before: dict[Theta, list[PrintedEntry]]) -> None:
        """Why answers have no entries any more."""
        for theta, each in before.items():
            if theta not in self._waiting and theta not in self._answered:
                hypotheses = {one for shown in each for one in shown.entry.hypotheses}
                missed = _list(filter(self._is_impossible, hypotheses))
                is_lost = theta in self._lost or not missed
                self._reasons[theta] = (
                    f"dropped: more than {self._most}" if is_lost else missed[0][-1]
                )

    def _supported(self) -> Iterator[EntryLine]:
        for theta in sorted(self._waiting, key=self._text):
            for hypotheses in sorted({shown.hypotheses for shown in self._waiting[theta]}):
                if (theta, hypotheses) not in self._printed:
                    self._printed.add((theta, hypotheses))
                    self._open.add(theta)
                    same = (s.evidence for s in self._waiting[theta] if s.hypotheses == hypotheses)
                    number = self._confidence(hypotheses, theta)
                    yield self._line("supported", theta, min(same), hypotheses, confidence=number)

    def _answers(self, done: dict[Theta, list[PrintedEntry]]) -> Iterator[EntryLine]:
        for theta in sorted(done, key=self._text):
            yield self._line(
                "answer",
                theta,
                min(s.evidence for s in done[theta] if not s.hypotheses),
                confidence=Fraction(1),
            )

    def _fails(self, theta: Theta) -> bool:
        return not any(is_instance(answer, theta) for answer in self._answered)

    def _is_impossible(self, one: Pattern) -> bool:
        possible = is_potentially_future(one, self._tau, self._delta)
        return not possible and ground(one) not in self.seen

    def theta(self, answer: Pattern) -> Theta:
        """What the variables of the query stand for in an answer."""
        found: dict[str, str | int | Var] = {}
        for arg, value in zip(self._query.args, answer.args, strict=True):
            if isinstance(arg, Variable):
                found.setdefault(arg.name, value)
        if (name := self._query.time.variable) is not None:
            by = answer.offset - self._query.time.offset
            assert answer.base is None or not by
            found[name] = answer.base or by
        return tuple(found.values())

    def _shown(self, theta: Theta) -> dict[str, str | int]:
        values = (f"?{value.name}" if isinstance(value, Var) else value for value in theta)
        return dict(zip(variables([self._query]), values, strict=True))

    def _text(self, theta: Theta) -> str:
        return dumped(self._shown(theta))

    def _line(
        self,
        status: str,
        theta: Theta,
        evidence: List = (),
        hypotheses: List = (),
        because: str | None = None,
        confidence: Fraction = Fraction(0),
    ) -> EntryLine:
        last = {} if self._channel is None else {"confidence": confidence}
        return {
            "tau": self._tau,
            "status": status,
            "answer": self._shown(theta),
            "evidence": [text for *_, text in evidence],
            "hypotheses": [text for *_, text in hypotheses],
            "because": because,
            **last,
        }


def _held(waiting: Mapping[Theta, list[PrintedEntry]]) -> set[Held]:
    return {_key(theta, shown) for theta, each in waiting.items() for shown in each}


def _key(theta: Theta, shown: PrintedEntry) -> Held:
    return theta, shown.hypotheses, names_of(shown.entry)


def dumped(value: object) -> str:
    """JSON as lines have it; a confidence comes last."""
    if isinstance(value, dict) and isinstance(value.get("confidence"), Fraction):
        *others, (_, number) = value.items()
        return f'{dumped(dict(others))[:-1]},"confidence":{shown_number(number)}}}'
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_instance(one: Theta, other: Theta) -> bool:
    """Whether terms for the variables of ``other`` make it ``one``."""
    found: dict[Var, str | int | Var] = {}
    return all(
        (found.setdefault(theirs, mine) if isinstance(theirs, Var) else theirs) == mine
        for mine, theirs in zip(one, other, strict=True)
    )


def minimal(entries: list[PrintedEntry]) -> list[PrintedEntry]:
    """Those of one θ that no other makes needless."""
    return [one for one in entries if not any(_is_less(other, one) for other in entries)]


def _is_less(one: PrintedEntry, other: PrintedEntry) -> bool:
    mine, theirs = _schema(one.entry), _schema(other.entry)
    if not any(image < set(theirs.hypotheses) for image in images(mine, theirs)):
        return False
    return len(mine.hypotheses) < len(theirs.hypotheses) or not stands_for(theirs, mine)


def names_of(entry: Entry) -> frozenset[tuple[str, int]]:
    """The smallest number that each time variable may be, by name."""
    return frozenset((var.name, number) for var, number in entry.least)


def _schema(entry: Entry) -> Schema:
    """What an entry says without its evidence."""
    return Schema(entry.answer, tuple(entry.hypotheses), dict(entry.least))


def _list(patterns: Iterable[Pattern]) -> List:
    """Atoms by time, then text; free times last."""
    return tuple(sorted((one.base is not None, _number(one), shown_atom(one)) for one in patterns))


def _number(one: Pattern) -> int:
    return one.offset if one.base is None else 0


def _pattern(fact: Fact) -> Pattern:
    predicate, args, time = fact
    return Pattern(predicate, args, None, time)


def shown_atom(one: Pattern) -> str:
    """The text of an atom."""
    args = [f"?{arg.name}" if isinstance(arg, Var) else quoted(arg) for arg in one.args]
    if one.base is None:
        time = str(one.offset)
    else:
        time = f"?{one.base.name}" + (f"{one.offset:+d}" if one.offset else "")
    return f"{one.predicate}({','.join((*args, time))})"


def quoted(constant: str) -> str:
    """A constant in an atom."""
    if _BARE.fullmatch(constant):
        return constant
    escaped = constant.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
