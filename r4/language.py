"""The language of R4's rule documents, put together of what the packages have.

A new kind of formula is a row here: its `PlannedKind` beside ``METRIC_KINDS``.
"""

from __future__ import annotations

from typing import Final

from r4.functions import Functions, InstalledBuiltins, builtins_of
from rete.planning.aggregates import AGGREGATE_KINDS
from rif.language import Language
from rif.syntax.negation import NAF
from temporal.metric_rif.event_kinds import EVENT_KINDS
from temporal.metric_rif.kinds import METRIC_KINDS

LANGUAGE: Final = Language(
    (NAF, *METRIC_KINDS, *AGGREGATE_KINDS, *EVENT_KINDS), InstalledBuiltins()
)
"""RIF-Core with negation and metric operators, all built-ins, and functions of packages."""


def language_with(functions: Functions, language: Language = LANGUAGE) -> Language:
    """A language with functions of one's own.

    Raises:
        TypeError: One is no function, or has no IRI.
        ValueError: An IRI is none, or that of a built-in.
    """
    added = list(builtins_of(functions))
    return language.with_builtins(added) if added else language
