"""The name among those that occur that is most like one that does not."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest_name(asked: str, names: Iterable[str]) -> str | None:
    """The IRI of ``names``, in brackets as ``asked`` is, that is most like it; None: none is.

    What follows the namespace is compared; names of the same namespace come first.
    """
    start, local = _parts(asked)
    found = [(*_parts(name), name) for name in sorted(names) if name.startswith("<")]
    for some in ([each for each in found if each[0] == start], found):
        by_local = {other: name for _, other, name in some}
        if near := get_close_matches(local, by_local, 1):
            return by_local[near[0]]
    return None


def nearest_word(asked: str, words: Iterable[str]) -> str | None:
    """That of ``words`` which is most like ``asked``, whatever the case; None: none is."""
    by_lower = {word.lower(): word for word in sorted(words)}
    near = get_close_matches(asked.lower(), by_lower, 1)
    return by_lower[near[0]] if near else None


def _parts(name: str) -> tuple[str, str]:
    """The namespace and, in lower case, what follows it, of an IRI in brackets."""
    cut = max(map(name.rfind, "/#:")) + 1
    return name[:cut], name[cut:-1].lower()
