"""IRIs [RFC 3986, 5.2; RFC 3987]: which are absolute, what a relative one is, local names."""

from __future__ import annotations

import re

_ABSOLUTE = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*+:[^\x00-\x20<>"{}|^`\\\ud800-\udfff]*+\Z')
_PARTS = re.compile(
    r"(?:([A-Za-z][A-Za-z0-9+.-]*+):)?(?://([^/?#]*+))?([^?#]*+)(?:\?([^#]*+))?(?:#(.*+))?\Z",
    re.DOTALL,
)
_LOCAL_NAME = re.compile(r"[^#/:]*\Z")


def is_absolute(text: str) -> bool:
    """Is ``text`` an absolute IRI, by its characters and its scheme?"""
    return _ABSOLUTE.match(text) is not None


def resolve(reference: str, base: str) -> str:
    """``reference`` against the absolute IRI ``base``, without any normalisation.

    A reference that is absolute comes back as it is, dot segments and all.
    """
    scheme, authority, path, query, fragment = _split(reference)
    if scheme is not None:
        return reference
    base_scheme, base_authority, base_path, base_query, _ = _split(base)
    if authority is not None:
        path = _without_dots(path)
    else:
        authority = base_authority
        if not path:
            path = base_path
            query = base_query if query is None else query
        elif path.startswith("/"):
            path = _without_dots(path)
        elif base_authority is not None and not base_path:
            path = _without_dots("/" + path)
        else:
            path = _without_dots(base_path[: base_path.rfind("/") + 1] + path)
    return _join(base_scheme, authority, path, query, fragment)


def local_name(iri: str) -> str:
    """What follows the last ``#``, ``/`` or ``:`` of an IRI; all of it, where there is none."""
    match = _LOCAL_NAME.search(iri)
    assert match is not None  # it may be empty
    return match[0]


def _split(text: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    match = _PARTS.match(text)
    assert match is not None  # every part may be missing
    scheme, authority, path, query, fragment = match.groups()
    return scheme, authority, path or "", query, fragment


def _join(
    scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None
) -> str:
    return "".join(
        (
            "" if scheme is None else f"{scheme}:",
            "" if authority is None else f"//{authority}",
            path,
            "" if query is None else f"?{query}",
            "" if fragment is None else f"#{fragment}",
        )
    )


def _without_dots(path: str) -> str:
    """RFC 3986, 5.2.4, in one pass over the segments."""
    segments = path.split("/")
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            if len(kept) > 1 or (kept and kept[0]):
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    if path.startswith("/") and kept[:1] != [""]:
        kept.insert(0, "")
    return "/".join(kept)
