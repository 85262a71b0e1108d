"""Hypothetical answers to Temporal Datalog, by the definitions of [CruzFilipe22].

`definitions` finds ground answers over a small domain; `resolution` computes the schematic answers
before any data; `states` those at each instant. `confidence` goes through all worlds;
`output_lines` writes the lines of `r4 hypothesise`.
"""
