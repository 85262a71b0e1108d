"""The engine, as the user holds it."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rdflib import Graph
from rdflib.term import Node

from r4.api.assembly import assemble, import_graphs
from r4.api.change import Change
from r4.api.event_clock import EventClock, Instant
from r4.api.followed_graph import follow
from r4.api.graph_terms import Statements
from r4.api.options import (
    Entailment,
    Literals,
    Options,
    Order,
    Semantics,
    Units,
    hypothesis_options,
)
from r4.api.possible_answers import Possible, Prospect
from r4.api.queries import current_graph, explain_fact
from r4.api.rulebook import Rulebook, check_type, load_imports
from r4.errors import Counters
from r4.explain.question.explainer import ExplanationAnswer
from r4.imports import Closure, Locations
from r4.time.ticks import TickUnit, TimeScale
from rete.network.network import Network
from rete.nodes.builtin_calls import DomainErrors
from rif.errors.base import RuleError
from rif.parser import parse_bytes
from rif.syntax.ast import Document

if TYPE_CHECKING:
    from r4.checkpoint import Resumption


class Engine:
    """Rules that run: facts are added with the time at which they hold, changes are taken out.

    Changes are final: they come out once no element in time can alter them, which is when time has
    passed them by. `add` moves time to its stamp less ``delay``, `advance` to a time of its own.
    With ``order="arrival"`` they come out as soon as time reaches them, and what proves untrue
    comes out again as ``undone``; without such pairs the changes are the same.

    Attributes:
        streams: the sources that the rules import as streams, which the engine does not open.
    """

    def __init__(  # noqa: PLR0913 - options of a run
        self,
        rules: Document | Closure,
        *,
        semantics: Semantics = "facts",
        window: str | None = None,
        tick: TickUnit = "ms",
        delay: str | int = 0,
        entailment: Entailment = "none",
        literals: Literals = "term",
        keep: bool = False,
        order: Order = "time",
        journal: int = 0,
        hypotheses: bool | Units = False,
        expect: Iterable[str] | None = None,
        chances: Sequence[str] = (),
        most: int | None = None,
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
            hypotheses: whether `possible` tells what may become true, of ``subjects``, which is
                True, or of single ``triples``. Then rules stay as they are, and nothing is saved.
            expect: IRIs of the predicates and classes that may come; None: those that do not occur
                in static data.
            chances: how probable it is that they come, as of ``--chance``: ``"0.9"`` all,
                ``"urn:ex:a=0:0.8,1m:0.95"`` those of a predicate or class.
            most: how many sets of hypotheses are held; None: all.
            warnings: kept as they are.
            resumes: the saved state that it goes on from, see `load`.

        Raises:
            RuleErrors: the rules cannot be run, an imported graph cannot be read, or a chance is
                none.
            ValueError: a duration is none, an option unknown, or of use with ``hypotheses`` alone.
        """
        self._options = options = Options(
            semantics, window, tick, str(delay), entailment, literals, keep, order, journal
        )
        scale = TimeScale(tick)
        self._rulebook = Rulebook(rules, options, scale, warnings)
        event_clock = EventClock(scale, scale.duration(options.delay))
        wish = hypothesis_options(
            options, hypotheses=hypotheses, expect=expect, chances=chances, most=most
        )
        self._run = assemble(self._rulebook, options, event_clock, wish, resumes)
        self.streams = rules.streams if isinstance(rules, Closure) else ()
        if resumes is None and isinstance(rules, Closure):
            import_graphs(self._run, self._rulebook, rules)

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
        closure, warnings = load_imports(parsed, str(path), imports, lenient=lenient)
        return cls(closure, warnings=warnings, **options)  # type: ignore[arg-type]

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
        check_type(text, str, "rules are a text here, and Engine.from_file reads a file")
        parsed = parse_bytes(text.encode(), name=name, lenient=lenient)
        closure, warnings = load_imports(parsed, None, imports, lenient=lenient)
        return cls(closure, warnings=warnings, **options)  # type: ignore[arg-type]

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
        from r4.checkpoint import Resumption, read  # noqa: PLC0415 - for those who load

        saved = Resumption(read(Path(path)), Path(path), tuple(added))
        with saved.naming_file():
            options = saved.options()
            if isinstance(rules, Path):
                return cls.from_file(rules, lenient=lenient, imports=imports, **options)
            if isinstance(rules, str):
                name = "<text>"
                return cls.from_text(rules, lenient=lenient, name=name, imports=imports, **options)
            return cls(rules, **options)  # type: ignore[arg-type]

    def save(self, path: str | Path) -> None:
        """Write all that the engine is to go on with to a file, whole or not at all.

        Not in it are the rules themselves; graphs that are attached are attached again, see
        `attach`. The engine goes on as if nothing had been; one that is loaded from the file tells
        the same.

        Raises:
            OSError: the file cannot be written; what was there before still is.
            ValueError: the engine has ``hypotheses``.
        """
        from r4.api.checkpoint import save  # noqa: PLC0415 - for those who save

        self._as_they_are("saved")
        save(Path(path), self._run, self._options)

    @property
    def warnings(self) -> tuple[RuleError, ...]:
        """What there is to say about the rules and what they import.

        Once time has begun also, with ``hypotheses``, which of them possible answers leave out.
        """
        found, possible = self._rulebook.warnings, self._run.possible_tracking
        return found if possible is None else found + possible.unfollowed

    @property
    def counters(self) -> Counters:
        """What was added, and what came too late."""
        return self._run.counters

    @property
    def network(self) -> Network:
        """The network: its nodes, what they share and hold."""
        return self._run.core.network

    def outside(self) -> list[DomainErrors]:
        """What built-ins were given outside their domain so far: a count and samples for each."""
        return self._run.core.outside()

    def add_static(self, data: Statements) -> None:
        """Triples that always hold; before the first `add` or `advance`.

        Raises:
            ValueError: time has begun.
        """
        self._run.add_static(data)

    def add_rules(self, rules: str | Path | Document, *, name: str = "<text>") -> None:
        """Rules and facts that join those that run.

        They see what is asserted from now on; with ``keep=True`` all that still holds. Their own
        facts hold from now on. Rules are numbered on, after those of ``entailment``; the Window of
        the engine counts for all, and `warnings` grows by what there is to say.

        Args:
            rules: a document, its text, or the path of its file.
            name: what messages call the text.

        Raises:
            RuleErrors: they cannot be run, or not with those that run.
            TypeError: what is given is no rules.
            ValueError: the input has ended, or the engine has ``hypotheses``.
        """
        self._as_they_are("added to")
        self._run.event_clock.check_open()
        self._run.join(self._rulebook.joining(rules, name, self._run.core.program))

    def drop_rules(self, rule: str | int) -> int:
        """Rules that are there no longer, from the frontier on; what they gave ends there.

        Args:
            rule: the IRI of their annotation, or the number of one, a fact of the rules included.

        Returns:
            How many there were, those of ``entailment`` left out; a rule that was dropped stays
            known by its number.

        Raises:
            ValueError: the input has ended, or the engine has ``hypotheses``.
        """
        self._as_they_are("dropped from")
        return self._run.drop(rule)

    def _as_they_are(self, what: str) -> None:
        if self._run.possible_tracking is not None:
            message = f"an engine with hypotheses cannot be {what}"
            raise ValueError(message)

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
            TypeError: what is given is no time, no statement, or no IRI.
        """
        return self._run.add(data, at, until, name)

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
            data: the triples; None: all of the elements of that ``name``.
            name: that of the elements; None: those without a name, of which ``data`` are needed.
            at: time moves there first, as by an element with that stamp; below the frontier it is
                late: counted, without effect.

        Returns:
            How many facts are asserted no longer, one that held several times apart as often; what
            is not there, or ended, counts in ``counters.without_effect`` if it was all.

        Raises:
            ValueError: neither ``data`` nor a ``name`` is given, the kind of stamp is another one,
                or the input has ended.
            TypeError: what is given is no time, no statement, or no IRI.
        """
        return self._run.retract(data, name, at)

    def attach(self, graph: Graph, *, clock: Callable[[], Instant] | None = None) -> None:
        """Follow ``graph``: what it holds is added now, what is added to it when it is added.

        What is removed from it is taken back, from the frontier on where the clock is behind that;
        what is added then is late. With an engine that was saved graphs are attached again in their
        order: of each what has changed since then is added, and taken back.

        Args:
            graph: any rdflib graph that is changed here alone, as those in memory are; of a dataset
                all graphs.
            clock: gives the time of each change; None: the computer's.
        """
        follow(graph, self._run, clock or (lambda: datetime.now(UTC)))

    def advance(self, to: Instant) -> None:
        """Time has come to ``to``: what changes up to then, inclusive, is final.

        Elements with a stamp up to ``to`` are late from now on.
        """
        self._run.advance(to)

    def finish(self, drain: str | int | None = 0) -> None:
        """The input has ended: what changes up to the last stamp is final.

        Args:
            drain: a duration after the last stamp up to which changes are told too; None: all.
        """
        self._run.finish(drain)

    def changes(self) -> Iterator[Change]:
        """The changes that are to be told since the last call, in order; each is told once."""
        return self._run.change_queue.take()

    def possible(self) -> list[Possible]:
        """What may become true by all that was added, with ``hypotheses``; else nothing.

        By the facts, then by what is missing; with ``chances`` each has its confidence, with
        ``most`` it is what would be held if no more came now. Costs what is possible.
        """
        possible = self._run.possible_tracking
        return [] if possible is None else possible.possible()

    @property
    def dropped(self) -> int:
        """How many possible answers were dropped, as more than ``most`` were open."""
        possible = self._run.possible_tracking
        return 0 if possible is None else possible.dropped

    def prospects(self) -> Iterator[Prospect]:
        """What became of possible facts since the last call, in order; each is told once.

        All that happens while one stamp is the largest is told when time moves on, before the
        changes that are final by that.
        """
        possible = self._run.possible_tracking
        return iter(()) if possible is None else possible.take()

    def __iter__(self) -> Iterator[Change]:
        return self.changes()

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

    def current(self, at: Instant | None = None) -> Graph:
        """The derived triples that hold at ``at``, by default at the last time that is final.

        Those with a list are not among them: no RDF graph has lists as terms.

        Of times before that only what the engine has not forgotten is there.
        """
        return current_graph(self._run, at)

    def explain(
        self,
        fact: tuple[Node, Node, Node] | str,
        at: Instant | None = None,
        *,
        limit: int = 3,
    ) -> ExplanationAnswer:
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
        names = self._rulebook.names(self._run.core.program)
        return explain_fact(self._run, names, fact, at, limit)
