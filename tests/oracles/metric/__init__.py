"""Metric time, over cells.

`operators` evaluates operators cell by cell; `models` computes the least model of a program on a
stretch of cells, `periodic_models` the period on each side of it. `constraints` says where rules
with the head BOTTOM are violated, `prefix_answers` what is certain along a stream of facts.
`streams` has metric rules over elements; `dependencies` says which predicates feed which.
`justifications` decides whether some assertions derive a fact.
"""
