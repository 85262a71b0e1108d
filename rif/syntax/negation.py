"""Negation as failure: ``Naf( F )`` is true where F does not follow.

An extension of RIF-Core with the name and the XML element that it has in RIF-FLD. Any condition
may stand in it, in bodies only. It binds no variable: those that are free in F are bound by the
rest of its conjunction, and those that stand for *some* value are under an Exists inside. The
rules have a meaning with it if they are stratified [Ceri89], which only all documents together can
show.
"""

from __future__ import annotations

from dataclasses import dataclass

from rif.syntax.ast import Formula
from rif.syntax.formula_kinds import FormulaKind, FormulaSink, FormulaSource, XmlForm, register


@dataclass(frozen=True, slots=True)
class Naf(Formula):
    """``Naf( body )``: true where ``body`` does not follow."""

    body: Formula


def _parse(parser: FormulaSource) -> Naf:
    return Naf(parser.one_formula())


def _write(naf: Naf, writer: FormulaSink) -> list[str]:
    return writer.call("Naf", [writer.formula(naf.body)])


def _rebuild(_: Naf, parts: tuple[Formula, ...]) -> Naf:
    return Naf(parts[0])


NAF = FormulaKind(
    "Naf",
    Naf,
    parse=_parse,
    write=_write,
    parts=lambda naf: (naf.body,),
    rebuild=_rebuild,
    binding=lambda _: (),
    xml=XmlForm((), 1, read=lambda _, parts, __: Naf(parts[0]), write=lambda _: {}, standard=True),
)
"""Its row in the table of formula kinds."""

register(NAF)
