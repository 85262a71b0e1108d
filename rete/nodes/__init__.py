"""The kinds of node, and how each follows change.

| module | what is in it |
|---|---|
| `graph` | streams, fact tables, terminals and components: who reads whom; it does no work |
| `alpha` | the alpha network: routes facts to the scans they match |
| `beta` | joins and negation: probes the SteM of one side with the gains of the other |
| `linear` | filters, functions, solved predicates and shifts, row by row |
| `metric` | diamonds, boxes, Since and Until |
| `builtin_calls` | calls of built-ins, each once; which arguments were outside their domain |
"""
