"""HTML for notebooks: tables, texts and pictures, in which nothing that is data is markup.

No scripts, and no styles that could reach other cells: a picture is an image, with its styles in
it. What is shown says so in text, too.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

from rif.errors.report import printable, visible


def escaped(text: str) -> str:
    """One line of text as markup, each character of it visible."""
    return escape(printable(text))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """A table of texts, with a ``note`` below it."""
    head = "".join(f"<th>{escaped(name)}</th>" for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{escaped(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    below = f"<p>{escaped(note)}</p>" if note else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def picture(svg: str, title: str) -> str:
    """A document of SVG as an image."""
    data = b64encode(svg.encode()).decode("ascii")
    return f'<img alt="{escaped(title)}" src="data:image/svg+xml;base64,{data}">'


def folded(title: str, text: str) -> str:
    """Lines of text that open at a click on their title."""
    shown = escape(visible(text))
    return f"<details><summary>{escaped(title)}</summary><pre>{shown}</pre></details>"
