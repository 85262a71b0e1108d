"""The documents hold together: links lead somewhere, citations are known, maps are complete."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.paths import ROOT

PACKAGES = ("rif", "rete", "temporal", "r4", "bench")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("changelog.d/*.md")])
SOURCES = sorted(path for package in PACKAGES for path in ROOT.glob(f"{package}/**/*.py"))
FOLDERS = sorted({path.parent for path in SOURCES if path.name == "__init__.py"})

LINK = re.compile(r"\]\(([^)#\s]+)")
MAPPED = re.compile(r"`+(\w+)(?:\.pyx?)?`+|\b(\w+)\.pyx?\b")
BRACKETS = re.compile(r"\[([^\[\]`]+)\]")
KEY = re.compile(
    r"(S[0-3]|RFC ?\d+|[A-Z][A-Za-z]+\d\d|CoDeR|(?:RIF|RDF|XSD|SPARQL|SOSA|PROV|OWL)[-A-Za-z0-9]*)"
    r"(?= |,|$)"
)
KNOWN = set(re.findall(r"\*\*\[([^\]]+)\]\*\*", (ROOT / "docs/references.md").read_text("utf-8")))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def cited(text: str) -> Iterator[str]:
    """The keys of ``[Key, section; Key]`` in a text."""
    for brackets in BRACKETS.findall(text):
        for part in brackets.split(";"):
            if key := KEY.match(part.strip()):
                yield key[1].replace(" ", "")


def docstrings(source: Path) -> str:
    tree = ast.parse(source.read_text("utf-8"))
    return "\n".join(
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def wrong(faults: dict[Path, set[str]]) -> dict[str, set[str]]:
    """Those that have faults, by their names."""
    return {name_of(path): found for path, found in faults.items() if found}


def test_every_link_of_a_document_leads_to_a_file() -> None:
    links = {
        path: {link for link in LINK.findall(path.read_text("utf-8")) if ":" not in link}
        for path in DOCUMENTS
    }
    assert sum(map(len, links.values())) > 100
    dead = {
        path: {link for link in some if not (path.parent / link).exists()}
        for path, some in links.items()
    }
    assert wrong(dead) == {}


def test_every_citation_of_a_document_is_in_the_references() -> None:
    found = {path: set(cited(path.read_text("utf-8"))) for path in DOCUMENTS}
    assert any(found.values())
    assert wrong({path: keys - KNOWN for path, keys in found.items()}) == {}


def test_every_citation_of_a_docstring_is_in_the_references() -> None:
    found = {path: set(cited(docstrings(path))) for path in SOURCES}
    assert any(found.values())
    assert wrong({path: keys - KNOWN for path, keys in found.items()}) == {}


def test_the_docstring_of_a_package_is_a_map_of_its_files() -> None:
    missing = {}
    for folder in FOLDERS:
        text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
        mapped = {found[1] or found[2] for found in MAPPED.finditer(text)}
        names = {path.stem for path in folder.glob("*.py")} | {
            path.name for path in folder.iterdir() if (path / "__init__.py").exists()
        }
        missing[folder] = names - mapped - {"__init__", "__main__"}
    assert wrong(missing) == {}


def test_every_page_stands_in_the_navigation_of_the_site() -> None:
    pages = {name_of(path).removesuffix(".md") for path in ROOT.glob("docs/*.md")}
    assert pages - set((ROOT / "tools/site/conf.py").read_text("utf-8").split()) == set()


def test_the_decisions_are_listed() -> None:
    folder = ROOT / "docs/decisions"
    listed = LINK.findall((folder / "README.md").read_text("utf-8"))
    assert listed == sorted(path.name for path in folder.glob("[0-9]*.md"))


def test_every_changelog_fragment_names_its_kind() -> None:
    kinds = {"added", "changed", "fixed", "removed", "security"}
    fragments = [path for path in (ROOT / "changelog.d").glob("*.md") if path.stem != "README"]
    assert [path.name for path in fragments if path.stem.rpartition(".")[2] not in kinds] == []
