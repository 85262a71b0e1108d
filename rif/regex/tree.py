"""A regular expression as a value: what is left when its text has been read [XSD G]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from rif.regex.character_sets import Ranges


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of a set, case variants included."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Anchor:
    """``^`` or ``$``: the start or end of the text, or of a line."""

    start: bool


@dataclass(frozen=True, slots=True)
class RegexGroup:
    """Parentheses; ``number`` counts those that capture, from 1, and is 0 for ``(?:``."""

    body: RegexNode
    number: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """A quantifier; ``most`` None is without bound."""

    body: RegexNode
    least: int
    most: int | None
    reluctant: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """A branch: one after the other; the empty one matches the empty text."""

    items: tuple[RegexNode, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Branches, of which the first that matches is taken."""

    items: tuple[RegexNode, ...]


RegexNode: TypeAlias = Chars | Anchor | RegexGroup | Repeat | Sequence | Choice


@dataclass(frozen=True, slots=True)
class Expression:
    """A whole regular expression.

    Attributes:
        root: Its tree.
        groups: How many groups capture.
        lines: There are anchors, and they are those of lines (flag m).
    """

    root: RegexNode
    groups: int
    lines: bool
