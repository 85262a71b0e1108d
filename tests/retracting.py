"""Retraction against its definition: ``python -m tests.retracting [COUNT [FIRST [KIND]]]``.

A story is played step by step. After each one, what the engine told and what it would answer is
compared with the oracle, and what it remembers with what a fresh engine remembers of that which
still counts.
"""

from __future__ import annotations

import math
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from unittest.mock import patch

import numpy as np

import r4.engine
import rete.founding
from r4.changes import INCONSISTENT, TRIPLE, Changes
from r4.compile import Program, compile_document
from r4.engine import Core
from r4.entailment import regime
from r4.streams import Batch
from r4.time import TimeScale
from rete.agenda import LimitReached
from rete.delta import NEG_INF, POS_INF, Rows
from rete.dictionary import Dictionary
from rete.kernels import BACKEND
from rete.stem import Stem
from rete.texts import IS_PINNED, META
from rif.ast import Document, Group
from rif.unparse import unparse
from tests.cases.taking_back import (
    Always,
    Drop,
    Forget,
    Join,
    Move,
    Say,
    Step,
    Story,
    items_of,
    story,
)
from tests.draw import from_seed
from tests.oracles.datalog import Program as Rules
from tests.oracles.datalog import rules_of
from tests.oracles.formulas import Fact, Time, TooBig
from tests.oracles.lines import Line, atom
from tests.oracles.stream import Triple, named
from tests.oracles.taking_back import Assertion, Definitions, Diary, WithoutSome
from tests.playing import forgetful
from tests.profile import table

MOST = 5000
"""So many facts at once are no small case any more."""
BEFORE = 100
"""The rules of a regime have numbers from here on."""
DOCUMENT = 5
"""The number of the document that blank nodes of all triples are from."""
_ENDLESS = POS_INF // 2


class Disagreement(Exception):
    """The engine is not as the definitions say."""


def compiled(rules: Document, story: Story) -> Program:
    """The program of ``rules``, above the regime of the story."""
    instances = story.semantics == "instances"
    mine = compile_document(rules, TimeScale(), instances=instances)
    if story.regime:
        given = _background(story.regime)
        labels = (*mine.labels, *range(len(mine.labels), BEFORE), *given.labels)
        mine = replace(given, emits=mine.emits, facts=mine.facts, labels=labels, places=mine.places)
    return replace(mine, window=story.window)


@cache
def _background(name: str) -> Program:
    nothing = Document(group=Group(()))
    return compile_document(nothing, TimeScale(), background=regime(name), before=BEFORE)


class Player:
    """A core to which facts are told, with what it tells as lines of the oracle."""

    def __init__(self, program: Program, story: Story, *, keep: bool) -> None:
        self.instances = story.semantics == "instances"
        self.core = Core(program, Dictionary(), instances=self.instances, limit=MOST, keep=keep)
        self.lines: list[Line] = []

    def begin(self, statics: Sequence[Fact]) -> None:
        self.core.assert_static(self.ids(statics))
        self._hear([self.core.begin()])

    def ids(self, facts: Sequence[Fact]) -> Rows:
        texts = [term for fact in facts for term in fact[1:]]
        return self.core.terms.encode_many(texts).reshape(-1, 3)

    def step(
        self,
        said: Sequence[Assertion],
        frontier: int,
        last: int,
        names: Sequence[str] = (),
        rows: Sequence[tuple[Fact, str]] = (),
    ) -> None:
        """One batch."""
        facts = self.ids([one.fact for one in said])
        own = np.array([self._name(one.name) for one in said], np.int64)
        back = np.array([self._name(name) for name in names], np.int64)
        taken = np.empty((len(rows), 4), np.int64)
        taken[:, :3] = self.ids([fact for fact, _ in rows])
        taken[:, 3] = [self._name(name) for _, name in rows]
        batch = Batch(
            facts,
            np.array([one.start for one in said], np.int64),
            np.array([POS_INF if one.end == math.inf else one.end for one in said], np.int64),
            frontier,
            last,
            (facts, back, taken),
            own,
            back,
            taken,
        )
        self._hear(self.core.step(batch))

    def close(self, frontier: int) -> None:
        self._hear([self.core.close(frontier)])

    def finish(self, last: int) -> None:
        self._hear([self.core.finish(last, None)])

    def _name(self, name: str) -> int:
        return self.core.terms.encode(f"<{name}>") if name else 0

    def _hear(self, told: Sequence[Changes]) -> None:
        for changes in told:
            self.lines += self._lines(changes)

    def _lines(self, changes: Changes) -> Iterator[Line]:
        for row in range(len(changes)):
            op, kind = "-+"[int(changes.op[row])], int(changes.kind[row])
            fact: Fact = ("error",)
            if kind == TRIPLE:
                ids = np.ascontiguousarray(changes.triples[row])
                fact = ("triple", *self.core.terms.decode_many(ids))
            elif kind != INCONSISTENT:
                fact = ("atom", changes.atoms[row])
            end = _time(changes.end[row]) if self.instances or op == "-" else math.inf
            yield Line(
                op,
                _time(changes.at[row]),
                fact,
                _time(changes.start[row]),
                end,
                int(changes.rule[row]),
            )


def _time(tick: int) -> Time:
    return -math.inf if tick == NEG_INF else math.inf if tick >= _ENDLESS else int(tick)


def _plain(line: Line) -> Line:
    """A line of the definitions as the engine tells it."""
    return line._replace(fact=("atom", atom(line.fact))) if line.fact[0] == "atom" else line


class Fresh:
    """A fresh engine as reasoner: it is told each assertion with the time in which it counts."""

    def __init__(self, program: Program, story: Story) -> None:
        self._program = program
        self._story = story

    def lines(self, assertions: Sequence[Assertion]) -> list[Line]:
        player = Player(self._program, self._story, keep=False)
        player.begin([one.fact for one in assertions if one.start == -math.inf])
        said = [one for one in assertions if one.start > -math.inf]
        if said:
            last = max(int(one.start) for one in said)
            player.step(said, min(int(one.start) for one in said), last)
            player.finish(last)
        return player.lines


class Run:
    """A story being played.

    Attributes:
        found: what it exercises.
    """

    def __init__(self, story: Story, *, every: int = 1) -> None:
        """Begin; memories are compared after every so many steps."""
        self.story = story
        self.found: set[str] = set()
        self._every = every
        self._documents = [story.document]
        self._programs = [compiled(story.document, story)]
        statics = [named(triple, DOCUMENT) for triple in story.statics]
        instances = story.semantics == "instances"
        self._definitions = Definitions(Rules(story.document), story.semantics)
        reasoner = Fresh(self._programs[0], story) if story.regime else self._definitions
        self.diary = Diary(
            reasoner,
            statics,
            window=math.inf if story.window is None else story.window,
            delay=story.delay,
            instances=instances,
        )
        self.player = Player(self._programs[0], story, keep=story.keep)
        self.player.begin(statics)
        self._heard = 0
        self._waiting: list[Say] = []
        self._dropped: set[int] = set()
        self._told_to: Time = math.nextafter(-math.inf, 0)
        self._compare(-math.inf, self.diary.due(-math.inf, self._told_to))

    def play(self) -> None:
        """All steps.

        Raises:
            Disagreement: somewhere on the way.
        """
        with ExitStack() as stack:
            if self.story.small:
                stack.enter_context(forgetful())
                stack.enter_context(patch.object(r4.engine, "_MANY", 0))
                stack.enter_context(patch.object(rete.founding, "_CROWD", 1))
                stack.enter_context(patch.object(rete.founding, "_SAMPLE", 2))
            for number, step in enumerate(self.story.steps):
                self._take(step, number)
            self._flush()
            self._compare_memory()
            if self.story.keep or len(self.story.steps) % 2:
                self._take_all_back()
            self._finish()

    def _take(self, step: Step, number: int) -> None:
        if isinstance(step, Say) and not step.takes_back:
            self._waiting.append(step)
            if len(self._waiting) < self.story.batch:
                return
            self._flush()
        else:
            self._flush()
            self._act(step)
        if number % self._every == 0 and not (self.story.regime and self._every > 1):
            self._compare_memory()

    def _act(self, step: Step) -> None:
        diary, core = self.diary, self.player.core
        match step:
            case Say():
                self._take_back(step)
            case Always(triples):
                if diary.frontier > -math.inf:
                    self._say([(UNNAMED, diary.frontier, math.inf, triples)])
            case Move(to):
                diary.advance(to)
                self.player.close(int(diary.frontier))
                self._compare(diary.frontier)
            case Forget():
                core.forget()
                core.terms._check()
                self._check_ids()
            case Join(document):
                if diary.frontier > -math.inf:
                    self._join(document)
            case Drop(place):
                if diary.frontier > -math.inf:
                    self._drop(place)

    def _flush(self) -> None:
        """Let what waits arrive."""
        said = []
        for step in self._waiting:
            if self.diary.moves(step.start):
                said.append((step.name, step.start, step.end, step.triples))
            else:
                self.found.add("late element")
        self._waiting.clear()
        if said:
            self._say(said)

    def _say(self, said: Sequence[tuple[str, Time, Time | None, Sequence[Triple]]]) -> None:
        diary = self.diary
        before = len(diary.assertions)
        for name, start, end, triples in said:
            diary.says(name, start, end, [named(triple, DOCUMENT) for triple in triples])
        self.player.step(diary.assertions[before:], int(diary.frontier), self._last)
        self._compare(diary.frontier)

    @property
    def _last(self) -> int:
        return int(self.diary.last) if self.diary.last > -math.inf else NEG_INF

    def _take_back(self, step: Say) -> None:
        diary = self.diary
        if not diary.moves(step.start):
            self.found.add("late retraction")
            return
        passed = diary.due(self._told_to, diary.frontier)
        was = diary.lines()
        missed = self._back(step.names, [(named(row, DOCUMENT), name) for row, name in step.rows])
        if diary.lines() != was:
            self.found.add("retraction that changes answers")
        before, rows = len(diary.assertions), [(named(r, DOCUMENT), n) for r, n in step.rows]
        facts = [named(triple, DOCUMENT) for triple in step.triples]
        diary.says(step.name, step.start, step.end, facts)
        over = self._overdeleted
        ineffective = self.player.core.without_effect
        self.player.step(
            diary.assertions[before:], int(diary.frontier), self._last, step.names, rows
        )
        if self._overdeleted > over:
            self.found.add("deletion")
        ineffective = self.player.core.without_effect - ineffective
        if ineffective != missed:
            self._complain("without effect", [ineffective], [missed])
        self._compare(diary.frontier, passed)

    def _back(self, names: Sequence[str], rows: Sequence[tuple[Fact, str]]) -> int:
        """The definition of what is taken back; how much of it has no effect."""
        effects = [self.diary.takes(name) for name in dict.fromkeys(names)]
        effects += [self.diary.takes(name, fact) for fact, name in dict.fromkeys(rows)]
        if any(effects):
            self.found.add("retraction with an effect")
        if not all(effects):
            self.found.add("retraction without an effect")
        return effects.count(False)

    @property
    def _overdeleted(self) -> int:
        maintenance = self.player.core._agenda._maintenance
        return 0 if maintenance is None else maintenance.overdeleted

    def _join(self, document: Document) -> None:
        self._documents.append(document)
        running = self.player.core.program
        added = compile_document(document, TimeScale(), running=running)
        self.player.core.add(added)
        self._programs.append(added)
        self._change_rules()
        self.found.add("added rules")

    def _drop(self, place: int) -> None:
        left = [one.number for one in rules_of(self._whole()) if one.number not in self._dropped]
        if not left:
            return
        self._dropped.add(left[place % len(left)])
        over = self._overdeleted
        self.player.core.drop({left[place % len(left)]})
        self._change_rules()
        self.found.add("dropped rules")
        if self._overdeleted > over:
            self.found.add("deletion by dropped rules")

    def _change_rules(self) -> None:
        self._definitions.join(WithoutSome(self._whole(), self._dropped), self.diary.frontier)
        self.diary.joined()

    def _whole(self) -> Document:
        items = tuple(item for part in self._documents for item in items_of(part))
        return Document(group=Group(items))

    def _plain(self, lines: Sequence[Line]) -> list[Line]:
        return list(lines) if self.story.regime else list(map(_plain, lines))

    # -- comparisons -------------------------------------------------------------------------

    def _compare(self, frontier: Time, passed: Sequence[Line] | None = None) -> None:
        """What was told since the last time, and what is held to be true."""
        diary = self.diary
        if passed is None:
            passed = diary.due(self._told_to, frontier)
        told, self._heard = self.player.lines[self._heard :], len(self.player.lines)
        self._told_to = max(self._told_to, frontier)
        wanted = self._plain(passed)
        if wanted != told:
            self._complain("lines", told, wanted)
        if wanted:
            self.found.add("answers")
        if any(line.op == "-" for line in wanted):
            self.found.add("expiry")
        if diary.frontier == -math.inf:
            return
        now = int(diary.frontier)
        for tick in (now, now + 1, now + 3, now + 10_000):
            held = sorted({fact[1:] for fact in diary.holding(tick) if fact[0] == "triple"})
            found = sorted(self.player.core.derived_at(tick))
            if held != (sorted({*found}) if self.player.instances else found):
                self._complain(f"derived at {tick}", found, held)

    def _compare_memory(self) -> None:
        """What is remembered, with what a fresh engine remembers of what counts."""
        diary = self.diary
        if diary.frontier == -math.inf:
            return
        now = int(diary.frontier)
        self.player.core._agenda.run()
        fresh = Player(self._programs[0], self.story, keep=True)
        fresh.begin([one.fact for one in diary.assertions if one.start == -math.inf])
        for program in self._programs[1:]:
            fresh.core.add(program)
        if self._dropped:
            fresh.core.drop(self._dropped)
        said = [one for one in diary.assertions if one.start > -math.inf and one.end > now]
        fresh.step([one for one in said if one.counts], now, self._last)
        fresh.core._agenda.run()
        mine, theirs = (memory(core, now, self._dropped) for core in (self.player.core, fresh.core))
        for place in mine.keys() | theirs.keys():
            more = mine.get(place, set()) - theirs.get(place, set())
            less = theirs.get(place, set()) - mine.get(place, set())
            if more or less:
                self._complain(f"memory {place}", sorted(more, key=str), sorted(less, key=str))

    def _check_ids(self) -> None:
        core = self.player.core
        for rows in core._held():
            for term in np.unique(rows[:, :-2]).tolist():
                if term > 0:  # others are no terms
                    try:
                        core.terms.decode(term)
                    except KeyError:
                        self._complain("forgotten term in use", [term], [])

    def _take_all_back(self) -> None:
        """Nothing is left of what elements said, in memory too."""
        diary, core = self.diary, self.player.core
        names = sorted({one.name for one in diary.assertions} - {UNNAMED})
        if diary.frontier == -math.inf or not names:
            return
        passed = diary.due(self._told_to, diary.frontier)
        missed = core.without_effect + self._back(names, ())
        self.player.step([], int(diary.frontier), self._last, names)
        if core.without_effect != missed:
            self._complain("without effect", [core.without_effect], [missed])
        self._compare(diary.frontier, passed)
        self._compare_memory()
        diary.advance(int(diary.frontier) + 2)
        self.player.close(int(diary.frontier))
        self._compare(diary.frontier)
        core.forget()
        core.terms._check()
        self._check_ids()
        self._check_nothing_left()

    def _check_nothing_left(self) -> None:
        core = self.player.core
        texts = core.terms.texts
        pinned = np.flatnonzero(texts.entries[:, META] & IS_PINNED)
        used = {int(term) for rows in core._held() for term in rows[:, :-2].ravel() if term > 0}
        mine = {*pinned.tolist(), *used}
        if len(core.terms) > len(mine):
            self._complain("terms left", [len(core.terms)], [len(mine)])
        self.found.add("all taken back")

    def _finish(self) -> None:
        if self.diary.last > -math.inf:
            passed = self.diary.due(self._told_to, math.inf)
            self.player.finish(self._last)
            told = self.player.lines[self._heard :]
            if told != (wanted := self._plain(passed)):
                self._complain("lines of the end", told, wanted)
        if self._definitions.rounds > 1:
            self.found.add("second round")
        if self._overdeleted:
            self.found.add("overdeletion")

    def _complain(self, what: str, found: Sequence[object], wanted: Sequence[object]) -> None:
        more = [one for one in found if one not in wanted]
        less = [one for one in wanted if one not in found]
        if not more and not less:  # the same in another order, or not as often
            more, less = list(found), list(wanted)
        text = [f"{what} at frontier {self.diary.frontier}"]
        text += [f"  engine: {one}" for one in more[:6]]
        text += [f"  oracle: {one}" for one in less[:6]]
        raise Disagreement("\n".join(text))


UNNAMED = ""


def memory(core: Core, now: int, dropped: AbstractSet[int]) -> dict[str, set[tuple[object, ...]]]:
    """What a core remembers that may still matter at ``now`` or later, by where, in texts."""
    found: dict[str, set[tuple[object, ...]]] = {}
    for number, network in enumerate(core.layers.networks):
        for plan, stream in network.streams.items():
            if stream.stem is not None:
                found[f"{number} {plan}"] = _rows(core, stream.stem, now)
    tables = dict.fromkeys(one for network in core.layers.networks for one in network.tables)
    for number, each in enumerate(tables):
        found[f"table {number} {each.relation.op}"] = _rows(core, each.facts, now)
        for rule, stem in each.by_rule.items():
            if rule in dropped:
                continue  # it stays, to name what has begun
            found[f"table {number} {each.relation.op} rule {rule}"] = _rows(core, stem, now)
    assert core.layers.asserts is not None
    for relation, stem in core.layers.asserts._stems.items():
        found[f"asserted {relation.op}"] = _rows(core, stem, now)
    return found


def _rows(core: Core, stem: Stem, now: int) -> set[tuple[object, ...]]:
    """Texts and time of rows, cut at ``now`` where they are kept by interval."""
    rows = stem.content()
    rows = rows[rows[:, -1] > 2 * now]
    found = []
    for *terms, lo, hi in rows.tolist():
        texts = [core.terms.decode(term) if term > 0 else str(term) for term in terms]
        found.append((*texts, lo if stem.instances else max(lo, 2 * now), hi))
    if len(found) != len({*found}):
        message = f"a row is held twice: {sorted(found)}"
        raise Disagreement(message)
    return {*found}


def fault_of(story: Story, *, every: int = 1) -> tuple[set[str], str | None]:
    """What a story exercises, and where the engine is wrong; None: nowhere."""
    run = None
    try:
        run = Run(story, every=every)
        run.play()
    except Disagreement as found:
        return set() if run is None else run.found, f"{found}\n{shown(story)}"
    except (TooBig, LimitReached):
        return {"too big"}, None
    except Exception:  # noqa: BLE001 - to be shown with its story
        return set(), f"{traceback.format_exc()}\n{shown(story)}"
    return run.found, None


def shown(story: Story) -> str:
    """All that is needed to see it fail by hand."""
    options = replace(story, document=Document(), statics=(), steps=())
    lines = [str(options), unparse(story.document)]
    lines += [f"static {triple}" for triple in map(_short, story.statics)]
    for step in story.steps:
        match step:
            case Say(name, start, end, triples, names, rows):
                back = [*names, *(f"{_short(row)} of {of}" for row, of in rows)]
                lines.append(
                    f"{name} {start}..{end} says {list(map(_short, triples))}, takes back {back}"
                )
            case Join(more):
                lines.append(f"join {unparse(more)}")
            case Always(triples):
                lines.append(f"always {list(map(_short, triples))}")
            case _:
                lines.append(str(step))
    return "\n".join(lines)


def _short(triple: Triple) -> str:
    return " ".join(named(triple, DOCUMENT)[1:])


def compare(
    count: int, first: int = 0, *, kind: str = "", every: int = 3
) -> tuple[Counter[str], dict[int, str]]:
    """Features and disagreements of ``count`` stories by seed."""
    features: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in range(first, first + count):
        found, fault = fault_of(story(from_seed(seed), kind=kind), every=every)
        features.update(found)
        if fault:
            faults[seed] = fault
    return features, faults


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:3]] or [1000]
    features, failed = compare(numbers[0], sum(numbers[1:2]), kind="".join(sys.argv[3:4]))
    sys.stdout.write(table(features, numbers[0]))
    for number in sorted(failed)[:5]:
        sys.stdout.write(f"\nseed {number}\n{failed[number]}\n")
    sys.stdout.write(
        f"\n{numbers[0]} stories on {BACKEND} kernels: "
        f"{len(failed)} disagree {sorted(failed)[:20]}\n"
    )
    sys.exit(bool(failed))
