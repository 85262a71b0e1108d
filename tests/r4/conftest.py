"""What tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from rif.syntax.terms import XSD

RULES = """Document( Prefix(ex <urn:ex:>) Window(5)
  Group( Forall ?x (?x[ex:seen -> ex:yes] :- ?x[ex:p -> ex:q]) ) )
"""
STREAM = f"""<urn:g> <http://www.w3.org/ns/prov#generatedAtTime> "1"^^<{XSD}integer> .
<urn:ex:a> <urn:ex:p> <urn:ex:q> <urn:g> .
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with rules in ``r.rif``, and an element that they match in ``s.nq``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.rif").write_text(RULES)
    (tmp_path / "s.nq").write_text(STREAM)
    return tmp_path
