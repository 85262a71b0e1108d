"""Property paths: the predicates that lead from an element to its time, as options name them.

``sosa:phenomenonTime/time:inXSDDateTime`` is a path of two steps: a sequence path of IRIs
[SPARQL, 9.1]. With its IRIs in full it is
``<http://www.w3.org/ns/sosa/phenomenonTime>/<http://www.w3.org/2006/time#inXSDDateTime>``; one IRI,
without brackets, is a path of one step. A step may be an inverse one, but the last, as no time is a
subject: ``^sosa:hasMember/sosa:resultTime`` leads from the members of a collection to its time.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from r4.prefixes import expand, option_value
from rete.drawing.names import Names

_STEP: Final = re.compile(r"\^?(?:<[^<>]*>|[^/<>]*)")
_FULL_STEP: Final = re.compile(r"(\^?)<([^<>]*)>")
_OPERATORS: Final = re.compile(r"[\^|!*+?()]")
INVERSE: Final = "^"
"""How a step begins that leads from objects to subjects; its IRI follows."""


class BadPath(ValueError):
    """A text that is no property path of IRIs in sequence."""


def read_path(text: str, prefixes: Mapping[str, str]) -> str:
    """The path that is written as ``text``, with its IRIs in full.

    A text without brackets that begins with no known prefix is one IRI, whatever it has.

    Raises:
        BadPath: It is another path of SPARQL, or none.
    """
    is_whole = "<" not in text and text.partition(":")[0] not in prefixes
    if is_whole and not text.startswith(INVERSE):
        return path_of([text])
    steps = [_expanded(step, prefixes) for step in _steps(text)]
    if steps[-1].startswith(INVERSE):
        message = "a path that ends with ^ leads to no time, as no time is a subject"
        raise BadPath(message)
    return path_of(steps)


def _expanded(step: str, prefixes: Mapping[str, str]) -> str:
    name = iri_of(step)
    return step.removesuffix(name) + expand(name, prefixes)


def _steps(text: str) -> list[str]:
    """The steps of a path as they are written; raises as `read_path`."""
    steps: list[str] = []
    at = -1
    while at < len(text):
        found = _STEP.match(text, at + 1)
        assert found is not None
        step, at = found[0], found.end()
        name = iri_of(step)
        if operator := "" if name.startswith("<") else _OPERATORS.search(name):
            message = (
                f"{operator[0]} is no part of a path here: only / between IRIs and ^ before one are"
            )
            raise BadPath(message)
        if name in {"", "<>"}:
            message = "> is missing" if text[at : at + 1] == "<" else "a step is missing"
            raise BadPath(message)
        if text[at : at + 1] not in {"", "/"}:
            message = f"/ is missing behind {step}"
            raise BadPath(message)
        if ":" not in name or (name.endswith(":") and text.startswith("//", at)):
            message = f"{name} is no IRI: write it with a prefix, or in full in < >"
            raise BadPath(message)
        steps.append(step)
    return steps


def steps_of(path: str | None) -> tuple[str, ...]:
    """The steps of a path, also of one in brackets; of None there are none.

    A step is an IRI, behind `INVERSE` if it is an inverse one.
    """
    if path is None:
        return ()
    if not path.startswith(("<", INVERSE)):
        return (path,)
    return tuple(mark + iri for mark, iri in _FULL_STEP.findall(path))


def iri_of(step: str) -> str:
    """The IRI of a step, whichever way it leads."""
    return step.removeprefix(INVERSE)


def path_of(steps: Sequence[str]) -> str:
    """The path of ``steps``, one or more: the inverse of `steps_of`."""
    is_one = len(steps) == 1 and not steps[0].startswith(INVERSE)
    return steps[0] if is_one else shown_path(steps)


def shown_path(steps: Sequence[str], names: Names | None = None) -> str:
    """A path as messages have it: with the prefixes of ``names``, or in full."""
    shown: list[str] = []
    for step in steps:
        iri = iri_of(step)
        shown.append(step.removesuffix(iri) + (f"<{iri}>" if names is None else names.iri(iri)))
    return "/".join(shown)


def path_option(steps: Sequence[str], names: Names) -> str:
    """A path as an option has it on the command line of a shell."""
    if len(steps) == 1:
        return option_value(steps[0], names)
    return shlex.quote(shown_path(steps, names))


def about_name(steps: Sequence[str], usual: str) -> str:
    """The predicate of stamps about the name of an element: that of a path of one step.

    A longer path leads to the stamp within the element, where its nodes are.
    """
    return steps[0] if len(steps) == 1 else usual
