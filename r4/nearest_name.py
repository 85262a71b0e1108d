"""The name among those that occur that is most like one that does not."""

from __future__ import annotations

from collections.abc import Iterable

from rif.errors.nearest import nearest_word


def nearest_name(asked: str, names: Iterable[str]) -> str | None:
    """The IRI of ``names``, in brackets as ``asked`` is, that is most like it; None: none is.

    What follows the namespace is compared; names of the same namespace come first.
    """
    start, local = _parts(asked)
    found = [(*_parts(name), name) for name in sorted(names) if name.startswith("<")]
    for some in ([each for each in found if each[0] == start], found):
        by_local = {other: name for _, other, name in some}
        if near := nearest_word(local, by_local):
            return by_local[near]
    return None


def _parts(name: str) -> tuple[str, str]:
    """The namespace and, in lower case, what follows it, of an IRI in brackets."""
    cut = max(map(name.rfind, "/#:")) + 1
    return name[:cut], name[cut:-1].lower()
