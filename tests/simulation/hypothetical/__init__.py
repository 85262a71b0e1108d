"""Answers of `r4 hypothesise`, compared with those of the oracles.

`engine` runs the text of a case; `expectation` has the lines of the oracle; `denotation` compares
what schematic entries denote with Definitions 1 and 2 of [CruzFilipe22]. `variable_names` compares
lines but for names that are open. `seeds` has many cases by seed; `paper_examples` those of
[CruzFilipe22], state by state.
"""
