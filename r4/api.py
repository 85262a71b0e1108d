"""The engine as a library: graphs in, changes out.

>>> from rdflib import Namespace
>>> ex = Namespace("http://example.org/")
>>> engine = Engine.from_text('''
... Document( Prefix(ex <http://example.org/>) Window(3)
...   Group( Forall ?x ( ?x[ex:p -> ex:c] :- And(?x[ex:p -> ex:a] ?x[ex:p -> ex:b]) ) ) )
... ''')
>>> engine.add([(ex.x, ex.p, ex.a)], at=1)
True
>>> engine.add([(ex.x, ex.p, ex.b)], at=2)
True
>>> engine.advance(4)
>>> [(change.op, change.at, str(change.triple[2])) for change in engine.changes()]
[('+', 2, 'http://example.org/c'), ('-', 4, 'http://example.org/c')]
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from rdflib import Graph
from rdflib.store import TripleAddedEvent
from rdflib.term import Node

from r4.answers import INSERTED
from r4.changes import INCONSISTENT, TRIPLE, Changes
from r4.clock import Clock
from r4.compile import Program, compile_document
from r4.engine import Core
from r4.explain.answer import Explained
from r4.explain.asking import fact_of
from r4.explain.journal import Journal
from r4.explain.why import Why
from r4.explain.wording import names_for
from r4.faults import Counters
from r4.graphs import Statements, encode, to_node
from r4.imports import Closure, Locations, load, load_graphs
from r4.imports.constants import with_locals_of
from r4.joining import Roles, joining, not_followed
from r4.meaning import KNOWN, background_of
from r4.streams import NO_END, Batch
from r4.time import NEG_INF, POS_INF, Kind, Stamp, Tick, TickUnit, TimeScale
from rete.dictionary import Dictionary
from rete.network import Network
from rete.nodes.calls import Outside
from rete.plan import TRIPLES
from rete.saved import Mask, State
from rif.ast import Document
from rif.errors import RuleError, RuleErrors
from rif.parse_constants import CUSTOMARY
from rif.parser import Parsed
from rif.reading import parse_bytes

if TYPE_CHECKING:
    from r4.snapshot import Resumption

Instant: TypeAlias = datetime | int
"""A point in time: a datetime (without zone: UTC) or a number of ticks, one kind in a run."""
Semantics: TypeAlias = Literal["facts", "instances"]

_DOCUMENT = 1
"""What is added counts as one document: the same blank node in two graphs is one node."""


_UNNAMED = "urn:r4:unnamed"
_Pattern: TypeAlias = tuple[Node | None, Node | None, Node | None]


@dataclass(frozen=True, slots=True)
class Change:
    """An answer that began (``+``) or ceased (``-``) to hold.

    Attributes:
        op: ``+`` or ``-``.
        at: When; None for what follows from static data alone. A text where a datetime cannot say
            it: nanoseconds, or a year beyond 9999.
        triple: The fact, if it is a triple.
        atom: Its text, if it is none: an atom, ``<p>(…)``, or one with a list, which no RDF graph
            has as a term, ``<s>[<p> -> List(…)]``.
        error: Whether it is ``rif:error()``: the state is inconsistent.
        start: When the answer began.
        until: When it ends; of a ``+`` under ``facts`` None, as it is not known yet.
        rule: IRI, or number, of the least rule that gives it.
        undone: Whether it was told before and proved untrue; then all else is as it was told.
    """

    op: Literal["+", "-"]
    at: Instant | str | None
    triple: tuple[Node, Node, Node] | None
    atom: str | None
    error: bool
    start: Instant | str | None
    until: Instant | str | None
    rule: str | int
    undone: bool = False


class Engine:
    """Rules that run: facts are added with the time at which they hold, changes are taken out.

    Changes are final: they come out once no element in time can alter them, which is when time has
    passed them by. `add` moves time to its stamp less ``delay``, `advance` to a time of its own.
    With ``order="arrival"`` they come out as soon as time reaches them, and what proves untrue
    comes out again as ``undone``; without such pairs the changes are the same.

    Attributes:
        warnings: what there is to say about the rules and what they import.
        streams: the sources that the rules import as streams, which the engine does not open.
        counters: what was added, and what came too late.
        network: the Rete network, for its picture.
    """

    def __init__(  # noqa: PLR0913 - options of a run
        self,
        rules: Document | Closure,
        *,
        semantics: Semantics = "facts",
        window: str | None = None,
        tick: TickUnit = "ms",
        delay: str | int = 0,
        entailment: Literal["none", "rdf", "rdfs", "d", "owl-rl"] = "none",
        literals: Literal["term", "value"] = "term",
        keep: bool = False,
        order: Literal["time", "arrival"] = "time",
        journal: int = 0,
        warnings: tuple[RuleError, ...] = (),
        resumes: Resumption | None = None,
    ) -> None:
        """Compile ``rules``.

        Args:
            rules: a document without imports, or a document with all that it imports.
            semantics: what one answer is.
            window: a duration in place of the Window of the rules.
            tick: the length of a tick.
            delay: a duration; how late elements may come.
            entailment: what the vocabularies of RDF, RDFS or OWL mean; what follows from that
                alone is no answer.
            literals: whether literals of equal values are one term, ``value``, or not, ``term``.
            keep: whether rules that are added later see all that still holds.
            order: whether changes are told once they are final, ``time``, or at once, ``arrival``.
            journal: so many triples are kept after they ended, to `explain` what held then.
            warnings: kept as they are.
            resumes: the saved state that it goes on from, see `load`.

        Raises:
            RuleErrors: the rules cannot be run, or an imported graph cannot be read.
            ValueError: a duration is none, or an option unknown.
        """
        given = (("facts", "instances"), semantics), (("ms", "us", "ns"), tick)
        more = (("term", "value"), literals), (("time", "arrival"), order), (KNOWN, entailment)
        for known, value in (*given, *more):
            if value not in known:
                message = f"{value!r} is none of {', '.join(known)}"
                raise ValueError(message)
        scale = TimeScale(tick)
        closure = rules if isinstance(rules, Closure) else None
        main, *imported = rules.documents if isinstance(rules, Closure) else (_alone(rules),)
        background = background_of(entailment, None if closure is None else closure.profile)
        program = compile_document(
            main,
            scale,
            imported=imported,
            background=background,
            instances=semantics == "instances",
            literals_by_value=literals == "value",
        )
        if window is not None:
            program = replace(program, window=scale.duration(window))
        self.warnings = warnings
        self.counters = Counters()
        self._roles = Roles(rules)
        self._read = [main, *imported]
        self._journal = Journal(journal) if journal else None
        self._documents = _DOCUMENT + 1 if closure is None else closure.next_number
        self._delay = scale.duration(str(delay))
        self._clock = Clock(scale)
        self._terms = Dictionary(by_value=literals == "value")
        alive = None if resumes is None else self._terms.restore(resumes.given.part("terms"))
        self._core = Core(
            *(program, self._terms),
            instances=semantics == "instances",
            keep=keep,
            arrival=order == "arrival",
            resumes=resumes is not None,
        )
        self._instances = semantics == "instances"
        self.streams = () if closure is None else closure.streams
        self._attached = 0
        self._last: Tick = NEG_INF
        self._frontier: Tick = NEG_INF
        self._ready: deque[Change] = deque()
        self._ended = False
        self._options: State = {
            "semantics": semantics,
            "window": window,
            "tick": tick,
            "delay": str(delay),
            "entailment": entailment,
            "literals": literals,
            "keep": keep,
            "order": order,
        }
        if resumes is not None and alive is not None:
            self._resume(resumes, alive)
        elif closure is not None:
            loaded = load_graphs(closure, self._terms, self.counters)
            self.warnings += tuple(each for part in loaded.warnings for each in part.errors)
            self._core.assert_static(loaded.rows)
            if self._journal is not None:
                self._journal.always(loaded.rows)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        lenient: bool = False,
        imports: Locations | None = None,
        **options: object,
    ) -> Engine:
        """An engine for the rules in a file, RIF/XML or presentation syntax, and all they import.

        Args:
            path: the file; imports are looked for in its folder.
            lenient: read what is written against the letter of the standard.
            imports: what else imports may reach: an import folder, files by location.
            options: as of the constructor.

        Raises:
            RuleErrors: the rules, or what they import, cannot be read or run.
            TypeError: ``imports`` is of another type.
            OSError: there is no such file.
        """
        parsed = parse_bytes(Path(path).read_bytes(), name=str(path), lenient=lenient)
        return cls._of(parsed, str(path), imports, lenient=lenient, **options)

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        lenient: bool = False,
        name: str = "<text>",
        imports: Locations | None = None,
        **options: object,
    ) -> Engine:
        """As `from_file`, for a text, which has no folder."""
        _check(text, str, "rules are a text here, and Engine.from_file reads a file")
        parsed = parse_bytes(text.encode(), name=name, lenient=lenient)
        return cls._of(parsed, None, imports, lenient=lenient, **options)

    @classmethod
    def _of(
        cls,
        parsed: Parsed,
        path: str | None,
        imports: Locations | None,
        *,
        lenient: bool,
        **options: object,
    ) -> Engine:
        _check(imports, Locations | None, "imports= is an r4.imports.Locations(root, catalogue)")
        closure = load(parsed, path, imports or Locations(), _DOCUMENT + 1, lenient=lenient)
        imported = tuple(each for part in closure.warnings for each in part.errors)
        return cls(closure, warnings=parsed.warnings + imported, **options)  # type: ignore[arg-type]

    def save(self, path: str | Path) -> None:
        """Write all that the engine is to go on with to a file, whole or not at all.

        Not in it are the rules themselves, and graphs that are attached. The engine goes on as
        if nothing had been; one that is loaded from the file tells the same.

        Raises:
            OSError: the file cannot be written; what was there before still is.
        """
        from r4.snapshot import fingerprint, write  # noqa: PLC0415 - for those who save
        from r4.snapshot.pending import saved_change  # noqa: PLC0415

        core = self._core.saved()
        state: State = {
            "options": self._options,
            "program": fingerprint(self._core),
            "terms": self._terms.saved(),
            "core": core,
            "counters": self.counters.saved(),
            "clock": 0 if self._clock.kind is None else int(self._clock.kind),
            "last": self._last,
            "frontier": self._frontier,
            "ended": self._ended,
            "attached": self._attached,
            "changes": [saved_change(change) for change in self._ready],
        }
        write(Path(path), state)

    @classmethod
    def load(
        cls,
        path: str | Path,
        rules: str | Path | Document | Closure,
        *,
        added: Iterable[str | Path | Document] = (),
        lenient: bool = False,
        imports: Locations | None = None,
    ) -> Engine:
        """The engine that was saved to a file, with the options that it had.

        Args:
            path: the file.
            rules: the rules it had, which are compiled again: their text, the path of their file,
                or as of the constructor.
            added: those that were added since, in their order.
            lenient: as of `from_file`.
            imports: as of `from_file`; graphs are not read again.

        Raises:
            SnapshotError: the file is no snapshot, damaged, or of other rules.
            RuleErrors: the rules cannot be read or run.
            OSError: there is no such file.
        """
        from r4.snapshot import Resumption, read  # noqa: PLC0415 - for those who load

        saved = Resumption(read(Path(path)), Path(path), tuple(added))
        with saved.told():
            options = saved.options()
            if isinstance(rules, Path):
                return cls.from_file(rules, lenient=lenient, imports=imports, **options)
            if isinstance(rules, str):
                name = "<text>"
                return cls.from_text(rules, lenient=lenient, name=name, imports=imports, **options)
            return cls(rules, **options)  # type: ignore[arg-type]

    def _resume(self, saved: Resumption, alive: Mask) -> None:
        """Be as the engine was that saved this."""
        from r4.snapshot.pending import change_of  # noqa: PLC0415

        given = saved.given
        core = given.part("core")
        joined = (self._joining(rules, "<text>") for rules in saved.added)
        self._core.rebuild(core, joined)
        saved.check(self._core)
        self._core.restore(core, alive)
        self.counters.restore(given.part("counters"))
        self._clock.kind = Kind(given.whole("clock", 0, max(Kind))) or None
        self._last = given.whole("last", NEG_INF, POS_INF)
        self._frontier = given.whole("frontier", NEG_INF, POS_INF)
        self._ended = given.flag("ended")
        self._attached = given.whole("attached", 0)
        self._ready.extend(change_of(part) for part in given.parts("changes"))

    @property
    def network(self) -> Network:
        """The network: its nodes, what they share and hold."""
        return self._core.network

    def add_static(self, data: Statements) -> None:
        """Triples that always hold; before the first `add` or `advance`.

        Raises:
            ValueError: time has begun.
        """
        if self._core.begun:
            message = "static data come before the first element"
            raise ValueError(message)
        rows = encode(data, self._terms, _DOCUMENT)
        self.counters.static += len(rows)
        self._core.assert_static(rows)
        if self._journal is not None:
            self._journal.always(rows)

    def add_rules(self, rules: str | Path | Document, *, name: str = "<text>") -> None:
        """Rules and facts that join those that run.

        They see what is asserted from now on; with ``keep=True`` all that still holds. Their own
        facts hold from now on. Rules are numbered on; the Window of the engine counts for all, and
        `warnings` grows by what there is to say.

        Args:
            rules: a document, its text, or the path of its file.
            name: what messages call the text.

        Raises:
            RuleErrors: they cannot be run, or not with those that run.
            TypeError: what is given is no rules.
            ValueError: the input has ended.
        """
        self._go_on()
        self._core.add(self._joining(rules, name))

    def _joining(self, rules: str | Path | Document, name: str) -> Program:
        document, warnings = joining(rules, name, self._roles)
        document = with_locals_of(document, self._documents)
        self._documents += 1
        running = self._core.program
        program = compile_document(
            document,
            self._clock.scale,
            running=running,
            instances=self._instances,
            literals_by_value=self._terms.by_value,
        )
        self.warnings += tuple(warnings)
        self._read.append(document)
        self._rules_change()
        return program

    def drop_rules(self, rule: str | int) -> int:
        """Rules that are there no longer, from the frontier on; what they gave ends there.

        Args:
            rule: the IRI of their annotation, or the number of one, a fact of the rules included.

        Returns:
            How many there were; a rule that was dropped stays known by its number.
        """
        self._go_on()
        labels = self._core.program.labels
        numbers = {number for number, label in enumerate(labels, 1) if rule in {label, number}}
        self._begin()
        self._core.drop(numbers)
        self._rules_change()
        self._tell(self._core.close(self._frontier))
        return len(numbers)

    def add(
        self,
        data: Statements,
        *,
        at: Instant,
        until: Instant | None = None,
        name: str | None = None,
    ) -> bool:
        """One element: triples that hold from ``at`` on, for the window or until ``until``.

        Args:
            data: its triples.
            at: when it begins.
            until: when it ends; None: with the window.
            name: the IRI by which it may be taken back.

        Returns:
            Whether it was in time; an element below the frontier is late: counted, without effect.

        Raises:
            ValueError: ``until`` is not after ``at``, the kind of stamp is another one, or the
                input has ended.
            TypeError: what is given is no time, or no statement.
        """
        self._go_on()
        begin = self._stamp(at)
        stop = None if until is None else self._stamp(until)
        if stop is not None and (stop.tick, stop.rest) <= (begin.tick, begin.rest):
            message = f"an element ends after it starts: {at} to {until}"
            raise ValueError(message)
        start, end = begin.tick, NO_END if stop is None else stop.tick
        if start < self._frontier:
            self.counters.late += 1
            return False
        rows = encode(data, self._terms, _DOCUMENT)
        self._clock.kind = begin.kind
        self.counters.elements += 1
        self.counters.quads += len(rows)
        self._last = max(self._last, start)
        self._frontier = max(self._frontier, self._last - self._delay)
        element = self._name(name)
        names = np.full(len(rows), element)
        starts, ends = np.full(len(rows), start), np.full(len(rows), end)
        held = (rows, names) if self._journal is None else (rows, names, self._journal.ids)
        batch = Batch(rows, starts, ends, self._frontier, self._last, held, names)
        if self._journal is not None:
            self._journal.note(batch, self._core.program.window, self._frontier)
        for changes in self._core.step(batch):
            self._tell(changes)
        return True

    def retract(
        self,
        data: Statements | None = None,
        *,
        name: str | None = None,
        at: Instant | None = None,
    ) -> int:
        """Take back elements, or some of their triples: as if they had never been asserted.

        That is so from the frontier on; what lies before it stays as it was told.

        Args:
            data: the triples; None: all.
            name: that of the elements; None: those without a name.
            at: time moves there first, as by an element with that stamp.

        Returns:
            How many facts are asserted no longer; what is not there, or ended, counts in
            ``counters.without_effect`` if it was all.
        """
        self._go_on()
        if data is None and name is None:
            message = "say what is to be taken back: triples, or the name of an element"
            raise ValueError(message)
        if at is not None:
            stamp = self._stamp(at)
            self._clock.kind = stamp.kind
            self._last = max(self._last, stamp.tick)
            self._frontier = max(self._frontier, self._last - self._delay)
        self._begin()
        self._tell(self._core.close(self._frontier))
        element = self._name(name)
        if data is None:
            taken = np.array([element])
            count = self._core.retract(taken)
        else:
            taken = np.insert(encode(data, self._terms, _DOCUMENT), 3, element, axis=1)
            count = self._core.retract_rows(taken)
        if self._journal is not None:
            self._journal.cut(taken, self._frontier)
        self._tell(self._core.arrived(self._last))
        self.counters.retractions += 1
        self.counters.without_effect += not count
        return count

    def _name(self, name: str | None) -> int:
        return self._terms.encode(f"<{_UNNAMED if name is None else name}>")

    def advance(self, to: Instant) -> None:
        """Time has come to ``to``: what changes up to then, inclusive, is final.

        Elements with a stamp up to ``to`` are late from now on.
        """
        self._go_on()
        tick = self._tick(to)
        self._last = max(self._last, tick)
        self._frontier = max(self._frontier, tick + 1)
        self._begin()
        self._tell(self._core.close(self._frontier))
        self._tell(self._core.arrived(self._last))

    def finish(self, drain: str | int | None = 0) -> None:
        """The input has ended: what changes up to the last stamp is final.

        Args:
            drain: a duration after the last stamp up to which changes are told too; None: all.
        """
        self._go_on()
        ticks = None if drain is None else self._clock.scale.duration(str(drain))
        self._ended = True
        self._tell(self._core.finish(self._last, ticks))

    def changes(self) -> Iterator[Change]:
        """The changes that are to be told since the last call, in order; each is told once."""
        while self._ready:
            yield self._ready.popleft()

    def __iter__(self) -> Iterator[Change]:
        return self.changes()

    def outside(self) -> list[Outside]:
        """What built-ins were given outside their domain so far: a count and samples for each."""
        return self._core.outside()

    def run(
        self, elements: Iterable[tuple[Statements, Instant]], *, drain: str | int | None = 0
    ) -> Iterator[Change]:
        """Add each of ``elements`` (data, at), and give the changes as they become final."""
        for data, at in elements:
            self.add(data, at=at)
            yield from self.changes()
        self.finish(drain)
        yield from self.changes()

    async def arun(
        self, elements: AsyncIterable[tuple[Statements, Instant]], *, drain: str | int | None = 0
    ) -> AsyncIterator[Change]:
        """`run` for elements that arrive asynchronously."""
        async for data, at in elements:
            self.add(data, at=at)
            for change in self.changes():
                yield change
        self.finish(drain)
        for change in self.changes():
            yield change

    def attach(self, graph: Graph, *, clock: Callable[[], Instant] | None = None) -> None:
        """Follow ``graph``: what it holds is added now, what is added to it when it is added.

        What is removed from it is taken back.

        Args:
            graph: any rdflib graph whose store tells of additions, as those in memory do.
            clock: gives the time of each change; None: the computer's.
        """
        now = clock or (lambda: datetime.now(UTC))
        self._attached += 1
        name = f"{_UNNAMED}#{self._attached}"
        if len(graph):
            self.add(list(graph), at=now(), name=name)

        def added(event: TripleAddedEvent) -> None:
            triple: tuple[Node, Node, Node] = event.triple  # type: ignore[attr-defined]
            self.add([triple], at=now(), name=name)

        remove = graph.store.remove

        def removed(triple: _Pattern, context: Graph | None = None) -> None:
            gone = [found for found, _ in graph.store.triples(triple, context)]
            remove(triple, context)
            gone = [found for found in gone if found not in graph]
            if gone:
                self.retract(gone, name=name, at=now())

        graph.store.dispatcher.subscribe(TripleAddedEvent, added)  # type: ignore[no-untyped-call]
        graph.store.remove = removed  # type: ignore[method-assign]  # stores in memory tell nothing

    def current(self, at: Instant | None = None) -> Graph:
        """The derived triples that hold at ``at``, by default at the last time that is final.

        Those with a list are not among them: no RDF graph has lists as terms.

        Of times before that only what the engine has not forgotten is there.
        """
        tick = self._frontier - 1 if at is None else self._tick(at)
        self._begin()
        graph = Graph()
        for triple in self._core.derived_at(tick):
            said, _ = _said(triple)
            if said is not None:
                graph.add(said)
        return graph

    def explain(
        self,
        fact: tuple[Node, Node, Node] | str,
        at: Instant | None = None,
        *,
        limit: int = 3,
    ) -> Explained:
        """Why ``fact`` holds: the asserted facts it follows from, and by which rules, as a tree.

        Those sets of facts are minimal, the smallest first. Costs what leads to the fact, not what
        is held. Of times before the frontier only what the engine has not forgotten is known; with
        a ``journal`` the rules run once more over what that has.

        Args:
            fact: a triple, or a text: ``S P O`` in Turtle, or a fact as the rules write it, both
                with the prefixes of the rules.
            at: when it is to hold; by default at the last stamp, or where `advance` has come to.
            limit: the most such sets.

        Raises:
            NoFact: the text is none.
        """
        self._begin()
        names = names_for(self._read, self._core.program)
        if isinstance(fact, str):
            relation, texts = fact_of(fact, {**CUSTOMARY, **dict(names.prefixes)})
            ids = self._terms.encode_many(texts).tolist()
        else:
            relation, ids = TRIPLES, encode([fact], self._terms, _DOCUMENT)[0].tolist()
        now = self._last if self._last > NEG_INF else 0
        tick = now if at is None else self._tick(at)
        gone = tick < min(self._frontier, now)
        core = self._core
        if gone and self._journal is not None and self._journal.since <= tick:
            core = self._journal.replayed(core, tick, instances=self._instances)
            gone = False
        why = Why(core, names, limit)
        found = why.explain(relation, ids, tick, gone=gone)
        if found.trees:
            found = why.with_end(found, why.fact(relation, ids))
        return Explained(found, names, replace(self._clock))

    def _rules_change(self) -> None:
        """What held before was derived by other rules."""
        if self._journal is not None:
            self._journal.since = max(self._journal.since, self._frontier)

    def _begin(self) -> None:
        if not self._core.begun:
            self._tell(self._core.begin())

    def _go_on(self) -> None:
        if self._ended:
            message = "the input has ended: what was told is final"
            raise ValueError(message)

    def _tick(self, when: Instant) -> Tick:
        stamp = self._stamp(when)
        self._clock.kind = stamp.kind
        return stamp.tick

    def _stamp(self, when: Instant) -> Stamp:
        if isinstance(when, bool) or not isinstance(when, datetime | int):
            message = f"a time is a datetime or an integer, not {when!r}"
            raise TypeError(message)
        stamp = self._clock.scale.at(when)
        if self._clock.kind not in {None, Kind.NONE, stamp.kind}:
            message = f"{when!r}: the times of a run are all datetimes or all integers"
            raise ValueError(message)
        return stamp

    def _tell(self, changes: Changes) -> None:
        labels = self._core.program.labels
        texts = self._terms.decode_many(changes.triples[changes.kind == TRIPLE].ravel())
        facts = zip(*[iter(texts)] * 3, strict=True)
        for i in range(len(changes)):
            inserted = bool(changes.op[i] == INSERTED)
            kind = changes.kind[i]
            open_ended = inserted and not self._instances
            triple, atom = _said(next(facts)) if kind == TRIPLE else (None, None)
            if kind not in {TRIPLE, INCONSISTENT}:
                atom = changes.atoms[i]
            self._ready.append(
                Change(
                    op="+" if inserted else "-",
                    at=self._instant(int(changes.at[i])),
                    triple=triple,
                    atom=atom,
                    error=bool(kind == INCONSISTENT),
                    start=self._instant(int(changes.start[i])),
                    until=None if open_ended else self._instant(int(changes.end[i])),
                    rule=labels[int(changes.rule[i]) - 1],
                    undone=i < changes.undone,
                )
            )

    def _instant(self, tick: Tick) -> Instant | str | None:
        if not NEG_INF // 2 < tick < POS_INF // 2:
            return None
        if self._clock.kind is not Kind.DATE_TIME:
            return tick
        scale = self._clock.scale
        micros, rest = divmod(tick * 10**6, scale.per_second)
        try:
            since = timedelta(days=scale.origin, microseconds=micros)
            return datetime(1970, 1, 1, tzinfo=UTC) + since if not rest else scale.text(tick)
        except OverflowError:
            return scale.text(tick)


def _check(given: object, kind: type | UnionType, due: str) -> None:
    """That something is of its type.

    Raises:
        TypeError: it is not; ``due`` says what is.
    """
    if not isinstance(given, kind):
        message = f"{due}; given was a {type(given).__name__}"
        raise TypeError(message)


def _alone(document: Document) -> Document:
    """``document``, which must be one and import nothing."""
    due = "rules are a Document or a Closure here; Engine.from_text and Engine.from_file read them"
    _check(document, Document, due)
    if faults := not_followed(document):
        raise RuleErrors(faults)
    return document


def _said(texts: tuple[str, str, str]) -> tuple[tuple[Node, Node, Node] | None, str | None]:
    """A fact of three terms: as nodes, or as text if it is no triple of RDF."""
    s, p, o = map(to_node, texts)
    if s is None or p is None or o is None:
        return None, "{}[{} -> {}]".format(*texts)
    return (s, p, o), None
