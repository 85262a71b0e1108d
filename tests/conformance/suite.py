"""The entailment suites: their cases, read from the manifests."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

DATA = os.environ.get("R4_TEST_DATA")
needs_data = pytest.mark.skipif(
    DATA is None, reason="R4_TEST_DATA is not set: third-party data are not shipped"
)


@dataclass(frozen=True, slots=True)
class Case:
    """A premise and what is asked about it.

    Attributes:
        kinds: of PET, NET (its conclusion follows, or does not), INC, CON (it is inconsistent, or
            is not).
        premises: files whose merge is the premise.
        conclusion: a file; None: only consistency is asked for.
        reachable: whether a conclusion that follows is derived by the tables of rules.
    """

    name: str
    kinds: frozenset[str]
    premises: tuple[Path, ...]
    conclusion: Path | None
    regime: str
    recognised: frozenset[str] | None
    reachable: bool = True

    def __str__(self) -> str:
        return self.name


def owl_cases(folder: str) -> list[Case]:
    """The cases of ``owl2-rl`` or ``rdfbased-sem``; one whose import is missing is left out."""
    if DATA is None:
        return []
    root = Path(DATA, "rif-tests/entailment", folder)
    cases = []
    for entry in _manifest(root):
        home = root / entry["id"]
        imports = [
            root / "imports" / f"{iri.rpartition('-2Dimport-2D')[2].replace('-2D', '-')}.rdf"
            for iri in entry["imports"]
        ]
        if not all(path.exists() for path in imports):
            continue
        conclusions = [home / name for name in ("conclusion.rdf", "nonconclusion.rdf")]
        cases.append(
            Case(
                entry["id"],
                frozenset(entry["kinds"]),
                (home / "premise.rdf", *imports),
                next((path for path in conclusions if path.exists()), None),
                "owl-rl",
                None,
                entry.get("reachable_by_rule_tables", True),
            )
        )
    return cases


def rdf_cases() -> list[Case]:
    """The cases of ``rdf-mt``. That falsehood follows is another word for inconsistency."""
    if DATA is None:
        return []
    root = Path(DATA, "rif-tests/entailment/rdf-mt")
    return [
        Case(
            entry["name"],
            frozenset([_kind(entry["type"], entry["result"])]),
            (root / entry["action"],),
            None if entry["result"] == "false" else root / entry["result"],
            entry["regime"].lower(),
            frozenset(entry["recognized"]),
        )
        for entry in _manifest(root)
    ]


def _kind(form: str, result: str) -> str:
    positive = form == "PositiveEntailmentTest"
    if result == "false":
        return "INC" if positive else "CON"
    return "PET" if positive else "NET"


def _manifest(root: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((root / "manifest.json").read_text("utf-8"))
    return entries
