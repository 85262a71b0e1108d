"""What all faults of a rule document have in common: a code, a message, a place, a hint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Span:
    """The place of a node in the text: 1-based lines and columns (in characters), end exclusive."""

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

    code: ClassVar[str]
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


Note: TypeAlias = Callable[[RuleError], None]
"""Records a fault, and lets reading go on."""
