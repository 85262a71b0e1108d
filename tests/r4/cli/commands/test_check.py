"""``r4 check``: all faults of a rule document, or a word that there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.cli import DONE, main
from r4.cli.terminal.console import RULES_REFUSED, USAGE

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


def importing(folder: Path, *imports: str) -> str:
    lines = "".join(f"\n  Import({each})" for each in imports)
    return written(folder, f"Document({lines}\n  Group( <urn:p>(1) ) )")


SIMPLE = "<http://www.w3.org/ns/entailment/Simple>"


def test_what_is_imported_is_checked_and_summed_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "parts.rif").write_text(GOOD, "utf-8")
    (tmp_path / "g.ttl").write_text("<urn:a> <urn:p> 1 .", "utf-8")
    path = importing(tmp_path, "<parts>", "<http://e/x>", f"<g> {SIMPLE}")
    assert main(["check", path, "--import-map", f"http://e/x={tmp_path / 'parts.rif'}"]) == DONE
    out, err = capsys.readouterr()
    assert out == f"{path}: 1 rule, 2 facts, 2 imports, no window, 1 warning\n"
    assert "parts.rif:2:44: R4311 warning" in err
    assert main(["check", path, "--import-map", f"e:x={tmp_path / 'parts.rif'}"]) == RULES_REFUSED
    text = Path(path).read_text("utf-8").replace("Document(", "Document( Prefix(e <http://e/>)")
    Path(path).write_text(text, "utf-8")
    assert main(["check", path, "--import-map", f"e:x={tmp_path / 'parts.rif'}"]) == DONE


def test_the_faults_of_all_imported_documents_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.rif").write_text(BAD, "utf-8")
    path = importing(tmp_path, "<bad>", "<http://e/x>")
    assert main(["check", path]) == RULES_REFUSED
    out, err = capsys.readouterr()
    assert out == ""
    assert "bad.rif:4:" in err
    assert f"{path}:3:3: R4302" in err
    assert "--import-map" in err


def test_a_graph_that_is_to_be_rejected_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "g.ttl").write_text("<urn:a> <urn:p> 1", "utf-8")
    path = importing(tmp_path, f"<g> {SIMPLE}")
    assert main(["check", path]) == RULES_REFUSED
    out, err = capsys.readouterr()
    assert out == ""
    assert "g.ttl:1:1: R4322 DAT101" in err


def test_a_fault_that_compiling_finds_is_said_of_the_document_that_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = " ".join(["<urn:q>(?x)"] * 200)
    text = f"Document( Group(\n Forall ?x ( <urn:p>(?x) :- And( {many} ) ) ) )"
    (tmp_path / "long.rif").write_text(text, "utf-8")
    assert main(["check", importing(tmp_path, "<long>")]) == RULES_REFUSED
    assert "long.rif:2:" in capsys.readouterr().err


def test_imports_may_lie_in_the_import_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("rules", "shared"):
        (tmp_path / name).mkdir()
    (tmp_path / "shared/parts.rif").write_text(GOOD, "utf-8")
    path = importing(tmp_path / "rules", "<../shared/parts.rif>")
    assert main(["check", path]) == RULES_REFUSED
    assert main(["check", path, "--import-root", str(tmp_path / "shared")]) == DONE
    assert "1 import," in capsys.readouterr().out


@pytest.mark.parametrize(
    "args", [["--import-map", "http://e/=x.rif"], ["--import-root", "x"], ["--no-such-option"]]
)
def test_what_is_not_there_exits_2(
    args: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *args, written(tmp_path, GOOD)]) == USAGE
    assert capsys.readouterr().out == ""


NEGATED = """
Document( Prefix(ex <http://example.org/>) IMPORT
  Group(
    Forall ?x (?x[ex:open -> ex:yes] :- And(?x # ex:Door Naf(?x[ex:shut -> ex:yes])))
    ex:p(List(ex:a))
  ) )
"""
RDFS_IMPORT = "Import(<g.ttl> <http://www.w3.org/ns/entailment/RDFS>)"


def test_rules_are_checked_with_the_regime_of_their_imports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "g.ttl").write_text("", "utf-8")
    path = written(tmp_path, NEGATED.replace("IMPORT", RDFS_IMPORT))
    assert main(["run", path]) == main(["check", path]) == RULES_REFUSED
    _, err = capsys.readouterr()
    assert err.count("R4105") == 2


def test_rules_are_checked_with_the_regime_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, NEGATED.replace("IMPORT", ""))
    assert main(["check", path]) == DONE
    assert main(["check", path, "--entailment", "rdfs"]) == RULES_REFUSED
    _, err = capsys.readouterr()
    assert "R4105" in err


def test_what_a_regime_does_not_reach_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, GOOD.replace("ex:a[ex:on -> ex:b]", "ex:p(List(ex:a))"))
    assert main(["check", path, "--entailment", "owl-rl"]) == DONE
    out, err = capsys.readouterr()
    assert out == f"{path}: 1 rule, 1 fact, window 1.5 h, 2 warnings\n"
    assert f"{path}:4:10: R4326 warning" in err
    assert f"{path}: R4327 warning" in err
    assert main(["run", path, "--entailment", "owl-rl", "--literals", "value"]) == DONE
    _, err = capsys.readouterr()
    assert "R4326" in err
    assert "R4327" not in err
    assert main(["check", path, "--entailment", "rdfs"]) == DONE
    assert "R432" not in capsys.readouterr().err


UNSTRATIFIED = """
    Forall ?x (?x[ex:p -> 1] :- And(?x[ex:b -> 1] Naf(?x[ex:q -> 1])))
    Forall ?x (?x[ex:q -> 1] :- And(?x[ex:b -> 1] ?x[ex:p -> 1]))
"""
AHEAD = "Forall ?x (?x[ex:a -> 1] :- DiamondPlus [0, 1 m] (?x[ex:a -> 1]))"
FINE = "Forall ?x (?x[ex:a -> 1] :- DiamondMinus [0, 5 us] (?x[ex:b -> 1]))"
METRIC = "Document( Prefix(ex <urn:ex:>) Window(5 m) Group( {} ) )"


@pytest.mark.parametrize(
    ("text", "code", "unchecked"),
    [
        (BAD, "RIF301", "imports, stratification and time"),
        (METRIC.format(UNSTRATIFIED + FINE), "R4107", "stratification and time"),
    ],
)
def test_what_is_not_checked_before_faults_are_mended_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, code: str, unchecked: str
) -> None:
    assert main(["check", written(tmp_path, text)]) == RULES_REFUSED
    err = capsys.readouterr().err
    assert code in err
    assert err.endswith(f"\nnot checked yet: {unchecked}; mend the faults above first\n")


def test_stratification_and_time_are_checked_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, METRIC.format(UNSTRATIFIED + AHEAD))
    assert main(["check", path]) == RULES_REFUSED
    err = capsys.readouterr().err
    assert "R4105 not stratified" in err
    assert "R4109" in err
    assert "not checked" not in err


def test_a_document_that_cannot_be_read_has_no_more_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path / "none.rif")]) == USAGE
    (tmp_path / "damaged.rif.gz").write_bytes(b"no gzip")
    assert main(["check", str(tmp_path / "damaged.rif.gz")]) == RULES_REFUSED
    assert "not checked" not in capsys.readouterr().err


def test_a_window_on_top_of_an_operator_is_told_once_by_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = "DiamondMinus [0, 5] ( BoxMinus [0, 1] ( At ?t ( ?s[ex:p -> ?v] ) ) )"
    among = "DiamondMinus [0, 5] ( At ?t ( ex:a[ex:p -> ?v] ) )"
    beside = "And( At ?t ( ?s[ex:p -> ?v] ) DiamondMinus [0, 5] ( ?s[ex:p -> ?v] ) )"
    rules = f"""Document( Prefix(ex <urn:ex:>) WINDOW Group(
Forall ?s ?t ?v ( ?s[ex:a -> ?t] :- {last} )
Forall ?n ( ex:n(?n) :- ?n = count{{ ?v | Exists ?t ( {among} ) }} )
Forall ?s ?t ?v ( ?s[ex:b -> ?t] :- {beside} ) ) )"""
    lines = rules.splitlines()
    given = [f"{number}:{lines[number - 1].index('At ?t') + 1}" for number in (2, 3)]
    for window, places in (("", []), ("Window(10)", given)):
        path = written(tmp_path, rules.replace("WINDOW", window))
        assert main(["check", path]) == DONE
        out, err = capsys.readouterr()
        told = [line for line in err.splitlines() if "R4329" in line]
        assert [line.split("rules.rif:")[1].split(": ")[0] for line in told] == places
        assert ["BoxMinus" in line for line in told] == [True, False][: len(told)]
        assert ("2 warnings" if told else "no warnings") in out
