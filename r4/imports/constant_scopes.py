"""Constants over an import closure: local ones kept apart, all others in one role each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from rif.checks.wellformedness import Role, Roles
from rif.errors.base import Span
from rif.errors.checks import RoleClash
from rif.syntax import ast
from rif.syntax.terms import GroundList, GroundTerm, Local, display_name

_NOT_CONSTANTS: Final = frozenset({"span", "meta"})
"""Parts of nodes in which constants have no meaning."""


def with_locals_of(document: ast.Document, number: int) -> ast.Document:
    """The document with its local constants those of document ``number`` [RIF-Core 2.2].

    Annotations keep theirs: they have no meaning. Linear in the document.
    """
    mapped = _mapped(document, number)
    assert isinstance(mapped, ast.Document)  # a node stays what it is
    return mapped


def _mapped(value: object, number: int) -> object:
    """``value``; itself if no local constant is in it."""
    if isinstance(value, Local):
        return replace(value, document=number)
    if isinstance(value, tuple):
        items = tuple(_mapped(item, number) for item in value)
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    if isinstance(value, ast.Node | GroundList):
        changed: dict[str, Any] = {}
        for name in {each.name for each in fields(value)} - _NOT_CONSTANTS:
            old = getattr(value, name)
            if (new := _mapped(old, number)) is not old:
                changed[name] = new
        return replace(value, **changed) if changed else value
    return value


@dataclass(frozen=True, slots=True)
class ConstantUse:
    """The first use of a constant in a closure."""

    role: Role
    name: str
    span: Span


def role_clashes(
    roles: Roles, name: str, known: dict[GroundTerm, ConstantUse]
) -> Sequence[RoleClash]:
    """The constants of the document called ``name`` that have another role in those before it.

    All constants but local ones have one role in all of a closure [RIF-Core 2.2]. ``known`` takes
    up those that are new.
    """
    faults: list[RoleClash] = []
    for constant, (role, span) in roles.items():
        if isinstance(constant, Local):
            continue
        first = known.setdefault(constant, ConstantUse(role, name, span))
        if first.role != role:
            where = f"{first.name}:{first.span.line}"
            message = (
                f"{display_name(constant)} is used as {role} here, but as {first.role} in {where}"
            )
            faults.append(RoleClash(message, span))
    return faults
