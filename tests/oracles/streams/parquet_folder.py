"""A folder of Parquet as quads of pyoxigraph: its tables joined by id, row by row."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pyoxigraph as ox


def quads(folder: Path) -> Counter[ox.Quad]:
    """Each quad, as often as it is there; blank nodes as they are called there."""
    terms: dict[int, Any] = {
        row["id"]: term(row) for row in pq.read_table(folder / "terms").to_pylist()
    }
    assert sorted(terms) == list(range(1, len(terms) + 1))
    assert len(set(terms.values())) == len(terms)
    found: Counter[ox.Quad] = Counter()
    if (folder / "triples").exists():
        for row in pq.read_table(folder / "triples").to_pylist():
            graph = terms[row["g"]] if row["g"] else ox.DefaultGraph()
            found[ox.Quad(terms[row["s"]], terms[row["p"]], terms[row["o"]], graph)] += 1
    return found


def term(row: dict[str, str]) -> Any:
    """A term from its columns."""
    match row["kind"]:
        case "iri":
            return ox.NamedNode(row["lexical"])
        case "blank":
            return ox.BlankNode(row["lexical"])
    if row["language"]:
        return ox.Literal(row["lexical"], language=row["language"])
    return ox.Literal(row["lexical"], datatype=ox.NamedNode(row["datatype"]))


def parsed(path: Path, number: int, format_: ox.RdfFormat) -> Counter[ox.Quad]:
    """The quads of a file without errors, its blank nodes as those of document ``number``."""
    found: Counter[ox.Quad] = Counter()
    for quad in ox.parse(path=str(path), format=format_):
        parts = [scoped(part, number) for part in (quad.subject, quad.object, quad.graph_name)]
        found[ox.Quad(parts[0], quad.predicate, parts[1], parts[2])] += 1
    return found


def scoped(part: object, number: int) -> Any:
    """A term; a blank node with its document."""
    return ox.BlankNode(f"d{number}_{part.value}") if isinstance(part, ox.BlankNode) else part
