"""Rule documents of a command, read and compiled; commands that read none load no parser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from r4.cli.options.iri_names import IriNames
from r4.cli.terminal.console import RULES_REFUSED, read_bytes, refuse, say
from r4.foreign.rule_parser import parse_rules
from r4.language import LANGUAGE
from r4.options.shared_options import LenientOptions
from rif.checks.document import ParsedDocument
from rif.errors.checks import NotStronglySafe
from rif.errors.dialect import NegationAsFailure
from rif.errors.report import RuleErrors
from rif.syntax.ast import Document

if TYPE_CHECKING:
    from r4.imports import Closure, Locations
    from r4.program.program import Program
    from r4.stream.windows import Windows
    from r4.time.ticks import TimeScale


Report: TypeAlias = Callable[[RuleErrors], None]
"""Takes the faults of a document, or of several, as they are found."""
RETRACT_WITHIN: Final = "--retract-within DURATION"
"""What bounds memory where rules derive for ever."""


def say_faults(faults: RuleErrors) -> None:
    """Report them to the person at the terminal."""
    say(faults.report())


def say_faults_of_use(faults: RuleErrors) -> None:
    """The same without the warning that a construct which R4 runs is not RIF-Core."""
    kept = [each for each in faults.errors if not isinstance(each, NegationAsFailure)]
    if faults.more or len(kept) == len(faults.errors):
        say_faults(faults)
    elif kept:
        say_faults(RuleErrors(kept, faults.source, faults.name))


def read_rules(
    path: str, options: LenientOptions, *, data: bytes | None = None, report: Report = say_faults
) -> ParsedDocument | None:
    """The rules at ``path``, in either syntax; warnings are reported.

    With ``data`` the file is not read, as this is what it says, or said. None: they are refused,
    and all faults are reported.
    """
    name = "<stdin>" if path == "-" else path

    def report_damage(message: str) -> None:
        from r4.imports.errors import Unreadable

        report(RuleErrors([Unreadable(message)], name=name))

    if data is None:
        data = read_bytes(path, report_damage)
    if data is None:
        return None
    try:
        language = LANGUAGE.with_syntax(strict=options.strict_syntax)
        parsed = parse_rules(data, name=name, lenient=options.lenient, language=language)
    except RuleErrors as errors:
        report(errors)
        return None
    if parsed.warnings:
        report(RuleErrors(parsed.warnings, parsed.source, name))
    return parsed


def locations(import_map: Sequence[str], import_root: str | None, iri_names: IriNames) -> Locations:
    """Where imports may be read from, by these options."""
    from r4.imports.locations import locations_of

    try:
        return locations_of(import_map, import_root, iri_names.expand)
    except ValueError as error:
        refuse(str(error))


def read_closure(  # noqa: PLR0913 - the options of the commands
    parsed: ParsedDocument,
    path: str,
    where: Locations,
    first: int,
    *,
    lenient: bool,
    numbers_by_value: bool = False,
    report: Report = say_faults,
) -> Closure | None:
    """The import closure of the rules at ``path``; None: refused. Faults are reported.

    ``numbers_by_value``: whether numbers in conditions are to stand for their values.
    """
    from r4.imports import load

    try:
        closure = load(parsed, path, where, first, lenient=lenient)
    except RuleErrors as errors:
        report(errors)
        say_unused(where)
        return None
    for warnings in closure.warnings:
        report(warnings)
    say_unused(where)
    return replace(closure, language=closure.language.with_numbers(by_value=numbers_by_value))


def may_not_end(parsed: ParsedDocument, closure: Closure) -> bool:
    """Whether the rules may derive for ever, by the warnings about them."""
    warnings = (parsed.warnings, *(each.errors for each in closure.warnings))
    return any(isinstance(each, NotStronglySafe) for part in warnings for each in part)


def say_unused(where: Locations) -> None:
    """Warn of each ``--import-map`` that no import has used so far."""
    from r4.imports.locations import Catalogue

    if isinstance(where.catalogue, Catalogue):
        for location in where.catalogue.unused:
            say(f"warning: --import-map {location}={where.catalogue[location]}: nothing imports it")


def say_regime_limits(
    closure: Closure, regimes: Sequence[str], *, by_value: bool, report: Report = say_faults
) -> int:
    """Report what ``regimes`` do not reach by the rules of a closure; how many warnings."""
    from r4.program.regimes.background import regime_limits

    if not regimes:
        return 0
    found = regime_limits(regimes, closure.documents, by_value=by_value)
    for faults, source in zip(found, closure.sources, strict=True):
        if faults:
            report(source.notes(faults))
    return sum(map(len, found))


def refuse_open_ranges(closure: Closure, where: str) -> None:
    """Refuse rules with ranges that end in variables, which they cannot ``where`` they are.

    `Exit`: there are some, which is reported.
    """
    from click.exceptions import Exit

    from r4.program.lookahead import open_range_errors

    is_refused = False
    for document, source in zip(closure.documents, closure.sources, strict=True):
        if faults := list(open_range_errors([document], where)):
            is_refused = True
            say_faults(source.notes(faults))
    if is_refused:
        raise Exit(RULES_REFUSED)


def compile_closure(  # noqa: PLR0913 - the options of the commands
    closure: Closure,
    scale: TimeScale,
    background: Document | None = None,
    *,
    instances: bool = False,
    by_value: bool = False,
    windows: Windows | None = None,
    report: Report = say_faults,
) -> Program | None:
    """The program of a closure; None: it is refused, and all faults are reported.

    Raises:
        OutOfRange: one of the ``windows`` that options give reaches too far.
    """
    from r4.program.compiler import compile_document
    from r4.program.errors import EndlessLookahead, NegationBeforeRecursion, NotStratifiedRules
    from r4.stream.windows import NO_WINDOWS

    windows = windows or NO_WINDOWS
    main, *imported = closure.documents
    try:
        return compile_document(
            main,
            scale,
            imported=imported,
            background=background,
            instances=instances,
            literals_by_value=by_value,
            windows=windows,
            language=closure.language,
        )
    except RuleErrors as together:
        # The faults of all together do not name their document, but for cycles.
        reported = False
        for document, source in zip(closure.documents, closure.sources, strict=True):
            try:
                compile_document(
                    document,
                    scale,
                    instances=instances,
                    literals_by_value=by_value,
                    windows=windows,
                    language=closure.language,
                )
            except RuleErrors as errors:
                reported = True
                report(source.notes(errors.errors))
        for fault in () if reported else together.errors:
            number = 0
            if isinstance(fault, NotStratifiedRules | EndlessLookahead | NegationBeforeRecursion):
                number = fault.document
            report(closure.sources[number].notes([fault]))
        return None
