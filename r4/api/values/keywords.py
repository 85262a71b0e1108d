"""Methods whose keywords are the fields of a dataclass, for type checkers and at run time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, wraps
from inspect import Parameter, Signature, cleandoc, signature
from textwrap import wrap
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

from r4.options.engine_options import EngineOptions, check_names
from r4.options.option import options_of, types_of

P = ParamSpec("P")
O = TypeVar("O", bound=EngineOptions)
S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

_MARK: Final = "options: {options}"
"""The line of a docstring in place of which the options stand."""
_WIDTH: Final = 92


def with_keywords(
    of: Callable[P, O],
) -> Callable[[Callable[[S, T, O], R]], Callable[Concatenate[S, T, P], R]]:
    """Give a method the fields of a dataclass of options as keywords, in place of one argument.

    A type checker sees them by the constructor ``of``, `inspect` by the signature, `help` where the
    docstring has a line ``options: {options}``.
    """

    def decorate(method: Callable[[S, T, O], R]) -> Callable[Concatenate[S, T, P], R]:
        names = [each.name for each in signature(of).parameters.values()]

        @wraps(method)
        def call(self: S, argument: T, /, *args: P.args, **options: P.kwargs) -> R:
            check_names(names, options)
            return method(self, argument, of(*args, **options))

        call.__signature__ = _signature(method, of)  # type: ignore[attr-defined]  # `inspect` reads it
        call.__doc__ = _documented(method.__doc__, of)
        return call

    return decorate


def _signature(method: Callable[..., object], of: Callable[..., EngineOptions]) -> Signature:
    own = signature(method)
    front = [*own.parameters.values()][:-1]
    types = types_of(cast("type", of))
    keywords = [
        each.replace(annotation=types[each.name], kind=Parameter.KEYWORD_ONLY)
        for each in signature(of).parameters.values()
    ]
    fixed = [each.replace(kind=Parameter.POSITIONAL_ONLY) for each in front]
    return own.replace(parameters=[*fixed, *keywords])


def _documented(text: str | None, of: Any) -> str | None:  # noqa: ANN401 - a dataclass
    """A docstring with its options; None: there is none, as Python leaves them out."""
    if text is None:
        return None
    lines: list[str] = []
    for line in cleandoc(text).splitlines():
        indent = line[: -len(line.lstrip())] if line.strip() else ""
        lines += _described(of, indent) if line.strip() == _MARK else [line]
    return "\n".join(lines)


def _described(of: type, indent: str) -> Iterator[str]:
    """A paragraph about each option, as an argument of a docstring in the style of Google."""
    for each in options_of(of):
        text = f"{each.name}: {each.help} {each.note}".strip()
        yield from _paragraph(text, indent)


@cache
def _paragraph(text: str, indent: str) -> tuple[str, ...]:
    return (*wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent + "    "),)
