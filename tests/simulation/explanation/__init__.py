"""Runs that are asked why a fact holds.

`runs` and `metric_runs` draw a run and feed it to an engine; `comparison` compares justifications
with the oracle, and `metric_comparison` those through metric operators. `regime_comparison`
compares the times of answers under a regime with the lines of `r4 run`. `hypergraphs` draws the
graphs that justifications are searched in.
"""
