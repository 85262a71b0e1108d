"""Small runs of ``r4 run --hypotheses``: a rule or two, some elements, and what is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.simulation.command import CommandOutput, call

PROV = "http://www.w3.org/ns/prov#generatedAtTime"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
PREFIXES = (
    "Prefix(ex <urn:ex:>) Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>) "
    "Prefix(func <http://www.w3.org/2007/rif-builtin-function#>) "
    "Prefix(rif <http://www.w3.org/2007/rif#>) "
    "Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)"
)
BOTH = "Forall ?x ( ?x[ex:is -> ex:bad] :- And( ?x[ex:a -> ex:m] ?x[ex:b -> ex:m] ) )"
APART = "Forall ?x ?y ( ?x[ex:is -> ex:bad] :- And( ?x[ex:a -> ?y] ?y[ex:b -> ex:m] ) )"
TRIPLES = ("--hypotheses=triples",)


def element(name: str, stamp: int, *triples: str, back: str = "") -> str:
    lines = [f'<urn:ex:{name}> <{PROV}> "{stamp}"^^<{INTEGER}> .\n']
    lines += [f"{_terms(triple)} <urn:ex:{name}> .\n" for triple in triples]
    if back:
        lines.append(f"<urn:ex:{name}> <urn:r4:retracts> <urn:ex:{back}> .\n")
    return "".join(lines)


def _terms(triple: str) -> str:
    return " ".join(
        f'"{term}"^^<{INTEGER}>' if term.isdigit() else f"<urn:ex:{term}>"
        for term in triple.split()
    )


class SmallRun:
    """A run of some rules over some elements."""

    def __init__(
        self,
        folder: Path,
        rules: str,
        *elements: str,
        options: tuple[str, ...] = (),
        window: str = "Window(3)",
        static: str = "",
        more: tuple[str, ...] = (),
    ) -> None:
        (folder / "rules.rif").write_text(f"Document( {PREFIXES} {window} Group( {rules} ) )")
        (folder / "stream.nq").write_text("".join(elements))
        (folder / "static.nt").write_text(static)
        hypotheses = () if any("hypotheses" in each for each in options) else ("--hypotheses",)
        files = (str(folder / "rules.rif"), str(folder / "stream.nq"), *more)
        given = ("--static", str(folder / "static.nt"), *hypotheses, *options)
        self.printed: CommandOutput = call(["run", *files, *given])
        assert self.printed.code == 0, self.printed.err
        self.lines: list[dict[str, Any]] = [json.loads(each) for each in self.printed.lines()]

    @property
    def told(self) -> list[tuple[str, int, str]]:
        """Of each line about what is possible the status, when, and the subject."""
        return [
            (each["status"], each["at"], each["s"].removeprefix("<urn:ex:")[:-1])
            for each in self.lines
            if "status" in each
        ]

    def line(self, status: str) -> dict[str, Any]:
        return next(each for each in self.lines if each.get("status") == status)
