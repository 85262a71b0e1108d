"""The background of a run: rules of its regime and of the profile of its imports; their limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from r4.imports import Profile, separation
from r4.program.equal_terms import list_warnings
from r4.program.errors import LiteralsAsTerms, TimesOfRegime
from r4.program.regimes import regime
from rif.errors.base import NOWHERE, RuleError
from rif.syntax import ast
from rif.syntax.traversal import formulas_of, rules
from temporal.metric_rif.events import At

NO_REGIME: Final = "none"
"""The name of no regime."""
_OF_VALUES: Final = ("d", "owl-rl")
"""The regimes whose rules are about literals of equal values."""
_OF_IDENTITY: Final = "owl-rl"


def regimes_of(entailment: str, profile: Profile | None) -> tuple[str, ...]:
    """The regimes that hold where ``entailment`` is asked for and ``profile`` imported.

    A profile includes the ones below it [RIF-RDF-OWL 5.1]; the rules of OWL 2 RL do not include
    all of those of RDFS and datatypes, so where a profile asks for them both are taken.
    """
    names = [] if entailment == NO_REGIME else [entailment]
    if profile is not None and profile.regime is not None:
        names += ["d", profile.regime] if profile is Profile.OWL_RDF_BASED else [profile.regime]
    return tuple(dict.fromkeys(names))


@cache
def background_of(
    entailment: str, profile: Profile | None = None, recognised: frozenset[str] | None = None
) -> ast.Document | None:
    """The rules of a regime, or `NO_REGIME`, and of the highest profile; None: there are none.

    ``recognised`` are the datatypes whose literals have a meaning; None: those of the regimes.
    """
    documents = [regime(name, recognised) for name in regimes_of(entailment, profile)]
    if profile is Profile.OWL_DIRECT:
        documents.append(separation())
    return _combined(documents) if documents else None


def _combined(documents: Iterable[ast.Document]) -> ast.Document:
    """The rules of all of ``documents``, each text once."""
    groups = dict.fromkeys(
        item for each in documents if each.group is not None for item in each.group.items
    )
    return ast.Document(group=ast.Group(tuple(groups)))


def regime_limits(
    regimes: Sequence[str], documents: Sequence[ast.Document], *, by_value: bool
) -> list[list[RuleError]]:
    """Warnings of what the regimes do not reach in ``documents``, for each, the main one first."""
    found: list[list[RuleError]] = [
        [*list_warnings(document)] if _OF_IDENTITY in regimes else [] for document in documents
    ]
    for document, warnings in zip(documents, found, strict=True) if regimes else ():
        times = (
            one for rule in rules(document) for one in formulas_of(rule) if isinstance(one, At)
        )
        at = next((one for one in times if not isinstance(one.body, ast.Atom)), None)
        if at is not None:
            message = f"At knows no times of what {regimes[-1]} derives"
            warnings.append(TimesOfRegime(message, at.span))
    of_values = [name for name in _OF_VALUES if name in regimes]
    if of_values and not by_value:
        message = (
            f'literals of one value, such as "01" and "1", are two terms here, and one to the rules'
            f" of {of_values[-1]}"
        )
        found[0].append(LiteralsAsTerms(message, NOWHERE))
    return found
