"""The language of R4's rule documents, put together of what the packages have.

A new kind of formula is a row here: its `PlannedKind` beside ``METRIC_KINDS``.
"""

from __future__ import annotations

from typing import Final

from rif.language import CORE, Language
from temporal.metric_rif.kinds import METRIC_KINDS

LANGUAGE: Final[Language] = CORE.with_kinds(*METRIC_KINDS)
"""RIF-Core with negation and metric operators, and all built-ins."""
