"""Class and role elements of RIF/XML: which parts an element has, in which order [RIF-Core 4]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from rif.checks.dialect import NEGATIONS, OTHER_DIALECTS
from rif.errors.base import MAX_FAULTS, RuleError
from rif.errors.dialect import ListNotGround, NamedArguments, Negation, OtherDialect, Subclass
from rif.errors.report import shorten
from rif.errors.xml import BadAttribute, MisplacedElement, MissingElement, StrayText, UnknownElement
from rif.language import Language
from rif.xml.tree import SPACE, XML, Element, UnreadableXml

MANY: Final = 2**31

RoleBounds: TypeAlias = Mapping[str, tuple[int, int]]
"""The roles in an element, in order: how many there are at least and at most."""

Parts: TypeAlias = dict[str, list[Element]]
"""The role elements of an element, by name."""

ANNOTATION: Final[RoleBounds] = {"id": (0, 1), "meta": (0, 1)}

CLASSES: Final[Mapping[str, RoleBounds]] = {
    name: {**ANNOTATION, **roles}
    for name, roles in {
        "Document": {"directive": (0, MANY), "payload": (0, 1)},
        "Import": {"location": (1, 1), "profile": (0, 1)},
        "Group": {"sentence": (0, MANY)},
        "Forall": {"declare": (1, MANY), "formula": (1, 1)},
        "Implies": {"if": (1, 1), "then": (1, 1)},
        "And": {"formula": (0, MANY)},
        "Or": {"formula": (0, MANY)},
        "Exists": {"declare": (1, MANY), "formula": (1, 1)},
        "Atom": {"op": (1, 1), "args": (0, 1)},
        "Expr": {"op": (1, 1), "args": (0, 1)},
        "External": {"content": (1, 1)},
        "Equal": {"left": (1, 1), "right": (1, 1)},
        "Member": {"instance": (1, 1), "class": (1, 1)},
        "Frame": {"object": (1, 1), "slot": (0, MANY)},
        "List": {"items": (0, 1)},
        "Const": {},
        "Var": {},
    }.items()
}
"""The class elements of RIF-Core and what stands in them; ``id`` and ``meta`` in all of them."""

_ROLES = frozenset(role for roles in CLASSES.values() for role in roles)
_TEXTUAL = frozenset(("Const", "Var"))
_ORDERED = {"ordered": "yes"}
_ATTRIBUTES: Mapping[str, Mapping[str, str | None]] = {
    "Const": {"type": None},
    "args": _ORDERED,
    "items": _ORDERED,
    "slot": _ORDERED,
}
_SCHEMA_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"


class ElementReader:
    """Reads elements and remembers what is wrong with them.

    Attributes:
        language: The kinds of formula that there are.
        lenient: Undeclared variables and a missing namespace are warnings.
        faults, warnings: Those recorded so far; at most `MAX_FAULTS` of each.
    """

    def __init__(self, language: Language, *, lenient: bool) -> None:
        self.language = language
        self.lenient = lenient
        self.faults: list[RuleError] = []
        self.warnings: list[RuleError] = []

    def note(self, fault: RuleError) -> None:
        """Record a fault, and read on; when enough are found, read no further."""
        faults = self.warnings if fault.severity == "warning" else self.faults
        if len(faults) < MAX_FAULTS:
            faults.append(fault)
        elif fault.severity == "error":
            raise UnreadableXml

    def parts(
        self,
        element: Element,
        roles: RoleBounds | None = None,
        attributes: Mapping[str, str | None] | None = None,
    ) -> Parts:
        """The role elements of a class element; what is wrong with them is noted.

        ``roles`` and ``attributes`` (name to value, None: any) are those of an element that
        RIF-Core does not have.
        """
        if roles is None:
            roles = CLASSES[element.name]
        self.check_content(element, attributes)
        parts: Parts = {role: [] for role in roles}
        order = list(roles)
        last = 0
        for child in element.children:
            name = child.name
            if name not in parts:
                self._note_unexpected(child, element)
                continue
            rank = order.index(name)
            if rank < last:
                message = f"{describe_element(child)} stands behind {order[last]}"
                self.note(MisplacedElement(message, child.span, _in_order(element, roles)))
            elif parts[name] and roles[name][1] == 1:
                message = f"{describe_element(element)} has a second {name}"
                self.note(MisplacedElement(message, child.span, _in_order(element, roles)))
            last = max(last, rank)
            parts[name].append(child)
        for role, (least, _) in roles.items():
            if len(parts[role]) < least:
                message = f"{describe_element(element)} has no {role}"
                self.note(MissingElement(message, element.span, _in_order(element, roles)))
        return parts

    def classes_in(self, role: Element, what: str) -> Sequence[Element]:
        """The class elements in a role element."""
        self.check_content(role)
        if not role.children:
            self.note(
                MissingElement(f"{describe_element(role)} is empty", role.span, f"it holds {what}")
            )
        return role.children

    def class_in(self, role: Element, what: str) -> Element | None:
        """The one class element in a role element; None if there is none, which is noted."""
        children = self.classes_in(role, what)
        for child in children[1:]:
            message = f"{describe_element(role)} has more than one element"
            self.note(MisplacedElement(message, child.span, f"it holds {what}"))
        return children[0] if children else None

    def text_in(self, element: Element) -> str:
        """The text of an element that has no elements in it."""
        self.check_content(element, textual=True)
        for child in element.children:
            self._note_unexpected(child, element)
        return element.text

    def check_content(
        self,
        element: Element,
        attributes: Mapping[str, str | None] | None = None,
        *,
        textual: bool = False,
    ) -> None:
        """Note attributes that should not be there, and text unless the element has some."""
        if element.attributes:
            if attributes is None:
                attributes = _ATTRIBUTES.get(element.name, {})
            for name, value in element.attributes.items():
                if name not in attributes:
                    if not name.startswith((XML, _SCHEMA_INSTANCE)):
                        message = f"{describe_element(element)} has no attribute {shorten(name)}"
                        self.note(BadAttribute(message, element.span))
                elif attributes[name] not in {None, value}:
                    message = f'{name} is "{attributes[name]}", not {shorten(value)!a}'
                    self.note(BadAttribute(message, element.span))
        textual = textual or element.name in _TEXTUAL
        if element.stray or (element.text and not textual and element.text.strip(SPACE)):
            message = f"text stands among the elements of {describe_element(element)}"
            self.note(StrayText(message, element.span))

    def refuse(self, element: Element, expected: str) -> None:
        """Note that an element stands where something else is due."""
        name = element.name
        if name == "Subclass":
            self.note(Subclass("a subclass formula", element.span))
        elif name in NEGATIONS:
            message = f"{name} is negation, which RIF-Core does not have"
            self.note(Negation(message, element.span))
        elif name in OTHER_DIALECTS:
            message = f"{name} is {OTHER_DIALECTS[name]}, not RIF-Core"
            self.note(OtherDialect(message, element.span))
        elif name in CLASSES or name in _ROLES:
            message = f"expected {expected}, found {describe_element(element)}"
            self.note(MisplacedElement(message, element.span))
        else:
            message = f"expected {expected}, found the unknown {describe_element(element)}"
            self.note(UnknownElement(message, element.span))

    def _note_unexpected(self, child: Element, element: Element) -> None:
        """Note a child element that its parent cannot have."""
        if child.name == "slot" and element.name in {"Atom", "Expr"}:
            self.note(NamedArguments("a slot is a named argument here", child.span))
        elif child.name == "rest" and element.name == "List":
            self.note(ListNotGround("an open list, with a tail", child.span))
        elif child.name in CLASSES or child.name in _ROLES:
            message = f"{describe_element(child)} cannot stand in {describe_element(element)}"
            hint = _in_order(element, CLASSES.get(element.name, {}))
            self.note(MisplacedElement(message, child.span, hint))
        else:
            self.refuse(child, f"a part of {describe_element(element)}")


def describe_element(element: Element) -> str:
    """An element for a message, with its namespace if it is not that of RIF."""
    if not element.name.startswith("{"):
        return shorten(element.name)
    namespace, _, local = element.name[1:].partition("}")
    return f"{shorten(local)} of {f'<{shorten(namespace)}>' if namespace else 'no namespace'}"


def _in_order(element: Element, roles: RoleBounds) -> str | None:
    """A hint: what stands in an element."""
    names = [
        role + ("…" if most > 1 else "") + ("" if least else " (may be missing)")
        for role, (least, most) in roles.items()
        if role not in ANNOTATION
    ]
    if not names:
        return None
    return f"in {describe_element(element)} stand, in this order: {', '.join(names)}"
