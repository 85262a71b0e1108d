"""A document or formula as RIF/XML, so that ``parse_xml(write_xml(x)) == x`` [RIF-Core 4].

Prefixes become entities, and IRIs are shortened with them as in the presentation syntax:
``&ex;local``. What is not declared is written in full, so that a document is read back with the
prefixes it had.
"""

from __future__ import annotations

from collections.abc import Mapping

from rif.language import CORE, Language
from rif.syntax import ast
from rif.syntax.formula_kinds import R4_RIF
from rif.syntax.terms import RIF
from rif.xml.doctype import can_be_declared
from rif.xml.element_writer import ElementWriter


def write_xml(document: ast.Document, language: Language = CORE) -> str:
    """The document as text, to be saved as UTF-8. Linear, but for the indentation.

    Prefixes whose names no entity can have (``amp``, ``lt``) are left out.

    Raises:
        RuleErrors: something in it cannot be written in XML (`NotInXml`).
        ValueError: ``language`` does not have one of its formulas.
    """
    writer = DocumentWriter(_declarable(dict(document.prefixes)), language)
    writer.document(document)
    return writer.text()


def write_xml_formula(
    formula: ast.Formula,
    prefixes: Mapping[str, str] | None = None,
    language: Language = CORE,
) -> str:
    """A formula as a document of its own.

    Raises:
        RuleErrors, ValueError: as `write_xml`.
    """
    writer = ElementWriter(_declarable(prefixes or {}), language, f' xmlns="{RIF}"')
    writer.formula(formula)
    return writer.text()


def _declarable(prefixes: Mapping[str, str]) -> dict[str, str]:
    return {name: iri for name, iri in prefixes.items() if can_be_declared(name)}


class DocumentWriter(ElementWriter):
    """Writes documents."""

    def document(self, document: ast.Document) -> None:
        """Document and what is in it."""
        base = "" if document.base is None else f' xml:base="{self.attribute(document.base)}"'
        with self.element("Document", f' xmlns="{RIF}"{base}', document.meta):
            for each in document.imports:
                with self.element("directive"):
                    self._import(each)
            if document.window is not None:
                window = document.window
                amount = f"{window.amount} {window.unit}".rstrip()
                with self.element("directive"):
                    self.line(f'<Window xmlns="{R4_RIF}">{amount}</Window>')
            if document.group is not None:
                with self.element("payload"):
                    self.item(document.group)

    def _import(self, each: ast.Import) -> None:
        with self.element("Import", meta=each.meta):
            self.line(f"<location>{self.iri(each.location)}</location>")
            if each.profile is not None:
                self.line(f"<profile>{self.iri(each.profile)}</profile>")

    def item(self, item: ast.Rule | ast.Group) -> None:
        """A member of a group, or a group."""
        match item:
            case ast.Group():
                with self.element("Group", meta=item.meta):
                    for each in item.items:
                        with self.element("sentence"):
                            self.item(each)
            case ast.Forall():
                with self.element("Forall", meta=item.meta):
                    self.declare(item.variables)
                    with self.element("formula"):
                        self.item(item.clause)
            case ast.Implies():
                with self.element("Implies", meta=item.meta):
                    with self.element("if"):
                        self.formula(item.body)
                    with self.element("then"):
                        self.formula(item.head[0] if len(item.head) == 1 else ast.And(item.head))
            case _:
                self.formula(item)
