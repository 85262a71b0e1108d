"""Templates of the lines about answers: JSON text, one object a line.

A line is made from a *template*: its text with slots for values of the variables of a binding. The
keys are ``tau``, ``status``, ``answer``, ``evidence``, ``hypotheses``, ``because``, and where
chances are given ``confidence``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import repeat
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, Rows
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.syntax.ast import ObjectTerm, SortedVariable, TemporalAtom, TimeTerm
from temporal.hypothetical.syntax.term_text import TermTexts, TextForm, escape_json, quote_json
from temporal.text.writer import write_constant

END_OF_INPUT: Final = "end of input"
"""The reason why all ends that is still open."""


class AnswerStatus(IntEnum):
    """What a line says of an answer, in the order of lines of one moment."""

    WITHDRAWN = 0
    SUPPORTED = 1
    ANSWER = 2


STATUS_NAMES: Final = tuple(status.name.lower() for status in AnswerStatus)


class TemplateSlot(NamedTuple):
    """A slot for a value.

    Attributes:
        column: that of the value; `TAU`: the moment of the line; `CONFIDENCE`: its confidence.
        time: whether it is a number.
        offset: what is added to a number.
        form: how an object term is written.
    """

    column: int
    time: bool
    offset: int = 0
    form: TextForm = TextForm.PLAIN


TAU: Final = -1
CONFIDENCE: Final = -2
TemplatePiece: TypeAlias = str | TemplateSlot


@dataclass(frozen=True, slots=True)
class LineTemplate:
    """A text with slots for values, as ``%`` takes them."""

    form: str
    slots: tuple[TemplateSlot, ...]

    @classmethod
    def of(cls, pieces: Iterable[TemplatePiece]) -> LineTemplate:
        """The template of some pieces, in order."""
        form: list[str] = []
        slots: list[TemplateSlot] = []
        for piece in pieces:
            if isinstance(piece, str):
                form.append(piece.replace("%", "%%"))
            else:
                form.append("%d" if piece.time else "%s")
                slots.append(piece)
        return cls("".join(form), tuple(slots))


def fill_template(
    template: LineTemplate,
    values: Rows,
    term_texts: TermTexts,
    at: Column | None = None,
    confidences: npt.NDArray[np.object_] | None = None,
) -> Iterator[str]:
    """The texts of a template for rows of values.

    ``at`` are moments and ``confidences`` texts, if it has slots for them.
    """
    columns: list[Sequence[object]] = []
    for slot in template.slots:
        if slot.column == TAU:
            assert at is not None
            columns.append(at.tolist())
        elif slot.column == CONFIDENCE:
            assert confidences is not None
            columns.append(confidences.tolist())
        elif slot.time:
            columns.append((values[:, slot.column] + slot.offset).tolist())
        else:
            columns.append(term_texts.column(values[:, slot.column], slot.form))
    if not columns:
        return repeat(template.form % (), len(values))
    return map(template.form.__mod__, zip(*columns, strict=True))


def atom_template(atom: TemporalAtom, names: Sequence[SortedVariable]) -> Iterator[TemplatePiece]:
    """The text of an atom, with slots for bound variables; free ones as ``?X``, ``?T+1``."""
    yield f"{atom.predicate}("
    for arg in atom.args:
        yield _object_piece(arg, names)
        yield ","
    yield _time_piece(atom.time, names)
    yield ")"


def answer_template(
    query: TemporalAtom, answer: TemporalAtom, names: Sequence[SortedVariable]
) -> Iterator[TemplatePiece]:
    """The object with the values of the variables of ``query``."""
    separator = "{"
    for variable, value in query_bindings(query, answer):
        yield f"{separator}{quote_json(variable)}:"
        separator = ","
        if isinstance(value, TimeTerm):
            piece = _time_piece(value, names)
            number = value.variable is None or isinstance(piece, TemplateSlot)
            yield piece if number else quote_json(str(piece))
        else:
            piece = _object_piece(value, names)
            if isinstance(piece, TemplateSlot):
                yield piece._replace(form=TextForm.APART)
            else:
                yield quote_json(value.lexical if isinstance(value, Literal) else piece)
    yield "{}" if separator == "{" else "}"


def query_bindings(
    query: TemporalAtom, answer: TemporalAtom
) -> Iterator[tuple[str, ObjectTerm | TimeTerm]]:
    """The variables of a query, each once, with what they are in an ``answer`` to it."""
    seen: set[str] = set()
    for arg, value in zip(query.args, answer.args, strict=True):
        if isinstance(arg, Variable) and arg.name not in seen:
            seen.add(arg.name)
            yield arg.name, value
    if query.time.variable is not None:
        time = answer.time
        yield query.time.variable, TimeTerm(time.variable, time.offset - query.time.offset)


def line_template(  # noqa: PLR0913, PLR0917 - the keys
    status: AnswerStatus,
    answer: Iterable[TemplatePiece],
    evidence: Iterable[Iterable[TemplatePiece]] = (),
    hypotheses: Iterable[Iterable[TemplatePiece]] = (),
    because: Iterable[TemplatePiece] | None = None,
    confidence: TemplatePiece | None = None,
) -> Iterator[TemplatePiece]:
    """A whole line: of atoms and of the reason as they stand within a JSON string."""
    yield '{"tau":'
    yield TemplateSlot(TAU, time=True)
    yield f',"status":"{STATUS_NAMES[status]}","answer":'
    yield from answer
    for name, atoms in (("evidence", evidence), ("hypotheses", hypotheses)):
        yield f',"{name}":['
        for number, atom in enumerate(atoms):
            yield ',"' if number else '"'
            yield from atom
            yield '"'
        yield "]"
    yield ',"because":'
    if because is None:
        yield "null"
    else:
        yield '"'
        yield from because
        yield '"'
    if confidence is not None:
        yield ',"confidence":'
        yield confidence
    yield "}"


def escape_pieces(pieces: Iterable[TemplatePiece]) -> list[TemplatePiece]:
    """The pieces of a text as they stand within a JSON string."""
    return [
        escape_json(piece) if isinstance(piece, str) else piece._replace(form=TextForm.INSIDE)
        for piece in pieces
    ]


def _object_piece(term: ObjectTerm, names: Sequence[SortedVariable]) -> TemplatePiece:
    if isinstance(term, Literal):
        return write_constant(term.lexical)
    name = (False, term.name)
    return TemplateSlot(names.index(name), time=False) if name in names else f"?{term.name}"


def _time_piece(time: TimeTerm, names: Sequence[SortedVariable]) -> TemplatePiece:
    if time.variable is None:
        return str(time.offset)
    name = (True, time.variable)
    if name in names:
        return TemplateSlot(names.index(name), time=True, offset=time.offset)
    return f"?{time}"
