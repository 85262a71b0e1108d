"""Commands in Markdown, with the files that they read and what they print: cases, and documents.

    ## One answer

    `rules.rif`: what is concluded.

    ```
    Document( … )
    ```

    ```
    $ r4 run rules.rif stream.trig
    {"op":"+", …}
    2> 1 element, 1 statement; 1 change of answers; …
    ```

A fenced block is a file if the text above it begins with its name and a colon, or if its own first
line is ``# NAME``. A block that begins with ``$`` shows commands. Below each stands what it prints;
``2>`` begins a line of standard error, and ``[N]`` is the exit code, if it is not 0. The folder in
which all stands is shown as ``$PWD``. Known commands are ``r4 …``, ``cat FILE | r4 …`` and ``cat
FILE``; others are text.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from tests.simulation.command import CommandOutput, call

_FENCE = re.compile(r"```")
_NAME_ABOVE = re.compile(r"`([\w./-]+)`:")
_NAME_WITHIN = re.compile(r"# (\w+\.\w+)$")
_COMMAND = re.compile(r"\$ (?:cat ([\w./-]+)(?: \| |$))?(?:r4 (.*))?$")
_ERROR = "2> "
_CODE = re.compile(r"\[(\d+)\]$")


@dataclass(frozen=True, slots=True)
class ShownCommand:
    """A command and what is shown of it.

    Attributes:
        place: the number of its line, from 0; what it prints begins in the next one.
        end: the number of the line after what it prints.
        piped: the file that is its standard input, or which it prints if it has no arguments.
        args: those of ``r4``; None: it prints a file.
        shown: what it prints, as it stands there.
    """

    place: int
    end: int
    piped: str | None
    args: tuple[str, ...] | None
    shown: CommandOutput

    def run(self) -> CommandOutput:
        """What it prints now, in the current folder, whose path is shown as ``$PWD``."""
        given = b"" if self.piped is None else Path(self.piped).read_bytes()
        if self.args is None:
            return CommandOutput(0, given.decode(), "")
        with patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given))):
            done = call(self.args)
        out, err = (text.replace(str(Path.cwd()), "$PWD") for text in (done.out, done.err))
        return CommandOutput(done.code, out, err)


@dataclass(slots=True)
class Case:
    """Files, and commands that are run beside them, in order."""

    title: str
    files: dict[str, str] = field(default_factory=dict)
    commands: list[ShownCommand] = field(default_factory=list)

    def write_files(self, folder: Path) -> None:
        """Write its files into a folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, "utf-8")


def read_document(text: str) -> Case:
    """All files and commands of a document, as one case."""
    case = Case("")
    for block in _blocks(text):
        _enter(case, block)
    return case


def read_cases(text: str) -> list[Case]:
    """The cases of a document: one a heading of the second level.

    Files above the first heading are there in each case.
    """
    lines = text.splitlines()
    headings = [
        (number, line.removeprefix("## "))
        for number, line in enumerate(lines)
        if line.startswith("## ")
    ]
    common, cases = Case(""), [Case(title) for _, title in headings]
    for block in _blocks(text):
        before = sum(number < block.begin for number, _ in headings)
        _enter(cases[before - 1] if before else common, block)
    assert not common.commands, "a command stands above the first case"
    for case in cases:
        case.files = {**common.files, **case.files}
    return cases


def as_text(output: CommandOutput) -> str:
    """What a command printed, as it is shown."""
    errors = "".join(f"{_ERROR}{line}".rstrip() + "\n" for line in output.err.splitlines())
    return output.out + errors + (f"[{output.code}]\n" if output.code else "")


def rewritten(text: str, outputs: dict[ShownCommand, CommandOutput]) -> str:
    """A document that shows these outputs of its commands."""
    lines = text.splitlines(keepends=True)
    for command in sorted(outputs, key=lambda each: -each.place):
        lines[command.place + 1 : command.end] = [as_text(outputs[command])]
    return "".join(lines)


@dataclass(frozen=True, slots=True)
class _Block:
    """A fenced block: the number of its first line within, its lines, and the name above it."""

    begin: int
    lines: list[str]
    name: str | None


def _blocks(text: str) -> list[_Block]:
    found: list[_Block] = []
    begin: int | None = None
    name: str | None = None
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            if begin is None:
                begin = number + 1
            else:
                found.append(_Block(begin, lines[begin:number], name))
                begin = name = None
        elif begin is None and (named := _NAME_ABOVE.match(line)):
            name = named[1]
    assert begin is None, f"the block at line {begin} has no end"
    return found


def _enter(case: Case, block: _Block) -> None:
    """Add what a block is to a case: commands, a file, or nothing."""
    lines, name = block.lines, block.name
    if lines and lines[0].startswith("$ "):
        case.commands += _commands(block)
        return
    if name is None and lines and (named := _NAME_WITHIN.match(lines[0])):
        name, lines = named[1], lines[1:]
    if name is not None:
        assert name not in case.files, f"{name} stands there twice"
        case.files[name] = "".join(f"{line}\n" for line in lines)


def _commands(block: _Block) -> list[ShownCommand]:
    starts = [number for number, line in enumerate(block.lines) if line.startswith("$ ")]
    found = []
    for start, end in zip(starts, [*starts[1:], len(block.lines)], strict=True):
        matched = _COMMAND.match(block.lines[start])
        if matched is None or not any(matched.groups()):
            continue
        args = None if matched[2] is None else tuple(shlex.split(matched[2]))
        shown = _output(block.lines[start + 1 : end])
        place = block.begin + start
        found.append(ShownCommand(place, block.begin + end, matched[1], args, shown))
    return found


def _output(lines: list[str]) -> CommandOutput:
    code = 0
    if lines and (matched := _CODE.match(lines[-1])):
        code, lines = int(matched[1]), lines[:-1]
    out = [line for line in lines if not _is_error(line)]
    err = [line[len(_ERROR) :] for line in lines if _is_error(line)]
    return CommandOutput(code, *("".join(f"{line}\n" for line in part) for part in (out, err)))


def _is_error(line: str) -> bool:
    return line.startswith(_ERROR) or line == _ERROR.strip()
