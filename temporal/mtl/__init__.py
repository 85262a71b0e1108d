"""DatalogMTL [Brandt18]: syntax tree, validation, analysis, rewriting, and plans.

| file | what is in it |
|---|---|
| `ast` | the six metric operators, programs, facts |
| `operators` | a row an operator: its class and its words; tables to look these up |
| `traversal` | atoms, variables and ranges of a formula |
| `validation` | heads, numbers of arguments, safeness, size of numbers |
| `analysis` | which rules lead to which, and how far they look |
| `guards` | conditions that bind what a Since or Until leaves unbound |
| `subsumption` | rules without which the models are the same |
| `normal_form` | rewriting: one operator a rule, no half-open range |
| `unbounded_ranges` | rewriting: operators with a range to infinity in rules of their own |
| `operator_plans` | the plan of one operator, from those of its operands |
| `lowering` | the plans of a program |
| `strata` | negation: what must be known before; gates that open where it is |
"""
