"""The entailment suites: their cases, read from the manifests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest

from rif.syntax.terms import OWL
from tests.paths import DATA


@dataclass(frozen=True, slots=True)
class EntailmentCase:
    """A premise and what is asked about it.

    Attributes:
        kinds: of PET, NET (its conclusion follows, or does not), INC, CON (it is inconsistent, or
            is not).
        premise: a file.
        imports: by IRI, what it imports.
        conclusion: a file; None: only consistency is asked for.
        reachable: whether a conclusion that follows is derived by the tables of rules.
    """

    name: str
    kinds: frozenset[str]
    premise: Path
    imports: Mapping[str, Path]
    conclusion: Path | None
    regime: str
    recognised: tuple[str, ...]
    reachable: bool = True

    def __str__(self) -> str:
        return self.name


def every_other_slow(cases: list[EntailmentCase]) -> list[pytest.ParameterSet]:
    """All cases; every second one is not in `make check`."""
    return [
        pytest.param(case, marks=[pytest.mark.slow] if number % 2 else [])
        for number, case in enumerate(cases)
    ]


def owl_cases(folder: str) -> list[EntailmentCase]:
    """The cases of ``owl2-rl`` or ``rdfbased-sem``; one that lacks a file is left out."""
    if DATA is None:
        return []
    root = Path(DATA, "rif-tests/entailment", folder)
    cases = []
    for entry in _manifest(root):
        home = root / entry["id"]
        premise = home / "premise.rdf"
        if not premise.exists():
            continue
        wanted = _imported(premise) if entry["imports"] else []
        imports = {iri: root / "imports" / f"{iri.rpartition('/')[2]}.rdf" for iri in wanted}
        conclusions = [home / name for name in ("conclusion.rdf", "nonconclusion.rdf")]
        cases.append(
            EntailmentCase(
                entry["id"],
                frozenset(entry["kinds"]),
                premise,
                imports,
                next((path for path in conclusions if path.exists()), None),
                "owl-rl",
                (),
                entry.get("reachable_by_rule_tables", True),
            )
        )
    return cases


def rdf_cases() -> list[EntailmentCase]:
    """The cases of ``rdf-mt``. That falsehood follows is another word for inconsistency."""
    if DATA is None:
        return []
    root = Path(DATA, "rif-tests/entailment/rdf-mt")
    return [
        EntailmentCase(
            entry["name"],
            frozenset([_kind(entry["type"], entry["result"])]),
            root / entry["action"],
            {},
            None if entry["result"] == "false" else root / entry["result"],
            entry["regime"].lower(),
            tuple(entry["recognized"]) or ("none",),
        )
        for entry in _manifest(root)
    ]


def _imported(path: Path) -> list[str]:
    quads = ox.parse(path=str(path), format=ox.RdfFormat.RDF_XML, base_iri="urn:x:")
    objects = [quad.object for quad in quads if quad.predicate.value == OWL + "imports"]
    return [iri.value for iri in objects if isinstance(iri, ox.NamedNode)]


def _kind(form: str, result: str) -> str:
    positive = form == "PositiveEntailmentTest"
    if result == "false":
        return "INC" if positive else "CON"
    return "PET" if positive else "NET"


def _manifest(root: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((root / "manifest.json").read_text("utf-8"))
    return entries
