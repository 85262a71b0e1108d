"""The background of a run: the rules of its entailment regime and of the profile of its imports."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from r4.imports import Profile, separation
from r4.program.regimes import REGIMES, regime
from rif.syntax import ast

NO_REGIME: Final = "none"
"""The name of no regime."""
KNOWN_REGIMES: Final = (NO_REGIME, *REGIMES)
"""The names that a run may ask for."""


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
    """The rules of the regimes and of the profile; None: there are none.

    Args:
        entailment: the name of a regime, or `NO_REGIME`.
        profile: the highest of what is imported.
        recognised: the datatypes whose literals have a meaning; None: those of the regimes.
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
