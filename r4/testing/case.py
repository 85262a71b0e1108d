"""A case: rules and data with the lines that are expected of them, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

RULES: Final = "rules.rif"
OPTIONS: Final = "options"
EXPECTED: Final = ("expected.jsonl", "expected.txt")


class BadCase(Exception):
    """A case that cannot be run; the message says why."""


class ExpectedLines(Protocol):
    """Where the lines that a case expects are written."""

    @property
    def name(self) -> str:
        """What messages call the place."""
        ...

    def read(self) -> str:
        """The lines, each with its end; raises `BadCase` if none are there."""
        ...

    def write(self, text: str, suffix: str) -> None:
        """Put ``text`` in their place; ``suffix`` is that of a file that is made for it.

        Raises:
            BadCase: they cannot stand there.
            OSError: the system does not write it.
        """
        ...


@dataclass(frozen=True, slots=True)
class Case:
    """Rules and data with the lines that are expected of them.

    Attributes:
        group: the folder or file in which the case is, as it is shown.
        title: what it is called there; "": the folder is the case.
        expected: where the expected lines are.
        files: the names of its files, sorted; those of a Markdown file are in ``texts``, too.
        options: options of ``r4 run``, as words.
        folder: where the files are; None: they are ``texts``.
        texts: (name, text) of each file.
        fault: why it cannot be run; "": it can.
    """

    group: str
    title: str
    expected: ExpectedLines
    files: Sequence[str] = ()
    options: Sequence[str] = ()
    folder: Path | None = None
    texts: Sequence[tuple[str, str]] = field(default=())
    fault: str = ""

    @property
    def name(self) -> str:
        """What it is called among all cases."""
        return f"{self.group}: {self.title}" if self.title else self.group


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of a case.

    Attributes:
        case: the case.
        differences: what is wrong, a line each; none: it passes.
        notes: lines that the run said beside its answers.
    """

    case: Case
    differences: Sequence[str] = ()
    notes: Sequence[str] = ()

    @property
    def passes(self) -> bool:
        """Whether what came is what is expected."""
        return not self.differences


def decoded(data: bytes, name: str) -> str:
    """UTF-8 as text, a byte order mark left out; raises `BadCase`."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        message = f"{name}: not UTF-8"
        raise BadCase(message) from None
