"""Exact intervals of the rational time line, and the literals of their ends.

| file | what is in it |
|---|---|
| `interval` | `Interval`, with numbers as ends; from and to cells |
| `dates` | intervals whose ends are xsd:date or xsd:dateTime |
| `durations` | ranges of operators whose ends are durations |
| `calendar` | marks that repeat: each hour, each day or month of a zone |
| `notation` | whether a program and its data count time in numbers or in dates |
| `literals` | numbers, dates and durations read from text |
"""
