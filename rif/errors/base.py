"""What can be wrong with a rule document: one class per code.

``RIF10x`` and ``RIF11x`` the text is not RIF-Core syntax, ``RIF15x`` it is that of another dialect,
``RIF2xx`` it is not well-formed, ``RIF3xx`` a rule is not safe.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

pass


@dataclass(frozen=True, slots=True)
class Span:
    """Where a node stands: 1-based lines and columns (in characters), end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


NOWHERE = Span(0, 0, 0, 0)
"""The span of a node that was built, not read."""


Severity: TypeAlias = Literal["error", "warning"]

MAX_FAULTS = 100
"""So many faults of a file are listed; whoever has more mends these first."""


class RuleError(Exception):
    """One fault of a rule document.

    Attributes:
        code: ``RIF`` and three digits, one per class.
        message: What is wrong, in one line.
        span: Where; `NOWHERE` for a node that was not read from a text.
        hint: What to do about it; ``""`` when the message says it.
        severity: A warning refuses nothing.
    """

    code: ClassVar[str] = "RIF100"
    default_hint: ClassVar[str] = ""
    default_severity: ClassVar[Severity] = "error"

    def __init__(
        self,
        message: str,
        span: Span = NOWHERE,
        hint: str | None = None,
        severity: Severity | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = self.default_hint if hint is None else hint
        self.severity: Severity = severity or self.default_severity

    def __str__(self) -> str:
        where = f"{self.span.line}:{self.span.column}: " if self.span != NOWHERE else ""
        return f"{where}{self.code} {self.message}"

    def as_warning(self) -> RuleError:
        """The same fault, refusing nothing."""
        return type(self)(self.message, self.span, self.hint, "warning")


# Syntax.


# Syntax of other dialects.


# Well-formedness.


# Safeness.


Note: TypeAlias = Callable[[RuleError], None]
"""Records a fault, and lets reading go on."""
