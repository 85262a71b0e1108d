"""The kinds of node, one a module: its plan, and the node that follows change.

| room or module | what is in it |
|---|---|
| `scan` | the facts that match a pattern |
| `alpha` | the alpha network: routes facts to the scans they match |
| `unit` | what is always true |
| `join` | joins: probes the SteM of one side with the gains of the other |
| `anti_join` | negation: rows without a partner |
| `aggregate` | the value of a group of rows |
| `interval_ends` | when facts begin and end |
| `known` | what is known before the clock, where a cycle of rules goes back in time |
| `begun` | what holds from the first stamp on |
| `linear` | nodes that map each row on its own |
| `builtin` | what the next three have in common |
| `filter` | rows of which a built-in predicate is true |
| `function` | rows with the value of a built-in function |
| `solve` | rows with each value of which a built-in predicate is true |
| `aggregate`, `group_values` | aggregates: the value of what holds at once, by group |
| `metric` | kinds that move or compare times: diamonds, boxes, Since, shifts |
"""
