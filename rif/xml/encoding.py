"""Bytes to characters: UTF-8, UTF-16, ASCII or Latin-1, as XML says [XML10, 4.3.3, F.1]."""

from __future__ import annotations

import codecs
import re
from typing import Final

from rif.errors.base import Span
from rif.errors.syntax import TooManyTokens
from rif.errors.xml import BadEncoding
from rif.syntax.lexical import MAX_TEXT

_DECLARED = re.compile(
    r"""<\?xml\s[^>]*?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']""", re.DOTALL
)
_FAMILY: Final = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "iso-8859-1": "latin-1",
    "latin-1": "latin-1",
    "latin1": "latin-1",
    "utf-16": "utf-16",
    "utf-16le": "utf-16",
    "utf-16be": "utf-16",
    "iso-10646-ucs-2": "utf-16",
}
_START = Span(1, 1, 1, 2)

_BLANK = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+")
_XML_BEGINS = re.compile(r"<(?:\?xml[\s?]|!DOCTYPE\b|!--|[^\W\d][\w.-]*+(?:\s|/?>|:[\w.-]+\s))")
_LOOK_AHEAD = 4_096


def is_xml(data: bytes) -> bool:
    """Do the bytes begin as XML does, and not as a presentation syntax?

    The first character that is not blank is ``<``, before ``?xml``, ``!DOCTYPE``, ``!--`` or the
    name of an element. ``<urn:a>[…]`` is a formula; an element with a prefix declares it, so a
    blank comes after its name.
    """
    wide = _by_first_bytes(data)
    if wide and wide != "utf-8":
        return data[:_LOOK_AHEAD].decode(wide, "replace").lstrip("\ufeff \t\r\n").startswith("<")
    blank = _BLANK.match(data)
    at = blank.end() if blank else 0
    return _XML_BEGINS.match(data[at : at + _LOOK_AHEAD].decode("utf-8", "replace")) is not None


def decode_utf8(data: bytes) -> str:
    """The characters of a text in UTF-8, with or without the mark.

    Raises:
        BadEncoding: it is not UTF-8.
        TooManyTokens: it is longer than what is read.
    """
    _check_length(data)
    return _decode(data.removeprefix(codecs.BOM_UTF8), "utf-8")


def decode_xml(data: bytes) -> str:
    """The characters of an XML document: by its first bytes, else by what it declares, else UTF-8.

    Raises:
        BadEncoding: another encoding, or bytes that are not in it.
        TooManyTokens: it is longer than what is read.
    """
    _check_length(data)
    encoding = _by_first_bytes(data)
    if encoding is not None:
        text = _decode(data, encoding).removeprefix("\ufeff")
        family = "utf-16" if encoding.startswith("utf-16") else "utf-8"
        declared = _declared_encoding(text[:_LOOK_AHEAD])
        if declared and _FAMILY.get(declared) not in {family, "ascii" if family == "utf-8" else ""}:
            message = f"the document says it is {declared}, but it begins as {family}"
            raise BadEncoding(message, _START)
        return text
    declared = _declared_encoding(data[:_LOOK_AHEAD].decode("latin-1"))
    family = _FAMILY.get(declared or "utf-8", "")
    if family in {"", "utf-16"}:
        says = "is not read" if not family else "but its bytes are not"
        message = f"the document says it is {declared}, which {says}"
        raise BadEncoding(message, _START)
    return _decode(data, family)


def _check_length(data: bytes) -> None:
    if len(data) > MAX_TEXT:
        message = f"the text has more than {MAX_TEXT} bytes, which are the most that are read"
        raise TooManyTokens(message, _START)


def _by_first_bytes(data: bytes) -> str | None:
    """The encoding that a byte order mark, or ``<`` in two bytes, says."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8"
    if data.startswith((codecs.BOM_UTF16_LE, b"<\x00")):
        return "utf-16-le"
    if data.startswith((codecs.BOM_UTF16_BE, b"\x00<")):
        return "utf-16-be"
    return None


def _declared_encoding(head: str) -> str:
    match = _DECLARED.match(head)
    return match[1].lower() if match else ""


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding, "replace")
        name = encoding.removesuffix("-le").removesuffix("-be")
        message = f"the byte at {error.start} is not {name.upper()}"
        raise BadEncoding(message, span_of(before, len(before), len(before) + 1)) from None


def span_of(text: str, start: int, end: int) -> Span:
    """From one offset to another, exclusive; without a table of all lines, unlike the lexer's."""
    line, column = _place(text, start)
    lines, end_column = _place(text[start:end], end - start)
    return Span(line, column, line + lines - 1, end_column + (column - 1) * (lines == 1))


def _place(text: str, at: int) -> tuple[int, int]:
    """Line and column, from 1."""
    ends = text.count("\n", 0, at) + text.count("\r", 0, at) - text.count("\r\n", 0, at)
    return ends + 1, at - max(text.rfind("\n", 0, at), text.rfind("\r", 0, at))
