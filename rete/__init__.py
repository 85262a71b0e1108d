"""The Rete network: rules become a network, deltas become deltas. Ids and cells, never text.

A clause becomes plans, equal plans become one node, and an inference engine carries deltas from
node to node until none is left. Each room may import those below it, none above it.

| room | what is in it |
|---|---|
| `inference` | rules that run: networks, asserted facts and agenda as one object |
| `retraction` | view maintenance: what is lost when facts are asserted no longer |
| `provenance` | derivations found backwards, from a fact to the facts it follows from |
| `drawing` | the network for people: text, JSON, Graphviz, SVG |
| `network` | networks and layers of them: who feeds whom, components, lookback, the horizon |
| `planning` | lowering of clauses, join order, strata |
| `nodes` | the kinds of node, one a module: its plan, and how it follows change |
| `graph` | plans as values, streams and tables: what all kinds of node have in common |
| `aggregates` | the values of groups of rows: members, and bags that follow them |
| `storage` | what is stored: SteMs, the base table, fact sets, and the algebra of rows |
| `terms` | the dictionary of terms, relations, N-Quads, calls of built-ins, equality classes |
| `kernels` | pure functions from arrays to arrays, compiled or in Python |
| `memo` | what a function makes of a key, made once |
| `memory_limit` | the most memory that a process may use |
| `whole_calls` | that an object whose call was cut short takes no other |
| `arrays` | deltas, the columns of terms, the codec of saved state |
"""
