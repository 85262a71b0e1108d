"""A run that is asked why a fact holds: read as far as need be, its faults said."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import click

from r4.cli.common import LIMIT, say
from r4.cli.ended import ENDS, ended_by
from r4.clock import Clock
from r4.engine import Core
from r4.explain.meant import unknown
from r4.explain.playback import Playback
from r4.explain.tree import Explanation
from r4.explain.why import Why
from r4.faults import Counters
from r4.files import STDIN
from r4.imports import Closure, load_graphs
from r4.intake import Intake
from r4.rdf import Document, read_static
from r4.rdf_source import RdfSource
from r4.streams import StreamOptions
from r4.time import Kind, Stamp
from rete.agenda import LimitReached
from rete.explain import Names
from rete.plan import Relation


@dataclass(frozen=True, slots=True)
class Question:
    """A fact and an instant."""

    relation: Relation
    terms: tuple[str, ...]
    at: Stamp | None
    names: Names
    limit: int


class Replay:
    """A run that is asked why.

    Attributes:
        clock: how its time is written.
    """

    def __init__(self, core: Core, closure: Closure, streams: StreamOptions) -> None:
        self._core = core
        self._closure = closure
        self._streams = streams
        self._counters = Counters()
        self.clock = Clock(streams.scale)

    def explanation(
        self, static: Sequence[Document], streams: Sequence[Document], question: Question
    ) -> Explanation | int:
        """What is found, or the exit code of what went wrong, which is said."""
        try:
            return self._explanation(static, streams, question)
        except LimitReached as error:  # --limit of this command says something else
            say(str(error))
            return LIMIT
        except ENDS as error:
            return ended_by(error)
        finally:
            for samples in self._counters.samples.values():
                for sample in samples:
                    say(str(sample))

    def _explanation(
        self, static: Sequence[Document], streams: Sequence[Document], question: Question
    ) -> Explanation:
        core, terms = self._core, self._core.terms
        loaded = load_graphs(self._closure, terms, self._counters)
        for warning in loaded.warnings:
            say(warning.report())
        core.assert_static(loaded.rows)
        for document in static:
            for rows in read_static(document, terms, self._counters, strict=self._streams.strict):
                core.assert_static(rows)
        strange = unknown(terms, question.terms)
        ids = terms.encode_many(question.terms)
        terms.pin(ids)
        predicate = self._streams.time_predicate
        sources = [RdfSource(document, time_predicate=predicate) for document in streams]
        intake = Intake(sources, terms, self._streams, counters=self._counters)
        at = question.at
        playback = Playback(
            core,
            Why(core, question.names, question.limit, unknown=strange),
            question.relation,
            ids.tolist(),
            None if at is None else at.tick,
            onward=all(document.path != STDIN for document in streams),
        )
        with closing(intake):
            found = playback.run(intake, lambda: intake.last)
        kind = intake.kind
        self.clock.kind = kind if kind != Kind.NONE or at is None else at.kind
        if at is not None and kind not in {Kind.NONE, at.kind}:
            message = f"--at is {_kind(at.kind)}, but the stamps of the streams are {_kind(kind)}s"
            raise click.UsageError(message)
        return found


def _kind(kind: Kind) -> str:
    return "a dateTime" if kind is Kind.DATE_TIME else "an integer"
