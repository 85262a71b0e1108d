"""The run behind `r4 explain`: it is read as far as the question needs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

import click

from r4.cli.terminal.console import LIMIT, say
from r4.cli.terminal.run_errors import RUN_ERRORS, exit_code_of
from r4.engine.core import Core
from r4.errors import Counters
from r4.explain.explanation import Explanation
from r4.explain.question.explainer import Explainer
from r4.explain.question.playback import Playback
from r4.explain.question.suggestions import unknown_iris
from r4.rdf.files import STDIN
from r4.run.inputs import RunInput
from r4.run.notes import RunNotes
from r4.time.ticks import Kind, Stamp, StampFormat
from rete.drawing.names import Names
from rete.inference.errors import LimitReached
from rete.terms.relations import Relation


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """A fact and an instant; ``limit`` is the most justifications to find."""

    relation: Relation
    terms: tuple[str, ...]
    at: Stamp | None
    names: Names
    limit: int


class ExplainSession:
    """A run that explains a fact.

    Attributes:
        clock: how its time is written.
    """

    def __init__(self, core: Core, given: RunInput) -> None:
        self._core = core
        self._input = given
        self._counters = Counters()
        self._notes = RunNotes(say)
        self.clock = StampFormat(given.reading.scale)

    def explanation(self, question: FactQuestion) -> Explanation | int:
        """The explanation, or the exit code of an error, which is reported."""
        try:
            return self._explanation(question)
        except LimitReached as error:  # --limit of this command says something else
            say(str(error))
            return LIMIT
        except RUN_ERRORS as error:
            return exit_code_of(error)
        finally:
            self._notes.samples(self._counters)

    def _explanation(self, question: FactQuestion) -> Explanation:
        given, core, terms = self._input, self._core, self._core.terms
        for rows in given.static_data(terms, self._counters, self._notes).rows():
            core.assert_static(rows)
        unknown = unknown_iris(terms, question.terms)
        ids = terms.encode_many(question.terms)
        terms.pin(ids)
        intake = given.open(terms, self._counters)
        at = question.at
        playback = Playback(
            core,
            Explainer(core, question.names, question.limit, unknown=unknown),
            question.relation,
            ids.tolist(),
            None if at is None else at.tick,
            onward=all(document.path != STDIN for document in given.streams),
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
