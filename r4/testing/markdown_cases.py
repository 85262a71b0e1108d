"""Markdown files as cases: a section with a block ``expected`` is a case, called by its heading.

The word behind the fence says what a block is: ``rif``, a stream as ``nquads``, ``trig`` or
``csv``, ``toml`` for a mapping, ``options``, ``expected``. A second word names its file: ``turtle
static`` is data that always hold, ``csv gusts.csv`` a table that options can name. Blocks of other
words are text. Blocks of a section are there in all sections below it, which may have others in
their place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from r4.atomic_path import atomic_path
from r4.testing.case import OPTIONS, RULES, BadCase, Case, decoded
from r4.testing.case_folders import option_words

_EXPECTED: Final = "expected"
_NAMES: Final[Mapping[str, str]] = {
    "rif": RULES,
    "nquads": "stream.nq",
    "trig": "stream.trig",
    "turtle": "stream.ttl",
    "ntriples": "stream.nt",
    "jsonld": "stream.jsonld",
    "patch": "stream.patch",
    "csv": "stream.csv",
    "tsv": "stream.tsv",
    "ndjson": "stream.ndjson",
    "jsonl": "stream.jsonl",
    "toml": "mapping.toml",
    OPTIONS: OPTIONS,
    _EXPECTED: _EXPECTED,
}
"""The name of the file that a block is, by the word behind its fence."""
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?=\s|$)")
_FENCE: Final = re.compile(r"( {0,3})(`{3,}|~{3,})")
_FILE_NAME: Final = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True, slots=True)
class _Block:
    """A fenced block.

    Attributes:
        name: that of its file.
        begin: the line after the fence that opens it, from 0.
        end: the line of the fence that closes it.
        lines: what stands between.
        fence: the characters of the fences.
    """

    name: str
    begin: int
    end: int
    lines: Sequence[str]
    fence: str

    @property
    def text(self) -> str:
        """Its lines, each with its end."""
        return "".join(f"{line.removesuffix(chr(13))}\n" for line in self.lines)


class _Fence(NamedTuple):
    """A line that opens a block.

    Attributes:
        indent: the blanks before it.
        marks: its fence.
        kind: the first word behind it.
        name: the other words.
    """

    indent: str
    marks: str
    kind: str = ""
    name: str = ""


@dataclass(slots=True)
class _Section:
    """A heading, and the blocks below it up to the next one.

    Attributes:
        title: the heading.
        level: how many ``#`` it has; 0: what stands above all headings.
        blocks: by the names of files.
        fault: what is wrong with them; "": nothing.
    """

    title: str
    level: int
    blocks: dict[str, _Block] = field(default_factory=dict)
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ExpectedBlock:
    """The expected lines of a section: the ``number``-th block ``expected`` of the file."""

    path: Path
    number: int
    lines: str | None

    @property
    def name(self) -> str:
        """The file."""
        return str(self.path)

    def read(self) -> str:
        """Its lines; raises `BadCase` if the section has no such block."""
        if self.lines is None:
            message = "there is no block ```expected; an empty one is filled by --rewrite"
            raise BadCase(message)
        return self.lines

    def write(self, text: str, suffix: str) -> None:
        """Put ``text`` between its fences, which become longer if it has such fences itself."""
        del suffix
        self.read()
        whole = self.path.read_bytes().decode()
        end = "\r\n" if "\r\n" in whole else "\n"
        found = [
            block
            for section in _sections(whole.removeprefix("\ufeff"))
            for block in section.blocks.values()
            if block.name == _EXPECTED
        ]
        block, lines = found[self.number], whole.split("\n")
        runs = re.findall(rf"^ *({re.escape(block.fence[0])}+)", text, re.MULTILINE)
        longer = max([len(block.fence), *(len(run) + 1 for run in runs)])
        for place in (block.begin - 1, block.end):
            lines[place] = lines[place].replace(block.fence, block.fence[0] * longer, 1)
        content = [f"{line}{end[:-1]}" for line in text.split("\n")[:-1]]
        lines[block.begin : block.end] = content
        with atomic_path(self.path) as temporary:
            temporary.write_bytes("\n".join(lines).encode())


def read_cases(path: Path) -> list[Case]:
    """The cases of a Markdown file, in order; none: no section has a block ``expected``.

    Raises:
        BadCase: it is not UTF-8, or a block has no end.
        OSError: it cannot be read.
    """
    sections = list(_sections(decoded(path.read_bytes(), str(path))))
    if not any(_EXPECTED in section.blocks for section in sections):
        return []
    cases: list[Case] = []
    enclosing: list[_Section] = []
    number = 0
    for place, section in enumerate(sections):
        enclosing = [each for each in enclosing if each.level < section.level]
        block = section.blocks.get(_EXPECTED)
        later = sections[place + 1 :]
        is_leaf = not later or later[0].level <= section.level
        if block is not None or section.fault or (is_leaf and section.blocks):
            expected = ExpectedBlock(path, number, None if block is None else block.text)
            cases.append(_case(path, section, enclosing, expected))
        number += block is not None
        enclosing.append(section)
    return cases


def _case(
    path: Path, section: _Section, enclosing: Sequence[_Section], expected: ExpectedBlock
) -> Case:
    texts: dict[str, str] = {}
    for each in (*enclosing, section):
        texts |= {name: block.text for name, block in each.blocks.items()}
    texts.pop(_EXPECTED, None)
    fault = section.fault
    options: Sequence[str] = ()
    try:
        options = option_words(texts.pop(OPTIONS, ""))
    except BadCase as error:
        fault = fault or str(error)
    return Case(
        *(path.as_posix(), section.title or "without a heading", expected),
        files=sorted(texts),
        options=options,
        texts=sorted(texts.items()),
        fault=fault,
    )


def _sections(text: str) -> Iterator[_Section]:
    """The sections of a file, in order; raises `BadCase` if a block has no end."""
    lines = text.split("\n")
    section = _Section("", 0)
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        if (heading := _HEADING.match(line)) is not None:
            yield section
            section = _Section(_title(line[heading.end() :]), len(heading[1]))
        elif (opened := _FENCE.match(line)) is not None:
            words = line[opened.end() :]
            if opened[2][0] == "`" and "`" in words:  # code within a line
                continue
            end = _end_of(lines, place, opened[2])
            _enter(
                section, _Fence(*opened.groups(), *words.split(maxsplit=1)), lines[place:end], place
            )
            place = end + 1
    yield section


def _title(text: str) -> str:
    """A heading without the ``#`` that may end it."""
    title = text.strip()
    rest = title.rstrip("#")
    return rest.rstrip() if not rest or rest[-1].isspace() else title


def _end_of(lines: Sequence[str], begin: int, fence: str) -> int:
    for place in range(begin, len(lines)):
        found = _FENCE.match(lines[place])
        if found is None or not found[2].startswith(fence):
            continue
        if not lines[place][found.end() :].strip():
            return place
    message = f"the block that begins in line {begin} has no end"
    raise BadCase(message)


def _enter(section: _Section, opened: _Fence, lines: Sequence[str], begin: int) -> None:
    """Add a block to its section, unless it is text."""
    if opened.kind not in _NAMES:
        return
    indent = len(opened.indent)
    lines = [line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in lines]
    name = _file_name(opened, section, begin)
    if name in section.blocks:
        section.fault = section.fault or f"line {begin}: {name} is there twice; name one of them"
    section.blocks[name] = _Block(name, begin, begin + len(lines), lines, opened.marks)


def _file_name(opened: _Fence, section: _Section, begin: int) -> str:
    """The name of the file that a block is; its kind gives what is left out."""
    default, own = _NAMES[opened.kind], opened.name
    if not own:
        return default
    if opened.kind in {OPTIONS, _EXPECTED} or not _FILE_NAME.fullmatch(own):
        section.fault = section.fault or f"line {begin}: {own!r} names no file"
        return default
    return own if "." in own else own + Path(default).suffix
