"""Faults of hypothetical answers (`detection`) and of possible answers (`possible_detection`).

`schemata`: in what a query needs of its input; `entries`: in what entries there are, and for how
long; `output_lines`: in what is printed of them; `confidence`: in how probable they are, and what
is dropped. `possible` and `possible_ranking` are those of possible answers of RIF rules.
"""
