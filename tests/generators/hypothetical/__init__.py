"""Queries of Temporal Datalog, and worlds for possible answers of RIF rules.

`queries` draws a program, a query, delays and facts, `text` writes them; `worlds` draws rules and
streams for `r4 run --hypotheses`, with their texts.
"""
