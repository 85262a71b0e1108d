"""Runs that are asked why a fact holds.

`runs` and `metric_runs` draw a run and feed it to an engine; `comparison` compares justifications
with the oracle, and `metric_comparison` those through metric operators. `regime_comparison` and
`meeting_comparison` compare the times of answers with the lines of `r4 run`, under a regime and of
meetings, and `line_comparison` where operators meet retractions.
`event_answers` does both for rules with aggregates and event times, and `asked_engine` asks an
engine between its calls.
`rif_lacks` compares what is said to lack where a fact does not hold, by `lack_checks`.
`hypergraphs` draws the graphs that justifications are searched in.
"""
