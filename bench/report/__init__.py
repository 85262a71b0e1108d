"""Findings, written: all as one, and as a folder with pictures.

| file | what it is |
|---|---|
| `report` | the findings of all benchmarks as one, with the machine |
| `files` | a folder: JSON, Markdown, HTML, pictures |
| `plot` | lines between two axes, as SVG |
"""
