"""Texts as strings of TOML, for what R4 writes; `r4.limited_toml` reads TOML."""

from __future__ import annotations


def toml_string(text: str) -> str:
    """A text as a string of TOML on one line; what is not printable is escaped."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(char: str) -> str:
    if char in {'"', "\\"}:
        return f"\\{char}"
    if char.isprintable():
        return char
    if "\ud800" <= char <= "\udfff":  # a byte of the name of a file, which no text of TOML has
        return "\N{REPLACEMENT CHARACTER}"
    return f"\\U{ord(char):08x}"
