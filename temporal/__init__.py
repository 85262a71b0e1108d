"""Metric time on the network of `rete`: DatalogMTL, its operators in RIF, and Temporal Datalog.

| room | what is in it |
|---|---|
| `errors` | DatalogMTL: one error class per code |
| `containment` | substitutions that make each atom of one set an atom of another |
| `intervals` | exact intervals, with numbers, dates or durations as ends; how they are written |
| `mtl` | DatalogMTL: syntax tree, validation, analysis, rewriting, plans |
| `metric_rif` | the same operators as formulas of RIF, for rules over streams |
| `text` | DatalogMTL text: parsers of programs, and the writer |
| `facts` | facts: parsers of lines and tables, the bulk loader and writer, patterns |
| `periods` | how a model repeats for ever: coalescing, windows, periods, unfolding |
| `model` | materialisation: from a program and a dataset to the least model |
| `streaming` | a query followed along a stream of facts |
| `maintenance` | live models, which follow their data |
| `picture` | a model as an SVG document |
| `hypothetical` | Temporal Datalog: answers that facts to come would complete |

The metric operators themselves are nodes of the network (`rete.nodes`). Imports lead from
`hypothetical`, `maintenance` and `picture` over `model`, `facts`, `text`, `metric_rif` and
`periods` down to `mtl`, `intervals`, `errors` and `containment`.
"""
