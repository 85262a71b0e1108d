"""A kind of formula that is in the language for the time of a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from rif.syntax.ast import Formula
from rif.syntax.formula_kinds import BY_KEYWORD, BY_NODE, FormulaKind, register

F = TypeVar("F", bound=Formula)


@contextmanager
def registered(kind: FormulaKind[F]) -> Iterator[None]:
    """The kind is in the language for the time of the ``with`` block."""
    register(kind)
    try:
        yield
    finally:
        del BY_KEYWORD[kind.keyword]
        del BY_NODE[kind.node]
