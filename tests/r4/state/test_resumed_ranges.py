"""A run whose ranges end where static data say is stopped anywhere, and goes on with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.engine.range_ends import RangeEnds
from tests.r4.state.test_resumed_reports import stopped_and_resumed
from tests.simulation.command import call

RULES = """
Document( Prefix(ex <http://ex.org/>) Window(3)
  Group( Forall ?x ?y ?d ( ?x[ex:r -> ?y] :-
    And(?x[ex:lasts -> ?d] ?x[ex:p -> ?y] Naf(DiamondMinus [1, ?d] (?x[ex:q -> ?y])) ) )))
"""
STATIC = "".join(
    f'<http://ex.org/s{number}> <http://ex.org/lasts> "{number}"'
    "^^<http://www.w3.org/2001/XMLSchema#integer> .\n"
    for number in range(7)
)
OPTIONS = ("--static", "static.nt")


def plain(at: Path) -> bytes:
    (at / "r.rif").write_text(RULES)
    (at / "static.nt").write_text(STATIC)
    assert call(["run", "r.rif", "s.nq", "--output", "plain", *OPTIONS]).code == 0
    return Path("plain").read_bytes()


@pytest.mark.parametrize("checkpoints", [1, 2, 9])
def test_a_stopped_run_writes_the_bytes_of_one_that_never_was(at: Path, checkpoints: int) -> None:
    wanted = plain(at)
    assert wanted.count(b"\n") > 20
    assert stopped_and_resumed(at, checkpoints, *OPTIONS) == wanted


def test_a_run_that_forgets_its_ranges_is_found_out(
    at: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = plain(at)
    monkeypatch.setattr(RangeEnds, "saved", lambda _: {})
    with pytest.raises(AssertionError):
        assert stopped_and_resumed(at, 5, *OPTIONS) == wanted
