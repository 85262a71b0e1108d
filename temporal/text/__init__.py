"""DatalogMTL text: parsers of rules, and the writer of rules and facts.

| file | what is in it |
|---|---|
| `scanner` | a line, the position on it, and its faults |
| `atom_parser` | predicates with their arguments |
| `interval_parser` | time points, intervals and ranges |
| `formula_parser` | formulas with operators |
| `program_parser` | whole programs |
| `writer` | formulas, rules, programs and facts as text |

Text of facts is read by `temporal.facts`. A line is a rule or a fact, so a fault in one line hides
none in another.
"""
