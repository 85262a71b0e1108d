"""Programs: documents compiled to plans, and what decides whether they can run.

| file | what it is |
|---|---|
| `program` | a compiled program, and the relations that it knows by name |
| `compiler` | from documents to a program |
| `errors` | rules that can be read and are safe, but do not run: one class a code |
| `equal_terms` | rules where `owl:sameAs` is identity: atoms and `=` follow it |
| `negation` | rules that are not stratified |
| `lookahead` | metric operators: how far answers look ahead and back, and cycles without end |
| `range_ends` | values of static data that end ranges, and programs with them |
| `rule_addition` | rules that are added to a running engine |
| `rule_versions` | versions of a rule document: which clauses join and leave |
| `windows_under_operators` | operators over event times in a document with a window |
| `box_conditions` | boxes that streams hardly ever make true |
| `option_names` | names of rules, and names in options that rules know nothing of |
| `regimes` | entailment regimes as background rules |
"""
