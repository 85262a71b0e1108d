"""JSON-LD contexts from files, in place of the IRIs that name them; nothing else is opened.

The IRIs are replaced in the text, so that numbers stay as they are written. [JSON-LD11, 3.1]
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from r4.errors import InputError
from r4.rdf.gates.input_limits import LONGEST_WHOLE
from r4.rdf.gates.json_gate import LONGEST_CONTEXT, text_of

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}:]', re.DOTALL)
"""A string, or a character of the structure that matters here."""
_KEY: Final = b'{"@context":'
_NOT_LOADED: Final = "LoadDocumentCallback"
"""What the message of the parser has if a document names a context by its IRI."""
_SHOWN: Final = 200
"""Characters of an IRI that are shown."""


class TooLong(ValueError):
    """A text that is too long with its contexts."""


def read_contexts(files: Iterable[tuple[str, str]]) -> dict[str, bytes]:
    """The contexts by IRI, each as JSON, of pairs of an IRI and a file.

    A file is an object with ``@context``, or a context itself. It may name others of ``files``.

    Raises:
        InputError: A file cannot be read, or is no JSON; or contexts name each other in a circle,
            or are too long with those that they name.
    """
    named = dict(files)
    given = {iri: _read(path) for iri, path in named.items()}
    found: dict[str, bytes] = {}
    before: list[str] = []

    def expand(iri: str) -> bytes | None:
        """The context of an IRI; ``before`` are those that lead to it."""
        if iri in found or iri not in given:
            return found.get(iri)
        if iri in before:
            circle = " names ".join([*before[before.index(iri) :], iri])
            message = f"{named[iri]}: contexts name each other: {circle}"
            raise InputError(message)
        before.append(iri)
        try:
            whole = _with_contexts(_KEY + given[iri], expand, LONGEST_CONTEXT)
        except TooLong as error:
            message = f"{named[iri]}: {error}"
            raise InputError(message) from None
        before.pop()
        return found.setdefault(iri, whole.removeprefix(_KEY))

    return {iri: context for iri in named if (context := expand(iri)) is not None}


def _read(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            text = file.read(LONGEST_CONTEXT + 1)
        if len(text) > LONGEST_CONTEXT:
            message = f"{path}: a context of more than {LONGEST_CONTEXT} bytes"
            raise InputError(message)
        context = json.loads(text)
    except OSError as error:
        message = f"{path}: {error.strerror or error}"
    except (ValueError, RecursionError) as error:
        message = f"{path}: no JSON-LD context: {error}"
    else:
        if isinstance(context, dict):
            return json.dumps(context.get("@context", context)).encode()
        message = f"{path}: no JSON-LD context"
    raise InputError(message)


def with_contexts(text: bytes, contexts: Mapping[str, bytes], most: int = LONGEST_WHOLE) -> bytes:
    """``text`` with ``contexts``, by IRI, in place of these.

    Those are strings that are the value of ``@context``, or members of an array that is. O(n).

    Raises:
        TooLong: It has more than ``most`` bytes then.
    """
    return _with_contexts(text, contexts.get, most)


def fault_message(message: str, text: bytes) -> str:
    """The message of a parser about ``text``; what can be done if that names a context by IRI."""
    named: list[str] = []
    if _NOT_LOADED in message:
        _with_contexts(text, named.append, LONGEST_WHOLE)
    if not named:
        return message
    iri = named[0][:_SHOWN]
    return f"the context {iri} is not loaded: r4 run --context {iri}=FILE says in which file it is"


def _with_contexts(text: bytes, find: Callable[[str], bytes | None], most: int) -> bytes:
    parts: list[bytes] = []
    done = depth = 0
    inside = -1  # the depth of an array of contexts
    before = b""  # what of a key "@context" and its colon has come
    for found in _TOKEN.finditer(text):
        token = found[0]
        is_value = before == b":" or depth == inside
        before, is_colon = b"", before == b"key" and token == b":"
        if is_colon:
            before = b":"
        elif token[:1] == b'"':
            name = text_of(token)
            if is_value and (context := find(name)) is not None:
                if inside >= 0 and context[:1] == b"[":  # no array stands in another one
                    context = context[1:-1].strip() or b"{}"
                parts += text[done : found.start()], context
                done = found.end()
            elif not is_value and name == "@context":
                before = b"key"
        elif token in b"[{":
            depth += 1
            if is_value and token == b"[" and inside < 0:
                inside = depth
        elif token in b"]}":
            inside = -1 if depth == inside else inside
            depth -= 1
    return _joined([*parts, text[done:]], most)


def _joined(parts: Sequence[bytes], most: int) -> bytes:
    if sum(map(len, parts)) > most:
        message = f"more than {most} bytes with the contexts"
        raise TooLong(message)
    return b"".join(parts)
