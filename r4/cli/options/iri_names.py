"""IRIs in the values of options: written in full, or with a prefix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import click

from r4.prefixes import PREFIXES, expand
from rete.drawing.names import Names
from rif.syntax.ast import Document
from rif.syntax.iri import is_absolute


@dataclass(frozen=True, slots=True)
class IriNames:
    """What names in options stand for.

    Attributes:
        prefixes: the namespace of each prefix.
    """

    prefixes: Mapping[str, str]

    @classmethod
    def of(cls, rules: Document | None) -> IriNames:
        """With the prefixes of the rules, if there are any, then `PREFIXES`."""
        return cls({**PREFIXES, **dict(rules.prefixes if rules else ())})

    def with_prefixes(self, prefixes: Mapping[str, str]) -> IriNames:
        """The same with further prefixes, which come first."""
        return IriNames({**self.prefixes, **prefixes})

    def expand(self, name: str) -> str:
        """``name`` without brackets, or with the namespace in place of its prefix."""
        return expand(name, self.prefixes)

    def iri(self, option: str, name: str, others: str = "") -> str:
        """The IRI that ``name`` stands for; ``others`` says what else the option may have.

        Raises:
            click.UsageError: it is no absolute IRI.
        """
        iri = self.expand(name)
        if not is_absolute(iri):
            message = (
                f"{option} {name}: no absolute IRI; write it in full, such as urn:ex:alarm{others}"
            )
            raise click.UsageError(message)
        return iri

    @property
    def written(self) -> Names:
        """How IRIs are written so that they can be read here."""
        return Names(prefixes=tuple(self.prefixes.items()))

    def iris(self, option: str, names: Iterable[str]) -> tuple[str, ...]:
        """The IRIs that ``names`` stand for.

        Raises:
            click.UsageError: one is no absolute IRI.
        """
        return tuple(self.iri(option, name) for name in names)
