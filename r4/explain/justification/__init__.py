"""Minimal justifications: instances of rules, hitting sets, temporal proofs and their times.

At one instant a justification is a minimal set of asserted facts that derive the fact; with metric
operators each fact has intervals of its own.

| file | what it is |
|---|---|
| `justifications` | the entry: the justifications of a fact, smallest first |
| `rule_instances` | ground facts, instances of rules and rows of operators as values |
| `instant_state` | an engine at one instant: assertions, derivations, rule instances |
| `hypergraph` | rule instances at an instant: least proofs, leaves that every proof needs |
| `hitting_sets` | the search for minimal sets of leaves, by a tree of hitting sets |
| `derivation_ranks` | the order in which facts follow, where very much leads to one |
| `ground_program` | all rule instances at all times that lead to a fact |
| `ground_model` | when all of these are true, given some leaves |
| `deciding_members` | which members of a group make the value of an aggregate |
| `temporal_justifications` | minimal sets of asserted facts with their times |
| `temporal_proof` | what makes what true at which time |
| `proof_times` | how long a proof holds, and what ends it |
"""
