"""``r4 convert``: rule documents and conclusions between the presentation syntax and RIF/XML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import click

from r4.cli.options.declared_options import with_options
from r4.cli.terminal.console import LOST, RULES_REFUSED, read_bytes, refuse, refuse_overwriting, say
from r4.foreign.rule_parser import language_of, parse_rules_or_formula
from r4.language import LANGUAGE
from r4.options.option import Topic, argument, option
from r4.options.shared_options import LenientOptions, PrefixOptions
from r4.sinks.file import SinkLost, open_file
from rif.checks.document import ParsedDocument
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.syntax.terms import CUSTOMARY_PREFIXES
from rif.text.readable_writer import write_readable
from rif.text.writer import unparse, unparse_formula
from rif.xml.encoding import is_xml
from rif.xml.writer import write_xml, write_xml_formula

PRESENTATION: Final = "ps"
READABLE: Final = "readable"
XML: Final = "xml"


@dataclass(frozen=True, kw_only=True)
class ConvertOptions(LenientOptions, PrefixOptions):
    """All options of ``r4 convert``."""

    source: str = argument("IN")
    target: str = argument("OUT")
    to: Literal["ps", "readable", "xml"] | None = option(
        "The syntax of OUT: plain RIF, readable rules, RIF/XML.",
        Topic.COMMAND,
        otherwise="xml, and ps of XML and of what is no RIF",
    )


@click.command()
@with_options(ConvertOptions)
def command(options: ConvertOptions) -> int:
    """Write IN, a rule document or a formula, to OUT in another syntax.

    IN may be a query of SPARQL, or rules of Jena, too.

    What IN says is read, not judged: r4 check does that. Annotations are kept. - is standard
    input, or standard output. Exit 3 if IN cannot be read.
    """
    source, prefixes = options.source, options.prefixes
    data = read_bytes(source)
    if data is None:
        return RULES_REFUSED
    name = "<stdin>" if source == "-" else source
    try:
        parsed = parse_rules_or_formula(
            data,
            name=name,
            prefixes=prefixes,
            lenient=options.lenient,
            check=False,
            language=LANGUAGE.with_syntax(strict=options.strict_syntax),
        )
        text = _converted(parsed, options.to or _other_syntax(data, name), prefixes)
    except RuleErrors as errors:
        say(errors.report(name))
        return RULES_REFUSED
    if isinstance(parsed, ParsedDocument) and parsed.warnings:
        say(parsed.report(name))
    return _save(text.encode(), source, options.target)


def _other_syntax(data: bytes, name: str) -> str:
    """The syntax of RIF in which a document is written that is in the other one, or in neither."""
    is_written = is_xml(data) or language_of(data, name) is not None
    return PRESENTATION if is_written else XML


def _converted(
    parsed: ast.Formula | ParsedDocument, syntax: str, prefixes: Mapping[str, str]
) -> str:
    if isinstance(parsed, ParsedDocument):
        return _WRITE[syntax](parsed.document, LANGUAGE)
    if syntax == XML:
        return write_xml_formula(parsed, prefixes, LANGUAGE)
    return unparse_formula(parsed, {**CUSTOMARY_PREFIXES, **prefixes}, LANGUAGE) + "\n"


_WRITE: Final = {PRESENTATION: unparse, READABLE: write_readable, XML: write_xml}


def _save(data: bytes, source: str, target: str) -> int:
    refuse_overwriting(target, (source,))
    try:
        with open_file(target) as file:
            file.write(data)
    except SinkLost as error:
        say(str(error))
        return LOST
    except BrokenPipeError:  # the reader wants no more
        raise
    except OSError as error:
        refuse(f"{target}: {error.strerror or error}")
    return 0
