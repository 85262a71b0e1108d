"""Metric time on the network of `rete`: DatalogMTL and its operators.

Text to syntax: `metric` is an interval, of a fact or the range of an operator; `ast` has the six
operators as formulas of RIF, and programs and facts; `text` reads and writes them. `walk` goes over
formulas, `wellformed` judges programs, `errors` has a class per code.

Operators: `operators` computes them on rows of cells, upon `coalescing`, which makes the times of
equal terms maximal.
"""
