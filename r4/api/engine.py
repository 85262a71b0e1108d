"""The engine as users see it: it passes calls on to a run and its parts."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self
from warnings import warn

from r4 import markup
from r4.api.assembly import assemble
from r4.api.run.engine_lock import GRAPH_CHANGES
from r4.api.run.engine_run import EngineRun
from r4.api.run.queries import current_graph, explain_fact
from r4.api.run.rulebook import (
    ReadRules,
    Rulebook,
    read_rule_file,
    read_rule_text,
    warn_of_rules,
)
from r4.api.values.change import Change
from r4.api.values.event_clock import (
    Admission,
    EventClock,
    Instant,
    LateElement,
    UnboundedMemory,
    checked_element,
)
from r4.api.values.graph_terms import Triples, ntriples, statement_texts
from r4.api.values.keywords import with_keywords
from r4.api.values.possible_answers import Possible, Prospect
from r4.api.values.term_texts import Statements
from r4.api.values.wall_time import Clock, with_clock
from r4.errors import Counters
from r4.functions import Functions
from r4.imports import Closure, Locations
from r4.language import language_with
from r4.options.engine_options import EngineOptions, FileOptions, TextOptions
from r4.options.values import Duration, duration_text
from r4.program.lookahead import memory_warning
from r4.run.run_bounds import MemoryFull
from r4.run.status import RunStatus
from r4.time.ticks import Kind, TimeScale
from rete.memory_limit import MemoryBound
from rete.network.network import Network
from rete.terms.builtin_calls import DomainErrors
from rif.errors.base import RuleError
from rif.syntax.ast import Document

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

    from r4.api.values.mapped_rows import Element, MappedElements, Row, TableMeaning
    from r4.explain.question.explainer import ExplanationAnswer


class Engine:
    """Rules that run: facts are added with the time at which they hold, changes are taken out.

    Changes are final: they come out once no element in time can alter them, which is when time has
    passed them by. `add` moves time to its stamp less ``delay``, `advance` to a time of its own.
    With ``order="arrival"`` they come out as soon as time reaches them, and what proves untrue
    comes out again as ``undone``; without such pairs the changes are the same.

    Any thread may call it: a call waits while one from another thread runs, and so does a change of
    a graph that is attached; `prospects` never waits, nor does `changes` without a ``state``. What
    is added is read before the call waits, so a slow iterable stops no other thread.
    In event loops it may be called from one at a time: while that runs, a call in another one
    raises `EngineInUse` and has no effect.

    Once the input has ended, or the engine is closed, calls that change it raise `ValueError`. What
    is no time, statement, IRI or rule raises `TypeError`; where a ``state`` is not taken by the
    system, `StateError` is raised. A call that is cut short, by a ``KeyboardInterrupt``, an
    exception of a signal handler or of memory, may have been made in part: from then on all calls
    raise `EngineBroken`; go on from what was saved last, or from the ``state``.

    Attributes:
        streams: the sources that the rules import as streams, which the engine does not open.
    """

    @with_keywords(EngineOptions)
    def __init__(self, rules: Document | Closure | ReadRules, options: EngineOptions) -> None:
        """Compile ``rules``.

        Args:
            rules: a document without imports, or a document with all that it imports.
            options: {options}

        Raises:
            RuleErrors: the rules cannot be run, an imported graph cannot be read, or a chance is
                malformed.
            TypeError: there is no such option, or a function is none that rules can call.
            ValueError: an option has no such value, or is of use with ``hypotheses`` alone.
            StateError: the ``state`` is damaged, in use, of something else, or not to be had.
        """
        given = rules if isinstance(rules, ReadRules) else ReadRules(rules)
        self._options = options
        scale = TimeScale(options.tick)
        self._rulebook = Rulebook(given.rules, options, scale, given.warnings)
        forgets = options.retract_within is not None
        self._unbounded = memory_warning(
            self._rulebook.program, forgets=forgets, remedy="retract_within="
        )
        event_clock = EventClock(
            scale, options.ticks("delay", scale) or 0, options.ticks("ahead", scale)
        )
        if options.zone is not None:
            event_clock.clock.kind = Kind.DATE_TIME
        self._own_run, self._calls = assemble(given, self._rulebook, options, event_clock)
        self._mapped: MappedElements | None = None
        warn_of_rules(self.warnings)
        self.streams = given.rules.streams if isinstance(given.rules, Closure) else ()

    @classmethod
    @with_keywords(FileOptions)
    def from_file(cls, path: str | Path, options: FileOptions) -> Self:
        """An engine for the rules in a file, RIF/XML or presentation syntax, and all they import.

        Args:
            path: the file; imports are looked for in its folder.
            options: {options}

        Raises:
            RuleErrors: the rules, or what they import, cannot be read or run.
            OSError: there is no such file.
        """
        language = language_with(options.functions).with_syntax(strict=options.strict_syntax)
        read = read_rule_file(path, options.imports, language, lenient=options.lenient)
        return cls(read, **options.of_engine)

    @classmethod
    @with_keywords(TextOptions)
    def from_text(cls, text: str, options: TextOptions) -> Self:
        """An engine for the rules in a text, which has no folder; see `from_file`.

        Args:
            text: the rules.
            options: {options}
        """
        where, language = options.imports, language_with(options.functions)
        language = language.with_syntax(strict=options.strict_syntax)
        read = read_rule_text(text, options.name, where, language, lenient=options.lenient)
        return cls(read, **options.of_engine)

    @classmethod
    def load(  # noqa: PLR0913 - what a file does not have
        cls,
        path: str | Path,
        rules: str | Path | Document | Closure,
        *,
        added: Iterable[str | Path | Document] = (),
        lenient: bool = False,
        imports: Locations | None = None,
        functions: Functions = (),
    ) -> Engine:
        """The engine that was saved to a file, with the options that it had.

        Args:
            path: the file.
            rules: the rules it had, which are compiled again: their text, the path of their file,
                or as of the constructor.
            added: those that were added since, in their order.
            lenient: as of `from_file`.
            imports: as of `from_file`; graphs are not read again.
            functions: those it had, of the same versions.

        Raises:
            SnapshotError: the file is no snapshot, damaged, or of other rules or functions.
            RuleErrors: the rules cannot be read or run.
            OSError: there is no such file.
        """
        from r4.checkpoint import Resumption, read  # noqa: PLC0415 - for those who load

        saved = Resumption(read(Path(path)), Path(path), tuple(added))
        with saved.naming_file():
            options = {**saved.options(), "functions": functions}
            language = language_with(functions)
            saved.check_functions(language.builtins)
            if isinstance(rules, Path):
                given = read_rule_file(rules, imports, language, lenient=lenient)
            elif isinstance(rules, str):
                given = read_rule_text(rules, "<text>", imports, language, lenient=lenient)
            else:
                given = ReadRules(rules)
            return cls(replace(given, resumes=saved), **options)

    def save(self, path: str | Path) -> None:
        """Write the state of the engine to a file, whole or not at all; the engine goes on.

        The rules themselves are not in it. An engine with ``hypotheses`` cannot be saved.

        Raises:
            OSError: the file cannot be written; what was there before still is.
        """
        from r4.api.state.checkpoint import save  # noqa: PLC0415 - for those who save

        self._refuse_hypotheses("saved")
        with self._run.lock:
            save(Path(path), self._run, self._options)

    @property
    def calls(self) -> int:
        """How many calls an engine with a ``state`` has taken since that is there; else 0.

        Those count that change what it knows and did not raise; `attach` does not, nor does a
        change of a graph that is attached. Once `sync`, or a change that came out, has returned,
        the system may crash without loss of one; before that the process may.
        """
        state = self._calls.state
        return 0 if state is None else state.calls

    def sync(self) -> None:
        """Return once all calls so far are on the disk; without a ``state`` at once."""
        with self._run.lock:
            if self._calls.state is not None:
                self._calls.state.sync()

    def close(self) -> None:
        """Write a last checkpoint and leave the ``state`` to others; without one, nothing.

        No changes come out then, and no graph is followed. What was taken out counts as dealt with.
        """
        with self._own_run.lock:
            if self._calls.state is not None:
                self._calls.state.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the engine; after an error as by a crash, as it may be that of the last change."""
        if kind is None:
            self.close()
            return
        with self._own_run.lock:
            if self._calls.state is not None:
                self._calls.state.abandon()

    @property
    def _run(self) -> EngineRun:
        """The run; raises `EngineBroken` if a call was cut short."""
        self._calls.whole.check()
        return self._own_run

    @property
    def warnings(self) -> tuple[RuleError, ...]:
        """The warnings about the rules and what they import, of which `RuleWarning` warned once.

        With ``hypotheses``, once time has begun, also which rules possible answers leave out, and
        whether facts were retracted before earlier answers were final.
        """
        found, tracking = self._rulebook.warnings, self._run.tracking
        return found if tracking is None else found + tracking.warnings(self._run.core)

    @property
    def counters(self) -> Counters:
        """Counts of what was added, and of what came too late."""
        return self._run.counters

    def status(self) -> RunStatus:
        """Where the run is: time, counts, what is held; rates are since the call before.

        `r4.run.status.metrics_text` writes it for Prometheus. Linear in the nodes of the
        network, so call it every second, not for each element.
        """
        with self._run.lock:
            return self._run.status()

    @property
    def network(self) -> Network:
        """The network that runs, no copy: read it while no other thread calls the engine."""
        return self._run.core.network

    def network_svg(self) -> str:
        """A picture of the network; in a notebook, that of the engine."""
        from rete.drawing.diagram import diagram  # noqa: PLC0415 - few need pictures
        from rete.drawing.picture.network_picture import Picture  # noqa: PLC0415 - few need pictures

        with self._run.lock:
            names = self._rulebook.names(self._run.core.program)
            return Picture(diagram(self.network, names)).svg()

    def _repr_svg_(self) -> str:
        return self.network_svg()

    def _repr_html_(self) -> str:
        counters, event_clock = self.counters, self._run.event_clock
        final = event_clock.instant(event_clock.frontier)
        counts = (counters.elements, counters.late, counters.bad.total())
        row = (*map(str, counts), "" if final is None else f"before {final}")
        shown = markup.table(("elements", "late", "bad", "final"), [row])
        return shown + markup.picture(self.network_svg(), "the network of the rules")

    def outside(self) -> list[DomainErrors]:
        """Calls of built-ins outside their domain so far: a count and samples for each."""
        with self._run.lock:
            return self._run.core.outside()

    def add_static(self, data: Statements) -> None:
        """Triples that always hold; once time has begun, from the frontier on, for ever.

        Before the first `add` or `advance` nothing is derived, so this is the quickest way in for
        much data. Later an engine with ``hypotheses`` takes none.

        Raises:
            ValueError: a text is no Turtle.
            MemoryFull: there is no room for them in ``memory``; they were not taken in.
            NewRangeEnd: time has begun, and a range of a rule ends in a variable for which they
                have a new value; they were not taken in.
        """
        triples = self._triples(data)
        with self._run.lock:
            if self._run.core.begun:
                self._refuse_hypotheses("given other static data once time has begun")
            self._calls.add_static(triples)

    def remove_static(self, data: Statements) -> int:
        """Take back static triples: they hold up to the frontier, and no longer.

        What held before the frontier stays: operators that look back see it. Triples of imported
        graphs count, too; what elements assert stays. Not with ``hypotheses``.

        Returns:
            How many of them, each once, were there. If none was, ``counters.without_effect`` grows
            by 1.

        Raises:
            PermanentEquality: by the ``entailment``, a term is equal to another one for ever.
        """
        triples = self._triples(data)
        with self._run.lock:
            self._refuse_hypotheses("given other static data")
            return self._calls.remove_static(triples)

    def add_rules(self, rules: str | Path | Document, *, name: str = "<text>") -> None:
        """Add rules and facts to those that run; not with ``hypotheses``.

        They see what is asserted from now on. With ``keep=True`` their answers from now on are
        those of an engine that had them from the first; if some rule has metric operators, all that
        is kept is derived anew. Rules are numbered on, after those of ``entailment``. The Window of
        the engine counts for all, and the rules that it began with decide whether elements without
        an end hold for ever or at an instant. Their warnings are added to `warnings`.

        Args:
            rules: a document, its text, or the path of its file.
            name: what messages call the text.

        Raises:
            RuleErrors: they cannot be run, not with those that run, or look back farther than
                ``lookback`` (R4114).
        """
        self._refuse_hypotheses("added to")
        with self._run.lock:
            before = len(self._rulebook.warnings)
            self._calls.add_rules(rules, name)
            warn_of_rules(self._rulebook.warnings[before:])

    def drop_rules(self, rule: str | int) -> int:
        """Drop rules from the frontier on, and what they derived; not with ``hypotheses``.

        Args:
            rule: the IRI of their annotation, or the number of one, a fact of the rules included.

        Returns:
            How many there were, those of ``entailment`` left out; a rule that was dropped stays
            known by its number.

        Raises:
            ValueError: some rule looks back, and with ``retract_within`` what was derived long ago
                is forgotten.
        """
        self._refuse_hypotheses("dropped from")
        with self._run.lock:
            if not self._run.core.may_rederive:
                message = "rules look back, and with retract_within= what they derived is forgotten"
                raise ValueError(message)
            return self._calls.drop_rules(rule)

    def _triples(self, data: Statements | Row) -> Triples:
        if isinstance(data, Mapping):
            message = "a dict needs a mapping=, which says what its values mean"
            raise TypeError(message)
        prefixes = self._rulebook.documents[0].prefixes
        look = self._run.run.bounds.check
        try:
            if self._calls.state is None:  # which records terms
                found = ntriples(data, prefixes, look)
                if found is not None:
                    return found
            return statement_texts(data, prefixes, look)
        except MemoryBound as error:
            raise MemoryFull(str(error)) from None

    def _refuse_hypotheses(self, what: str) -> None:
        if self._run.tracking is not None:
            message = f"an engine with hypotheses cannot be {what}"
            raise ValueError(message)

    def add(
        self,
        data: Statements | Row,
        *,
        at: Instant | None = None,
        until: Instant | None = None,
        name: str | None = None,
        mapping: TableMeaning | None = None,
    ) -> Admission:
        """Add an element: triples that hold from ``at`` on, for the window or until ``until``.

        Without both they hold for ever, of which `UnboundedMemory` warns once.

        Args:
            data: its triples: a graph or triples of rdflib or pyoxigraph, a single one, or a text
                in Turtle, which may use the prefixes of the rules; or, with a ``mapping``, a dict.
            at: when it begins; None: as the ``mapping`` says.
            until: when it ends; None: as the ``mapping`` says, else after the window.
            name: the IRI by which it may be retracted.
            mapping: what the values of a dict mean, as of `mapping_from`; a file is read once.

        Returns:
            True, or why it has no effect, which counts as false: an element below the frontier is
            late, one farther ahead than ``ahead`` is bad data; both are counted.

        Raises:
            ValueError: ``until`` is not after ``at``, the kind of stamp is another one, a text is
                no Turtle, or a value of a dict is not what the ``mapping`` says.
            LimitReached: rules derive more than ``limit`` from it; the next call derives the rest.
            MemoryFull: there is no room for it in ``memory``; it was not taken in.
            MemoryExhausted: what rules derive from it takes more than ``memory``.
        """
        if at is not None and mapping is None:
            added = self._calls.add_rows(data, at, until, name)
            if added is not None:
                if self._unbounded and until is None:
                    self._warn_of_memory()
                return added
        if mapping is not None:
            if self._mapped is None:
                from r4.api.values.mapped_rows import MappedElements  # noqa: PLC0415 - few have rows

                self._mapped = MappedElements(self._run.counters)
            element = self._mapped.element(data, mapping)
            triples: Triples = element.triples
            if self._calls.state is not None:  # which records terms
                triples = statement_texts(element.statements)
            at = element.at if at is None else at
            until = element.until if until is None else until
        else:
            triples = self._triples(data)
        if at is None:
            message = "say when the element begins: at=, or a mapping with a time"
            raise TypeError(message)
        if triples and until is None:
            self._warn_of_memory()
        with self._run.lock:
            return self._calls.add(triples, at, until, name)

    def _warn_of_memory(self) -> None:
        """Warn once, whoever called the method that calls this, of memory without bound."""
        if reason := self._unbounded:
            self._unbounded = ""
            program = self._rulebook.program
            has_window = program.metric or program.window is not None
            warn(UnboundedMemory.of(reason, has_window=has_window), stacklevel=3)

    def retract(
        self,
        data: Statements | None = None,
        *,
        name: str | None = None,
        at: Instant | None = None,
    ) -> int:
        """Retract elements, or some of their triples: as if they had never been asserted.

        This counts from the frontier on; answers before it are final and stay.

        Args:
            data: the triples; None: all of the elements of that ``name``.
            name: that of the elements; None: those without a name; then ``data`` are required.
            at: event time moves there first, as by an element with that stamp; below the frontier
                the retraction is late: counted, without effect.

        Returns:
            How many different facts are asserted no longer, of those that hold at the frontier or
            later, or that operators may still look back on. If nothing was there, or all had
            ended, ``counters.without_effect`` grows by 1.

        Raises:
            ValueError: neither ``data`` nor a ``name`` is given, or the kind of stamp is another.
        """
        triples = None if data is None else self._triples(data)
        with self._run.lock:
            return self._calls.retract(triples, name, at)

    def attach(
        self,
        graph: Graph,
        *,
        clock: Callable[[], Instant] | None = None,
        static: bool = False,
    ) -> None:
        """Follow ``graph``: its triples are added now, later additions when they are made.

        What is removed from it is retracted, from the frontier on where the clock is behind that;
        what is added then is late. To an engine that was loaded, or that goes on from a ``state``,
        graphs are attached again in their order: only what was changed since is added or retracted.
        To add a triple that the graph has already asserts it again.

        Args:
            graph: any rdflib graph that is changed here alone, as those in memory are; of a dataset
                all graphs.
            clock: gives the time of each change; None: the computer's. It is called while the
                engine is locked: it may call the engine, but must not wait for another thread.
            static: whether it is reference data, without a ``clock``, and not with ``hypotheses``:
                what is added holds as of `add_static`, and ends as of `remove_static` unless
                another static graph has it.

        Raises:
            ValueError: a graph that is attached again was the other kind.
            PermanentEquality: a static graph that is attached again has lost a triple that cannot
                end; it is not followed then.
        """
        from r4.api.followed_graph import follow, follow_static  # noqa: PLC0415 - for rdflib

        if static and clock is not None:
            message = "a static graph changes at the frontier, so it has no clock"
            raise ValueError(message)
        if static:
            self._refuse_hypotheses("given a static graph")
        with GRAPH_CHANGES, self._run.lock, self._calls.as_one(), self._calls.whole:
            if static:
                follow_static(graph, self._run, self._calls)
                return
            follow(graph, self._run, self._calls, clock or (lambda: datetime.now(UTC)))

    def advance(self, to: Instant) -> None:
        """Move event time to ``to``: up to then, inclusive, changes are final and elements late."""
        with self._run.lock:
            self._calls.advance(to)

    def heartbeat(self, at: Instant) -> None:
        """Event time comes to ``at``, as by an element without triples that is never late.

        If ``at`` is farther ahead than ``ahead`` allows, that is counted, without effect.
        """
        with self._run.lock:
            self._calls.heartbeat(at)

    def finish(self, drain: Duration | None = 0) -> None:
        """End the input: changes up to the last stamp are final.

        Args:
            drain: a duration after the last stamp up to which changes come out too; None: all.

        Raises:
            LimitReached: there is no end to ``all``, as rules derive for ever.
        """
        with self._run.lock:
            self._calls.finish(None if drain is None else duration_text(drain))

    def changes(self) -> Iterator[Change]:
        """The changes since the last call, in order; each comes out once.

        Of several threads that take them each gets some, in order. With a ``state`` each waits
        until all calls so far are on the disk, and for a call that runs; it counts as dealt with
        once the next one is asked for, or the iterator ends or is closed.
        """
        self._run.lock.check_loop()
        return self._calls.take()

    def possible(self) -> list[Possible]:
        """The possible answers by all that was added; without ``hypotheses`` none.

        In the order of the facts, then of what is missing; linear in their number. With ``chances``
        each has its confidence; with ``most`` they are those kept if no more came now.
        """
        with self._run.lock:
            return self._run.possible_answers()

    @property
    def dropped(self) -> int:
        """How many possible answers were dropped, as more than ``most`` were open."""
        return self._run.dropped

    def prospects(self) -> Iterator[Prospect]:
        """What became of possible facts since the last call, in order; each comes out once.

        It comes out when time moves on, before the changes that are final by that.
        """
        self._run.lock.check_loop()
        return self._calls.taken(self._run.prospects.take())

    def __iter__(self) -> Iterator[Change]:
        return self.changes()

    def run(
        self,
        elements: Iterable[Element],
        *,
        drain: Duration | None = 0,
        mapping: TableMeaning | None = None,
    ) -> Iterator[Change]:
        """Add each of ``elements``, and give the changes as they become final.

        Of the first one that is late there is a warning, `LateElement`.

        Args:
            elements: (data, at) each; with a ``mapping`` that has a time, dicts.
            drain: as of `finish`.
            mapping: as of `add`.
        """
        has_warned = False
        for element in elements:
            data, at = checked_element(element, has_mapping=mapping is not None)
            self._warn_of_memory()
            added = self.add(data, at=at, mapping=mapping)
            if not added and added.reason == "late" and not has_warned:
                has_warned = True
                warn(LateElement.of(added.at), stacklevel=2)
            yield from self.changes()
        self.finish(drain)
        yield from self.changes()

    async def arun(
        self,
        elements: AsyncIterable[Element],
        *,
        drain: Duration | None = 0,
        clock: Clock | None = None,
        mapping: TableMeaning | None = None,
    ) -> AsyncIterator[Change]:
        """`run` for elements that arrive asynchronously.

        Args:
            elements: as of `run`.
            drain: as of `finish`.
            mapping: as of `add`.
            clock: moves time too, as a `heartbeat` every 40 ms, so that changes come out while
                nothing arrives: `SystemClock` or another; None: time is that of the elements. With
                a ``state`` what it moves is recorded, but is none of the `calls`.
        """
        self._run.lock.check_loop()
        has_warned = False
        async with aclosing(with_clock(elements, clock)) as arriving:
            async for element, shown in arriving:
                if element is not None:
                    data, at = checked_element(element, has_mapping=mapping is not None)
                    self._warn_of_memory()
                    added = self.add(data, at=at, mapping=mapping)
                    if not added and added.reason == "late" and not has_warned:
                        has_warned = True
                        warn(LateElement.of(added.at), stacklevel=2)
                if shown is not None:
                    with self._run.lock:
                        self._calls.move_clock(shown)
                for change in self.changes():
                    yield change
        self.finish(drain)
        for change in self.changes():
            yield change

    def current(self, at: Instant | None = None) -> Graph:
        """The derived triples that hold at ``at``, by default at the last time that is final.

        Those with a list are left out, as no RDF graph has them. Of the past all is known as long
        as nothing that ended later is forgotten: always at the default, and where nothing ends; a
        fact that ended may be forgotten at any time. Nothing is known of rules that were dropped.

        Raises:
            ForgottenInstant: facts that held at ``at`` may be forgotten.
        """
        with self._run.lock:
            return current_graph(self._run, at)

    def explain(
        self,
        fact: tuple[Node, Node, Node] | str | Change,
        at: Instant | None = None,
        *,
        limit: int = 3,
    ) -> ExplanationAnswer:
        """Why ``fact`` holds: the asserted facts it follows from, and by which rules, as a tree.

        The sets of facts are minimal, the smallest first. The cost grows with what leads to the
        fact, not with what is kept. What was forgotten can be told
        with a ``journal`` alone, over which the rules run once more.

        Args:
            fact: a triple, or a text: ``S P O`` in Turtle, or a fact as the rules write it, both
                with the prefixes of the rules; or a change, of which it is the answer.
            at: when it is to hold; by default at the time of the change, else at the last stamp, or
                where `advance` has come to.
            limit: at most so many sets.

        Raises:
            NoFact: the text is no fact.
        """
        with self._run.lock:
            names = self._rulebook.names(self._run.core.program)
            return explain_fact(self._run, names, fact, at, limit)
