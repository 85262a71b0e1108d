"""IRIs in the values of options: written in full, or with a prefix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from r4.cli.terminal.console import refuse
from r4.prefixes import PREFIXES, expand
from r4.property_paths import BadPath, iri_of, read_path, steps_of
from rete.drawing.names import Names
from rif.syntax.ast import Atom, Constant, Document
from rif.syntax.iri import is_absolute
from rif.syntax.terms import IRI
from rif.syntax.traversal import formulas_of, rules


@dataclass(frozen=True, slots=True)
class IriNames:
    """What names in options stand for.

    Attributes:
        prefixes: the namespace of each prefix.
        rules: the rules that say which names there are, if there are any.
    """

    prefixes: Mapping[str, str]
    rules: Document | None = None

    @classmethod
    def of(cls, rules: Document | None) -> IriNames:
        """With the prefixes of the rules, if there are any, then `PREFIXES`."""
        return cls({**PREFIXES, **dict(rules.prefixes if rules else ())}, rules)

    def with_prefixes(self, prefixes: Mapping[str, str]) -> IriNames:
        """The same with further prefixes, which come first."""
        return replace(self, prefixes={**self.prefixes, **prefixes})

    def expand(self, name: str) -> str:
        """``name`` without brackets, or with the namespace in place of its prefix."""
        return expand(name, self.prefixes)

    def iri(self, option: str, name: str, others: str = "") -> str:
        """The IRI that ``name`` stands for; ``others`` says what else the option may have."""
        return self._absolute(option, name, self.expand(name), others)

    def _absolute(self, option: str, name: str, iri: str, others: str = "") -> str:
        """The ``iri`` that ``name`` stands for, unless it is refused."""
        if not is_absolute(iri):
            meant = ", or ".join(self._names_like(iri))
            example = f"or with a prefix: {meant}" if meant else "such as urn:ex:alarm"
            refuse(f"{option} {name}: no absolute IRI; write it in full, {example}{others}")
        return iri

    def path(self, option: str, text: str | None) -> str | None:
        """The path that ``text`` stands for, as `r4.property_paths` has it; None stays None."""
        if text is None:
            return None
        try:
            path = read_path(text, self.prefixes)
        except BadPath as error:
            refuse(f"{option} {text}: {error}")
        for step in steps_of(path):
            self._absolute(option, text, iri_of(step))
        return path

    def _names_like(self, local: str) -> list[str]:
        """The names in the rules that are a prefix and ``local``."""
        if self.rules is None:
            return []
        known = set(_iris_of(self.rules))
        return [
            f"{name}:{local}" for name, space in self.prefixes.items() if space + local in known
        ]

    @property
    def written(self) -> Names:
        """How IRIs are written so that they can be read here."""
        return Names(prefixes=tuple(self.prefixes.items()))

    def iris(self, option: str, names: Iterable[str]) -> tuple[str, ...]:
        """The IRIs that ``names`` stand for."""
        return tuple(self.iri(option, name) for name in names)


def _iris_of(document: Document) -> Iterator[str]:
    for formula in (each for rule in rules(document) for each in formulas_of(rule)):
        if isinstance(formula, Atom) and isinstance(formula.op, IRI):
            yield formula.op.value
        for term in formula.terms:
            if isinstance(term, Constant) and isinstance(term.value, IRI):
                yield term.value.value
