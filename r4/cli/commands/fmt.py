"""``r4 fmt``: rule files in one layout, with all their comments."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from r4.atomic_path import atomic_path
from r4.cli.options.declared_options import with_options
from r4.cli.terminal.console import LOST, NO, RULES_REFUSED, refuse, say
from r4.language import LANGUAGE
from r4.options.option import Topic, argument, flag
from rif.errors.report import RuleErrors
from rif.errors.syntax import TooManyTokens
from rif.errors.xml import BadEncoding
from rif.syntax.lexical import MAX_TEXT
from rif.text.formatter import format_text
from rif.xml.encoding import decode_utf8, is_xml


@dataclass(frozen=True, kw_only=True)
class FmtOptions:
    """All options of ``r4 fmt``."""

    files: tuple[str, ...] = argument("FILE...", repeats=True, is_required=True)
    check: bool = flag("Change no file; print those that would change.", Topic.COMMAND)


@click.command()
@with_options(FmtOptions)
def command(options: FmtOptions) -> int:
    """Lay out rule files in place; all comments are kept. - reads stdin and writes stdout.

    Clauses alone are laid out as r4 convert --to readable writes them, Document( ... ) as --to ps
    does. A clause with a comment inside stays as it is. Exit 1 if --check finds a file that would
    change, 3 if a file is no rule document in presentation syntax; the others are laid out.
    """
    codes = {_format(path, is_check=options.check) for path in options.files}
    return max(codes)


def _format(path: str, *, is_check: bool) -> int:
    """Lay out one file; the exit code."""
    name = "<stdin>" if path == "-" else path
    data = _read(path)
    if is_xml(data):
        say(f"{name}: this is RIF/XML, which has no layout of ours; r4 convert writes rules of it")
        return RULES_REFUSED
    try:
        before = decode_utf8(data)
        after = format_text(before, name=name, language=LANGUAGE)
    except (BadEncoding, TooManyTokens) as fault:
        say(RuleErrors([fault], "", name).report())
        return RULES_REFUSED
    except RuleErrors as errors:
        say(errors.report(name))
        return RULES_REFUSED
    if is_check:
        if after != before:
            click.echo(name)
        return NO if after != before else 0
    if path == "-":
        click.echo(after.encode(), nl=False)
    elif after != before:
        return _replace(Path(path), after.encode())
    return 0


def _read(path: str) -> bytes:
    """The bytes of a file as they are: one that is compressed could not be written back."""
    try:
        if path == "-":
            return sys.stdin.buffer.read(MAX_TEXT + 1)
        with Path(path).open("rb") as file:
            return file.read(MAX_TEXT + 1)
    except OSError as error:
        _refuse(path, error)


def _replace(path: Path, data: bytes) -> int:
    """Put ``data`` in place of what a file says; it keeps its permissions, a link its target."""
    target = path.resolve()
    try:
        with atomic_path(target) as new:
            new.touch()
            shutil.copymode(target, new)
            new.write_bytes(data)
    except OSError as error:
        say(f"{path}: {error.strerror or error}")
        return LOST
    return 0


def _refuse(path: str, error: OSError) -> NoReturn:
    refuse(f"{path}: {error.strerror or error}")
