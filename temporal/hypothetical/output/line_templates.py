"""Templates of the lines about answers: JSON text, one object a line.

A line is made from a *template*: its text with slots for values of the variables of a binding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import repeat
from json.encoder import encode_basestring as quote_json
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rete.arrays.delta import Column, Rows
from rif.syntax.terms import Literal, Variable
from temporal.hypothetical.syntax.ast import ObjectTerm, SortedVariable, TemporalAtom, TimeTerm
from temporal.hypothetical.syntax.atom_parser import TermTexts, TextForm, escape_json
from temporal.text.writer import write_constant


class AnswerStatus(IntEnum):
    """The statement of a line about an answer, in the order of lines of one moment."""

    WITHDRAWN = 0
    SUPPORTED = 1
    ANSWER = 2


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
        yield write_constant(arg.lexical) if isinstance(arg, Literal) else _piece(arg, names)
        yield ","
    yield _piece(atom.time, names)
    yield ")"


def answer_terms(query: TemporalAtom, answer: TemporalAtom) -> dict[str, ObjectTerm | TimeTerm]:
    """What the variables of ``query`` are in an answer, objects before the time."""
    pairs = zip(query.args, answer.args, strict=True)
    found: dict[str, ObjectTerm | TimeTerm] = {
        arg.name: value for arg, value in pairs if isinstance(arg, Variable)
    }
    if query.time.variable is not None:
        shift = answer.time.offset - query.time.offset
        found[query.time.variable] = TimeTerm(answer.time.variable, shift)
    return found


def json_piece(term: ObjectTerm | TimeTerm, names: Sequence[SortedVariable]) -> TemplatePiece:
    """A term of an answer as JSON; a free variable is a string ``?X``, ``?T+1``."""
    if isinstance(term, Literal):
        return quote_json(term.lexical)
    piece = _piece(term, names, TextForm.APART)
    return quote_json(piece) if isinstance(piece, str) and piece.startswith("?") else piece


def quote_pieces(pieces: Iterable[TemplatePiece]) -> list[TemplatePiece]:
    """The pieces of a text as a JSON string."""
    escaped = (
        escape_json(piece) if isinstance(piece, str) else piece._replace(form=TextForm.INSIDE)
        for piece in pieces
    )
    return ['"', *escaped, '"']


def _piece(
    term: Variable | TimeTerm, names: Sequence[SortedVariable], form: TextForm = TextForm.PLAIN
) -> TemplatePiece:
    """A number, the slot of a bound variable, or a free one."""
    if isinstance(term, Variable):
        name = (False, term.name)
        if name in names:
            return TemplateSlot(names.index(name), time=False, form=form)
        return f"?{term.name}"
    if term.variable is None:
        return str(term.offset)
    name = (True, term.variable)
    if name in names:
        return TemplateSlot(names.index(name), time=True, offset=term.offset)
    return f"?{term}"
