"""Property paths: the predicates that lead from an element to its time, as options name them.

``sosa:phenomenonTime/time:inXSDDateTime`` is a path of two steps: a sequence path of IRIs
[SPARQL, 9.1]. With its IRIs in full it is
``<http://www.w3.org/ns/sosa/phenomenonTime>/<http://www.w3.org/2006/time#inXSDDateTime>``; one IRI,
without brackets, is a path of one step.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from r4.prefixes import expand, option_value
from rete.drawing.names import Names

_STEP: Final = re.compile(r"<[^<>]*>|[^/<>]*")
_OPERATORS: Final = re.compile(r"[\^|!*+?()]")


class BadPath(ValueError):
    """A text that is no property path of IRIs in sequence."""


def read_path(text: str, prefixes: Mapping[str, str]) -> str:
    """The path that is written as ``text``, with its IRIs in full.

    A text without brackets that begins with no known prefix is one IRI, whatever it has.

    Raises:
        BadPath: It is another path of SPARQL, or none.
    """
    is_whole = "<" not in text and text.partition(":")[0] not in prefixes
    return path_of([text] if is_whole else [expand(step, prefixes) for step in _steps(text)])


def _steps(text: str) -> list[str]:
    """The steps of a path as they are written; raises as `read_path`."""
    steps: list[str] = []
    at = -1
    while at < len(text):
        found = _STEP.match(text, at + 1)
        assert found is not None
        step, at = found[0], found.end()
        if operator := "" if step.startswith("<") else _OPERATORS.search(step):
            message = f"{operator[0]} is no part of a path here: only / between IRIs is"
            raise BadPath(message)
        if step in {"", "<>"}:
            message = "> is missing" if text[at : at + 1] == "<" else "a step is missing"
            raise BadPath(message)
        if text[at : at + 1] not in {"", "/"}:
            message = f"/ is missing behind {step}"
            raise BadPath(message)
        if ":" not in step or (step.endswith(":") and text.startswith("//", at)):
            message = f"{step} is no IRI: write it with a prefix, or in full in < >"
            raise BadPath(message)
        steps.append(step)
    return steps


def steps_of(path: str | None) -> tuple[str, ...]:
    """The IRIs of a path, also of one in brackets; of None there are none."""
    if path is None:
        return ()
    return tuple(path[1:-1].split(">/<")) if path.startswith("<") else (path,)


def path_of(steps: Sequence[str]) -> str:
    """The path of ``steps``, one or more: the inverse of `steps_of`."""
    return steps[0] if len(steps) == 1 else shown_path(steps)


def shown_path(steps: Sequence[str], names: Names | None = None) -> str:
    """A path as messages have it: with the prefixes of ``names``, or in full."""
    return "/".join(f"<{step}>" if names is None else names.iri(step) for step in steps)


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
