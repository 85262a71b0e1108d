"""Small graphs in the words of OWL and RDFS, and rules above them.

`axioms` draws axioms and assertions about a few names, `graphs` small graphs of them;
`rule_triggers` draws instances of the conditions of OWL 2 RL rules; `rules_above` has rules of a
user over such axioms.
"""
