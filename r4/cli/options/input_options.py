"""The formats of inputs: what ``-i``, ``--mapping`` and ``--context`` say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from r4.cli.terminal.console import refuse, say
from r4.errors import InputError
from r4.options.run_options import FormatOptions
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.files import STDIN
from r4.rdf.json_contexts import read_contexts
from r4.sources.input_formats import INPUT_FORMATS, InputFormats, format_by_name

_OF_INPUTS: Final = frozenset({"input-format", "mapping"})
"""Options whose values may name an input behind ``=``."""
_OF_DOCUMENTS: Final = frozenset({"input-format", "mapping", "context", "max-expanded"})
"""Options about static documents, too."""
_PLAIN: Final = {"clock": "data"}
"""Values of options that say what is so without them."""
CONFIGURED: Final = "r4.configured"
"""Under what the meta of a context has the options from a file or the environment, long names."""


def _warn_of_unused(
    ctx: click.Context, formats: InputFormats, paths: Sequence[tuple[bool, str]]
) -> None:
    """Warn that a bare ``-i`` has no effect, as each input says itself what format it has.

    A file says it by its suffix; a folder has one. One of the configuration is for all runs,
    whatever their inputs are, so nothing is said of it. What sources of other packages ignore is
    refused: `refuse_ignored`.
    """
    name = next((name for name, each in INPUT_FORMATS.items() if each is formats.default), None)
    if name is None or "input-format" in ctx.meta.get(CONFIGURED, ()):
        return
    found = [(path, format_by_name(path, formats)) for _, path in paths]
    if any(each in {None, formats.default, Format.EXTENSION} for _, each in found):
        return
    say(f"warning: -i {name} has no effect, as {_reason(name, formats, found)}")


def _reason(name: str, formats: InputFormats, found: Sequence[tuple[str, Format | None]]) -> str:
    if not found:
        return f"no input is named; {STDIN} is standard input"
    files = [path for path, each in found if each is not Format.LOADED]
    if not files:
        return "no input is a file; a folder has a format of its own"
    kind = "input" if len(files) == len(found) else "file"
    fixes = [f"-i {name}={path}" for path in files if path not in formats.by_place][:2]
    hint = f": {' or '.join(fixes)} names the format of one" if fixes else ""
    return f"the suffix of each {kind} says another format{hint}"


def refuse_ignored(
    ctx: click.Context, static: Sequence[RdfDocument], streams: Sequence[RdfDocument]
) -> None:
    """Refuse options that sources of other packages ignore, where no other input heeds them.

    What the configuration says is for all runs, so it is not refused.
    """
    foreign = [document for document in streams if document.format is Format.EXTENSION]
    if not foreign:
        return
    from r4.sources.connectors import INPUT_OPTIONS, source_type

    for name in sorted(INPUT_OPTIONS):
        if not _is_given(ctx, name):
            continue
        values = ctx.params[name.replace("-", "_")] if name in _OF_INPUTS else ("",)
        places = {value.partition("=")[2] for value in values}
        others = len(streams) - len(foreign) + (len(static) if name in _OF_DOCUMENTS else 0)
        ignoring = [each for each in foreign if name not in source_type(each.path).heeds]
        has_effect = others > 0 or len(ignoring) < len(foreign)
        for document in ignoring:
            if document.path in places or ("" in places and not has_effect):
                heeds = source_type(document.path).heeds
                heeded = ", ".join(f"--{each}" for each in sorted(heeds)) or "no option of inputs"
                refuse(f"--{name} has no effect on {document.name}: its source heeds {heeded}")


def _is_given(ctx: click.Context, name: str) -> bool:
    """Whether the command line gives an option a value other than its default."""
    parameter = name.replace("-", "_")
    source = ctx.get_parameter_source(parameter)
    is_given = source is click.core.ParameterSource.COMMANDLINE
    is_configured = name in ctx.meta.get(CONFIGURED, ())
    return is_given and not is_configured and ctx.params[parameter] != _PLAIN.get(name)


def input_formats(
    ctx: click.Context, options: FormatOptions, paths: Sequence[tuple[bool, str]]
) -> InputFormats:
    """The formats of ``--input-format FORMAT`` and ``FORMAT=STREAM``, and of ``--mapping``."""
    names, names_by_place = _by_place("--input-format", options.input_format, paths)
    for name in filter(None, (names, *names_by_place.values())):
        if name not in INPUT_FORMATS:
            refuse(f"--input-format {name}: known are {', '.join(INPUT_FORMATS)}")
    mapping, mapping_by_place = _by_place("--mapping", options.mapping, paths)
    formats = InputFormats(
        None if names is None else INPUT_FORMATS[names],
        {place: INPUT_FORMATS[name] for place, name in names_by_place.items()},
        mapping,
        mapping_by_place,
        can_be_named=True,
    )
    _warn_of_unused(ctx, formats, paths)
    return formats


def _by_place(
    option: str, values: Sequence[str], paths: Sequence[tuple[bool, str]]
) -> tuple[str | None, dict[str, str]]:
    """The value of an option for all inputs, and those of ``VALUE=INPUT`` by input."""
    default: str | None = None
    by_place: dict[str, str] = {}
    for value in values:
        name, equals, place = value.partition("=")
        if place in by_place or (not equals and default is not None):
            refuse(f"{option}{f' of {place}' if equals else ''} is given twice")
        if equals:
            by_place[place] = name
        else:
            default = name
    if unknown := by_place.keys() - {path for _, path in paths}:
        refuse(f"{option}: {min(unknown)} is no input of this run")
    return default, by_place


def context_files(values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The IRI and the file of each ``--context IRI=FILE``."""
    pairs = [value.rpartition("=") for value in values]
    for value, (iri, equals, path) in zip(values, pairs, strict=True):
        if not iri or not equals or not path:
            refuse(f"--context {value}: write IRI=FILE")
    files = tuple((iri, path) for iri, _, path in pairs)
    try:
        read_contexts(files)
    except InputError as error:
        refuse(f"--context {error}")
    return files
