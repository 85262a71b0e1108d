"""Write docs/errors.md, or another file: each code with its meaning, an example, and what to do.

Code, severity and meaning are those of the class of the error, or of the `Flaw`. What to do and the
smallest example stand in `tools/error_examples`. The page shows what R4 prints for them.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Final, NamedTuple

from r4.cli import main
from r4.errors import MEANING, Flaw

ROOT: Final = Path(__file__).parents[1]
TARGET: Final = ROOT / "docs" / "errors.md"
EXAMPLES: Final = ROOT / "tools" / "error_examples"

INTRODUCTION: Final = """\
# Errors

Each code that R4 prints, with what it means, the smallest example, and what to do. The section of a
code has its name in lower case: `errors.md#rif301`.

An error refuses the rules, or leaves out the data that it is about. A warning refuses nothing. The
line below a message is a hint. `r4 check` finds all faults of rules at once; `--format json` and
`--format sarif` are for programs. [semantics.md](semantics.md) has the exit codes.

`make reference` writes this page from the classes of errors and from `tools/error_examples`. The
tests run the examples."""

_CODE: Final = re.compile(r'^ +code(?:: ClassVar\[str\])? = "', re.MULTILINE)
_AREA: Final = re.compile(r"# (.+)\n+((?:(?!## ).*\n)*)")
_SECTION: Final = re.compile(r"^## (\S+)\n((?:(?!## ).*\n)*)", re.MULTILINE)
_BLOCK: Final = re.compile(r"^```(\S+)\n((?:(?!```).*\n)*)```\n", re.MULTILINE)
_COMMANDS: Final = "sh"
_PROGRAM: Final = "python"
_DEFAULT: Final = {
    "rules.rif": "r4 check rules.rif\n",
    "rules.xml": "r4 check rules.xml\n",
    "program.txt": "r4 mtl check program.txt\n",
}
"""The command of an example that has none, by its first file."""
_HOME: Final = "/home"
"""Shown in place of the folder in whose folder ``me`` an example runs."""


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A row of the table of codes.

    Attributes:
        name: that of the class; "" for a flaw of data.
        severity: "error" or "warning"; "" for a flaw of data.
        meaning: a sentence.
    """

    name: str
    severity: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Example:
    """What yields a code.

    Attributes:
        mend: what to do about it, as Markdown.
        blocks: names and texts, in their order: files, commands (`sh`), a program (`python`).
    """

    mend: str
    blocks: tuple[tuple[str, str], ...]


class Area(NamedTuple):
    """Codes that belong together; `prose` is said of all."""

    title: str
    prose: str
    examples: Mapping[str, Example]


@cache
def codes() -> Mapping[str, ErrorCode]:
    """The table of codes: of each class that has one, and of each `Flaw`."""
    flaws = {
        flaw.code: ErrorCode("", "", f"{MEANING[flaw][0].upper()}{MEANING[flaw][1:]}.")
        for flaw in Flaw
        if flaw is not Flaw.NONE
    }
    return {code: row for kind in _classes() for code, row in _row(kind)} | flaws


def _classes() -> Iterator[type]:
    """The classes of all modules in which codes are given."""
    for package in ("rif", "rete", "temporal", "r4"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if _CODE.search(path.read_text("utf-8")):
                module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
                kinds = (each for each in vars(module).values() if isinstance(each, type))
                yield from (kind for kind in kinds if kind.__module__ == module.__name__)


def _row(kind: type) -> Iterator[tuple[str, ErrorCode]]:
    """The row of a class whose body gives a code."""
    if isinstance(code := vars(kind).get("code"), str):
        meaning = " ".join((getdoc(kind) or "").partition("\n\n")[0].split())
        severity = getattr(kind, "default_severity", "error")
        yield code, ErrorCode(kind.__name__, severity, meaning.replace("``", "`"))


@cache
def areas() -> tuple[Area, ...]:
    """The examples, by area, in the order of their codes."""
    read = (_area(path.read_text("utf-8")) for path in EXAMPLES.glob("*.md"))
    return tuple(sorted(read, key=lambda area: min(area.examples)))


def _area(text: str) -> Area:
    head = _AREA.match(text)
    assert head is not None
    examples = {code: _example(text) for code, text in sorted(_SECTION.findall(text))}
    return Area(head[1], head[2].strip(), examples)


def _example(text: str) -> Example:
    blocks = _BLOCK.findall(text)
    if blocks and not {_COMMANDS, _PROGRAM} & dict(blocks).keys():
        blocks.append((_COMMANDS, _DEFAULT[blocks[0][0]]))
    return Example(_BLOCK.sub("", text).strip(), tuple(blocks))


def example(code: str) -> Example:
    """The example of a code."""
    return next(area.examples[code] for area in areas() if code in area.examples)


def text() -> str:
    """The whole page."""
    return "\n\n".join(_parts()) + "\n"


def _parts() -> Iterator[str]:
    for heading in headings():
        yield heading
        if heading.startswith("### "):
            yield section(heading.removeprefix("### "))


def headings() -> Iterator[str]:
    """The page without the sections of codes, in parts."""
    yield INTRODUCTION
    for area in areas():
        yield f"## {area.title}"
        if area.prose:
            yield area.prose
        yield from (f"### {code}" for code in area.examples)


def section(code: str) -> str:
    """What the page says of a code; its example is run."""
    row, shown = codes()[code], example(code)
    article = "an" if row.severity == "error" else "a"
    kind = f"`{row.name}`, {article} {row.severity}. " if row.name else ""
    files = [
        f"`{name}`:\n\n```\n{content}```"
        for name, content in shown.blocks
        if name not in {_COMMANDS, _PROGRAM}
    ]
    return "\n\n".join([f"{kind}{row.meaning}", *files, *run(shown), f"**Mend**: {shown.mend}"])


def run(shown: Example) -> list[str]:
    """Run the commands and the program of an example; each with what it prints, as Markdown."""
    found = []
    with tempfile.TemporaryDirectory() as home, chdir(home):
        Path("me").mkdir()
        os.chdir("me")
        for name, content in shown.blocks:
            if name == _PROGRAM:
                found += [f"```python\n{content}```", f"```\n{_outcome(content)}```"]
            elif name == _COMMANDS:
                lines = (f"$ {each}\n{_output(each)}" for each in content.splitlines())
                found.append(f"```\n{''.join(lines)}```")
            else:
                Path(name).write_text(content, "utf-8")
        here = str(Path(home).resolve())
    return [block.replace(here, _HOME) for block in found]


def _output(command: str) -> str:
    """What a command prints, on standard output and error; ``r4`` alone in this process."""
    program, *args = shlex.split(command)
    if program == "r4":
        with _printed() as out:
            main(args)
        return out.getvalue().decode()
    shell = ["sh", "-c", f'r4() {{ "{sys.executable}" -m r4 "$@"; }}; {command}']
    paths = os.environ | {"PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryFile() as printed:  # with a pipe one would wait for a command behind &
        subprocess.run(shell, stdout=printed, stderr=printed, env=paths, check=False)
        printed.seek(0)
        return printed.read().decode()


def _outcome(program: str) -> str:
    """What a program prints, and the exception that ends it."""
    with _printed() as out:
        try:
            exec(compile(program, "<example>", "exec"), {})  # noqa: S102 - a program of our own
        except Exception as error:  # noqa: BLE001 - what the example shows
            print(traceback.format_exception_only(error)[-1].strip())
    return out.getvalue().decode()


@contextmanager
def _printed() -> Iterator[io.BytesIO]:
    """Standard output and standard error as one, in the order in which they are written."""
    out, real = io.BytesIO(), (sys.stdout, sys.stderr)
    stream = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    sys.stdout = sys.stderr = stream
    try:
        yield out
    finally:
        stream.flush()
        stream.detach()
        sys.stdout, sys.stderr = real


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_text(text(), "utf-8")
