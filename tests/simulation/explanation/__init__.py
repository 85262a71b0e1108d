"""Runs that are asked why a fact holds.

`runs` and `metric_runs` draw a run and feed it to an engine; `comparison` compares justifications
with the oracle, and `metric_comparison` those through metric operators. `hypergraphs` draws the
graphs that justifications are searched in.
"""
