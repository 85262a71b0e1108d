"""``r4 run --config``, ``R4_RUN_…``, ``--print-config``: one option from three places."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest

from r4.cli.configuration import variable
from r4.cli.options.declared_options import declared_options
from r4.cli.streams.run import command
from r4.cli.terminal.console import USAGE
from r4.options.option import Places
from tests.generators.draw import Draw, from_seed
from tests.simulation.command import CommandOutput, call

RULES = """Document( Prefix(ex <urn:ex:>) Window(5 s)
  Group( Forall ?x ?y (?x[ex:q -> ?y] :- ?x[ex:p -> ?y])
         Forall ?x (?x[ex:r -> 1] :- ?x[ex:in -> 1]) ) )"""
STREAM = "".join(
    f'<urn:g{n}> <http://www.w3.org/ns/prov#generatedAtTime> "{n}"^^'
    "<http://www.w3.org/2001/XMLSchema#integer> .\n"
    f"<urn:ex:a> <urn:ex:p> <urn:ex:v{n}> <urn:g{n}> .\n"
    for n in (1, 2, 9)
)
ALL = declared_options(command.params)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("r.rif").write_text(RULES)
    Path("s.nq").write_text(STREAM)
    return tmp_path


def run(*args: str) -> CommandOutput:
    return call(["run", "r.rif", "s.nq", "--quiet", *args])


def config(text: str, path: str = "run.toml") -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)
    return path


def in_effect(*args: str) -> dict[str, Any]:
    done = call(["run", "--print-config", *args])
    assert (done.code, done.err) == (0, "")
    table: dict[str, Any] = tomllib.loads(done.out)["run"]
    return table


def test_a_file_gives_options() -> None:
    path = config('[run]\nwindow = 3\ndrain = true\nonly = ["ex:q"]\nsemantics = "instances"\n')
    expected = run("--window=3", "--drain", "--only=ex:q", "--semantics", "instances")
    assert expected.out
    assert run("--config", path) == expected
    assert run("--config", path).out != run().out


def test_the_environment_goes_before_the_file_and_the_line_before_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = config('[run]\nwindow = "1"\nonly = ["ex:q"]\nstrict = true\n')

    assert in_effect("--config", path)["window"] == ["1"]
    monkeypatch.setenv("R4_RUN_WINDOW", "2")
    monkeypatch.setenv("R4_RUN_ONLY", "ex:r '<urn:ex:a b>'")
    monkeypatch.setenv("R4_RUN_STRICT", "0")
    found = in_effect("--config", path)
    assert (found["window"], found["only"]) == (["2"], ["ex:r", "<urn:ex:a b>"])
    assert found["strict"] is False
    found = in_effect("--config", path, "--window=3", "--only", "ex:t", "--strict")
    assert (found["window"], found["only"], found["strict"]) == (["3"], ["ex:t"], True)


def test_windows_by_key_are_a_table_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    path = config('[run]\nwindow = 3\n[run.windows]\n"ex:q" = "1 s"\n"<urn:a=b>" = 2\n')
    wanted = ["3", "ex:q=1 s", "<urn:a=b>=2"]
    assert in_effect("--config", path)["window"] == wanted
    assert run("--config", path).out == run(*(f"--window={each}" for each in wanted)).out
    monkeypatch.setenv("R4_RUN_WINDOW", "5 s")
    assert in_effect("--config", path)["window"] == ["5 s"]
    monkeypatch.setenv("R4_RUN_WINDOW", "'5 s' ex:q=7")
    assert in_effect("--config", path)["window"] == ["5 s", "ex:q=7"]


def test_a_variable_names_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R4_RUN_CONFIG", config("[run]\nwindow = 1\n"))
    assert in_effect()["window"] == ["1"]
    assert in_effect("--config", config("[run]\nwindow = 2\n", "other.toml"))["window"] == ["2"]


VALUES: dict[str, Any] = {
    "window": [["1 s"], ["2 s", "urn:ex:p=3 s"]],
    "idle": ["1 s", "2 s"],
    "delay": [["1 s"], ["2 s", "urn:ex:p=3 s"]],
    "order": ["time", "arrival"],
    "max-term": [100, 200],
    "limit": [7, 8],
    "lenient": [True, False],
    "only": [["ex:q"], ["ex:r", "ex:q"]],
    "memory": ["20GB", "10 GiB"],  # more than the process of the tests occupies
    "drain": ["all", "1 h"],
    "as": ["jsonl", "trig"],
    "output": ["a\N{SNOWMAN}\N{PILE OF POO}.out", 'b "c"\\.out', "\x7f\x9b\u202e\U000e0001.out"],
    "quiet": [True, False],
}


def arguments(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}"] * value
    return [f"--{name}={each}" for each in (value if isinstance(value, list) else [value])]


def written(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(f"'{each}'" for each in value)
    return (
        {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    )


@pytest.mark.parametrize("seed", range(25))
def test_of_three_places_the_first_counts_and_what_is_printed_can_be_read(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw: Draw = from_seed(seed)
    line: list[str] = []
    lines = ["[run]"]
    expected: dict[str, Any] = {}
    for name, values in VALUES.items():
        for place in ("file", "environment", "line"):  # the last one counts
            if draw.integer(0, 1):
                continue
            value = draw.choice(values)
            if place == "file":
                text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
                lines.append(f"{name} = {text}")
            elif place == "environment":
                monkeypatch.setenv(variable(name), written(value))
            elif value is False:
                continue
            else:
                line += arguments(name, value)
            expected[name] = value
    path = config("\n".join(lines))
    found = in_effect("--config", path, *line)
    defaults = in_effect_alone(monkeypatch)
    assert found == defaults | expected
    printed = call(["run", "--print-config", "--config", path, *line]).out
    assert all(text.isprintable() for text in printed.split("\n"))
    for name in VALUES:
        monkeypatch.delenv(variable(name), raising=False)
    again = in_effect("--config", config(printed, "printed.toml"))
    assert again == found


def in_effect_alone(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    with monkeypatch.context() as patch:
        for name in VALUES:
            patch.delenv(variable(name), raising=False)
        return in_effect()


LONG_KEY = "a" * 1001


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[run]\n\n# delay\ndely = 1\n",
            "run.toml:4: there is no option dely; did you mean delay?",
        ),
        ("[run]\nconfig = 'a'\n", "run.toml:2: there is no option config"),
        ("[run]\nreplay = true\n", "run.toml:2: there is no option replay"),
        ("run.dely = 1\n", "run.toml:1: there is no option dely"),
        ("run = {order = 'time', dely = 1}\n", "run.toml:1: there is no option dely"),
        (f"[run]\norder = 'time'\n{LONG_KEY} = 1\n", f"run.toml:3: there is no option {LONG_KEY}"),
        (f'run = {{"{LONG_KEY}" = 1}}\n', f"run.toml:1: there is no option {LONG_KEY}"),
        ("[run]\n'dely' = 1\n", "run.toml:2: there is no option dely"),
        ("[run]\n[rnu]\n", "run.toml:2: there is no table rnu; did you mean run?"),
        ("window = 1\n[run]\n", "run.toml:1: there is no table window"),
        ("[[run]]\n", "run.toml: run is no table: write [run]"),
        ("[run]\nidle = [1]\n", "run.toml:2: write a text or an integer"),
        ("[run]\nidle = 1.5\n", "run.toml:2: write a text or an integer"),
        ("[run]\nidle = true\n", "run.toml:2: write a text or an integer"),
        ("[run]\nwindows = 1\n", "run.toml:2: run.windows is no table: write [run.windows]"),
        (
            "[run]\n[run.windows]\n'ex:p' = [1]\n",
            "run.toml:2: write a text or an integer for each key",
        ),
        ("[run.windos]\n'ex:p' = 1\n", "there is no option windos; did you mean windows?"),
        ("[run.windows]\n'p' = 1\n", "--window: p is no stream of this run, and no IRI"),
        ("[run]\ndelay = [[1]]\n", "run.toml:2: write a text, an integer, or an array of these"),
        ("[run]\nstrict = 1\n", "run.toml:2: write true or false"),
        ("[run]\nlimit = 0\n", "run.toml:2: --limit: 0 is not in the range"),
        ("[run]\norder = 'tim'\n", "run.toml:2: --order: 'tim' is not one of"),
        ("[run]\nmemory = 2\n", "run.toml:2: --memory: 2 is no size"),
        ("[run]\nwindow = \n", "run.toml:2:10: Invalid value"),
        ("[run]\n\udc80", "run.toml: "),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(text: str, message: str) -> None:
    Path("run.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = run("--config", "run.toml")
    assert done.code == USAGE
    assert message in done.err.replace("\n", " ")
    assert done.out == ""


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("R4_RUN_STRICT", "2", "R4_RUN_STRICT: write 1 or 0"),
        ("R4_RUN_LIMIT", "x", "R4_RUN_LIMIT: --limit: 'x' is not a valid"),
        ("R4_RUN_ONLY", "'a", "R4_RUN_ONLY: No closing quotation"),
    ],
)
def test_what_is_wrong_with_a_variable_is_said_with_its_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    done = run()
    assert (done.code, done.out) == (USAGE, "")
    assert message in done.err
    assert call(["run", "--help"]).code == 0


def test_an_unknown_variable_is_told_with_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R4_RUN_DELY", "1")
    done = run()
    assert done.code == 0
    assert done.err == ("warning: R4_RUN_DELY gives no option; did you mean R4_RUN_DELAY?\n")


def test_paths_of_a_file_are_relative_to_its_folder() -> None:
    Path("sub").mkdir()
    Path("sub/static.csv").write_text("x\na\n")
    Path("sub/map.toml").write_text(
        '[rows]\nsubject = "urn:ex:{x}"\n'
        'values = [{column = "x", predicate = "urn:ex:in", datatype = "xsd:string"}]\n'
    )
    path = config(
        '[run]\nstatic = ["static.csv"]\nmapping = ["map.toml=static.csv"]\noutput = "out.jsonl"\n'
        'include-input = true\nlate = "./late.nq"\n',
        "sub/run.toml",
    )
    done = run("--config", path)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "urn:ex:in" in Path("sub/out.jsonl").read_text()
    assert Path("sub/late.nq").exists()
    found = in_effect("--config", path)
    assert found["mapping"] == [str(Path("sub/map.toml")) + "=" + str(Path("sub/static.csv"))]


@pytest.mark.parametrize(
    "value", ["../out", "/dev/out", "link/out", "a/../../out", "file://a/b", "\\u0000"]
)
@pytest.mark.parametrize("name", ["output", "state", "late", "import-map", "mapping"])
def test_paths_of_a_file_do_not_lead_out_of_its_folder(name: str, value: str, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub/link").symlink_to(folder)
    before = {"import-map": "urn:ex:i="}.get(name, "")
    config(f'[run]\nwindow = 1\n{name} = "{before}{value}"\n', "sub/run.toml")
    done = run("--config", "sub/run.toml")
    assert (done.code, done.out) == (USAGE, "")
    assert "sub/run.toml:3: " in done.err
    assert "is not in the folder of this file" in done.err
    assert {each.name for each in folder.iterdir()} == {"sub", "r.rif", "s.nq"}


def test_every_option_with_a_file_is_known_as_one() -> None:
    """A path that were taken as another text would not be held to the folder."""
    known = {name for name, each in ALL.items() if each.declared.places is not Places.NOWHERE}
    named = {
        name
        for name, option in ALL.items()
        if re.search("FILE|DIR", option.metavar or "") or isinstance(option.type, click.Path)
    }
    # Inputs as the command line names them: nothing is opened.
    assert named == known | {"delay", "window"}


def test_a_replay_has_the_options_of_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R4_RUN_DRAIN", "all")
    path = config('[run]\nonly = ["ex:q"]\nwindow = 3\nkeep-journal = true\n')
    done = run("--config", path, "--state", "kept")
    assert done.out.count('"op":"-"') == 3
    monkeypatch.delenv("R4_RUN_DRAIN")
    monkeypatch.setenv("R4_RUN_WINDOW", "1")
    Path(path).unlink()
    again = call(["replay", "kept"])
    assert (again.code, again.out) == (0, done.out)


def test_rules_are_no_option_of_a_file_but_printing_needs_none() -> None:
    done = call(["run", "--print-config", "--limit", "x"])
    assert done.code == USAGE
    assert "command line: --limit: 'x' is not a valid" in done.err
    assert in_effect("--", "--config")["order"] == "time"


@pytest.mark.parametrize("name", ["house.toml", "map.toml"])
def test_no_file_that_is_read_is_overwritten(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.rif").write_text("Document()")
    text = f'[run]\noutput = "{name}"\nmapping = ["map.toml"]\n'
    Path("house.toml").write_text(text)
    Path("map.toml").write_text("")
    done = call(["run", "--config", "house.toml", "r.rif", "-"])
    assert done.code == 2
    assert name in done.err
    assert Path("house.toml").read_text() == text
