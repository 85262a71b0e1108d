"""``r4 check``: all faults of a rule document, or a word that there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.cli import DONE, main
from r4.cli.common import RULES_REFUSED, USAGE

GOOD = """
Document( Prefix(ex <http://example.org/>) Window(1.5 h)
  Group(
    ex:a[ex:on -> ex:b]
    Forall ?x ?y (?x[ex:above -> ?y] :- Or(?x[ex:on -> ?y] ?x[ex:over -> ?y]))
  ) )
"""
BAD = """
Document( Prefix(ex <http://example.org/>)
  Group(
    Forall ?x ?y (?x[ex:above -> ?y] :- ?x[ex:on -> ex:b])
    Forall ?x (?x[no:prefix -> ?x] :- ?x[ex:on -> ?x])
  ) )
"""


def written(folder: Path, text: str) -> str:
    path = folder / "rules.rif"
    path.write_text(text, "utf-8")
    return str(path)


def test_good_rules_are_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, GOOD)
    assert main(["check", path]) == DONE
    out, err = capsys.readouterr()
    assert out == f"{path}: 1 rule, 1 fact, window 1.5 h, no warnings\n"
    assert err == ""


def test_all_faults_are_said_with_their_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, BAD)
    assert main(["check", path]) == RULES_REFUSED
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{path}:4:" in err
    assert f"{path}:5:" in err
    assert "RIF301" in err
    assert "hint: " in err


def test_a_warning_refuses_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = GOOD.replace("Forall", "(* rdf:nil *) Forall")
    path = written(tmp_path, text)
    assert main(["check", path]) == DONE
    out, err = capsys.readouterr()
    assert out.endswith("1 warning\n")
    assert "warning: the prefix rdf: is not declared" in err


def test_a_window_finer_than_the_tick_is_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "Document( Window(0.5 ms) )")
    assert main(["check", path]) == RULES_REFUSED
    assert f"{path}:1:11: R4101" in capsys.readouterr().err
    assert main(["check", "--tick", "us", path]) == DONE


def test_lenient_forgives_bare_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, GOOD.replace("ex:b]", "b]"))
    assert main(["check", path]) == RULES_REFUSED
    assert main(["check", "--lenient", path]) == DONE
    assert "1 warning" in capsys.readouterr().out


@pytest.mark.parametrize("args", [["--import-map", "http://e/=x.rif"], ["--no-such-option"]])
def test_what_is_not_there_exits_2(
    args: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *args, written(tmp_path, GOOD)]) == USAGE
    assert capsys.readouterr().out == ""
