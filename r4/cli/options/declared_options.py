"""Options of click, made of the fields of a dataclass that declares them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import click

from r4.cli.terminal.console import LIMIT, refuse
from r4.options.option import REQUIRED, Option, ValueKind, arguments_of, options_of
from r4.options.values import byte_count
from rete import memory_limit
from rif.syntax.iri import is_absolute


class ByteSize(click.ParamType[int]):
    """A size in bytes, with its unit."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The bytes."""
        try:
            return byte_count(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class TooLittleMemory(click.ClickException):
    """Less memory is allowed than is in use before any input is read."""

    exit_code = LIMIT


class MemorySize(ByteSize):
    """A size for ``--memory``, which the process itself has to fit in."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The bytes; raises `TooLittleMemory` if more is in use already."""
        most = super().convert(value, param, ctx)
        used = memory_limit.resident_bytes()
        if used is not None and used > most:
            message = (
                f"--memory {value} is less than the {used:,} bytes that R4 occupies before it "
                f"reads anything: allow several times as much"
            )
            raise TooLittleMemory(message)
        return most


O = TypeVar("O")
C = TypeVar("C", bound=Callable[..., int])

Declared: TypeAlias = "Mapping[str, DeclaredOption]"
"""Options by their keys."""


def _form() -> click.ParamType[Any]:
    from r4.cli.options.sink_format_choice import SinkFormatChoice

    return SinkFormatChoice()


_TYPES: Final[Mapping[ValueKind, Callable[[], click.ParamType[Any]]]] = {
    ValueKind.SIZE: ByteSize,
    ValueKind.MEMORY: MemorySize,
    ValueKind.FORM: _form,
}


class DeclaredOption(click.Option):
    """An option of click with its declaration."""

    def __init__(self, declared: Option) -> None:
        self.declared = declared
        more: dict[str, Any] = {"is_flag": True} if declared.is_flag else {"type": _type(declared)}
        if declared.default is REQUIRED:
            more["required"] = True
        elif not declared.is_flag and not declared.is_multiple:
            more["default"] = declared.default
        otherwise = f"  [default: {declared.otherwise}]" if declared.otherwise else ""
        super().__init__(
            (*declared.spellings, declared.name),
            multiple=declared.is_multiple,
            metavar=declared.placeholder or None,
            help=f"{declared.help}{otherwise}" or None,
            show_default=declared.shows_default,
            hidden=declared.hidden,
            callback=_prefixes if declared.kind is ValueKind.PREFIXES else None,
            **more,
        )


def with_options(of: type[O]) -> Callable[[Callable[[O], int]], Callable[..., int]]:
    """Give a command the options and arguments of a dataclass, as one value of it."""

    def decorate(command: Callable[[O], int]) -> Callable[..., int]:
        @wraps(command)
        def call(**given: Any) -> int:  # noqa: ANN401 - what click has parsed
            return command(of(**given))

        made = [*map(_argument, arguments_of(of)), *map(DeclaredOption, options_of(of))]
        call.__click_params__ = made[::-1]  # type: ignore[attr-defined]  # as click's decorators
        return call

    return decorate


def with_option(declared: Option) -> Callable[[C], C]:
    """Give a command one option, as a keyword of its name."""

    def decorate(command: C) -> C:
        vars(command).setdefault("__click_params__", []).append(DeclaredOption(declared))
        return command

    return decorate


def declared_options(parameters: Iterable[click.Parameter]) -> Declared:
    """The options that can be given elsewhere than on the command line, by their keys."""
    found = (each for each in parameters if isinstance(each, DeclaredOption))
    return {each.declared.key: each for each in found if not each.declared.of_line}


def _argument(declared: Option) -> click.Argument:
    return click.Argument(
        [declared.name],
        nargs=-1 if declared.repeats else 1,
        required=declared.is_required or not declared.repeats,
        metavar=declared.metavar or None,
        type=_type(declared),
    )


def _prefixes(_: click.Context, __: click.Parameter, pairs: tuple[str, ...]) -> Mapping[str, str]:
    prefixes: dict[str, str] = {}
    for pair in pairs:
        name, equals, iri = pair.partition("=")
        if not equals or not is_absolute(iri):
            refuse(f"--prefix {pair}: write NAME=IRI")
        prefixes[name] = iri
    return prefixes


def _type(declared: Option) -> click.ParamType[Any] | None:
    if declared.kind in _TYPES:
        return _TYPES[declared.kind]()
    if Path in declared.types and str not in declared.types:
        is_file_okay = declared.kind is ValueKind.ARGUMENT
        return click.Path(file_okay=is_file_okay, path_type=Path)
    if declared.words:
        return click.Choice(declared.words)
    if declared.is_number:
        return click.IntRange(declared.least, declared.most)
    return None
