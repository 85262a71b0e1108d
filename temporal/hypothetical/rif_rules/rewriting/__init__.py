"""From rules to the rules that are added, whose rows are evidence.

| file | what it is |
|---|---|
| `program_rewriting` | the whole rewriting: documents in, added rules out |
| `patterns` | rules with one head and one body each: substitution, unification, what may come |
| `resolution` | SLD-resolution: from a rule to the input that leads to its head; none too many |
| `arrival_units` | conditions grouped in units, each of which arrives at one time |
| `evidence_rules` | the rule that is added for each choice of units, and how its rows are read |
"""
