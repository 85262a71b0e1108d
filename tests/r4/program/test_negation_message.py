"""The message about rules that are not stratified names the same cycle in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_cycle_that_is_named_does_not_hang_on_hashes(tmp_path: Path) -> None:
    rules = tmp_path / "rules.rif"
    rules.write_text(
        "Document(Prefix(ex <urn:ex:>) Group(Forall ?x ?y (?y[ex:t -> ex:b] :- And("
        "Naf(ex:c[ex:t -> 2]) Naf(ex:b[ex:t -> ex:c]) Naf(ex:d[ex:t -> 4]) Naf(ex:e[ex:t -> 5])"
        " ?x[ex:q -> ?y]))))"
    )
    command = [sys.executable, "-m", "r4", "run", str(rules), "--entailment", "rdfs"]
    messages = {
        subprocess.run(
            [*command, "--include-background"],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=False,
        ).stderr
        for seed in (1, 3, 4)
    }
    (message,) = messages
    assert "asks for the absence of ex:b[ex:t -> ex:c]" in message
