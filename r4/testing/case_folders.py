"""Folders as cases: one that has expected lines, or rules by the name of a case, is a case.

A case has ``rules.rif``, or one other file that ends in ``.rif``; streams; ``static.*``, data that
always hold; ``options``, a line of options of ``r4 run``; and ``expected.jsonl`` or
``expected.txt``.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from r4.atomic_path import atomic_path
from r4.testing.case import EXPECTED, OPTIONS, RULES, BadCase, Case, decoded


@dataclass(frozen=True, slots=True)
class ExpectedFile:
    """The expected lines of a folder."""

    folder: Path

    @property
    def name(self) -> str:
        """Its path; if no file is there, that of the folder."""
        found = self._found()
        return str(found[0] if found else self.folder)

    def _found(self) -> list[Path]:
        return [self.folder / name for name in EXPECTED if (self.folder / name).is_file()]

    def read(self) -> str:
        """Its lines; raises `BadCase` if there is no such file, or more than one."""
        found = self._found()
        if len(found) != 1:
            has = "both" if found else "neither"
            lack = "" if found else ": --rewrite writes what comes now"
            message = f"{has} {' and '.join(EXPECTED) if found else ' nor '.join(EXPECTED)}{lack}"
            raise BadCase(message)
        return decoded(found[0].read_bytes(), found[0].name)

    def write(self, text: str, suffix: str) -> None:
        """Put ``text`` into it; without a file one with this suffix is made."""
        found = self._found()
        if len(found) > 1:
            message = f"both {' and '.join(EXPECTED)}"
            raise BadCase(message)
        path = found[0] if found else self.folder / f"expected{suffix}"
        with atomic_path(path) as temporary:
            temporary.write_bytes(text.encode())


def find_markdown(folder: Path) -> Iterator[Path]:
    """The Markdown files of a folder and of those below it, by name; hidden ones are left out."""
    for below, names in _walk(folder):
        yield from (below / name for name in names if name.lower().endswith(".md"))


def find_cases(folder: Path) -> Iterator[Case]:
    """The cases of a folder and of those below it, by name; hidden ones are left out."""
    for below, names in _walk(folder):
        if RULES in names or not set(EXPECTED).isdisjoint(names):
            yield _case(below, names)


def _walk(folder: Path) -> Iterator[tuple[Path, Sequence[str]]]:
    """Each folder with the names of its files, sorted; links to folders are not followed."""
    for below, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield Path(below), sorted(name for name in names if not name.startswith("."))


def _case(folder: Path, names: Sequence[str]) -> Case:
    options: Sequence[str] = ()
    fault = ""
    try:
        if OPTIONS in names:
            options = option_words(decoded((folder / OPTIONS).read_bytes(), OPTIONS))
    except BadCase as error:
        fault = str(error)
    return Case(
        *(folder.as_posix(), "", ExpectedFile(folder)),
        files=names,
        options=options,
        folder=folder,
        fault=fault,
    )


def option_words(text: str) -> list[str]:
    """Options as a shell splits them; ``#`` begins a comment. Raises `BadCase`."""
    try:
        return shlex.split(text, comments=True)
    except ValueError as error:
        message = f"{OPTIONS}: {error}"
        raise BadCase(message) from None
