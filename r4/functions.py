"""Functions of one's own: Python functions that rules call as built-ins.

    @r4.function("urn:ex:celsius", version="1")
    def celsius(fahrenheit: Decimal) -> Decimal:
        return (fahrenheit - 32) / Decimal("1.8")

    engine = r4.Engine.from_file("rules.rif", functions=[celsius])

A package gives its functions to all rules by entry points of the group ``r4.functions``, whose
names are IRIs. One is imported when a rule calls it, and never else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, update_wrapper
from typing import Final, TypeAlias, cast

from r4.extras import BrokenExtension, extension, extension_names, may_be_extended
from rif.builtins import BUILTINS, Builtin
from rif.builtins.python_functions import python_builtin
from rif.builtins.signatures import OutsideDomain, UnavailableBuiltin

__all__ = ["OutsideDomain"]  # users know it as r4.OutsideDomain

GROUP: Final = "r4.functions"
"""The entry points."""


class Function:
    """A Python function that rules can call; Python can, too.

    Attributes:
        builtin: How rules call it.
    """

    def __init__(self, builtin: Builtin, call: Callable[..., object]) -> None:
        self.builtin = builtin
        self._call = call
        update_wrapper(self, call)

    def __call__(self, *args: object) -> object:
        return self._call(*args)


Functions: TypeAlias = Mapping[str, Callable[..., object]] | Collection[Function]
"""Functions by IRI, or those that `function` has given one."""


def function(
    iri: str, *, version: str = "", predicate: bool | None = None
) -> Callable[[Callable[..., object]], Function]:
    """Make a pure Python function one that rules can call.

    It takes and gives what `rif.builtins.python_functions` lists: numbers, texts, booleans, dates,
    times, durations as Python has them, all else as terms of R4. It has no value, and a predicate
    is false, where it gives None or raises an exception, such as `r4.OutsideDomain`.

    Args:
        iri: What rules call it.
        version: What you call this version of it: a saved state goes on with the same one only.
        predicate: Whether it is a condition, and gives a bool; by default it is one if it is
            annotated ``-> bool``.

    Raises:
        TypeError: It has a keyword argument without a default: rules give positional ones, as many
            as the signature has.
        ValueError: ``iri`` is no absolute IRI.
    """

    def named(given: Callable[..., object]) -> Function:
        builtin = python_builtin(iri, given, version=version, predicate=predicate)
        return Function(builtin, given)

    return named


def builtins_of(functions: Functions) -> Iterator[Builtin]:
    """The built-ins that these functions are.

    Raises:
        TypeError: One is no function, or has no IRI.
        ValueError: An IRI is none.
    """
    if isinstance(functions, Mapping):
        for iri, given in functions.items():
            yield _builtin(iri, given)
        return
    for each in cast("Iterable[object]", functions):
        if not isinstance(each, Function):
            message = f"{each!r} has no IRI: give it one by @r4.function, or pass a dict"
            raise TypeError(message)
        yield each.builtin


def _builtin(iri: str, given: object) -> Builtin:
    if isinstance(given, Function):
        return replace(given.builtin, name=iri)
    if not callable(given):
        message = f"{iri}: a function is due, not a {type(given).__name__}"
        raise TypeError(message)
    return python_builtin(iri, given)


class InstalledBuiltins(Mapping[str, Builtin]):
    """All built-ins, and those that packages give by entry points.

    What a package gives is imported where it is looked up; its name is known without.
    """

    __slots__ = ("_loaded",)

    def __init__(self) -> None:
        self._loaded: dict[str, Builtin] = {}

    def __getitem__(self, iri: str) -> Builtin:
        """The built-in.

        Raises:
            KeyError: There is none.
            UnavailableBuiltin: Its package does not give it.
        """
        found = BUILTINS.get(iri) or self._loaded.get(iri)
        if found is None:
            found = self._loaded[iri] = _installed(iri)
        return found

    def __contains__(self, iri: object) -> bool:
        return iri in BUILTINS or iri in self._loaded or iri in installed_names()

    def __iter__(self) -> Iterator[str]:
        yield from BUILTINS
        yield from installed_names()

    def __len__(self) -> int:
        return len(BUILTINS) + len(installed_names())


def installed_names() -> frozenset[str]:
    """The IRIs of the functions that packages give; nothing is imported."""
    return _names(tuple(sys.path))


@cache
def _names(_: tuple[str, ...]) -> frozenset[str]:
    return frozenset(extension_names(GROUP) if may_be_extended(GROUP) else ())


def _installed(iri: str) -> Builtin:
    """The built-in that a package gives.

    Raises:
        KeyError: None does.
        UnavailableBuiltin: It cannot be imported, or is no function.
    """
    if iri not in installed_names():
        raise KeyError(iri)
    try:
        return _builtin(iri, extension(GROUP, iri))
    except Exception as error:
        cause = error.__cause__ if isinstance(error, BrokenExtension) else error
        message = f"the package that gives it fails: {type(cause).__name__}: {cause}"
        raise UnavailableBuiltin(message) from error
