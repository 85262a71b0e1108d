"""Standard output that is a terminal: no character of the data controls it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from r4.cli import main
from r4.cli.terminal.terminal_output import escaped, escaped_terminal

RULES = """
Document( Prefix(ex <urn:ex:>) Group( Forall ?s ?o ( ?s[ex:q -> ?o] :- ?s[ex:p -> ?o] ) ) )
"""
HOSTILE = "a\x1b[2Jb\x9bc\u202ed\u2066e\x7ff"
SHOWN = "a\\u001B[2Jb\\u009Bc\\u202Ed\\u2066e\\u007Ff"


class Terminal(io.BytesIO):
    """Takes what is written, as a terminal does."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError


def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal that is standard output up to the end of the test."""
    found = Terminal()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(found, "utf-8", write_through=True))
    return found


def test_controls_are_escaped_and_other_text_is_not() -> None:
    assert escaped(HOSTILE) == SHOWN
    plain = "tab\t, line\n, \N{HEBREW LETTER ALEF}, \N{SNOWMAN}, \N{NO-BREAK SPACE}"
    assert escaped(plain) == plain


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_bytes_may_be_cut_within_a_character(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    terminal = terminal_of(monkeypatch)
    data = f"{HOSTILE} \N{SNOWMAN}\n".encode()
    with escaped_terminal():
        for begin in range(0, len(data), size):
            sys.stdout.buffer.write(data[begin : begin + size])
            sys.stdout.buffer.flush()
    assert terminal.getvalue().decode() == f"{SHOWN} \N{SNOWMAN}\n"
    assert isinstance(sys.stdout, io.TextIOWrapper)


def test_what_is_no_terminal_gets_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, "utf-8", write_through=True))
    with escaped_terminal():
        sys.stdout.write(HOSTILE)
    assert pipe.getvalue().decode() == HOSTILE


@pytest.mark.parametrize("form", ["jsonl", "trig", "nquads", "patch"])
def test_answers_of_a_run_are_escaped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str
) -> None:
    terminal = terminal_of(monkeypatch)
    (tmp_path / "r.rif").write_text(RULES)
    stream = f'<urn:a> <urn:ex:p> "{HOSTILE}" .\n'
    (tmp_path / "s.nq").write_text(stream.replace("\x1b", "\\u001B"), "utf-8")
    assert (
        main(["run", str(tmp_path / "r.rif"), "--static", str(tmp_path / "s.nq"), "--as", form])
        == 0
    )
    shown = terminal.getvalue().decode()
    assert "\\u202E" in shown
    assert shown == escaped(shown)


def test_models_are_escaped_always(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.txt").write_text("Q(X) :- P(X)\n")
    (tmp_path / "d.txt").write_text(f'P("{HOSTILE}")@1\n'.replace("\x1b", "\\u001b"), "utf-8")
    assert main(["mtl", "materialise", str(tmp_path / "p.txt"), str(tmp_path / "d.txt")]) == 0
    shown = capsys.readouterr().out
    assert f'Q("{SHOWN}")@[1,1]' in shown
    assert shown == escaped(shown)


CALLS = (
    "check r.rif",
    "check wrong.rif --as json",
    "check wrong.rif --as sarif",
    "convert r.rif -",
    "convert r.rif - --to xml",
    "entails r.rif c.rif",
    "plan r.rif",
    "plan r.rif --as dot",
    "plan r.rif --as svg",
    "plan r.rif --as json",
    "plan r.rif --shards 2",
    "explain r.rif --static d.nt --fact FACT",
    "explain r.rif --static d.nt --fact FACT --as json",
    "run r.rif --static d.nt --as csv",
    "run r.rif --static d.nt --as turtle",
    "run r.rif --static d.nt --state state",
    "state show state",
    "status state",
    "run r.rif --print-config --only NAME",
    "mtl check p.txt",
    "mtl check p.txt --as json",
    "mtl materialise p.txt z.txt",
    "mtl materialise p.txt z.txt --as svg",
    "mtl update p.txt z.txt",
    "mtl entails p.txt z.txt Q(TERM)@0",
    "mtl explain p.txt z.txt Q(TERM)@0",
    "mtl stream p.txt z.txt --query Q",
    "hypothesise h.txt --query Goal(X,T) t.txt",
    "no-such-NAME",
)
NAMES = (
    "\x1b[2J",
    "\x9b2J",
    "\x07",
    "\x08",
    "\x7f",
    "\x85",
    "\u061c",
    "\u200e",
    "\u202e",
    "\u2066",
)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_no_command_lets_text_control_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    name: str,
) -> None:
    files = {
        "r.rif": RULES.replace("?o ] :-", f'"{name}" ] :-').replace("-> ?o", f'-> "{name}"'),
        "wrong.rif": f'Document(Group(<urn:p>(?x "{name}") {name}))',
        "c.rif": f'<urn:a>[<urn:ex:q> -> "{name}"]',
        "d.nt": f'<urn:a> <urn:ex:p> "{name}" .\n'.replace("\x1b", "\\u001B"),
        "p.txt": f'Q("{name}") :- P("{name}")\nQ(X) :- P(X)\n',
        "z.txt": f'P("{name}")@0\n',
        "h.txt": "Goal(X,T) :- Temp(X,high,T), Temp(X,high,T+1)\n",
        "t.txt": f'@0 Temp("{name}",high,0)\n',
    }
    monkeypatch.chdir(tmp_path)
    for file, text in files.items():
        Path(file).write_text(text, "utf-8")
    terminal = terminal_of(monkeypatch)
    words = {"FACT": f'<urn:a> <urn:ex:q> "{name}"', "NAME": f"urn:{name}", "TERM": f'"{name}"'}
    for line in CALLS:
        args = line.split()
        for word, text in words.items():
            args = [each.replace(word, text) for each in args]
        main(args)
    shown, said = terminal.getvalue().decode(), capsys.readouterr().err
    assert len(shown) > 9_000
    assert shown == escaped(shown)
    assert said == escaped(said)
    for control in name:
        assert control.isprintable() or control not in shown + said
