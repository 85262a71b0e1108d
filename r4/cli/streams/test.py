"""``r4 test``: runs cases of rules, and says where they do not give what is expected."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import click
from click.exceptions import Exit

from r4.atomic_path import atomic_path
from r4.cli.options.declared_options import with_options
from r4.cli.options.iri_names import IriNames
from r4.cli.streams.case_arguments import RUN, arguments_of
from r4.cli.terminal.console import (
    INPUT_REFUSED,
    LIMIT,
    LOST,
    NO,
    RULES_REFUSED,
    USAGE,
    refuse,
    refuse_overwriting,
    say,
)
from r4.extras import BrokenExtension
from r4.foreign.rule_parser import parse_rules
from r4.language import LANGUAGE
from r4.options.option import Topic, argument, flag, option
from r4.testing.case import BadCase, Case, CaseResult
from r4.testing.case_folders import find_cases, find_markdown
from r4.testing.differences import answer_differences, read_answers, text_differences
from r4.testing.junit import junit
from r4.testing.markdown_cases import read_cases
from rif.errors.report import counted

_MOST: Final = 20
"""Differences of a case that are shown."""
_MARKDOWN: Final = ".md"
_STOPPED: Final = 128
"""Beyond it are the exit codes of a run that a signal ended."""


@dataclass(frozen=True, kw_only=True)
class RuleTestOptions:
    """All options of ``r4 test``."""

    paths: tuple[str, ...] = argument("DIR|FILE...", repeats=True, is_required=True)
    text: str | None = option(
        "Only cases with TEXT in their names, in capitals or not.",
        Topic.COMMAND,
        spelling="-k --only-named",
        metavar="TEXT",
    )
    rewrite: bool = flag(
        "Write the lines that come into the cases that expect others.", Topic.COMMAND
    )
    junit: str | None = option("Write the results as JUnit XML.", Topic.COMMAND, metavar="FILE")


@click.command()
@with_options(RuleTestOptions)
def command(options: RuleTestOptions) -> int:
    """Run the cases in folders and Markdown files; exit 1 if one does not print what it expects.

    \b
    A case is a folder with rules.rif, streams, static.*, options, and expected.jsonl or
    expected.txt; or a section of a Markdown file with such blocks: docs/testing.md.
    """  # noqa: D301 - \b keeps the lines
    cases = [case for path in options.paths for case in _cases_of(Path(path))]
    if not cases:
        refuse(f"there is no case in {', '.join(options.paths)}")
    if options.text is not None:
        asked = options.text.casefold()
        cases = [case for case in cases if asked in case.name.casefold()]
        if not cases:
            refuse(f"-k {options.text}: no case has that in its name")
    if options.junit is not None:
        read = [str(case.folder / name) for case in cases if case.folder for name in case.files]
        refuse_overwriting(options.junit, [*read, *(case.expected.name for case in cases)])
    results: list[CaseResult] = []
    for case in cases:
        result = _result(case, rewrites=options.rewrite)
        _print(result)
        results.append(result)
    failed = sum(not each.passes for each in results)
    click.echo(f"{counted(len(results), 'case')}, {failed or 'none'} failed")
    if options.junit is not None:
        _write(options.junit, junit(results))
    return NO if failed else 0


def _cases_of(path: Path) -> Iterator[Case]:
    try:
        if path.is_dir():
            yield from find_cases(path)
            for file in find_markdown(path):
                yield from read_cases(file)
        elif path.suffix.lower() != _MARKDOWN:
            refuse(f"{path}: neither a folder nor a Markdown file")
        elif cases := read_cases(path):
            yield from cases
        else:
            refuse(f"{path}: no section has a block ```expected")
    except BadCase as error:
        refuse(str(error))
    except OSError as error:
        refuse(f"{error.filename or path}: {error.strerror or error}")


def _result(case: Case, *, rewrites: bool) -> CaseResult:
    """What comes of a case; with ``rewrites`` it expects that from now on."""
    try:
        if case.fault:
            return CaseResult(case, [case.fault])
        output = _output(case)
        if output.code:
            why = f"r4 run ends with {output.code}: {_REASONS.get(output.code, 'it failed')}"
            return CaseResult(case, [why], output.notes)
        try:
            differences = _differences(case.expected.read(), output, case.expected.name)
        except BadCase as error:
            differences = [str(error)]
        if not differences or not rewrites:
            return CaseResult(case, differences, output.notes if differences else ())
        case.expected.write(output.text, ".jsonl" if output.is_json else ".txt")
    except BadCase as error:
        return CaseResult(case, [str(error)])
    except OSError as error:
        return CaseResult(case, [f"{error.filename}: {error.strerror or error}"])
    click.echo(f"wrote {case.expected.name}")
    return CaseResult(case)


_REASONS: Final = {
    NO: "it says no",
    USAGE: "wrong usage",
    RULES_REFUSED: "the rules are refused",
    INPUT_REFUSED: "the input is refused",
    LIMIT: "a limit is reached",
    LOST: "a source or a sink is lost",
}


class _Output(NamedTuple):
    """What `r4 run` did for a case.

    Attributes:
        code: its exit code.
        text: its lines.
        notes: what it said beside them.
        is_json: whether the lines are JSON.
        rules: the text of the rules.
    """

    code: int
    text: str
    notes: Sequence[str]
    is_json: bool
    rules: bytes


def _output(case: Case) -> _Output:
    """Run a case; raises `BadCase`."""
    with ExitStack() as stack:
        folder = case.folder
        if folder is None:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            for name, text in case.texts:
                (folder / name).write_bytes(text.encode())
        stack.enter_context(chdir(folder))
        given = arguments_of(case, Path())
        code, text, notes = _run(given.arguments)
        return _Output(code, text, notes, given.is_json, Path(given.rules).read_bytes())


def _run(arguments: Sequence[str]) -> tuple[int, str, list[str]]:
    """Exit code, output and lines of standard error of `r4 run`, in this process.

    `Exit`: a signal ended it, which ends this command, too.
    """
    out, err = io.BytesIO(), io.StringIO()
    caught = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    with redirect_stdout(caught), redirect_stderr(err):
        try:
            with RUN.make_context("run", list(arguments)) as context:
                code = int(RUN.invoke(context))
        except Exit as end:
            code = end.exit_code
        except click.ClickException as error:
            say(error.format_message())
            code = error.exit_code
        except BrokenExtension as error:
            say(str(error))
            code = USAGE
    if code > _STOPPED:
        raise Exit(code)
    return code, out.getvalue().decode(), err.getvalue().splitlines()


def _differences(expected: str, output: _Output, name: str) -> list[str]:
    """What differs; raises `BadCase` if what is expected are no lines of answers."""
    if not output.is_json:
        return text_differences(_lines(expected), _lines(output.text))
    before, came = read_answers(expected, name), read_answers(output.text, "<stdout>")
    return answer_differences(before, came, _shortening(output.rules))


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _shortening(rules: bytes) -> Callable[[str], str]:
    """How terms are written by the prefixes of rules, which have run."""
    names = IriNames.of(parse_rules(rules, lenient=True, language=LANGUAGE).document).written

    def shortened(term: str) -> str:
        try:
            return names.term(term)
        except ValueError:  # what a person expects may be no term
            return term

    return shortened


def _print(result: CaseResult) -> None:
    click.echo(f"{'pass' if result.passes else 'FAIL'}  {result.case.name}")
    for line in _first(result.differences, "difference"):
        click.echo(f"  {line}")
    for line in _first(result.notes, "line"):
        click.echo(f"  2> {line}")


def _first(lines: Sequence[str], word: str) -> Iterator[str]:
    """Some lines, and how many there are more."""
    yield from lines[:_MOST]
    if (more := len(lines) - _MOST) > 0:
        yield f"and {counted(more, f'more {word}')}"


def _write(path: str, data: bytes) -> None:
    try:
        with atomic_path(Path(path)) as temporary:
            temporary.write_bytes(data)
    except OSError as error:
        say(f"{path}: {error.strerror or error}")
        raise Exit(LOST) from None
