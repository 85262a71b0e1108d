"""Negation as failure: ``Naf( F )`` is true where F does not follow.

An extension of RIF-Core with the name and the XML element that it has in RIF-FLD. Any condition
may stand in it, in bodies only. It binds no variable: those that are free in F are bound by the
rest of its conjunction, and those that stand for *some* value are under an Exists inside. The
rules have a meaning with it if they are stratified [Ceri89], which only all documents together can
show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rif.syntax.ast import Formula
from rif.syntax.formula_kinds import FormulaKind, FormulaSink, FormulaSource, XmlForm


@dataclass(frozen=True, slots=True)
class Naf(Formula):
    """``Naf( body )``: true where ``body`` does not follow."""

    body: Formula

    @property
    def parts(self) -> tuple[Formula, ...]:
        """The condition."""
        return (self.body,)

    def with_parts(self, parts: Sequence[Formula]) -> Naf:
        """The negation of another condition."""
        return replace(self, body=parts[0])


@dataclass(frozen=True, slots=True)
class ClosedNaf(Naf):
    """A negation that plans are made of: what stands beside it does not say which groups it has."""


def _parse(parser: FormulaSource) -> Naf:
    return Naf(parser.one_formula())


def _write(naf: Naf, writer: FormulaSink) -> list[str]:
    return writer.call("Naf", [writer.formula(naf.body)])


NAF = FormulaKind(
    "Naf",
    Naf,
    parse=_parse,
    write=_write,
    xml=XmlForm((), 1, read=lambda _, parts, __: Naf(parts[0]), write=lambda _: {}, standard=True),
)
"""Its row in a language."""
