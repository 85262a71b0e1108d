"""The faults that a command finds, each with its file."""

from __future__ import annotations

from rif.errors.base import RuleError
from rif.errors.report import RuleErrors


class FaultCollection:
    """Faults in the order in which they are found.

    Attributes:
        found: the file and the fault; of a closure files differ.
        more: how many were left out, as a file had more than `rif.errors.base.MAX_FAULTS`.
    """

    def __init__(self) -> None:
        self.found: list[tuple[str, RuleError]] = []
        self.more = 0

    def add(self, errors: RuleErrors) -> None:
        """Add the faults of a document, or of an import closure."""
        from r4.imports.errors import ImportErrors

        parts = errors.parts if isinstance(errors, ImportErrors) else (errors,)
        self.found += [(part.name, fault) for part in parts for fault in part.errors]
        self.more += errors.more
