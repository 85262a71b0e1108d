"""Runs that are asked why a fact holds.

`runs` and `metric_runs` draw a run and feed it to an engine; `metric_comparison` compares the
justifications through metric operators with the oracle.
"""
