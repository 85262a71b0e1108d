"""A report as a folder: figures as JSON, tables and pictures as Markdown and as HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

from bench.harness.benchmark import Findings
from bench.harness.tables import TextTable
from bench.report.report import machine_table

_STYLE: Final = """
body{font:15px/1.5 system-ui,sans-serif;max-width:75rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:.5rem 0 2rem}
td,th{padding:.2rem .7rem;border-bottom:1px solid #d5dbe3;text-align:right}
.text{text-align:left}
svg{max-width:100%;height:auto;margin:0 0 1rem}
@media (prefers-color-scheme:dark){
body{background:#0d1117;color:#e6edf3}
td,th{border-color:#30363d}
}
""".strip()


def write_report(found: Findings, command: str, folder: Path) -> None:
    """Write ``report.json``, ``report.md``, ``report.html`` and the pictures.

    Args:
        found: what was found, with the machine.
        command: what was called.
        folder: is made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables, pictures = [machine_table(), *found.tables], found.pictures
    for name, picture in pictures:
        (folder / name).write_text(picture, encoding="utf-8")
    figures = json.dumps({"command": command, **found.figures}, indent=1)
    (folder / "report.json").write_text(figures + "\n", encoding="utf-8")
    markdown = "\n".join(_markdown(command, tables, [name for name, _ in pictures]))
    (folder / "report.md").write_text(markdown, encoding="utf-8")
    html = "\n".join(_html(command, tables, [picture for _, picture in pictures]))
    (folder / "report.html").write_text(html, encoding="utf-8")


def _markdown(command: str, tables: Sequence[TextTable], pictures: Sequence[str]) -> Iterator[str]:
    yield f"# Report of a benchmark\n\n    {command}\n"
    for table in tables:
        count = len(table.rows[0]) if table.rows else len(table.heads)
        sides = ["---" if place < table.texts else "---:" for place in range(count)]
        yield f"{table.title}\n"
        yield from (_markdown_row(row) for row in (table.heads, sides, *table.rows))
        yield ""
    for name in pictures:
        yield f"![{name.removesuffix('.svg')}]({name})\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _html(command: str, tables: Sequence[TextTable], pictures: Sequence[str]) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><meta charset="utf-8">'
    yield "<title>Report of a benchmark</title>"
    yield f"<style>{_STYLE}</style><h1>Report of a benchmark</h1><pre>{escape(command)}</pre>"
    yield from pictures
    for table in tables:
        yield f"<p>{escape(table.title)}</p><table>"
        if any(table.heads):
            yield _html_row(table, table.heads, "th")
        yield from (_html_row(table, row, "td") for row in table.rows)
        yield "</table>"
    yield "</html>\n"


def _html_row(table: TextTable, cells: Sequence[str], tag: str) -> str:
    shown = (
        f"<{tag}{' class=text' if place < table.texts else ''}>{escape(cell)}</{tag}>"
        for place, cell in enumerate(cells)
    )
    return f"<tr>{''.join(shown)}</tr>"
