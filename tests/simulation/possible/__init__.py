"""Possible answers of RIF rules, compared with their definition.

`comparison` compares the states and the lines of a world with the oracle, and `line_checks` the
lines with the states; `seeds` compares many worlds. `small_runs` are written by hand.
"""
