"""Documents, groups, rules and clauses of RIF/XML [RIF-Core 4], and the window of [CoDeR]."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rif.checks.dialect import check_fact, check_head_members, declare_free_variables
from rif.errors.report import shorten
from rif.errors.syntax import BadDuration, Misplaced
from rif.errors.xml import NotRif
from rif.syntax import ast
from rif.syntax.iri import is_absolute, resolve
from rif.syntax.lexical import AMOUNT_PATTERN, TIME_UNITS
from rif.xml.element_reader import describe_element
from rif.xml.formula_reader import NO_FORMULA, R4_ELEMENT, FormulaReader
from rif.xml.tree import SPACE, Element

WINDOW = f"{R4_ELEMENT}Window"

_DURATION = re.compile(rf"({AMOUNT_PATTERN})[{SPACE}]*([a-z]*)\Z")


class DocumentReader(FormulaReader):
    """Reads documents."""

    def document(self, root: Element, prefixes: tuple[tuple[str, str], ...]) -> ast.Document | None:
        """Document; its entities are the prefixes. None for another element, which is noted."""
        if root.name != "Document":
            hint = "a formula alone is a conclusion; rules stand in <Document>"
            self.note(NotRif(f"expected Document, found {describe_element(root)}", root.span, hint))
            return None
        parts = self.parts(root)
        imports: list[ast.Import] = []
        window: ast.Window | None = None
        for directive in parts["directive"]:
            child = self.class_in(directive, "one Import")
            if child is None:
                continue
            if child.name in {"Import", WINDOW} and window is not None:
                self.note(Misplaced(f"{describe_element(child)} cannot stand here", child.span))
            if child.name == "Import":
                imports.append(self._import(child))
            elif child.name == WINDOW:
                window = self._window(child)
            else:
                self.refuse(child, "Import")
        group = self._payload(parts["payload"])
        meta = self.meta(parts)
        return ast.Document(
            root.base, prefixes, tuple(imports), window, group, meta=meta, span=root.span
        )

    def sentence(self, element: Element) -> None:
        """Read the rule or group of a sentence; one with faults is left out."""
        faults = len(self.faults)
        child = self.class_in(element, "one rule, fact or Group")
        if child is None:
            return
        if child.name == "Group":
            element.rule = self._group(child)
        else:
            rule = self._rule(child)
            if len(self.faults) == faults:
                element.rule = declare_free_variables(rule, self.note) if self.lenient else rule

    # directives

    def _import(self, element: Element) -> ast.Import:
        parts = self.parts(element)
        location = self._location(parts["location"][0]) if parts["location"] else ""
        profile = None
        if parts["profile"]:
            profile = self.iri(self.text_in(parts["profile"][0]), parts["profile"][0])
        return ast.Import(location, profile, meta=self.meta(parts), span=element.span)

    def _location(self, element: Element) -> str:
        """The location of an imported document; without ``xml:base`` a relative one stays so."""
        text = self.text_in(element).strip(SPACE)
        if element.base is None and text and is_absolute(resolve(text, "file:///")):
            return text
        return self.iri(text, element)

    def _window(self, element: Element) -> ast.Window:
        text = self.text_in(element).strip(SPACE)
        match = _DURATION.match(text)
        if match is None or match[2] not in {"", *TIME_UNITS}:
            message = f"{shorten(text)!a} is no number with a unit of time"
            hint = (
                f'write <Window xmlns="{R4_ELEMENT[1:-1]}">5 s</Window>; units are ns us ms s m h d'
            )
            self.note(BadDuration(message, element.span, hint))
            return ast.Window("0", "")
        return ast.Window(match[1], match[2], span=element.span)

    # Group

    def _payload(self, roles: Sequence[Element]) -> ast.Group | None:
        child = self.class_in(roles[0], "one Group") if roles else None
        if child is not None and child.name == "Group":
            return self._group(child)
        if child is not None:
            self.refuse(child, "Group")
        return None

    def _group(self, element: Element) -> ast.Group:
        """Group; its sentences are read already."""
        parts = self.parts(element)
        items = tuple([role.rule for role in parts["sentence"] if role.rule is not None])
        return ast.Group(items, meta=self.meta(parts), span=element.span)

    # RULE, CLAUSE

    def _rule(self, element: Element) -> ast.Rule:
        if element.name != "Forall":
            return self._clause(element)
        parts = self.parts(element)
        variables = self.variables(parts["declare"])
        inner = self.class_in(parts["formula"][0], "one rule") if parts["formula"] else None
        clause = NO_FORMULA if inner is None else self._clause(inner)
        return ast.Forall(variables, clause, meta=self.meta(parts), span=element.span)

    def _clause(self, element: Element) -> ast.Implies | ast.Formula:
        if element.name == "Implies":
            parts = self.parts(element)
            body = self.formula_in(parts["if"])
            head = check_head_members(self.formula_in(parts["then"]), self.note)
            return ast.Implies(head, body, meta=self.meta(parts), span=element.span)
        if element.name in {"Forall", "Group"}:
            self.refuse(element, "a rule or a fact")
            return NO_FORMULA
        fact = self.formula(element)
        if fact is not NO_FORMULA:
            check_fact(fact, self.note)
        return fact
