"""Windows of sources and predicates, and what follows from them beside answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from rdflib import Namespace

from r4 import Engine
from r4.api import UnboundedMemory
from r4.options.engine_options import options_from
from r4.options.settings_file import BadSettings
from r4.state.errors import StateError
from r4.stream.windows import NO_WINDOWS, PredicateWindows, Windows
from r4.time.ticks import NO_END
from rete.arrays.delta import POS_INF
from rete.terms.dictionary import Dictionary
from rif.errors.report import RuleErrors
from tests.simulation.command import call

ex = Namespace("urn:ex:")
PREFIX = "Prefix(ex <urn:ex:>)"
RULES = f"""Document( {PREFIX} Window(5) Group(
  Forall ?x ?y (?x[ex:t -> ?y] :- And(?x[ex:p -> ?y] ?x[ex:q -> ?y])) ))"""
STREAM = """PREFIX at: <http://www.w3.org/ns/prov#generatedAtTime> PREFIX ex: <urn:ex:>
ex:e1 at: 1 . ex:e1 { ex:a ex:p ex:b ; ex:q ex:b }
ex:e2 at: 2 . ex:e2 { ex:c ex:p ex:b ; ex:q ex:b }
"""
TOLD = f"""Document( {PREFIX} {{}} Group(
  Forall ?s ?v ( ?s[ex:told -> ?v] :- And( ?s[ex:bad -> ?v]
    Naf( DiamondMinus (0, 9] ( Exists ?w ( ?s[ex:told -> ?w] ) ) ) ) ) ))"""
"""A rule that reads its earlier answers, and so needs what holds at instants alone."""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.rif").write_text(RULES)
    Path("s.trig").write_text(STREAM)


def engine(windows: Mapping[str, str | int | timedelta], rules: str = RULES) -> Engine:
    return Engine.from_text(rules, windows=windows, journal=100)


def ends(told: Engine) -> list[object]:
    """Until when what is added at 1 and 2 is an answer."""
    told.add([(ex.a, ex.p, ex.b), (ex.a, ex.q, ex.b)], at=1)
    told.add([(ex.c, ex.p, ex.b), (ex.c, ex.q, ex.b)], at=2)
    told.finish(None)
    return [each.until for each in told.changes() if each.op == "-"]


def test_rows_without_an_end_have_that_of_their_predicate() -> None:
    terms = Dictionary()
    p, q = terms.encode_many(["<urn:p>", "<urn:q>"]).tolist()
    rows = np.array([[1, p, 2], [1, q, 2], [1, p, 2], [1, p, 2]])
    start, end = np.array([7, 7, 7, 8]), np.array([NO_END, NO_END, 9, POS_INF])
    found = PredicateWindows(Windows(predicates=(("urn:p", 4),)), terms)
    assert found.ends(rows, start, end).tolist() == [11, NO_END, 9, POS_INF]
    assert PredicateWindows(NO_WINDOWS, terms).ends(rows, start, end) is end


@pytest.mark.parametrize(
    ("windows", "until"),
    [
        ({}, [6, 7]),
        ({"urn:ex:p": 3}, [4, 5]),
        ({"ex:p": "3"}, [4, 5]),
        ({"<urn:ex:p>": timedelta(milliseconds=9), "ex:q": 8}, [9, 10]),
        ({"ex:p": 0}, []),
    ],
)
def test_an_engine_has_the_windows_of_predicates(windows, until) -> None:
    assert ends(engine(windows)) == until


def test_what_is_no_window_of_a_predicate_is_refused() -> None:
    with pytest.raises(ValueError, match=r"windows: p is no absolute IRI of a predicate"):
        engine({"p": 3})
    with pytest.raises(ValueError, match=r"windows: <urn:ex:p> is given twice"):
        engine({"ex:p": 3, "<urn:ex:p>": 3})
    with pytest.raises(ValueError, match=r"no duration"):
        engine({"ex:p": "soon"})
    with pytest.raises(ValueError, match=r"finer than|no whole number"):
        engine({"ex:p": "1 us"})
    with pytest.raises(ValueError, match=r"2\^60 ticks"):
        engine({"ex:p": 2**60})
    with pytest.raises(TypeError, match="windows='3': write a dict of IRIs and durations"):
        Engine.from_text(RULES, windows="3")  # type: ignore[arg-type]


def test_a_file_has_the_windows_of_an_engine() -> None:
    Path("r4.toml").write_text('[engine]\nwindow = 9\n[engine.windows]\n"ex:p" = "3 ms"\n')
    options = options_from("r4.toml")
    assert (options.window, options.windows) == ("9", {"ex:p": "3 ms"})
    assert ends(Engine.from_text(RULES, **options)) == [4, 5]
    Path("r4.toml").write_text('[engine.windows]\n"ex:p" = "soon"\n')
    with pytest.raises(BadSettings, match=r"r4.toml:1: .*soon"):
        options_from("r4.toml")


def test_a_saved_engine_has_its_windows_again(tmp_path: Path) -> None:
    saved = engine({"ex:p": "3"})
    saved.add([(ex.a, ex.p, ex.b), (ex.a, ex.q, ex.b)], at=1)
    saved.save(tmp_path / "engine.r4")
    loaded = Engine.load(tmp_path / "engine.r4", RULES)
    loaded.add([(ex.c, ex.p, ex.b), (ex.c, ex.q, ex.b)], at=2)
    loaded.finish(None)
    assert [each.until for each in loaded.changes() if each.op == "-"] == [4, 5]


@pytest.mark.parametrize("other", [{}, {"ex:p": 4}, {"ex:q": 3}])
def test_a_state_of_other_windows_is_refused(other, tmp_path: Path) -> None:
    def begun(windows: Mapping[str, int]) -> Engine:
        return Engine.from_text(RULES, windows=windows, state=tmp_path / "state")

    begun({"ex:p": 3}).close()
    begun({"ex:p": 3}).close()
    with pytest.raises(StateError, match="R4414"):
        begun(other)


def test_a_run_goes_on_with_the_same_windows_alone() -> None:
    args = ["run", "r.rif", "s.trig", "--quiet", "--drain", "--state", "state", "--output", "o"]
    assert call([*args, "--window", "ex:p=3"]).code == 0
    refused = call([*args, "--window", "ex:p=4"])
    assert refused.code == 3
    assert "R4414 the state is of a run with --window ex:p=3" in refused.err


@pytest.mark.parametrize(
    ("rules", "options", "code"),
    [
        ("", [], 0),
        ("", ["5"], 3),
        ("", ["ex:bad=5"], 3),
        ("", ["ex:other=5"], 0),
        ("", ["s.trig=5"], 3),
        ("Window(5)", ["ex:bad=5"], 3),
    ],
)
def test_rules_of_instants_are_refused_with_windows_of_what_they_read(
    rules: str, options: list[str], code: int
) -> None:
    Path("told.rif").write_text(TOLD.format(rules))
    found = call(["run", "told.rif", "s.trig", *(f"--window={each}" for each in options)])
    assert found.code == code, found.err
    assert ("R4105" in found.err) == bool(code)


@pytest.mark.parametrize("options", [{"window": 5}, {"windows": {"ex:bad": 5}}])
def test_so_they_are_of_an_engine_and_of_one_that_they_join(options) -> None:
    with pytest.raises(RuleErrors, match="R4105"):
        Engine.from_text(TOLD.format(""), **options)
    running = Engine.from_text(TOLD.format("").replace("told", "noted").replace("Naf", "And"))
    running.add_rules(TOLD.format(""))
    running = Engine.from_text(
        TOLD.format("").replace("told", "noted").replace("Naf", "And"), **options
    )
    with pytest.raises(RuleErrors, match="R4105"):
        running.add_rules(TOLD.format(""))


def test_what_is_explained_left_its_window() -> None:
    told = engine({"ex:p": 3})
    ends(told)
    own = Path("own.trig")
    own.write_text(
        STREAM.replace("at: 2", "at: 2 ; <http://www.w3.org/ns/prov#invalidatedAtTime> 4")
    )
    args = ["explain", "r.rif", "own.trig", "--window=ex:p=3", "--as=json", "--fact"]
    for subject, at, kind in (("a", 2, "expired"), ("c", 3, "ended")):
        found = json.loads(call([*args, f"ex:{subject} ex:t ex:b", "--at", str(at)]).out)
        assert {each["why"] for each in found["ends"]} == {kind}
    found = json.loads(told.explain("ex:a ex:t ex:b", at=2).json())
    assert {each["why"] for each in found["ends"]} == {"expired"}


@pytest.mark.parametrize(
    ("windows", "warned"),
    [([], "no Window"), (["ex:p=3"], "of some sources or predicates alone"), (["s.trig=3"], "")],
)
def test_memory_is_not_bounded_where_something_has_no_window(windows, warned: str) -> None:
    Path("r.rif").write_text(RULES.replace("Window(5)", ""))
    found = call(["run", "r.rif", "s.trig", "--quiet", *(f"--window={each}" for each in windows)])
    assert warned in found.err
    assert bool(warned) == bool(found.err)


def test_an_engine_warns_of_it_too() -> None:
    rules = RULES.replace("Window(5)", "")
    with pytest.warns(UnboundedMemory, match="some sources or predicates alone"):
        assert ends(engine({"ex:p": 3}, rules)) == [4, 5]


def test_a_window_without_effect_is_warned_of() -> None:
    args = ["r.rif", "s.trig", "--window=ex:p=3", "--window=ex:qq=3"]
    warned = "warning: --window of ex:qq: no rule asks for it; ex:q is asked for\n"
    assert call(["run", *args, "--quiet"]).err == warned
    assert call(["explain", *args, "--fact", "ex:a ex:t ex:b"]).err == warned
    assert call(["run", *args, "--quiet", "--include-input"]).err == ""


@pytest.mark.parametrize(
    ("windows", "told"),
    [
        ([], "as there is no Window"),
        (["ex:p=4"], "holds for 4 ticks"),
        (["ex:p=4", "s.trig=3"], "holds for 4 ticks"),
        (["ex:p=40"], ""),
        (["ex:q=4"], "as there is no Window"),
    ],
)
def test_a_box_that_no_window_is_long_enough_for_is_told(windows, told: str) -> None:
    box = "BoxMinus [0, 30] ( Exists ?y ( ?x[ex:p -> ?y] ) )"
    rules = f"Document( {PREFIX} Group( Forall ?x (?x[ex:t -> ex:b] :- {box}) ))"
    Path("box.rif").write_text(rules)
    found = call(["run", "box.rif", "s.trig", *(f"--window={each}" for each in windows)])
    lines = [line for line in found.err.splitlines() if line.startswith("rule 1")]
    assert told in "".join(line.partition("never held")[2] for line in lines)
