"""Tests of rules: cases with inputs and the lines that are expected, as `r4 test` runs them.

A case has rules, streams, options of ``r4 run`` and the lines that this is to print. It is a
folder, or a section of a Markdown file.

| file | what it is |
|---|---|
| `case` | a case, and where the lines that it expects are written |
| `case_folders` | the cases of a folder, found in all folders below it |
| `markdown_cases` | the cases of a Markdown file: headings, and fenced blocks below them |
| `differences` | what differs between the lines that are expected and those that came, in words |
| `junit` | results as XML that other programs read |
"""
