"""The way of answers out: which are wanted, how they are written, what makes a run fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from r4.answers.output_order import INCONSISTENT, Changes
from r4.possible.tracking.possible_answers import StatusReport
from r4.sinks.file import ByteWriter
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import IRI, RDF_TYPE

Mask: TypeAlias = npt.NDArray[np.bool_]


class Sink(Protocol):
    """A form that answers are written in."""

    @property
    def left_out(self) -> int:
        """Answers that it cannot say."""
        ...

    def render(self, changes: Changes) -> bytes:
        """The bytes of ``changes``, or of so many as can be written by now."""
        ...

    def finish(self) -> bytes:
        """The bytes that are left; called once, last."""
        ...


class PossibleSink(Protocol):
    """A form that possible answers are written in."""

    def render(self, told: Sequence[StatusReport]) -> bytes:
        """The bytes of what is told."""
        ...


@dataclass(slots=True)
class Output:
    """Where answers are written, and what is noticed on the way.

    Attributes:
        to: the file, or what else takes bytes.
        sink: renders answers.
        terms: the dictionary of their ids.
        only: IRIs; only answers with such a predicate or class are written. None: all are.
        fail_on: ``error``, ``answer`` for any, or an IRI as in ``only``.
        given: numbers of rules of what is asserted, which ``fail_on`` does not ask for.
        possible: renders what is said of possible answers, if that is written.
        written: number of answers written.
        failing: number of answers of ``--fail-on``, less those that were undone.
    """

    to: ByteWriter
    sink: Sink
    terms: Dictionary
    only: tuple[str, ...]
    fail_on: str | None
    given: tuple[int, ...] = ()
    possible: PossibleSink | None = None
    written: int = 0
    failing: int = 0
    _type: int = field(init=False)

    def __post_init__(self) -> None:
        self._type = self.terms.encode(str(IRI(RDF_TYPE)))
        self.terms.pin(np.array([self._type]))

    def write(self, changes: Changes) -> None:
        """Write what is asked for, at once."""
        if self.fail_on is not None:
            fails = self._fails(changes)
            undone = int(np.count_nonzero(fails[: changes.undone]))
            self.failing += int(np.count_nonzero(fails)) - 2 * undone
        if self.only:
            changes = changes.take(np.flatnonzero(self._about(changes, self.only)))
        if len(changes):
            self.written += len(changes)
            self.to.write(self.sink.render(changes))

    def foretell(self, told: Sequence[StatusReport]) -> None:
        """Write what is said of possible answers, of what is asked for."""
        assert self.possible is not None
        if self.only:
            told = [each for each in told if each.possible.fact.is_about(self.only)]
        if told:
            self.to.write(self.possible.render(told))

    def finish(self) -> None:
        """Write what is left."""
        if rest := self.sink.finish():
            self.to.write(rest)

    @property
    def failed(self) -> bool:
        """Whether an answer of ``--fail-on`` was among them, and stands."""
        return self.failing > 0

    def _fails(self, changes: Changes) -> Mask:
        errors: Mask = changes.kind == INCONSISTENT
        if self.fail_on == "error":
            return errors
        if self.fail_on in {"answer", "any"}:
            return ~np.isin(changes.rule, self.given)
        assert self.fail_on is not None
        derived = ~np.isin(changes.rule, self.given)
        return self._about(changes, (self.fail_on,)) & ~errors & derived

    def _about(self, changes: Changes, iris: Sequence[str]) -> Mask:
        """Whose predicate, or object of rdf:type, is one of ``iris``; errors always."""
        ids = np.array([self.terms.lookup(f"<{iri.strip('<>')}>") or -1 for iri in iris], np.int64)
        triples = changes.triples
        typed = (triples[:, 1] == self._type) & np.isin(triples[:, 2], ids)
        about: Mask = np.isin(triples[:, 1], ids) | typed | (changes.kind == INCONSISTENT)
        if changes.atoms:
            heads = tuple(f"<{iri.strip('<>')}>(" for iri in iris)
            about |= np.array([atom.startswith(heads) for atom in changes.atoms], np.bool_)
        return about
